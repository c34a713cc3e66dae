"""A fetcher at work for a frontier: takes lists, visits each site at its own pace, reports in batches.

Nobody else has the site of a list meanwhile, so the gate of this one process keeps its pace: the list's crawl delay,
that of robots.txt or what a Retry-After asks for, whichever is longest.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeGuard

from afresh.base.clock import first_of
from afresh.base.durations import format_duration
from afresh.base.errors import AfreshError, ServiceAway
from afresh.base.executor import Executor, InPlace
from afresh.base.models import Failed, Failure, Outcome, Rejected, Request, Terms
from afresh.base.protocols import Clock, Fetcher
from afresh.base.records.frontier import PageLine, PageReport, PageResult, SiteList, SiteReport
from afresh.base.report_limits import MOST_LINKS
from afresh.frontier.delivering import Aside, Delivery, Reports
from afresh.frontier.failures import NOBODY
from afresh.frontier.reading import LONGEST_WHY, IsErrorPage, read_outcome
from afresh.frontier.sitemaps import SitemapReader
from afresh.frontier.urls import CrawlUrls
from afresh.http.failures import is_nobody_there

_log = logging.getLogger(__name__)
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
_XML = "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
_MARGIN = 5.0  # seconds before the end of a lease at which its rest is given back
_LAST_LIST = 5.0  # seconds that a list being handed out is waited for at the end, so that it can be given back
_LAST_REPORTS = 30.0  # seconds that a frontier which does not answer is waited for at the end
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0  # seconds until reports are sent again that nobody takes now
_CLOSE = 1e-3  # seconds: between the end of a request and what the gate makes of it time passes
_ENOUGH = 20  # failures of one site in a row: the rest of its list is given back


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """How much one fetcher does at a time."""

    parallel: int = 32  # sites at a time
    pages: int = 0  # most pages of a site; 0: as the frontier says
    flush: float = 1.0  # seconds a finished site waits to be reported with others
    part: float = 5.0  # seconds between two reports of what is finished of lists that are being worked off
    idle: float = 1.0  # seconds until an idle fetcher asks again
    delay: float = 1.0  # shortest pause between two requests to a site
    error_bytes: int = 0  # of the body of an error or redirect that are archived
    look: float = 5.0  # seconds between two questions whether a site was blocked meanwhile, or all are paused
    longest: float = 60.0  # seconds after which the rest of a list is given back: what was found is wanted, too
    links: int = 10_000  # most of a page that are reported
    sitemaps: int = 5  # documents of a site that are read in a day, where its robots.txt names some
    ending: float = 20.0  # seconds that an answer is waited for when we are stopped; its page is given back then


class Leased(Protocol):
    """A list as it came from the frontier."""

    @property
    def sites(self) -> Sequence[SiteList]: ...
    @property
    def expires(self) -> float: ...


class Source(Reports, Protocol):
    """The frontier, as its fetcher sees it."""

    async def lists(self, *, amount: int, length: int) -> Leased: ...


class PoliteFetcher(Fetcher, Protocol):
    """The way to the web: robots.txt, one request at a time to a site, and its pause between two."""

    def ready_at(self, url: str) -> float:
        """When the site of a URL may be asked next; 0: nothing is known."""
        ...

    def sitemaps(self, url: str) -> Sequence[str]:
        """Those that the robots.txt of a URL's origin names, as far as it was read."""
        ...

    def stop(self) -> None:
        """No request is begun any more: what waits for its site ends as LATER."""
        ...


Archive = Callable[[Outcome], None]  # keeps what servers answered


class LeftAlone(NamedTuple):
    """What an operator wants nobody to ask now, though we may hold a list of it."""

    sites: Collection[str] = ()
    is_paused: bool = False  # all of them


Blocked = Callable[[], Awaitable[LeftAlone]]


@dataclass(slots=True)
class CrawlCounts:
    """What this fetcher has done."""

    lists: int = 0
    sites: int = 0  # different ones
    pages: int = 0  # requests for pages
    fetched: int = 0
    not_modified: int = 0
    failed: int = 0
    left_out: int = 0  # robots.txt forbids them
    given_back: int = 0
    links: int = 0
    links_left_out: int = 0  # of pages that have more than are reported
    bytes: int = 0
    sitemaps: int = 0
    reports: int = 0
    put_aside: int = 0  # reports of single pages that the frontier could not take

    def add(self, page: PageReport) -> None:
        match page.result:
            case PageResult.FETCHED:
                self.fetched += 1
            case PageResult.NOT_MODIFIED:
                self.not_modified += 1
            case PageResult.EXCLUDED:
                self.left_out += 1
            case PageResult.SKIPPED:
                self.given_back += 1
            case PageResult.NOT_FOUND | PageResult.ERROR | PageResult.REFUSED:
                self.failed += 1
        self.links += len(page.links)
        self.links_left_out += page.links_left_out
        self.bytes += page.bytes


