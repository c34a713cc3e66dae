"""What a frontier did lately, kept in memory: how much, how fast, and which pages failed and why.

Each scheduler process counts the totals of the store, which are everybody's, and the failures it was told of itself.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from heapq import merge
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from afresh.base.records.frontier import FrontierStats, PageReport, PageResult
from afresh.base.records.frontier_store import Reported

_PAGES = 5_000  # remembered with what went wrong at their last try, of each kind; and as many sites
_SAMPLES = 1_440  # remembered: two hours at one every five seconds
_BINS = 60  # points of a picture
_SHORTEST = 10.0  # seconds between two of them

#: Why nothing came of a page, in words.
REASONS: dict[PageResult, str] = {
    PageResult.NOT_FOUND: "not there any more: the server answers 404 or 410",
    PageResult.ERROR: "no answer, or a server that fails: it is tried again",
    PageResult.EXCLUDED: "its robots.txt forbids it",
    PageResult.REFUSED: "its address is not public; fetch.allowed_networks of the fetcher lets it through",
}
_WELL = (PageResult.FETCHED, PageResult.NOT_MODIFIED)
_SOFT = "a page that says it is none, behind a friendly 200"


class FailedPage(NamedTuple):
    """A page of which nothing came."""

    at: float
    url: str
    site: str
    why: str
    fetcher: str  # its UUID
    result: PageResult  # SKIPPED: it was not asked for, since its site cannot be asked now


class Sample(NamedTuple):
    """The totals at a time."""

    at: float
    visits: int
    urls: int
    failed: int


class Rate(NamedTuple):
    """What happened in a minute, on average between two samples; ``at`` is the later one."""

    at: float
    visits: float
    found: float
    failed: float


class Lately:
    """A short memory."""

    def __init__(self) -> None:
        self.failed = 0  # since the start of this process
        self._failed: OrderedDict[str, FailedPage] = OrderedDict()  # by URL, the newest last
        self._not_asked: OrderedDict[str, FailedPage] = OrderedDict()  # apart, for a robots.txt may forbid thousands
        self._sites: OrderedDict[str, FailedPage] = OrderedDict()  # by site: why nothing comes of it
        self._samples: deque[Sample] = deque(maxlen=_SAMPLES)

    def note(self, reports: Iterable[Reported], now: float) -> None:
        """Takes down which pages of reports failed."""
        for report in reports:
            for site in report.sites:
                last: FailedPage | None = None
                for page in site.pages:
                    if page.result in REASONS or page.soft_404 or (page.why and page.result is PageResult.SKIPPED):
                        last = self._keep(FailedPage(now, page.url, site.name, _why(page), report.fetcher, page.result))
                    elif page.result in _WELL:
                        last = None
                        self._sites.pop(site.name, None)
                if last is not None and last.result is not PageResult.EXCLUDED:
                    _remember(self._sites, site.name, last)

    def _keep(self, page: FailedPage) -> FailedPage:
        if page.result in (PageResult.EXCLUDED, PageResult.SKIPPED):
            _remember(self._not_asked, page.url, page)
        else:
            self.failed += 1
            _remember(self._failed, page.url, page)
        return page

    def failures(self, *, site: str = "", limit: int) -> list[FailedPage]:
        """Pages of which nothing came, the newest first; of one site also those that were not asked for."""
        if not site:
            return [page for _, page in zip(range(limit), reversed(self._failed.values()), strict=False)]
        both = merge(
            reversed(self._failed.values()), reversed(self._not_asked.values()), key=attrgetter("at"), reverse=True
        )
        mine = (page for page in both if page.site == site)
        return [page for _, page in zip(range(limit), mine, strict=False)]

    def last_failure(self, url: str, *, visited: float | None) -> FailedPage | None:
        """What went wrong at the last try of a page; None: nothing that is remembered, or its last visit was later."""
        found = [page for page in (self._failed.get(url), self._not_asked.get(url)) if page is not None]
        latest = max(found, key=attrgetter("at"), default=None)
        return latest if latest is not None and latest.at >= (visited or 0.0) else None

    def trouble_of(self, site: str) -> str:
        """Why nothing came of the last pages of a site; '': something did, or nothing is remembered."""
        found = self._sites.get(site)
        return "" if found is None else found.why

    def sample(self, stats: FrontierStats, now: float) -> None:
        """Takes down the totals."""
        if not self._samples or now > self._samples[-1].at:
            self._samples.append(Sample(now, stats.visits, stats.urls, self.failed))

    def rates(self) -> list[Rate]:
        """What happened in a minute, in at most sixty steps over what is remembered."""
        samples = _spread(self._samples)
        return [_rate(before, after) for before, after in pairwise(samples)]


def _remember(kept: OrderedDict[str, FailedPage], name: str, page: FailedPage) -> None:
    kept[name] = page
    kept.move_to_end(name)
    if len(kept) > _PAGES:
        kept.popitem(last=False)


def _why(page: PageReport) -> str:
    """As its fetcher says; else as its result has it."""
    if page.why and page.result is PageResult.ERROR:
        return f"{page.why}: it is tried again"
    return page.why or REASONS.get(page.result, _SOFT)


def _spread(samples: Sequence[Sample]) -> list[Sample]:
    """Some of them, evenly apart; the last is always among them."""
    if len(samples) < 2:
        return []
    step = max(_SHORTEST, (samples[-1].at - samples[0].at) / _BINS)
    chosen = [samples[-1]]
    for sample in reversed(samples):
        if chosen[-1].at - sample.at >= step:
            chosen.append(sample)
    return chosen[::-1]


def _rate(before: Sample, after: Sample) -> Rate:
    minutes = (after.at - before.at) / 60.0
    visits, found, failed = (max(0, new - old) / minutes for old, new in zip(before[1:], after[1:], strict=True))
    return Rate(after.at, visits, found, failed)
