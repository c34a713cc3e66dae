"""The operator's table of places, for partitioning by geography: comma-separated lines to a ``PlaceTable``.

    place,frankfurt,50.11,8.68
    country,germany,frankfurt
    tld,de,germany
    prefix,192.0.2.0/24,frankfurt

Names are compared without case; empty lines and lines that begin with # are skipped.
"""

import ipaddress

from afresh.base.errors import ParseError
from afresh.frontier.partitionings.geo import PlaceTable, Point, written_point


def read_places(text: str) -> PlaceTable:
    """The table; ParseError names the line that cannot be read or that leads to a place nobody has described."""
    points: dict[str, Point] = {}
    names: dict[str, str] = {}
    domains: dict[str, str] = {}
    prefixes: dict[tuple[int, int, int], str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip().lower() for cell in line.split(",")]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match cells:
            case ["place", name, latitude, longitude] if point := written_point(f"{latitude},{longitude}"):
                points[name] = point
            case ["country", name, place]:
                names[name] = place
            case ["tld", domain, place]:
                domains[domain.removeprefix(".")] = place
            case ["prefix", prefix, place]:
                prefixes[_prefix(prefix, number)] = place
            case _:
                raise ParseError(
                    f"line {number} of the places is none of place,NAME,LATITUDE,LONGITUDE; country,NAME,PLACE; "
                    f"tld,DOMAIN,PLACE; prefix,NETWORK,PLACE",
                    position=f"line {number}",
                    excerpt=line[:80],
                )
    table = PlaceTable(points=points, names=names, domains=domains, prefixes=prefixes)
    lost = sorted({name for rows in (names, domains, prefixes) for name in rows.values() if table.point(name) is None})
    if lost:
        raise ParseError(f"no place line leads to {lost[0]!r}: add place,{lost[0]},LATITUDE,LONGITUDE", excerpt=lost[0])
    return table


def _prefix(text: str, line: int) -> tuple[int, int, int]:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError as error:
        raise ParseError(f"line {line} of the places: {error}", position=f"line {line}", excerpt=text[:80]) from error
    bits = network.max_prefixlen - network.prefixlen
    return network.version, network.prefixlen, int(network.network_address) >> bits


def address_number(text: str) -> tuple[int, int] | None:
    """Version and number of an IP address; None if the text is none.

    >>> address_number("192.0.2.1"), address_number("nowhere")
    ((4, 3221225985), None)
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return address.version, int(address)
