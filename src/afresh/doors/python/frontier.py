"""A frontier in the process of its caller: the use cases that REST and gRPC serve, called and awaited here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from afresh.base.records.frontier import FrontierStats, Imported, Receipt, Seed, SiteList, SiteReport
from afresh.base.records.queues import DEFAULT_CRAWL, Put, QueueControl, QueueRequest, QueueStats, QueueUrl, Taken
from afresh.doors.python.loop_thread import LoopThread
from afresh.frontier.queues import CrawlPut, Queues, put_of
from afresh.frontier.scheduling import Wish
from afresh.frontier.service import running_frontier

if TYPE_CHECKING:
    from afresh.base.settings import Settings

_DOOR = "afresh.open"


class LocalFrontier:
    """Hands out lists of pages and takes reports of them; one fetcher, this program.

    >>> import afresh, tempfile
    >>> from afresh.base.records.frontier import PageReport, SiteReport
    >>> with tempfile.TemporaryDirectory() as folder, afresh.open(
    ...     f"{folder}/afresh.db", frontier__url=f"{folder}/frontier.db"
    ... ) as a:
    ...     imported = a.frontier.add(["https://example.org/", "https://example.org/about"])
    ...     [site] = a.frontier.lease(pages=10)
    ...     pages = [PageReport(page.url) for page in site.pages]
    ...     receipt = a.frontier.report([SiteReport(site.lease, site.name, pages)])
    ...     imported.urls, sorted(page.url for page in site.pages), receipt.visited
    (2, ['https://example.org/', 'https://example.org/about'], 2)
    """

    def __init__(self, settings: Settings) -> None:
        self._thread = LoopThread("afresh-frontier")
        self._stack = AsyncExitStack()
        self._frontier = self._thread.wait(
            self._stack.enter_async_context(running_frontier(settings.frontier, hygiene=settings.hygiene))
        )
        self._queues = Queues(self._frontier)
        self._uuid = self._thread.wait(self._account())

    async def _account(self) -> str:
        """The one of this door, from its first use on: what an earlier program leased can still be reported."""
        known = [one.uuid for one in await self._frontier.fetchers() if (one.contact, one.name) == (_DOOR, _DOOR)]
        if known:
            return known[0]
        account, _ = await self._frontier.register(contact=_DOOR, name=_DOOR)
        return account.uuid

    def close(self) -> None:
        """What is leased is given back when its time is over."""
        self._thread.wait(self._stack.aclose())
        self._thread.close()

    def add(self, urls: Iterable[str], *, crawl: str = DEFAULT_CRAWL) -> Imported:
        """Pages to fetch; those that cannot be are counted as refused."""
        read = [self._frontier.urls.read(url) for url in urls]
        good = [Seed(*one) for one in read if one is not None]
        found = self._thread.wait(self._frontier.add(good, crawl=crawl))
        return replace(found, refused=found.refused + len(read) - len(good))

    def lease(
        self, *, sites: int | None = None, pages: int | None = None, crawl: str = DEFAULT_CRAWL, site: str = ""
    ) -> Sequence[SiteList]:
        """Sites that may be asked now, each with pages that are due; ours until they are reported or time is up."""
        wish = Wish(uuid=self._uuid, sites=sites, pages=pages, crawl=crawl, site=site)
        return self._thread.wait(self._frontier.hand_out(wish)).sites

    def report(self, sites: Sequence[SiteReport], *, key: str = "") -> Receipt:
        """What became of leased pages; the same key again changes nothing."""
        return self._thread.wait(self._frontier.report(self._uuid, sites, key=key or uuid4().hex))

    def lock(
        self,
        *,
        sites: int = 10,
        urls: int = 10,
        seconds: float = 30.0,
        crawl: str | None = DEFAULT_CRAWL,
        site: str = "",
    ) -> Sequence[QueueUrl]:
        """Single URLs that are due, of some sites, which stay free; ours until they are put back or time is up.

        ``crawl=None``: of any.
        """
        request = QueueRequest(crawl=crawl, key=site, queues=sites, urls=urls, hold=seconds)
        return self._thread.wait(self._lock(request))

    async def _lock(self, request: QueueRequest) -> list[QueueUrl]:
        return [one async for part in self._queues.get(request) for one in part]

    def put(self, urls: Iterable[Put], *, crawl: str = DEFAULT_CRAWL) -> Sequence[Taken]:
        """URLs that were found, or known ones with when to fetch them again; what became of each."""
        return self._thread.wait(self._queues.put([CrawlPut(crawl, put_of(one)) for one in urls]))

    def crawls(self) -> Sequence[str]:
        """Tenants of the frontier, each with URLs of its own."""
        return self._thread.wait(self._queues.crawls())

    def make_crawl(self, crawl: str) -> None:
        """One that is there before its first URL."""
        self._thread.wait(self._queues.make_crawl(crawl))

    def delete_crawl(self, crawl: str) -> int:
        """With everything in it; how many URLs that were."""
        return self._thread.wait(self._queues.delete_crawl(crawl))

    def counts(self, *, crawl: str = DEFAULT_CRAWL, site: str = "") -> QueueStats:
        """Of a crawl, or of one site of it."""
        return self._thread.wait(self._queues.stats(crawl, site))

    def control(
        self,
        site: str,
        *,
        crawl: str = DEFAULT_CRAWL,
        delay: float | None = None,
        block_until: float | None = None,
        limit: int | None = None,
    ) -> None:
        """Says how a site is treated from now on; None: as it was."""
        said = QueueControl(delay=delay, block_until=block_until, limit=limit)
        self._thread.wait(self._queues.control(crawl, site, said))

    def is_active(self) -> bool:
        """Whether anything is handed out."""
        return self._thread.wait(self._queues.is_active())

    def set_active(self, state: bool) -> None:
        """Pauses all, or goes on."""
        self._thread.wait(self._queues.set_active(state))

    def stats(self) -> FrontierStats:
        """Totals."""
        return self._thread.wait(self._frontier.stats())
