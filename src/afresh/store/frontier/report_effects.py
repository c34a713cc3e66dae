"""What a report comes to, whatever the database: whose list it was, its pages and sites afterwards."""

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from afresh.base.page_numbers import HASH_BITS, HASH_MASK, is_text, page_hash
from afresh.base.records.frontier import PageReport, PageResult, SiteReport, Standing
from afresh.base.settings.sections import Hygiene
from afresh.store.frontier.intervals import FIRST_PRICE, next_price, revisit_intervals
from afresh.store.frontier.visits import (
    CODES,
    REQUESTED,
    UNTOLD,
    VISITED,
    Floats,
    Pages,
    PageStatus,
    advance,
    standings,
)

_SAME = PageResult.NOT_MODIFIED
_FETCHED = CODES[PageResult.FETCHED]
_ERROR = CODES[PageResult.ERROR]
_NOT_FOUND = CODES[PageResult.NOT_FOUND]
_SKIPPED = CODES[PageResult.SKIPPED]
_WELL = (PageResult.FETCHED, PageResult.NOT_MODIFIED)
_VISITS = {result for result, code in CODES.items() if VISITED[code]}
_OK = np.isin(np.arange(len(CODES)), [CODES[result] for result in _WELL])
LONGEST_TEXT = 1_024  # of validators and hashes that fetchers report
_SMOOTH = 0.2  # weight of a list's mean answer time

Row = tuple[Any, ...]


@dataclass(slots=True)
class Lease:
    """A list as it was handed out, with its site as it is now; and, once gathered, where its pages are in the batch."""

    number: int
    site: int
    fetcher: str
    at: float
    until: float
    delay: float  # as handed out
    release: int  # 1: a report ends it
    full: int  # 1: more was due
    pages: bytes
    name: str
    current: int  # the lease that holds the site now
    stated: float | None  # the site's own delay
    errors: int
    slow: float
    price: float
    blocked: float
    next_due: float
    big: int  # 1: its pages are kept by due time as well
    crawl: int
    left: set[int] = field(default_factory=set)  # pages not reported
    first: int = 0
    last: int = 0
    is_late: bool = False
    stays: bool = False  # a report does not end it

    def renewed_until(self, now: float) -> float:
        """When it ends if it is renewed now: as long as it was given at first."""
        return now + (self.until - self.at)


@dataclass(slots=True)
class Batch:
    """The reported pages of many lists, in the order they came."""

    now: float
    numbers: list[int] = field(default_factory=list)
    pages: list[PageReport] = field(default_factory=list)
    lists: list[tuple[Lease, SiteReport]] = field(default_factory=list)
    sites: set[int] = field(default_factory=set)
    is_bare: bool = True  # no page says more than that it was fetched, now
    changed: NDArray[np.int64] | None = None  # 1, 0, UNTOLD; against the last visit, once that was looked at


@dataclass(slots=True)
class _Columns:
    """What the pages of a batch say, a column each."""

    codes: NDArray[np.int64]
    at: Floats
    changed: list[int]  # 1, 0, UNTOLD
    content: list[str]
    validators: list[tuple[str, str, int]]
    seconds: dict[int, float]  # how long answers took, by place
    soft: list[int]  # places of soft 404s
    due: dict[int, float]  # times to fetch pages again that fetchers gave, by place
    failed: dict[int, PageReport]  # those of which nothing came, by place
    has_errors: bool = False
    again: list[bool] = field(default_factory=list)  # whether the page had failed before; of those with errors only


class SiteSettled(NamedTuple):
    """What pages that somebody gave a time to fetch them again change of their site."""

    visited: int = 0  # more than before
    sum_visited: float = 0.0  # more than before
    completed: int = 0  # more than before
    backlog: int = 0  # more than before
    due: float = math.inf  # the earliest
    site: int = 0
    dated: float = 0.0  # the latest
    quiet: float = 0.0  # nothing of it before then; the latest
    well: int = 0  # more than before
    failed: int = 0  # more than before
    left_out: int = 0  # more than before


class SiteAfter(NamedTuple):
    """A site after the report of its list, as a row to write."""

    ready: float
    next_allowed: float
    next_due: float
    visited: int  # more than before
    sum_visited: float  # more than before
    sum_rate: float  # more than before
    errors: int
    slow: float
    delay: float | None
    price: float
    soft_404: int  # more than before
    ended: int  # a lease that is over, should it still hold the site
    site: int
    trouble: int | None  # its last page of which nothing came; 0: something came of a later one; None: nothing is told
    well: int  # more than before
    failed: int  # more than before
    left_out: int  # more than before


