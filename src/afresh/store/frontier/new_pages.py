"""New URLs, whatever the database: their numbers, and what they add to their sites."""

import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from afresh.base.page_numbers import HASH_BITS, HASH_MASK, LONGEST_NAME, LONGEST_URL, is_text, page_hashes
from afresh.base.records.frontier import Seed
from afresh.store.frontier.visits import PageStatus

BATCH = 100_000  # URLs at once: enough to be sorted well, not enough to fill the memory


class StaleSites(Exception):
    """A site that was remembered is not there any more: another process has cleared the frontier."""


class SiteNumbers:
    """Remembers the numbers of sites, which never change: most links lead to sites that were asked for before.

    Given up as a whole when it is full, and when a transaction is taken back that may have made some of them.
    """

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most
        self._known: defaultdict[int, dict[str, int]] = defaultdict(dict)  # by crawl

    def split(self, names: Iterable[str], *, crawl: int) -> tuple[dict[str, int], list[str]]:
        """Sites of a crawl that are remembered, and the others in order."""
        known = self._known[crawl]
        found: dict[str, int] = {}
        missing = []
        for name in names:
            number = known.get(name)
            if number is None:
                missing.append(name)
            else:
                found[name] = number
        return found, sorted(missing)

    def learn(self, sites: Mapping[str, int], *, crawl: int) -> None:
        if sum(map(len, self._known.values())) + len(sites) > self._most:
            self._known.clear()
        self._known[crawl].update(sites)

    def forget(self) -> None:
        self._known.clear()


class Growth(NamedTuple):
    """What new pages add to their site."""

    site: int
    urls: int
    visited: int
    sum_visited: float
    sum_pagerank: float
    discovered: float
    due: float  # the earliest
    backlog: int
    delay: float | None  # as the seeds say
    cash: float  # OPIC
    well: int
    left_out: int


@dataclass(slots=True)
class Numbered:
    """Numbers of URLs, known and new."""

    numbers: dict[str, int] = field(default_factory=dict)
    new: dict[int, Seed] = field(default_factory=dict)


@dataclass(slots=True)
class NewPages:
    """The rows of new pages, in the order of their numbers, and what they add to their sites."""

    pages: list[tuple[int, float, float | None, int]]  # number, due, visited, status
    addresses: list[tuple[int, str, float, float, float]]  # number, URL, discovered, PageRank, cash
    growth: list[Growth]


def fit_seeds(seeds: Sequence[Seed]) -> dict[str, Seed]:
    """Seeds that can be kept, by URL; of several with the same URL the first. Whether it is canonical is not asked."""
    urls = [seed.url for seed in seeds]
    hosts = {seed.site for seed in seeds}
    all_fit = (
        all(urls)
        and max(map(len, urls), default=0) <= LONGEST_URL
        and all(map(str.isascii, urls))
        and not any(map(str.__contains__, urls, repeat("\0")))
        and all(map(is_host, hosts))
    )
    if all_fit:
        return dict(zip(reversed(urls), reversed(seeds), strict=True))
    return {seed.url: seed for seed in reversed(seeds) if is_fit(seed.url) and is_host(seed.site)}


def is_fit(url: str) -> bool:
    """Whether a URL can be kept."""
    return 0 < len(url) <= LONGEST_URL and is_text(url)


def is_host(name: str) -> bool:
    """Whether a host can be kept."""
    return 0 < len(name) <= LONGEST_NAME and is_text(name)


def number_urls(
    wanted: Mapping[str, Seed],
    sites: Mapping[str, int],
    look: Callable[[list[int]], Mapping[int, str]],
    *,
    empty: Container[int] = frozenset(),
) -> Numbered:
    """Gives every URL its number: the one it has, or the first free one from its hash on.

    ``look`` says which URLs have some of these numbers; it is not asked about ``empty`` sites.
    """
    bases = {name: site << HASH_BITS for name, site in sites.items()}
    firsts = list(map(or_, [bases[seed.site] for seed in wanted.values()], page_hashes(wanted)))
    hashed = np.array(firsts, dtype=np.int64)
    by_number = np.argsort(hashed, kind="stable")
    ordered, order = hashed[by_number].tolist(), by_number.tolist()

    def holders(numbers: Iterable[int]) -> Mapping[int, str]:
        looked_for = [number for number in numbers if number >> HASH_BITS not in empty]
        return look(looked_for) if looked_for else {}

    there = holders(ordered)
    if not there:
        free = dict(zip(ordered, map(list(wanted.values()).__getitem__, order), strict=True))
        if len(free) == len(wanted):  # as nearly always
            return Numbered(dict(zip(wanted, firsts, strict=True)), free)
    numbered = Numbered()
    numbers, new = numbered.numbers, numbered.new
    pending = list(zip(ordered, map(list(wanted).__getitem__, order), strict=True))
    while pending:
        again: list[tuple[int, str]] = []
        for number, url in pending:
            holder = there.get(number)
            if holder == url:
                numbers[url] = number
            elif holder is None and number not in new:
                new[number] = wanted[url]
                numbers[url] = number
            else:
                again.append(((number & ~HASH_MASK) | ((number + 1) & HASH_MASK), url))
        pending = sorted(again)
        there = holders(number for number, _ in pending)
    return numbered


