"""By geography: a site's home is the fetcher nearest to it, by a table the operator supplies.  [G20] §4.3.3.1.

The table leads from an address prefix (the longest that fits), else from a top-level domain, to a place; a place is a
name with a latitude and a longitude, or another name (a country to its capital, say). It is read by
``frontier.place_table``. A fetcher stands at the place its account names, or at the "latitude,longitude" written there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import asin, cos, isfinite, radians, sin, sqrt

from afresh.base.records.frontier import FetcherAccount

_EARTH = 6371.0  # kilometres
_BITS = {4: 32, 6: 128}

Point = tuple[float, float]  # latitude and longitude in degrees


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceTable:
    """Where addresses, domains and names lie."""

    points: Mapping[str, Point] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)  # name of a country or region: name of a place
    domains: Mapping[str, str] = field(default_factory=dict)  # top-level domain: name
    prefixes: Mapping[tuple[int, int, int], str] = field(default_factory=dict)  # (version, length, network): name

    def point(self, name: str) -> Point | None:
        """Where a name lies; None if it leads nowhere or in a circle."""
        seen = set()
        name = name.strip().lower()
        while name not in self.points:
            if name in seen or name not in self.names:
                return None
            seen.add(name)
            name = self.names[name]
        return self.points[name]

    def of_site(self, tld: str, addresses: Iterable[tuple[int, int]] = ()) -> Point | None:
        """Where a site lies, by its addresses (version, number), else by its top-level domain."""
        for version, number in addresses:
            for length in range(_BITS[version], -1, -1):
                found = self.prefixes.get((version, length, number >> (_BITS[version] - length)))
                if found is not None and (point := self.point(found)) is not None:
                    return point
        name = self.domains.get(tld.lower())
        return None if name is None else self.point(name)

    def of_fetcher(self, account: FetcherAccount) -> Point | None:
        """Where a fetcher stands, by the location of its account."""
        return written_point(account.location) or self.point(account.location)


def written_point(text: str) -> Point | None:
    """Latitude and longitude in degrees; None if the text is something else.

    >>> written_point("52.3, 10.5"), written_point("Berlin"), written_point("95,0")
    ((52.3, 10.5), None, None)
    """
    try:
        latitude, longitude = (float(part) for part in text.split(","))
    except ValueError:
        return None
    fits = isfinite(latitude) and isfinite(longitude) and abs(latitude) <= 90.0 and abs(longitude) <= 180.0
    return (latitude, longitude) if fits else None


def distance(one: Point, other: Point) -> float:
    """Kilometres on the sphere.

    >>> round(distance((52.52, 13.40), (48.86, 2.35)))  # Berlin, Paris
    877
    """
    (a, b), (c, d) = ((radians(x), radians(y)) for x, y in (one, other))
    half = sin((c - a) / 2.0) ** 2 + cos(a) * cos(c) * sin((d - b) / 2.0) ** 2
    return 2.0 * _EARTH * asin(sqrt(min(1.0, half)))


def homes(
    sites: Iterable[tuple[str, str, Sequence[tuple[int, int]]]], *, members: Sequence[FetcherAccount], table: PlaceTable
) -> dict[str, str]:
    """The home of each site (name, tld, addresses) that lies somewhere: the nearest fetcher; ties go by UUID."""
    stands = [(member.uuid, point) for member in members if (point := table.of_fetcher(member)) is not None]
    chosen = {}
    for site, tld, addresses in sites:
        point = table.of_site(tld, addresses)
        if point is not None and stands:
            chosen[site] = min((distance(point, stand), uuid) for uuid, stand in stands)[1]
    return chosen