@dataclass(slots=True)
class Settled:
    """All that a batch changes."""

    pages: Pages
    content: list[str]
    only_times: bool  # changed
    validators: list[tuple[str, str, int]]  # etag, last modified, page
    freed: list[SiteAfter] = field(default_factory=list)
    kept: list[SiteAfter] = field(default_factory=list)  # still leased, or reported late
    ended: list[tuple[int, int]] = field(default_factory=list)  # site and number of lists that are over
    shortened: list[tuple[bytes, int, int]] = field(default_factory=list)  # pages left, site, list
    renewed: list[tuple[float, float, int, int]] = field(default_factory=list)  # from, until, site, list
    prolonged: list[tuple[float, float, int]] = field(default_factory=list)  # until, ready, site of a renewed lease
    dated: list[SiteSettled] = field(default_factory=list)  # sites of pages whose fetcher said when they are due
    failed: list[Row] = field(default_factory=list)  # page, when, result, why, fetcher
    recovered: list[int] = field(default_factory=list)  # pages that are well after they were not
    visits: int = 0
    first_visits: int = 0
    sum_visited: float = 0.0
    restood: tuple[int, int, int] = (0, 0, 0)  # how many more than before are well, have failed, are left out


def gather(batch: Batch, lease: Lease, site: SiteReport) -> tuple[Standing, int, int]:
    """Puts the pages of one reported site into the batch: standing, pages visited, pages not of the list."""
    left = lease.left = set(array("q", lease.pages))
    lease.first = len(batch.numbers)
    lease.is_late = lease.current != lease.number or lease.until < batch.now
    pages: Sequence[PageReport] = site.pages
    numbers = [page.number for page in pages]
    if not (left.issuperset(numbers) and len(set(numbers)) == len(numbers)):
        numbers, pages = _of_the_list(lease, pages)
    left.difference_update(numbers)
    batch.numbers += numbers
    batch.pages += pages
    lease.last = len(batch.numbers)
    lease.stays = not lease.is_late and (not lease.release or (site.is_partial and bool(left)))
    batch.lists.append((lease, site))
    batch.sites.add(lease.site)
    if batch.is_bare and (site.pages is not pages or not _are_bare(pages)):
        batch.is_bare = False
    visited = len(pages) if batch.is_bare else sum([page.result in _VISITS for page in pages])
    return Standing.LATE if lease.is_late else Standing.ACCEPTED, visited, len(site.pages) - len(pages)


def _are_bare(pages: Sequence[PageReport]) -> bool:
    """Whether these say nothing but "fetched", as most do: then nearly all that follows is the same for all of them."""
    fetched = PageResult.FETCHED
    # A list is quicker than a generator.
    told = [
        page.result is not fetched
        or page.fetched is not None
        or page.changed is not None
        or page.seconds is not None
        or page.content_hash
        or page.etag
        or page.last_modified
        or page.soft_404
        or page.due is not None
        for page in pages
    ]
    return not any(told)


def _of_the_list(lease: Lease, pages: Sequence[PageReport]) -> tuple[list[int], list[PageReport]]:
    """The pages that were handed out, each once; those without a number are found by their URL."""
    left = set(lease.left)
    numbers, kept = [], []
    for page in pages:
        number = page.number
        if not number:
            # A URL that had to take a neighbour's number is among the next few; that another page of a short list
            # lies there by chance is as good as impossible.
            first = (lease.site << HASH_BITS) | page_hash(page.url)
            number = next((near for near in range(first, first + 4) if near in left), 0)
        elif number not in left:  # handed out before sites were numbered anew? Then it differs in the site's part
            number = (lease.site << HASH_BITS) | (number & HASH_MASK)
        if number in left:
            left.discard(number)
            numbers.append(number)
            kept.append(page)
    return numbers, kept


def _bare_columns(batch: Batch) -> _Columns:
    count = len(batch.pages)
    codes, at = np.full(count, _FETCHED, dtype=np.int64), np.full(count, batch.now)
    return _Columns(codes, at, [UNTOLD] * count, [""] * count, [], {}, [], {}, {})


