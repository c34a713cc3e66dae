"""A frontier in the process of its caller: the use cases that REST and gRPC serve, called and awaited here."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack
from threading import Thread
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from afresh.base.records.frontier import FrontierStats, Imported, Receipt, Seed, SiteList, SiteReport
from afresh.frontier.scheduling import Wish
from afresh.frontier.service import running_frontier

if TYPE_CHECKING:
    from afresh.base.settings import Settings

T = TypeVar("T")


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
        self._loop = asyncio.new_event_loop()
        # A thread of its own: in a notebook the caller's has a loop already.
        self._thread = Thread(target=self._loop.run_forever, name="afresh-frontier", daemon=True)
        self._thread.start()
        self._stack = AsyncExitStack()
        self._frontier = self._wait(
            self._stack.enter_async_context(running_frontier(settings.frontier, hygiene=settings.hygiene))
        )
        account, _ = self._wait(self._frontier.register(contact="afresh.open", name="afresh.open"))
        self._uuid = account.uuid

    def close(self) -> None:
        """What is leased is given back when its time is over."""
        self._wait(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def add(self, urls: Iterable[str]) -> Imported:
        """Pages to fetch; those that cannot be are counted as refused."""
        read = [self._frontier.urls.read(url) for url in urls]
        good = [Seed(*one) for one in read if one is not None]
        found = self._wait(self._frontier.add(good))
        return Imported(
            urls=found.urls,
            sites=found.sites,
            known=found.known,
            refused=found.refused + len(read) - len(good),
            backlog=found.backlog,
        )

    def lease(self, *, sites: int | None = None, pages: int | None = None) -> Sequence[SiteList]:
        """Sites that may be asked now, each with pages that are due; ours until they are reported or time is up."""
        return self._wait(self._frontier.hand_out(Wish(uuid=self._uuid, sites=sites, pages=pages))).sites

    def report(self, sites: Sequence[SiteReport], *, key: str = "") -> Receipt:
        """What became of leased pages; the same key again changes nothing."""
        return self._wait(self._frontier.report(self._uuid, sites, key=key or uuid4().hex))

    def stats(self) -> FrontierStats:
        """Totals."""
        return self._wait(self._frontier.stats())

    def _wait(self, work: Coroutine[object, object, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
