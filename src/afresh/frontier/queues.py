"""Queues at work: what doors ask for that hand out single URLs of crawls."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence, Set
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from afresh.base.records.frontier import FailedPage, SiteFacts
from afresh.base.records.queues import (
    DEFAULT_CRAWL,
    LONGEST_KEY,
    CrawlUnknown,
    PageFacts,
    Put,
    QueueControl,
    QueueRequest,
    QueueStats,
    QueueUnknown,
    QueueUrl,
    StoredPart,
    StoredUrl,
    Taken,
)
from afresh.frontier.batches import Combiner
from afresh.frontier.blocked_sites import Blocks
from afresh.frontier.failures import group_of, grouped
from afresh.frontier.scheduling import Frontier
from afresh.frontier.urls import written

FOR_GOOD = 253_402_300_799.0  # seconds: the end of the year 9999
COUNTED_FAILURES = 10_000  # the newest, that are counted and looked through by reason
_TOGETHER = 8  # batches of URLs taken in one transaction
_ROUND = 100  # queues served in one transaction: nobody waits for a client that wants all
_PART = 2_000  # URLs listed or removed in one transaction
_MADE = "frontier.crawls"  # a setting of the store: JSON list of crawls that somebody made
_DELAY = "frontier.queue_delay"  # a setting of the store: seconds between two servings of a queue without its own
_UNREADABLE = Put("", "")  # what a store refuses
FIRST_DELAY = 1.0  # while nobody has said otherwise


class CrawlPut(NamedTuple):
    """A URL and the crawl it is for."""

    crawl: str
    put: Put


def crawl_name(given: str) -> str:
    """The crawl that is meant: nothing means the first one."""
    return given if given.strip() else DEFAULT_CRAWL


def put_of(put: Put) -> Put:
    """A URL with its queue: the host where the client names none. One that cannot be kept is refused in its turn."""
    key = written(put.url, put.key)
    return _UNREADABLE if key is None else put._replace(key=key)


class Queues:
    """The use cases over a frontier's store."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier, self._store = frontier, frontier.store
        self._puts = Combiner(self._put_all, most=_TOGETHER)

    def now(self) -> float:
        return self._frontier.now()

    # --- URLs in ---

    async def put(self, puts: Sequence[CrawlPut]) -> list[Taken]:
        """What became of each, in order; batches that arrive together are taken together."""
        return await self._puts.ask(puts) if puts else []

    async def _put_all(self, batches: Sequence[Sequence[CrawlPut]]) -> list[list[Taken] | Exception]:
        return await self._frontier.run(self._put, batches)

    def _put(self, batches: Sequence[Sequence[CrawlPut]]) -> list[list[Taken] | Exception]:
        by_crawl: defaultdict[str, list[Put]] = defaultdict(list)
        for batch in batches:
            for crawl, put in batch:
                by_crawl[crawl].append(put)
        now = self.now()
        with self._store.batch() if len(by_crawl) > 1 else nullcontext():
            taken = {crawl: iter(self._take(crawl, puts, now)) for crawl, puts in by_crawl.items()}
        return [[next(taken[crawl]) for crawl, _ in batch] for batch in batches]

    def _take(self, crawl: str, puts: Sequence[Put], now: float) -> list[Taken]:
        if len(crawl) > LONGEST_KEY:
            return [Taken.REFUSED] * len(puts)
        return self._store.put(crawl, puts, now=now)

    # --- URLs out ---

    async def get(self, request: QueueRequest) -> AsyncIterator[list[QueueUrl]]:
        """Due URLs, some queues at a time, each queue once."""
        now, left = self.now(), request.queues
        while True:
            some = replace(request, queues=min(left, _ROUND) if left else _ROUND)
            urls = await self._frontier.run(self._serve, some, now)
            if not urls:
                return
            yield urls
            if request.key:
                return
            if left:
                left -= len({(one.crawl, one.key) for one in urls})
                if left <= 0:
                    return

    def _serve(self, request: QueueRequest, now: float) -> list[QueueUrl]:
        if not self._frontier.is_active(now):
            return []
        settings = self._frontier.current(now)
        asked = replace(
            request,
            default_delay=request.default_delay if request.own_delay else self._default_delay(),
            site_order=settings.site_order,
            page_order=settings.page_order,
        )
        return self._store.serve(asked, now=now)

    async def unlock(self, urls: Sequence[QueueUrl]) -> None:
        """URLs that were handed out and never reached their client."""
        await self._frontier.run(self._store.unlock, [one.number for one in urls])

    async def renew(self, numbers: Sequence[int], *, hold: float) -> None:
        """URLs that were handed out stay locked for so many seconds from now on: their client still works on them."""
        await self._frontier.run(self._store.renew, numbers, until=self.now() + hold)

    # --- what an operator says ---

    async def default_delay(self) -> float:
        """Of queues that have none of their own."""
        return await self._frontier.run(self._default_delay)

    def _default_delay(self) -> float:
        return float(self._store.get_setting(_DELAY) or FIRST_DELAY)

    async def set_default_delay(self, seconds: float) -> None:
        """Between two servings of a queue that has no delay of its own."""
        await self._frontier.run(self._set_default_delay, seconds)

    def _set_default_delay(self, seconds: float) -> None:
        self._store.put_setting(_DELAY, str(seconds))
        self._store.default_delay_changed(seconds, now=self.now())

    async def control(self, crawl: str, key: str, said: QueueControl) -> None:
        """Treats a queue as an operator says; QueueUnknown if it is not there."""
        default = await self.default_delay() if said.forgets_delay else 0.0
        control = partial(self._store.control_queue, crawl, key, said, now=self.now(), default_delay=default)
        if not await self._frontier.run(control):
            raise QueueUnknown(f"{key} in the crawl {crawl}")
        if said.block_until is not None:
            await self._frontier.run(Blocks(self._store).note, crawl, key, said.block_until, now=self.now())
        elif (said.delay is not None or said.forgets_delay) and (await self.site(crawl, key)).leased_by:
            await self._frontier.run(Blocks(self._store).recall, crawl, key, now=self.now())

    async def blockable(self, crawl: str, name: str) -> str:
        """The queue that an operator means to block; a host that is not known yet is kept without URLs."""
        return await self._frontier.run(self._blockable, crawl, name)

    def _blockable(self, crawl: str, name: str) -> str:
        number, read = self._store.crawl_number(crawl), self._frontier.link_urls.read(f"http://{name}/")
        if number is None or read is None or read[1] != name.lower() or self._store.site(name, crawl=number):
            return name
        self._store.make_site(read[1], crawl=number)
        return read[1]

    async def set_delay(self, crawl: str, key: str, seconds: float) -> None:
        with suppress(QueueUnknown):
            await self.control(crawl, key, QueueControl(delay=seconds))

    async def block(self, crawl: str, key: str, until: float) -> None:
        with suppress(QueueUnknown):
            await self.control(crawl, key, QueueControl(block_until=until))

    async def blocked_lately(self, crawl: str) -> list[str]:
        """Sites of which a fetcher that still holds them shall ask for nothing more."""
        return await self._frontier.run(Blocks(self._store).lately, crawl, now=self.now())

    async def visit_again(self, crawl: str, key: str) -> int:
        """Makes the pages of a queue due now, at its pace; how many were not. QueueUnknown if it is not there."""
        found = await self._frontier.run(self._store.visit_again, crawl, key, now=self.now())
        if found is None:
            raise QueueUnknown(f"{key} in the crawl {crawl}")
        return found

    async def set_limit(self, crawl: str, key: str, limit: int) -> None:
        """QueueUnknown if there is no such queue: a limit that is not kept would be missed later."""
        await self.control(crawl, key, QueueControl(limit=limit))

    async def set_active(self, state: bool) -> None:
        await self._frontier.run(self._frontier.set_active, state)

    async def is_active(self) -> bool:
        return await self._frontier.run(self._frontier.is_active, self.now())

    # --- looking inside ---

    async def crawls(self) -> list[str]:
        """Those that have queues, and those that were made and are still empty."""
        return await self._frontier.run(self._crawls)

    def _crawls(self) -> list[str]:
        return sorted({*self._store.crawls(), *self._made()})

    def _made(self) -> set[str]:
        return set(json.loads(self._store.get_setting(_MADE) or "[]"))

    async def make_crawl(self, crawl: str) -> None:
        """A crawl that is there before its first URL; one that is there stays as it is."""
        await self._frontier.run(self._remember, {crawl}, frozenset())

    async def delete_crawl(self, crawl: str) -> int:
        """With everything in it; how many URLs that were. CrawlUnknown if there is none."""
        if crawl not in await self.crawls():
            raise CrawlUnknown(crawl)
        count = await self.remove(crawl)
        await self._frontier.run(self._remember, frozenset(), {crawl})
        return count

    def _remember(self, made: Set[str], gone: Set[str]) -> None:
        with self._store.batch():
            self._store.put_setting(_MADE, json.dumps(sorted((self._made() | made) - gone)))

    async def keys(self, crawl: str, *, start: int, limit: int, all_of_them: bool) -> tuple[list[str], int]:
        """Some keys by name, and how many there are."""
        when = None if all_of_them else self.now()
        return await self._frontier.run(self._store.queues, crawl, start=start, limit=limit, active_at=when)

    async def stats(self, crawl: str, key: str = "") -> QueueStats:
        return await self._frontier.run(self._store.queue_stats, crawl, key, now=self.now())

    async def site(self, crawl: str, key: str) -> SiteFacts:
        """One queue as the frontier sees it; QueueUnknown if it is not there."""
        found = await self.sites(crawl, key, after="", limit=1)
        if not found:
            raise QueueUnknown(f"{key} in the crawl {crawl}")
        return found[0]

    async def why_blocked(self, crawl: str, key: str) -> str:
        """Of a site that an operator has blocked, in words; empty: it is not."""
        for site in await self.sites(crawl, key, after="", limit=1):
            if site.blocked > self._frontier.now():
                until = datetime.fromtimestamp(site.blocked, UTC) if site.blocked < FOR_GOOD else None
                return f"its site is blocked {'for good' if until is None else f'until {until:%Y-%m-%d %H:%M} UTC'}"
        return ""

    async def sites(self, crawl: str, key: str = "", *, after: str, limit: int) -> list[SiteFacts]:
        """Queues of a crawl by name, from one on; or one of them, if it is there."""
        return await self._frontier.run(self._sites, crawl, key, after, limit)

    def _sites(self, crawl: str, key: str, after: str, limit: int) -> list[SiteFacts]:
        number = self._store.crawl_number(crawl)
        if number is None:
            return []
        if not key:
            return self._store.sites(after=after, limit=limit, crawl=number)
        one = self._store.site(key, crawl=number)
        return [] if one is None else [one]

    async def failures(self, crawl: str, key: str = "", *, limit: int, reason: str = "") -> list[FailedPage]:
        """Pages of which nothing came at their last try, the newest first: of all crawls, or of one queue.

        ``reason``: only those with this in their reason, among the newest ``COUNTED_FAILURES``.
        """
        return await self._frontier.run(self._failures, crawl, key, limit, reason.lower())

    def _failures(self, crawl: str, key: str, limit: int, reason: str) -> list[FailedPage]:
        number = self._store.crawl_number(crawl)
        if number is None:
            return []
        found = self._store.failures(key, crawl=number, limit=COUNTED_FAILURES if reason else limit)
        return [one for one in found if reason in group_of(one.failure.result, one.failure.why).lower()][:limit]

    async def failure_reasons(self, crawl: str, key: str = "") -> list[tuple[str, int]]:
        """How many of the newest ``COUNTED_FAILURES`` failed for which reason, most first."""
        return await self._frontier.run(self._failure_reasons, crawl, key)

    def _failure_reasons(self, crawl: str, key: str) -> list[tuple[str, int]]:
        number = self._store.crawl_number(crawl)
        return [] if number is None else grouped(self._store.count_failures(key, crawl=number, newest=COUNTED_FAILURES))

    async def status(self, crawl: str, key: str, url: str) -> StoredUrl | None:
        return await self._frontier.run(self._store.stored_url, crawl, key, url)

    async def look_up(self, crawl: str, url: str, key: str = "") -> PageFacts | None:
        """A URL as somebody types it: as an import would keep it, then as it is written, then with a scheme before it.

        ``key``: its queue, where that is not its host.
        """
        for one in (url,) if "://" in url else (url, f"https://{url}", f"http://{url}"):
            read = self._frontier.urls.read(one)
            for kept, queue in [*([read] if read else []), (one, written(one, key) or "")]:
                found = await self.page(crawl, queue, kept)
                if found is not None:
                    return found
        return None

    async def page(self, crawl: str, key: str, url: str) -> PageFacts | None:
        """How one URL stands, and what its visits have taught."""
        return await self._frontier.run(self._store.page_facts, crawl, key, url)

    async def part(self, crawl: str, key: str, after: tuple[int, int], *, limit: int, containing: str) -> StoredPart:
        """Some stored URLs, and where the next ones are."""
        return await self._frontier.run(
            self._store.stored_urls, crawl, key, after=after, limit=limit, containing=containing
        )

    async def stored(
        self, crawl: str, key: str = "", *, containing: str = "", ignore_case: bool = False
    ) -> AsyncIterator[Sequence[StoredUrl]]:
        """Everything that is stored, some at a time; what comes meanwhile may be among it."""
        cursor: tuple[int, int] | None = (0, -1)
        while cursor is not None:
            part = await self._frontier.run(
                self._store.stored_urls,
                crawl,
                key,
                after=cursor,
                limit=_PART,
                containing=containing,
                ignore_case=ignore_case,
            )
            yield part.urls
            cursor = part.cursor

    async def count(self, crawl: str, key: str = "", *, containing: str = "", ignore_case: bool = False) -> int:
        if not containing:
            return (await self.stats(crawl, key)).urls
        parts = self.stored(crawl, key, containing=containing, ignore_case=ignore_case)
        return sum([len(part) async for part in parts])

    # --- removing ---

    async def remove(self, crawl: str, key: str = "") -> int:
        """A crawl with all its queues, or one queue; how many URLs that were."""
        return await self._remove(crawl, key, None)

    async def purge(self, crawl: str, key: str = "", *, age: float) -> int:
        """URLs that were found so many seconds ago or more; how many."""
        return await self._remove(crawl, key, self.now() - age)

    async def _remove(self, crawl: str, key: str, before: float | None) -> int:
        cursor: int | None = 0
        count = 0
        while cursor is not None:
            part = await self._frontier.run(
                self._store.remove_some, crawl, key, before=before, after=cursor, limit=_PART
            )
            count, cursor = count + part.urls, part.cursor
        return count
