"""A fetcher at work for a frontier: takes lists, visits each site at its own pace, reports in batches.

Politeness is kept here, by this one fetcher, because nobody else has the site: one request at a time, and between two
of them the site's crawl delay, as the list or robots.txt says, whichever is longer.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol
from uuid import uuid4

from afresh.base.executor import Executor, InPlace
from afresh.base.models import Failed, Fetched, Outcome, Rejected, Request
from afresh.base.protocols import Clock, Fetcher
from afresh.base.records.frontier import PageLine, PageReport, PageResult, SiteList, SiteReport
from afresh.frontier.reading import IsErrorPage, read_outcome
from afresh.frontier.urls import CrawlUrls

_log = logging.getLogger(__name__)
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
_MARGIN = 5.0  # seconds before the end of a reservation at which its rest is given back
MOST_BYTES = 4_000_000  # of one report; frontiers take twice as much
_PAGE_BYTES = 400  # a page's report without URL and links, at most
_ENOUGH = 20  # failures of one site in a row: the rest of its list is given back


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """How much one fetcher does at a time."""

    parallel: int = 32  # sites at a time
    pages: int = 0  # most pages of a site; 0: as the frontier says
    flush: float = 1.0  # seconds a finished site waits for company
    idle: float = 1.0  # seconds until an idle fetcher asks again
    delay: float = 1.0  # shortest pause between two requests to a site


class Reserved(Protocol):
    """A list as it came from the frontier."""

    @property
    def sites(self) -> Sequence[SiteList]: ...
    @property
    def expires(self) -> float: ...


class Source(Protocol):
    """The frontier, as its fetcher sees it."""

    async def lists(self, *, amount: int, length: int) -> Reserved: ...

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        """Returns when the frontier has acknowledged; tries again by itself."""
        ...


class Allowance(Protocol):
    """What robots.txt says of a URL."""

    @property
    def allowed(self) -> bool: ...
    @property
    def delay(self) -> float | None: ...
    @property
    def asked(self) -> bool: ...
    @property
    def is_temporary(self) -> bool: ...


class RobotsRules(Protocol):
    """Asks robots.txt, at most once a day a site."""

    async def permission(self, url: str) -> Allowance: ...


Archive = Callable[[Fetched], None]


@dataclass(slots=True)
class CrawlCounts:
    """What this fetcher has done."""

    lists: int = 0
    sites: int = 0
    pages: int = 0  # requests for pages
    fetched: int = 0
    not_modified: int = 0
    excluded: int = 0
    failed: int = 0
    given_back: int = 0
    links: int = 0
    bytes: int = 0
    reports: int = 0

    def add(self, page: PageReport) -> None:
        match page.result:
            case PageResult.FETCHED:
                self.fetched += 1
            case PageResult.NOT_MODIFIED:
                self.not_modified += 1
            case PageResult.EXCLUDED | PageResult.REFUSED:
                self.excluded += 1
            case PageResult.SKIPPED:
                self.given_back += 1
            case PageResult.NOT_FOUND | PageResult.ERROR:
                self.failed += 1
        self.links += len(page.links)
        self.bytes += page.bytes


class Crawl:
    """One fetcher's loop; ``run`` returns when it was stopped, or has nothing to do for ``patience`` seconds."""

    def __init__(
        self,
        source: Source,
        fetcher: Fetcher,
        robots: RobotsRules | None,
        *,
        settings: CrawlSettings,
        urls: CrawlUrls,
        clock: Clock,
        executor: Executor | InPlace,
        is_error_page: IsErrorPage,
        archive: Archive | None = None,
    ) -> None:
        self._source, self._fetcher, self._robots = source, fetcher, robots
        self._settings, self._urls, self._clock, self._executor = settings, urls, clock, executor
        self._is_error_page, self._archive = is_error_page, archive
        self._done: list[SiteReport] = []
        self._has_done = asyncio.Event()
        self._stopping = asyncio.Event()
        self._closing = False
        self._active: set[asyncio.Task[None]] = set()
        self.counts = CrawlCounts()

    def stop(self) -> None:
        """No new requests; what is in flight is finished and reported, the rest given back."""
        self._stopping.set()

    async def run(self, *, once: bool = False, patience: float | None = None) -> None:
        """Takes and works off lists. ``once``: one list only. ``patience``: ends after so long without work."""
        reporting = asyncio.create_task(self._report_batches())
        reporting.add_done_callback(lambda _: self.stop())  # who cannot report has nothing to fetch for
        try:
            await self._take_lists(once=once, patience=patience)
        finally:
            if self._active:
                await asyncio.wait(self._active)
            self._closing = True
            self._has_done.set()
            await reporting

    async def _take_lists(self, *, once: bool, patience: float | None) -> None:
        last_work = self._clock.now()
        while not self._stopping.is_set():
            free = self._settings.parallel - len(self._active)
            if free < max(1, self._settings.parallel // 4):
                await self._wait_for_a_site()
                continue
            given = await self._source.lists(amount=free, length=self._settings.pages)
            self.counts.lists += 1
            for site in given.sites:
                task = asyncio.create_task(self._visit(site, given.expires))
                self._active.add(task)
                task.add_done_callback(self._active.discard)
            if once:
                return
            if given.sites or self._active:
                last_work = self._clock.now()
            elif patience is not None and self._clock.now() - last_work >= patience:
                return
            if len(given.sites) < free:
                await self._pause(self._settings.idle)

    async def _wait_for_a_site(self) -> None:
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({*self._active, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()

    async def _pause(self, seconds: float) -> bool:
        """Whether the pause was not cut short by the end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        return not self._stopping.is_set()

    # --- one site ---

    async def _visit(self, site: SiteList, expires: float) -> None:
        try:
            report = await self._pages(site, expires)
        except Exception:  # the outermost loop of a site: its list goes back, the others go on
            _log.exception("list of %s given back", site.fqdn)
            report = SiteReport(lease=site.lease, fqdn=site.fqdn, pages=tuple(map(_skipped, site.pages)))
        for page in report.pages:
            self.counts.add(page)
        self.counts.sites += 1
        self._done.append(report)
        self._has_done.set()

    async def _pages(self, site: SiteList, expires: float) -> SiteReport:
        delay = max(self._settings.delay, site.crawl_delay or 0.0)
        stated: float | None = None
        reports: list[PageReport] = []
        has_asked = False
        failures = 0
        trips: list[float] = []
        for place, page in enumerate(site.pages):
            if self._stopping.is_set() or self._clock.now() > expires - _MARGIN or failures >= _ENOUGH:
                reports += map(_skipped, site.pages[place:])
                break
            allowance = await self._robots.permission(page.url) if self._robots else None
            if allowance is not None:
                has_asked = has_asked or allowance.asked
                stated = allowance.delay if allowance.delay is not None else stated
                delay = max(delay, allowance.delay or 0.0)
                if not allowance.allowed:
                    reports.append(_forbidden(page, allowance, self._clock.now()))
                    failures += allowance.is_temporary
                    continue
            if has_asked and not await self._pause(delay):
                reports += map(_skipped, site.pages[place:])
                break
            has_asked = True
            outcome = await self._fetch(page)
            failures = failures + 1 if _is_trouble(outcome) else 0
            trips.append(outcome.trip.finished - outcome.trip.started)
            reports.append(await self._executor.read(read_outcome, page, outcome, self._urls, self._is_error_page))
            delay = max(delay, _asked_to_wait(outcome))
        return SiteReport(
            lease=site.lease,
            fqdn=site.fqdn,
            pages=tuple(reports),
            crawl_delay=stated,
            round_trip=min(trips) if trips else None,
        )

    async def _fetch(self, page: PageLine) -> Outcome:
        self.counts.pages += 1
        outcome = await self._fetcher.fetch(
            Request(url=page.url, etag=page.etag, last_modified=page.last_modified, accept=_ACCEPT)
        )
        if self._archive is not None and isinstance(outcome, Fetched):
            await self._executor.write(self._archive, outcome)
        return outcome

    # --- reports ---

    async def _report_batches(self) -> None:
        while not self._closing or self._done:
            await self._has_done.wait()
            if not self._closing:
                await self._pause(self._settings.flush)
            batch, self._done = self._done, []
            if not self._closing:
                self._has_done.clear()
            for part in in_parts(batch):
                await self._source.report(part, key=str(uuid4()))
                self.counts.reports += 1


def in_parts(sites: Sequence[SiteReport], *, most: int = MOST_BYTES) -> Iterator[list[SiteReport]]:
    """Reports that a frontier takes in one piece; a site too large for one loses links of its last pages."""
    part: list[SiteReport] = []
    size = 0
    for site in sites:
        pages, length = _fitting(site.pages, most)
        if part and size + length > most:
            yield part
            part, size = [], 0
        part.append(site._replace(pages=pages))
        size += length
    if part:
        yield part


def _fitting(pages: Sequence[PageReport], most: int) -> tuple[tuple[PageReport, ...], int]:
    """Pages whose links fit into so many bytes, and their rough length as JSON."""
    kept, size = [], 0
    for page in pages:
        bare = len(page.url) + _PAGE_BYTES
        links = sum(len(link) + 3 for link in page.links)
        if size + bare + links > most - len(pages) * _PAGE_BYTES:
            page, links = page._replace(links=()), 0
        kept.append(page)
        size += bare + links
    return tuple(kept), size


def _skipped(page: PageLine) -> PageReport:
    return PageReport(url=page.url, result=PageResult.SKIPPED, number=page.number)


def _forbidden(page: PageLine, allowance: Allowance, now: float) -> PageReport:
    """Forbidden by robots.txt, or for now, because the site cannot say."""
    result = PageResult.ERROR if allowance.is_temporary else PageResult.EXCLUDED
    return PageReport(url=page.url, result=result, fetched=now, number=page.number)


def _is_trouble(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) or (isinstance(outcome, Rejected) and outcome.status >= 429)


def _asked_to_wait(outcome: Outcome) -> float:
    """Seconds a server asked us to wait; at most an hour within one list."""
    return min(3_600.0, outcome.retry_after or 0.0) if isinstance(outcome, Rejected) else 0.0