def _columns(batch: Batch) -> _Columns:
    if batch.is_bare:
        return _bare_columns(batch)
    pages, now, fetched = batch.pages, batch.now, PageResult.FETCHED
    times = [page.fetched for page in pages]
    earliest = np.repeat([lease.at for lease, _ in batch.lists], [lease.last - lease.first for lease, _ in batch.lists])
    # A fetcher's clock may be wrong: nothing was fetched before the list was made or after the report came.
    at = np.clip([now if time is None or time != time else time for time in times], earliest, now)
    columns = _Columns(
        codes=np.array([CODES[page.result] for page in pages], dtype=np.int64),
        at=at,
        changed=[
            (0 if page.result is _SAME else UNTOLD) if page.changed is None else int(page.changed) for page in pages
        ],
        content=[page.content_hash for page in pages],
        validators=[],
        seconds={place: page.seconds for place, page in enumerate(pages) if page.seconds is not None},
        soft=[place for place, page in enumerate(pages) if page.soft_404],
        due={place: page.due for place, page in enumerate(pages) if page.due is not None},
        failed={place: page for place, page in enumerate(pages) if page.result is not fetched or page.soft_404},
    )
    if columns.failed:
        columns.failed = {place: page for place, page in columns.failed.items() if _says_why(page)}
    if any(columns.content):
        columns.content = [text if is_kept(text) else "" for text in columns.content]
    for number, page in zip(batch.numbers, pages, strict=True):
        if (page.etag or page.last_modified) and is_kept(page.etag) and is_kept(page.last_modified):
            columns.validators.append((page.etag, page.last_modified, number))
    # An error page behind a 200 is worth no more than a 404.
    columns.codes[columns.soft] = _NOT_FOUND
    columns.has_errors = bool((columns.codes == _ERROR).any())
    return columns


def _says_why(page: PageReport) -> bool:
    """Whether nothing came of a page, which is worth remembering; a list that was just given back is not."""
    if page.result in _WELL:
        return page.soft_404
    return page.result is not PageResult.SKIPPED or bool(page.why)


def is_kept(text: str) -> bool:
    """Whether a text of a fetcher may be stored."""
    return len(text) <= LONGEST_TEXT and is_text(text)


def is_plain(batch: Batch) -> bool:
    """Whether the report says nothing but "fetched": then little has to be read about the pages (``plain_pages``)."""
    if batch.is_bare:
        return True
    fetched = PageResult.FETCHED
    told = [
        page.result is not fetched or page.changed is not None or page.soft_404 or page.content_hash
        for page in batch.pages
    ]
    return not any(told)


def plain_pages(rows: list[tuple[float, int]]) -> Pages | None:
    """Pages of a plain report from (visited, failures or status); None if some page has failed before."""
    visited, troubles = zip(*rows, strict=True)
    if any(troubles):
        return None
    none, zeros = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows))
    return Pages(zeros, np.array(visited), none, none, none, none, zeros, zeros)


def to_pages(rows: list[Row]) -> tuple[Pages, list[str]]:
    """Pages and contents from rows: content, due, visited (-1: never), status, failures, looks, changes, span, rate."""
    table = np.array([row[1:] for row in rows], dtype=np.float64).reshape(len(rows), 8)
    whole = table[:, 2:6].astype(np.int64)
    status, failures, looks, changes = whole.T
    pages = Pages(table[:, 0], table[:, 1], status, failures, looks, changes, table[:, 6], table[:, 7])
    return pages, [row[0] for row in rows]


def settle(batch: Batch, old: Pages, contents: list[str], *, revisit_after: float | None, hygiene: Hygiene) -> Settled:
    """What the batch makes of its pages (``old``, in its order) and sites."""
    columns = _columns(batch)
    if columns.has_errors:
        columns.again = (old.failures > 0).tolist()
    content, changed, same_content = _compare(columns, contents)
    batch.changed = changed
    intervals = _intervals(batch, hygiene) if revisit_after is None else float(revisit_after)
    new = advance(old, columns.codes, columns.at, changed, intervals=intervals, hygiene=hygiene)
    dated = _date_pages(batch, columns, new) if columns.due else []
    only_times = (
        same_content
        and new.looks is old.looks
        and bool(_OK[columns.codes].all())
        and not (old.failures.any() or old.status.any() or new.status.any())
    )
    settled = Settled(new, content, only_times, columns.validators, dated=dated)
    if not only_times:
        settled.recovered = _recovered(batch, columns, old)
    _settle_sites(batch, columns, settled, old, hygiene)
    return settled