@dataclass(slots=True)
class NotAsked:
    """Pages of lists that nobody was asked for, for one cause."""

    pages: int
    why: str  # of the first of them


class _AtWork:
    """A list that is being worked off, and what the frontier has not heard of it yet."""

    def __init__(self, site: SiteList) -> None:
        self.site = site
        self.stated: float | None = None  # the pause that its robots.txt asks for
        self.trips: list[float] = []
        self.asked_at = -math.inf  # when the last page came of which the frontier has not heard
        self._pages: list[PageReport] = []
        self._told = 0  # pages of the list

    def note(self, pages: Sequence[PageReport]) -> None:
        self._pages += pages

    @property
    def has_news(self) -> bool:
        return bool(self._pages)

    @property
    def rest(self) -> Sequence[PageLine]:
        """Pages of which nothing is known yet."""
        return self.site.pages[self._told + len(self._pages) :]

    def part(self) -> SiteReport:
        """What is new; the list stays ours. Its last page is never among it: whoever finishes that ends the list."""
        pages, self._pages = tuple(self._pages), []
        self._told += len(pages)
        self.asked_at = -math.inf
        return SiteReport(
            lease=self.site.lease, name=self.site.name, pages=pages, crawl_delay=self.stated, is_partial=True
        )

    def end(self, retry_after: float | None) -> SiteReport:
        """What is left to say; the list is over."""
        return self.part()._replace(
            is_partial=False, round_trip=min(self.trips) if self.trips else None, retry_after=retry_after
        )


