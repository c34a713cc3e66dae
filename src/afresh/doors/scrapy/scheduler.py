"""The frontier as Scrapy's scheduler: requests are kept there, and come from there when their site may be asked."""

import asyncio
import heapq
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Self

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

from afresh.base.errors import UsageError
from afresh.doors.scrapy.engine import close_spider, in_progress, wake
from afresh.doors.scrapy.exchange import Exchange
from afresh.doors.scrapy.messages import Done, Found, Opening, Served
from afresh.doors.scrapy.naming import due_time, once_more, page_of, site_of
from afresh.doors.scrapy.options import read_options
from afresh.doors.scrapy.process import FrontierProcess
from afresh.doors.scrapy.turns import turns_of
from afresh.doors.scrapy.written_requests import read_request, write_request

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_log = logging.getLogger(__name__)
SIGNATURE = "afresh_signature"  # in ``meta``: what a callback says its page consists of, instead of the whole answer


@dataclass(slots=True)
class _Work:
    """A request that the engine works on."""

    page: Served | None  # None: it is kept in memory only
    content: str = ""  # a hash of what was found
    again: bool = False  # it was given back: nobody has asked for it


class Scheduler(BaseScheduler):
    """``SCHEDULER = "afresh.scrapy.Scheduler"``."""

    def __init__(self, crawler: "Crawler") -> None:
        assert crawler.stats is not None
        assert crawler.request_fingerprinter is not None
        self._crawler, self._stats = crawler, crawler.stats
        self._fingerprinter = crawler.request_fingerprinter
        self._filter = build_from_crawler(load_object(crawler.settings["DUPEFILTER_CLASS"]), crawler)
        self._options = options = read_options(crawler)
        self._turns = turns_of(crawler, options.pause)
        self._work: dict[Request, _Work] = {}
        self._memory: list[tuple[int, int, Request]] = []  # a heap: requests that cannot be kept
        self._count = count()
        self._warns = True
        settings = {**options.settings, "frontier.url": options.frontier}
        opening = Opening(settings=settings, crawl=options.crawl, pause=options.pause, lease=options.lease)
        process = FrontierProcess(opening)
        self._exchange = Exchange(process, self, most=2 * options.at_once, lease=options.lease)
        self._spider: Spider

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        made = cls(crawler)
        if made._options.revisits:
            crawler.signals.connect(made.response_received, signal=signals.response_received)
        return made

    # --- what Scrapy asks of a scheduler ---

    def open(self, spider: Spider) -> Deferred[None]:
        self._spider = spider
        if not self._turns.is_kept:
            _log.warning(
                "DOWNLOADER_MIDDLEWARES lacks afresh.scrapy.Politeness: neither Retry-After nor Crawl-delay are heeded"
            )
        return deferred_from_coro(self._open())

    async def _open(self) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise UsageError("afresh.scrapy needs Scrapy's asyncio reactor, its default (TWISTED_REACTOR)") from None
        await self._exchange.start()
        self._filter.open()

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._close(reason))

    async def _close(self, reason: str) -> None:
        if reason == "finished" and not self._stats.get_value("scheduler/dequeued"):
            _log.warning(
                "nothing was left of the crawl %r: all that was found was fetched or given up; another AFRESH_CRAWL"
                " begins a new one",
                self._options.crawl,
            )
        if self._memory:
            _log.warning("%s requests that could only be kept in memory are lost", len(self._memory))
        await self._exchange.close()
        self._filter.close(reason)

    def has_pending_requests(self) -> bool:
        """While anybody may still find something: another process's pages count as well."""
        return bool(self._options.revisits or self._exchange.is_left or self._exchange.pages or self._memory)

    def enqueue_request(self, request: Request) -> bool:
        """False for what this process has seen; what another one has seen is found out a moment later."""
        given_back = self._work.get(request)
        if given_back is not None:
            given_back.again = True
            return True
        if not request.dont_filter and self._filter.request_seen(request):
            self._filter.log(request, self._spider)
            return False
        place = "disk" if self._keep(request) else "memory"
        self._stats.inc_value(f"scheduler/enqueued/{place}")
        self._stats.inc_value("scheduler/enqueued")
        return True

    def next_request(self) -> Request | None:
        self.finish()
        request = self._from_memory() or self._from_frontier()
        if request is not None:
            self._stats.inc_value("scheduler/dequeued")
        return request

    # --- keeping ---

    def _keep(self, request: Request) -> bool:
        try:
            text = write_request(request, self._spider)
        except ValueError as error:
            self._remember(request, error)
            return False
        page = page_of(request, self._fingerprinter)
        if request.dont_filter and not self._is_seed(request, page):
            page = once_more(page)
        self._exchange.found(Found(page, site_of(request), self._due(request), text), request)
        return True

    def _is_seed(self, request: Request, page: str) -> bool:
        """Whether it is a start request: once in a crawl, however many processes bring it, though never filtered.

        One that is tried again still says so of itself; then its page is worked on.
        """
        is_start = bool(request.meta.get("is_start_request"))
        return is_start and all(work.page is None or work.page.url != page for work in self._work.values())

    def _due(self, request: Request) -> float:
        options = self._options
        is_start = options.start_apart and bool(request.meta.get("is_start_request"))
        return due_time(request.priority, time.time(), newest_first=options.newest_first, is_start=is_start)

    def _remember(self, request: Request, why: ValueError) -> None:
        if self._warns:
            _log.warning(
                "%s cannot be kept and stays in memory (%s); no more of these are logged, see scheduler/unserializable",
                request,
                why,
                extra={"spider": self._spider},
            )
            self._warns = False
        self._stats.inc_value("scheduler/unserializable")
        self._push(request)

    def _push(self, request: Request) -> None:
        heapq.heappush(self._memory, (-request.priority, next(self._count), request))

    # --- handing out ---

    def _from_memory(self) -> Request | None:
        if not self._memory or self._turns.rest(site_of(self._memory[0][2])):
            return None
        request = heapq.heappop(self._memory)[2]
        self._work[request] = _Work(None)
        self._stats.inc_value("scheduler/dequeued/memory")
        return request

    def _from_frontier(self) -> Request | None:
        # What the frontier does not know to be done would be asked for again if this process were killed: such pages
        # take places of the downloader, those in callbacks included, so that there are never more than it has places.
        if len(self._work) + self._exchange.unsettled >= self._options.at_once:
            return None
        while self._exchange.pages:
            page = self._exchange.pages.popleft()
            try:
                request = read_request(page.request, self._spider)
            except ValueError as error:
                _log.error("dropped a request for %s that cannot be read: %s", page.url, error)
                self._stats.inc_value("scheduler/unreadable")
                self._exchange.done(Done(page.url, page.site, inf, "", "", 0.0))
                continue
            self._work[request] = _Work(page)
            self._stats.inc_value("scheduler/dequeued/disk")
            return request
        return None

    # --- what the exchange asks and tells ---

    def working(self) -> Sequence[int]:
        return [work.page.number for work in self._work.values() if work.page is not None]

    def finish(self) -> None:
        """Says what is done: the engine has let go of it, so whatever its callback found was enqueued before."""
        held = in_progress(self._crawler)
        for request in [request for request in self._work if request not in held]:
            work = self._work.pop(request)
            if work.page is not None:
                self._exchange.done(self._concluded(request, work, work.page))
            elif work.again:
                self._push(request)

    def _concluded(self, request: Request, work: _Work, page: Served) -> Done:
        rest = self._turns.rest(page.site) if self._turns.is_kept else self._options.pause
        if work.again:
            return Done(page.url, page.site, self._due(request), page.request, "", rest)
        is_once_more = self._options.revisits and page.url != page_of(request, self._fingerprinter)
        if not self._options.revisits or is_once_more:
            return Done(page.url, page.site, inf, "", "", rest)
        content = str(request.meta.get(SIGNATURE) or work.content)
        return Done(page.url, page.site, None, page.request, content, rest)

    def pages_came(self) -> None:
        wake(self._crawler)

    def was_known(self, request: Request) -> None:
        self._filter.log(request, self._spider)
        self._crawler.signals.send_catch_log(signals.request_dropped, request=request, spider=self._spider)

    def lost(self) -> None:
        close_spider(self._crawler, "frontier_lost")

    # --- what the middleware asks and tells ---

    def holds(self, request: Request) -> bool:
        return request in self._work

    def say_pause(self, site: str, pause: float) -> None:
        self._exchange.pause(site, pause)

    def response_received(self, response: Response, request: Request) -> None:
        """Notes what a page looked like, to learn how often it changes."""
        work = self._work.get(request)
        if work is not None:
            work.content = blake2b(response.body, digest_size=16).hexdigest()
