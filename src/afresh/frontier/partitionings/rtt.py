"""By round-trip time: a site's home is the fetcher that reaches it soonest.  [G20] §4.3.3.2.

Single measurements are noisy; the median of the last 24 hours chose the truly nearest in more than nine of ten cases.
A site stays without a home, open to everybody, until enough fetchers have measured it; otherwise the first one to come
would keep it for ever. A home changes only for a clear gain, since moving a site costs warm caches.
"""

from collections.abc import Collection, Iterable, Mapping
from statistics import median

#: seconds of measurements that count
WINDOW = 86_400.0

Median = tuple[str, str, float]  # site, fetcher, seconds


def medians(samples: Iterable[tuple[str, str, float, float]], *, now: float, window: float = WINDOW) -> list[Median]:
    """Site, fetcher and the median of the measurements (site, fetcher, time, seconds) within the window before now.

    >>> medians([("s", "a", 90.0, 3.0), ("s", "a", 95.0, 1.0), ("s", "a", 99.0, 9.0), ("s", "a", 5.0, 0.1)],
    ...         now=100.0, window=50.0)
    [('s', 'a', 3.0)]
    """
    kept: dict[tuple[str, str], list[float]] = {}
    for site, fetcher, at, seconds in samples:
        if now - window <= at <= now:
            kept.setdefault((site, fetcher), []).append(seconds)
    return [(site, fetcher, median(values)) for (site, fetcher), values in sorted(kept.items())]


def homes(
    measured: Iterable[Median],
    *,
    members: Collection[str],
    current: Mapping[str, str] | None = None,
    measured_by: int = 2,
    margin: float = 0.1,
) -> dict[str, str]:
    """The home of each site that enough members have measured: the quickest; ties go to the first UUID.

    ``measured_by``: so many members must have measured a site (or all, if they are fewer). ``margin``: a site stays
    with its current home unless another is quicker by this share.

    >>> homes([("s", "a", 0.2), ("s", "b", 0.1), ("t", "a", 0.1)], members={"a", "b"})
    {'s': 'b'}
    >>> homes([("s", "a", 0.105), ("s", "b", 0.1)], members={"a", "b"}, current={"s": "a"})
    {'s': 'a'}
    """
    by_site: dict[str, list[tuple[float, str]]] = {}
    for site, fetcher, seconds in measured:
        if fetcher in members and seconds >= 0.0:
            by_site.setdefault(site, []).append((seconds, fetcher))
    needed = max(1, min(measured_by, len(members)))
    chosen = {}
    for site, known in sorted(by_site.items()):
        if len(known) >= needed:
            best, fetcher = min(known)
            kept = (current or {}).get(site)
            held = next((seconds for seconds, name in known if name == kept), None)
            chosen[site] = kept if kept and held is not None and best >= held * (1.0 - margin) else fetcher
    return chosen