def new_pages(
    new: Mapping[int, Seed], *, now: float, cash: float, room: Callable[[int], float] | None = None
) -> NewPages:
    """The rows of new pages (at least one), each with this much OPIC cash.

    ``room`` says how many more pages a site may have; None: any number.
    """
    numbers = sorted(new)
    seeds = _columns(map(new.__getitem__, numbers))
    status, due = _standings(numbers, seeds, room)
    # What lies ahead is a wrong clock's, or a mistake: it cannot have been found or visited later than now.
    discovered = [now if time is None else min(time, now) for time in seeds.discovered]
    visited = [None if time is None else min(time, now) for time in seeds.last_visited]
    return NewPages(
        list(zip(numbers, due, visited, status, strict=True)),
        list(zip(numbers, seeds.url, discovered, seeds.pagerank, repeat(cash, len(numbers)), strict=True)),
        _growth(numbers, seeds, status, due, discovered, visited, cash),
    )


class _Columns(NamedTuple):
    """Seeds, field by field, as ``Seed`` has them."""

    url: list[str]
    site: list[str]
    pagerank: list[float]
    discovered: list[float | None]
    last_visited: list[float | None]
    due: list[float]
    crawl_delay: list[float | None]
    bot_excluded: list[bool]


def _columns(seeds: Iterable[Seed]) -> _Columns:
    """Reads every seed once: in the order of their numbers they lie all over the memory, and each look costs."""
    fields: list[Any] = []
    for seed in seeds:
        fields += seed
    width = len(Seed._fields)
    return _Columns(*(fields[place::width] for place in range(width)))


def _standings(
    numbers: list[int], seeds: _Columns, room: Callable[[int], float] | None
) -> tuple[list[int], list[float]]:
    """Status and due time of new pages: those over their site's budget wait in its backlog."""
    if room is None and not any(seeds.bot_excluded) and math.inf not in seeds.due:
        return [0] * len(numbers), seeds.due
    status, due = [], []
    left: dict[int, float] = {}
    for number, wanted, excluded in zip(numbers, seeds.due, seeds.bot_excluded, strict=True):
        standing = PageStatus.COMPLETED if wanted == math.inf else PageStatus.ACTIVE
        if excluded:
            standing = PageStatus.EXCLUDED
        if room is not None and not standing:
            site = number >> HASH_BITS
            if site not in left:
                left[site] = room(site)
            left[site] -= 1.0
            if left[site] < 0.0:
                standing = PageStatus.BACKLOG
        status.append(int(standing))
        due.append(math.inf if standing else wanted)
    return status, due


def _growth(
    numbers: list[int],
    seeds: _Columns,
    status: list[int],
    due: list[float],
    discovered: list[float],
    visited: list[float | None],
    cash: float,
) -> list[Growth]:
    of_site = np.array(numbers, dtype=np.int64) >> HASH_BITS
    starts = np.flatnonzero(np.diff(of_site, prepend=-1))

    def total(values: Any) -> list[Any]:
        added: list[Any] = np.add.reduceat(np.asarray(values), starts).tolist()
        return added

    def least(values: list[float]) -> list[float]:
        lowest: list[float] = np.minimum.reduceat(np.array(values, dtype=np.float64), starts).tolist()
        return lowest

    ids = of_site[starts].tolist()
    none = [0] * len(ids)
    was_visited = any(time is not None for time in visited)
    delays: dict[int, float] = {}
    for number, delay in zip(numbers, seeds.crawl_delay, strict=True):
        if delay is not None:
            delays.setdefault(number >> HASH_BITS, delay)
    backlog, left_out = (_which(status, one) for one in (PageStatus.BACKLOG, PageStatus.EXCLUDED))
    well = [time is not None for time in visited]
    if left_out is not None:
        well = [seen and not out for seen, out in zip(well, left_out, strict=True)]
    return [
        Growth(
            site, urls, visits, sum_visited, sum_pagerank, found, first, waiting, delays.get(site), urls * cash, *rest
        )
        for site, urls, visits, sum_visited, sum_pagerank, found, first, waiting, *rest in zip(
            ids,
            np.diff(starts, append=len(numbers)).tolist(),
            total([time is not None for time in visited]) if was_visited else none,
            total([time or 0.0 for time in visited]) if was_visited else none,
            total(seeds.pagerank) if any(seeds.pagerank) else none,
            least(discovered),
            least(due),
            total(backlog) if backlog is not None else none,
            total(np.array(well, dtype=np.int64)) if was_visited else none,
            total(left_out) if left_out is not None else none,
            strict=True,
        )
    ]


def _which(status: list[int], wanted: PageStatus) -> NDArray[np.int64] | None:
    """1 where pages have this status; None where none has."""
    return np.array([one == wanted for one in status], dtype=np.int64) if wanted in status else None