def _recovered(batch: Batch, columns: _Columns, old: Pages) -> list[int]:
    """Pages that are well, and were not at their last try."""
    better = _OK[columns.codes] & ((old.failures > 0) | (old.status != PageStatus.ACTIVE))
    return [batch.numbers[place] for place in np.flatnonzero(better).tolist()]


def _date_pages(batch: Batch, columns: _Columns, new: Pages) -> list[SiteSettled]:
    """Writes the times that fetchers gave over those estimated, except of pages that are given up; and their sites."""
    sites = []
    for lease, _ in batch.lists:
        times = {place: columns.due[place] for place in range(lease.first, lease.last) if place in columns.due}
        kept = [place for place in times if not new.status[place] and columns.codes[place] != _SKIPPED]
        done = [place for place in kept if times[place] == math.inf]
        new.due[kept] = [times[place] for place in kept]
        new.status[done] = PageStatus.COMPLETED
        latest = max([times[place] for place in kept if times[place] < math.inf], default=0.0)
        sites.append(SiteSettled(completed=len(done), site=lease.site, dated=latest))
    return sites


def _compare(columns: _Columns, before: list[str]) -> tuple[list[str], NDArray[np.int64], bool]:
    """Contents after the visit, whether they differ from before, and whether none does."""
    changed = columns.changed
    if not any(columns.content):
        return before, np.array(changed, dtype=np.int64), True
    after = []
    for place, (old, found, code) in enumerate(zip(before, columns.content, columns.codes.tolist(), strict=True)):
        if found and code == _FETCHED:
            if old and changed[place] == UNTOLD:
                changed[place] = int(found != old)
            after.append(found)
        else:
            after.append(old)
    return after, np.array(changed, dtype=np.int64), after == before


def _intervals(batch: Batch, hygiene: Hygiene) -> Callable[[Floats], Floats]:
    """Intervals by change rates, at the prices of the sites."""
    prices = np.empty(len(batch.numbers))
    for lease, _ in batch.lists:
        prices[lease.first : lease.last] = lease.price or FIRST_PRICE
    shortest, longest = hygiene.shortest_revisit, hygiene.longest_revisit
    return lambda rates: revisit_intervals(rates, prices, shortest=shortest, longest=longest)


def _settle_sites(batch: Batch, columns: _Columns, settled: Settled, old: Pages, hygiene: Hygiene) -> None:
    new = settled.pages
    visited = VISITED[columns.codes]
    firsts = visited & (old.visited < 0.0)
    gained = np.where(visited, new.visited - np.where(firsts, 0.0, old.visited), 0.0)
    requested = REQUESTED[columns.codes]
    settled.visits = int(visited.sum())
    settled.first_visits = int(firsts.sum())
    settled.sum_visited = float(gained.sum())
    none = [0.0] * (len(requested) + 1)
    well, failed, left_out = (_sums(firsts), none, none) if settled.only_times else _restood(old, new)
    settled.restood = int(well[-1]), int(failed[-1]), int(left_out[-1])
    sums = _Sums(
        firsts=_sums(firsts),
        gained=_sums(gained),
        rates=_sums(new.rate - old.rate) if new.rate is not old.rate else none,
        requests=_sums(requested),
        well=well,
        failed=failed,
        left_out=left_out,
        due=new.due.tolist(),
        # a page that was not asked for does not count as a request
        requested_at=np.where(requested, columns.at, -math.inf).tolist(),
    )
    for lease, site in batch.lists:
        after = _site_after(batch, columns, sums, lease, site, hygiene)
        if columns.failed:
            settled.failed += _failures(batch, columns, lease)
        if lease.is_late or lease.stays:
            settled.kept.append(after)
        else:
            settled.freed.append(after)
        if lease.stays:
            settled.shortened.append((array("q", sorted(lease.left)).tobytes(), lease.site, lease.number))
        else:
            settled.ended.append((lease.site, lease.number))
        if lease.stays and site.is_partial:
            until = lease.renewed_until(batch.now)
            settled.renewed.append((batch.now, until, lease.site, lease.number))
            settled.prolonged.append((until, until + lease.delay, lease.site))


@dataclass(slots=True)
class _Sums:
    """Sums of the first 0, 1, 2 … pages: the difference of two is a list's; and columns as plain lists."""

    firsts: list[float]
    gained: list[float]
    rates: list[float]
    requests: list[float]
    well: list[float]
    failed: list[float]
    left_out: list[float]
    due: list[float]
    requested_at: list[float]