class Crawl:
    """One fetcher's loop; ``run`` returns when it was stopped, or has nothing to do for ``patience`` seconds."""

    def __init__(
        self,
        source: Source,
        fetcher: PoliteFetcher,
        *,
        settings: CrawlSettings,
        urls: CrawlUrls,
        clock: Clock,
        executor: Executor | InPlace,
        is_error_page: IsErrorPage,
        archive: Archive | None = None,
        settle: Callable[[], None] | None = None,
        blocked: Blocked | None = None,
        keep_aside: Callable[[Aside], None] = lambda _: None,
    ) -> None:
        self._source, self._fetcher = source, fetcher
        self._settings, self._urls, self._clock, self._executor = settings, urls, clock, executor
        self._is_error_page, self._archive = is_error_page, archive
        self._sitemaps = SitemapReader(fetcher.sitemaps, urls, executor, settings.sitemaps)
        self._settle = settle  # makes sure of what was archived, before the frontier is told of it
        self._ask_blocked = blocked  # names of sites that an operator wants to be left alone
        self._blocked: set[str] = set()
        self._is_paused = False
        self._delivery = Delivery(source, keep_aside)
        self._done: list[SiteReport] = []
        self._has_done = asyncio.Event()
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()  # what is done is reported now
        self._over = asyncio.Event()  # no answer is waited for any longer
        self._closing = False
        self._active: set[asyncio.Task[None]] = set()
        self._at_work: dict[_AtWork, None] = {}  # in the order they began
        self._answering: dict[str, str] = {}  # by site, of those with another origin where nobody is there
        self._sites: set[int] = set()  # hashes of the names of those that had a list
        self.counts = CrawlCounts()
        self.not_asked: dict[Failure, NotAsked] = {}
        self.many_links: PageReport | None = None  # the first page of which links were left out
        self.shorter_pause: float | None = None  # the first that a list allows and that our own is longer than

    @property
    def sites_at_work(self) -> int:
        """Sites of which a list is being worked off, or waits for its turn."""
        return len(self._active)

    def stop(self) -> None:
        """No new requests; what is in flight is waited for a while and reported, the rest given back."""
        if not self._stopping.is_set():
            asyncio.get_running_loop().call_later(self._settings.ending, self._over.set)
        self._stopping.set()
        self._hurry.set()
        self._fetcher.stop()

    async def run(self, *, once: bool = False, patience: float | None = None) -> None:
        """Takes and works off lists. ``once``: one list only. ``patience``: ends after so long without work."""
        reporting = asyncio.create_task(self._report_batches())
        reporting.add_done_callback(lambda _: self.stop())  # who cannot report has nothing to fetch for
        beside = [asyncio.create_task(self._mind_blocks()), asyncio.create_task(self._tell_parts())]
        try:
            await self._take_lists(once=once, patience=patience)
        finally:
            if self._active:
                await asyncio.wait(self._active)
            for task in beside:
                task.cancel()
            self._closing = True
            self._has_done.set()
            await asyncio.wait({reporting}, timeout=_LAST_REPORTS if self._stopping.is_set() else None)
            if not reporting.done():
                reporting.cancel()
                await asyncio.wait({reporting})
                raise ServiceAway("the frontier could not be told what was fetched last; it hands that out again later")
            reporting.result()

    async def _take_lists(self, *, once: bool, patience: float | None) -> None:
        last_work = self._clock.now()
        while not self._stopping.is_set():
            free = self._settings.parallel - len(self._active)
            if free < max(1, self._settings.parallel // 4):
                await self._wait_for_a_site()
                continue
            given = await self._next_list(free)
            if given is None:
                return
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

    async def _next_list(self, free: int) -> Leased | None:
        """None: we are stopped, and nothing is about to come that would have to be given back."""
        asking = asyncio.ensure_future(self._source.lists(amount=free, length=self._settings.pages))
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait({asking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not asking.done():
            await asyncio.wait({asking}, timeout=_LAST_LIST)
        if asking.done():
            return asking.result()
        asking.cancel()
        await asyncio.wait({asking})
        return None

    async def _wait_for_a_site(self) -> None:
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({*self._active, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()

    async def _pause(self, seconds: float) -> bool:
        """Whether the pause was not cut short by the end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        return not self._stopping.is_set()

    async def _mind_blocks(self) -> None:
        """Hears of what was blocked or paused while we hold it; a frontier that does not tell is not asked again."""
        with suppress(AfreshError):
            while self._ask_blocked is not None and await self._pause(self._settings.look):
                if self._active:
                    names, self._is_paused = await self._ask_blocked()
                    self._blocked = set(names)

    # --- one site ---

    async def _visit(self, site: SiteList, expires: float) -> None:
        self._blocked.discard(site.name)  # who hands it out has taken the block back …
        self._is_paused = False  # … and goes on
        self._sites.add(hash(site.name))
        self.counts.sites = len(self._sites)
        if self.shorter_pause is None and site.crawl_delay is not None and site.crawl_delay < self._settings.delay:
            self.shorter_pause = site.crawl_delay
        work = _AtWork(site)
        self._at_work[work] = None
        try:
            report = await self._pages(work, expires)
        except Exception:  # the outermost loop of a site: the rest of its list goes back, the others go on
            _log.exception("list of %s given back", site.name)
            work.note([_skipped(page) for page in work.rest])
            report = work.end(self._rest(work, 0.0))
        finally:
            del self._at_work[work]
        self._done.append(report)
        self._has_done.set()

    async def _pages(self, work: _AtWork, expires: float) -> SiteReport:
        site = work.site
        terms = Terms(pause=site.crawl_delay or 0.0, until=expires - _MARGIN)

        def note(*pages: PageReport) -> None:
            for page in pages:
                self.counts.add(page)
                if page.links_left_out and self.many_links is None:
                    self.many_links = page
            work.note(pages)

        shut: dict[str, Failed] = {}  # by origin: the next page of it would meet the same, after a pause
        answers = self._answering.get(site.name)  # the origin that answered last
        failures, wants_rest = 0, False
        later = 0.0
        until = min(expires - _MARGIN, self._clock.now() + self._settings.longest)
        for place, page in enumerate(site.pages):
            is_over = self._stopping.is_set() or self._clock.now() > until or wants_rest
            if is_over or failures >= _ENOUGH or self._is_left_alone(site):
                note(*map(_skipped, site.pages[place:]))
                break
            origin = _origin(page.url)
            if (known := shut.get(origin)) is not None:
                note(self._beside(page, known, site.name, is_apart=answers is not None))
                continue
            outcome = await self._fetch(page, terms)
            if outcome is None:
                note(*map(_skipped, site.pages[place:]))
                break
            trip = outcome.trip
            work.stated = trip.crawl_delay if trip.crawl_delay is not None else work.stated
            if _cannot_be_asked(outcome):
                later = outcome.retry_after or 0.0
                note(*self._given_back(site.pages[place:], outcome, site.name))
                break
            if not isinstance(outcome, Failed):
                answers = origin
            elif answers == origin and is_nobody_there(outcome):
                answers = None
            if _is_refused(outcome) or _is_silent(outcome):
                shut[origin] = outcome
                result = PageResult.REFUSED if _is_refused(outcome) else PageResult.ERROR
                note(self._shut(page, result, outcome, site.name))
                continue
            if trip.requests:
                failures = failures + 1 if _is_trouble(outcome) else 0
                work.trips.append(trip.finished - trip.started)
            report = await self._executor.read(self._read, page, outcome)
            wants_rest = self._wants_rest(outcome, site, work.stated)
            if report.result is PageResult.FETCHED:
                listed, wants_rest = await self._listed(site, page, terms, until)
                report = _with_listed(report, listed)
            if trip.requests:
                work.asked_at = trip.finished
            note(report)
        if wants_rest:  # known to us alone, and gone with us, until the frontier has heard it
            self._hurry.set()
        if silent := [outcome.retry_after or 0.0 for outcome in shut.values() if _is_silent(outcome)]:
            later = max(later, 0.0 if answers else min(silent))
            self._remember(site.name, answers)
        return work.end(self._rest(work, later))

    def _remember(self, name: str, answers: str | None) -> None:
        """Where a site answers of which another origin is silent: lists of that one alone may follow."""
        if answers is None:
            self._answering.pop(name, None)
        else:
            self._answering[name] = answers

    def _read(self, page: PageLine, outcome: Outcome) -> PageReport:
        return read_outcome(page, outcome, self._urls, self._is_error_page, self._settings.links)

    async def _listed(self, site: SiteList, page: PageLine, terms: Terms, until: float) -> tuple[list[str], bool]:
        """Pages that the site's sitemaps list, as links of one of its pages; and whether it wants to be left alone."""
        wants_rest = False

        async def ask(url: str) -> Outcome | None:
            nonlocal wants_rest
            if wants_rest or self._stopping.is_set() or self._is_left_alone(site) or self._clock.now() > until:
                return None
            wanted = Request(url=url, accept=_XML, is_crawl=True, follows=False, terms=terms)
            outcome = await self._ask(wanted)
            wants_rest = outcome is not None and self._wants_rest(outcome, site, None)
            return outcome

        found = await self._sitemaps.listed(site.name, page.url, ask, now=self._clock.now())
        self.counts.sitemaps = self._sitemaps.read
        return found, wants_rest

    def _is_left_alone(self, site: SiteList) -> bool:
        return self._is_paused or site.name in self._blocked

    def _wants_rest(self, outcome: Outcome, site: SiteList, stated: float | None) -> bool:
        """Whether a server asks for a longer pause than it gets anyway."""
        return isinstance(outcome, Rejected) and (outcome.retry_after or 0.0) > self._usual(site, stated)

    def _given_back(self, pages: Sequence[PageLine], outcome: Failed, name: str) -> Iterator[PageReport]:
        """Pages that are as due as they were, since their site cannot be asked now."""
        first, *rest = pages
        if self._stopping.is_set():
            yield _skipped(first)
        else:
            why = self._note(outcome, name, len(pages))
            yield _skipped(first)._replace(why=why[:LONGEST_WHY])
        yield from map(_skipped, rest)

    def _shut(self, page: PageLine, result: PageResult, outcome: Failed, name: str, words: str = "") -> PageReport:
        """A page at an origin that cannot be asked."""
        why = words + self._note(outcome, name, 1)
        return _skipped(page)._replace(result=result, why=why[:LONGEST_WHY])

    def _beside(self, page: PageLine, outcome: Failed, name: str, *, is_apart: bool) -> PageReport:
        """Another page of such an origin. ``is_apart``: the site answers elsewhere.

        Where nobody is there it is put off by itself then; else it is as due as it was, and the site rests.
        """
        if _is_refused(outcome):
            return self._shut(page, PageResult.REFUSED, outcome, name)
        if is_apart:
            return self._shut(page, PageResult.REFUSED, outcome, name, NOBODY)
        self._note(outcome, name, 1)
        return _skipped(page)

    def _note(self, outcome: Failed, name: str, pages: int) -> str:
        """Counts pages of a site that nobody was asked for; says why."""
        why = outcome.detail or str(outcome)
        known = self.not_asked.setdefault(outcome.cause, NotAsked(0, why if name in why else f"{name}: {why}"))
        known.pages += pages
        return why

    def _rest(self, work: _AtWork, later: float) -> float | None:
        """Seconds the site has to be left alone; None: no longer than the frontier knows by the pages reported."""
        if not work.site.pages:
            return None
        now = self._clock.now()
        wait = max(later, self._fetcher.ready_at(work.site.pages[0].url) - now)
        # It counts the pause from the last page of this report: not from earlier ones, nor from a sitemap after it.
        known = work.asked_at + self._usual(work.site, work.stated) - now
        return wait if wait > max(0.0, known) + _CLOSE else None

    def _usual(self, site: SiteList, stated: float | None) -> float:
        """Seconds between two requests to a site that wants nothing else."""
        return max(self._settings.delay, site.crawl_delay or 0.0, stated or 0.0)

    async def _fetch(self, page: PageLine, terms: Terms) -> Outcome | None:
        """The page; redirects become links, so that no site is entered unasked. None: we ended before it came."""
        wanted = Request(
            url=page.url,
            etag=page.etag,
            last_modified=page.last_modified,
            accept=_ACCEPT,
            is_crawl=True,
            follows=False,
            terms=terms,
        )
        outcome = await self._ask(wanted)
        if outcome is not None and not _is_refused(outcome):
            self.counts.pages += min(1, outcome.trip.requests)
        return outcome

    async def _ask(self, wanted: Request) -> Outcome | None:
        """What a server answers, archived; None: we ended before it did."""
        if self._archive is not None:
            wanted = replace(wanted, is_archived=True, error_bytes=self._settings.error_bytes)
        asking = asyncio.ensure_future(self._fetcher.fetch(wanted))
        await first_of(asking, self._over.wait())
        if asking.cancelled():
            return None
        outcome = asking.result()
        if self._archive is not None and outcome.trip.requests:
            await self._executor.write(self._archive, outcome)
        return outcome

    # --- reports ---

    async def _tell_parts(self) -> None:
        """What is finished of lists that take long is told now and then: it would be gone with us."""
        while await self._pause(self._settings.part):
            if parts := [work.part() for work in self._at_work if work.has_news]:
                self._done += parts
                self._has_done.set()

    async def _report_batches(self) -> None:
        wait = _FIRST_WAIT
        while not self._closing or self._done:
            await self._has_done.wait()
            if not self._closing:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), self._settings.flush)
                if not self._stopping.is_set():
                    self._hurry.clear()
            batch, self._done = _together(self._done), []
            if not self._closing:
                self._has_done.clear()
            if self._settle is not None:
                await self._executor.write(self._settle)
            late = await self._delivery.deliver(batch)
            self.counts.reports, self.counts.put_aside = self._delivery.acknowledged, self._delivery.put_aside
            if late:  # with whatever is finished by then
                self._done = late + self._done
                self._has_done.set()
            wait = min(2.0 * wait, _LONGEST_WAIT) if late else _FIRST_WAIT
            if late:
                _log.warning("the frontier takes no reports; again in %s", format_duration(wait))
                await self._clock.sleep(wait)


def _together(reports: Sequence[SiteReport]) -> list[SiteReport]:
    """One report a list, in which the last of it has the word."""
    lists: dict[tuple[int, str], SiteReport] = {}
    for report in reports:
        before = lists.get((report.lease, report.name))
        if before is not None:
            trip = before.round_trip if report.round_trip is None else report.round_trip
            report = report._replace(pages=(*before.pages, *report.pages), round_trip=trip)
        lists[report.lease, report.name] = report
    return list(lists.values())


def _with_listed(page: PageReport, listed: Sequence[str]) -> PageReport:
    """With pages of sitemaps as links of it, as many as a report may carry."""
    links = tuple(dict.fromkeys((*page.links, *listed)))
    left_out = page.links_left_out + max(0, len(links) - MOST_LINKS)
    return page._replace(links=links[:MOST_LINKS], links_left_out=left_out)


def _skipped(page: PageLine) -> PageReport:
    return PageReport(url=page.url, result=PageResult.SKIPPED, number=page.number)


def _was_not_asked(outcome: Outcome) -> TypeGuard[Failed]:
    """Nothing was learnt about the page."""
    return isinstance(outcome, Failed) and not outcome.trip.requests and outcome.retry_after is not None


def _cannot_be_asked(outcome: Outcome) -> TypeGuard[Failed]:
    """The site may not be asked now, its robots.txt cannot be read, or we are offline."""
    if not isinstance(outcome, Failed):
        return False
    return outcome.cause is Failure.LATER or (outcome.cause is Failure.OFFLINE and _was_not_asked(outcome))


def _origin(url: str) -> str:
    """Scheme, host and port of a URL."""
    return "/".join(url.split("/", 3)[:3])


def _is_silent(outcome: Outcome) -> TypeGuard[Failed]:
    """Nobody is there at the origin of the page, not even for robots.txt."""
    return _was_not_asked(outcome) and is_nobody_there(outcome)


def _is_refused(outcome: Outcome) -> TypeGuard[Failed]:
    """Our own guard does not let us ask there; another fetcher's may."""
    return isinstance(outcome, Failed) and outcome.cause is Failure.ADDRESS


def _is_trouble(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) or (isinstance(outcome, Rejected) and outcome.status >= 429)