def _restood(old: Pages, new: Pages) -> tuple[list[float], ...]:
    """How many more pages than before are well, have failed, are left out: sums of the first 0, 1, 2 …"""
    pairs = zip(standings(old), standings(new), strict=True)
    return tuple(_sums(after.astype(np.int64) - before) for before, after in pairs)


def _sums(values: NDArray[Any]) -> list[float]:
    return [0.0, *np.cumsum(values, dtype=np.float64).tolist()]


def _site_after(
    batch: Batch, columns: _Columns, sums: _Sums, lease: Lease, site: SiteReport, hygiene: Hygiene
) -> SiteAfter:
    first, last = lease.first, lease.last
    errors = _errors(columns, lease)
    slow = _slowness(columns, lease)
    stated = lease.stated
    if site.crawl_delay is not None and site.crawl_delay >= 0.0:
        stated = min(site.crawl_delay, hygiene.longest_delay)
    delay = lease.delay if stated is None else stated
    requests = sums.requests[last] - sums.requests[first]
    next_allowed = lease.at
    if requests:
        next_allowed = max(lease.at + requests * lease.delay, max(sums.requested_at[first:last]) + delay)
    if lease.is_late and lease.current == lease.number:
        next_allowed = max(next_allowed, lease.until + lease.delay)  # as when a lease expires unreported
    pause = hygiene.site_pause(errors, slow)
    if site.retry_after is not None and 0.0 < site.retry_after < math.inf:
        pause = max(pause, min(site.retry_after, hygiene.longest_delay))
    if pause:
        next_allowed = max(next_allowed, batch.now + pause)
    # A page that was not reported is as due as it was when it was handed out; or it is still in its fetcher's hands.
    is_back = lease.left and not (lease.stays and site.is_partial)
    next_due = min(lease.next_due, min(sums.due[first:last], default=math.inf), lease.at if is_back else math.inf)
    return SiteAfter(
        max(next_allowed, lease.blocked, next_due),
        next_allowed,
        next_due,
        int(sums.firsts[last] - sums.firsts[first]),
        sums.gained[last] - sums.gained[first],
        sums.rates[last] - sums.rates[first],
        errors,
        slow,
        stated,
        next_price(lease.price, more_is_due=bool(lease.full)),
        sum([first <= place < last for place in columns.soft]),
        lease.number if lease.is_late else 0,
        lease.site,
        _trouble(batch, columns, lease),
        *(int(some[last] - some[first]) for some in (sums.well, sums.failed, sums.left_out)),
    )


def _errors(columns: _Columns, lease: Lease) -> int:
    """Failures in a row, up to the last page of the list; one that failed before says nothing new of its site."""
    errors = lease.errors
    if not errors and not columns.has_errors:
        return 0
    for place, code in enumerate(columns.codes[lease.first : lease.last].tolist(), start=lease.first):
        if code == _ERROR:
            errors += not columns.again[place]
        elif VISITED[code]:
            errors = 0
    return errors


def _failures(batch: Batch, columns: _Columns, lease: Lease) -> list[Row]:
    """Why nothing came of pages of a list: page, when, result, why, fetcher."""
    places = [place for place in range(lease.first, lease.last) if place in columns.failed]
    told = [(batch.numbers[place], columns.failed[place]) for place in places]
    return [
        (number, batch.now, page.result.value, page.why if is_kept(page.why) else "", lease.fetcher)
        for number, page in told
    ]


def _trouble(batch: Batch, columns: _Columns, lease: Lease) -> int | None:
    """The last page of a list of which nothing came; 0: something came of a later one; None: neither is told."""
    for place in range(lease.last - 1, lease.first - 1, -1):
        page = columns.failed.get(place)
        if page is None and _OK[columns.codes[place]]:
            return 0
        if page is not None and page.result is not PageResult.EXCLUDED:  # what is forbidden is no trouble
            return batch.numbers[place]
    return None


def _slowness(columns: _Columns, lease: Lease) -> float:
    """How long answers take, smoothed over lists."""
    if not columns.seconds:
        return lease.slow
    took = [columns.seconds[place] for place in range(lease.first, lease.last) if place in columns.seconds]
    took = [seconds for seconds in took if 0.0 <= seconds < math.inf]
    if not took:
        return lease.slow
    mean = sum(took) / len(took)
    return mean if lease.slow == 0.0 else lease.slow + _SMOOTH * (mean - lease.slow)
