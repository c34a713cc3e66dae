"""The living loop: lease what is due, fetch it, conclude, record; again.

The loop decides nothing. Whatever goes wrong with one resource is logged with its URL and the loop goes on; only an
unusable store ends it.
"""

import asyncio
import logging
import os
import random
import socket
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from afresh.base.errors import StoreBusy, StoreError
from afresh.base.executor import Executor
from afresh.base.models import Failed, Failure, Kind, Lease, Outcome, Report, Result, Status, Trip
from afresh.base.protocols import Clock, Fetcher, ResourceFilter, Store
from afresh.base.records.links import LinkListener
from afresh.base.settings.watching import WatchSettings
from afresh.engine.budget import Budget
from afresh.engine.visit import Concluder, request_for
from afresh.feeds.queries.matching import Matcher
from afresh.notices.delivery import Courier
from afresh.notices.push import Pushes
from afresh.pages.revisiting import Revisiting

log = logging.getLogger("afresh.loop")

_SHORTEST_NAP = 0.005
_HOUSEKEEPING = 3600.0
_REPLANNING = 1.0  # how often it is asked whether sites want a new plan
_FAREWELL = 10.0  # seconds a delivery under way may take when the loop ends
_LONGEST_NAP = 1.0  # how long an idle loop may overlook a URL that another process has just added


@dataclass(slots=True)
class LoopHealth:
    """What the loop says of itself: for status pages, metrics and tests."""

    started: float = 0.0
    last_turn: float = 0.0
    in_flight: int = 0
    visits: int = 0
    recorded: int = 0
    refused: int = 0  # reports that came too late
    is_offline: bool = False  # the last visit found our own network down
    results: dict[Result, int] = field(default_factory=dict)


class Loop:
    """Keeps a store's resources fresh until it is stopped."""

    def __init__(
        self,
        store: Store,
        fetcher: Fetcher,
        concluder: Concluder,
        *,
        settings: WatchSettings,
        clock: Clock,
        executor: Executor,
        rng: random.Random,
        budget: Budget | None = None,
        no_cache: bool = False,
    ) -> None:
        self._store, self._fetcher, self._concluder = store, fetcher, concluder
        self._settings, self._clock, self._executor, self._rng = settings, clock, executor, rng
        self._no_cache = no_cache
        self.budget = budget or Budget(settings.budget)
        self._holder = f"{socket.gethostname()}:{os.getpid()}"
        self._wake = asyncio.Event()
        self._stopping = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._reports: deque[Report] = deque()
        self._reported = asyncio.Event()
        self._delays: dict[str, float | None] = {}
        self._matcher = Matcher(store, now=clock.now)
        self._is_unmatched = True  # entries of an earlier run may wait for the query feeds
        self.health = LoopHealth()
        self.has_ended = False
        self.courier: Courier | None = None  # None: nobody is told anything
        self.link_listener: LinkListener | None = None  # told when a watched link stands differently
        self.revisiting: Revisiting | None = None  # None: pages are visited, but sites are not planned
        self.pushes: Pushes | None = None  # None: no hub is asked for news

    def stop(self) -> None:
        """Ask the loop to end: what is in flight is finished and recorded, nothing new is begun."""
        self._stopping = True
        self._wake.set()

    def poke(self) -> None:
        """Something became due: look at once."""
        self._wake.set()

    async def run(self) -> None:
        """Until ``stop``. Raises StoreError if the store can no longer be used."""
        self.health.started = self._clock.now()
        recorder = asyncio.create_task(self._record())
        housekeeper = asyncio.create_task(self._housekeep())
        replanner = asyncio.create_task(self._replan())
        telling = asyncio.create_task(self.courier.run()) if self.courier else None
        asking = asyncio.create_task(self.pushes.run() if self.pushes else asyncio.sleep(0))
        try:
            while not self._stopping:
                self.health.last_turn = self._clock.now()
                await self._correct_price()
                leased = await self._lease()
                if recorder.done():
                    break
                if not leased:
                    await self._nap()
        finally:
            self._stopping = True
            for side in (housekeeper, replanner, asking):
                side.cancel()
                with suppress(asyncio.CancelledError):
                    await side
            if self._tasks:
                await asyncio.wait(self._tasks)
            self._reported.set()
            self.has_ended = True
            await recorder
            if telling is not None:
                await self._end_telling(telling)
            if self.revisiting is not None:
                await self._executor.write(self.revisiting.replanner.pages.keep, self._store)

    async def _end_telling(self, telling: asyncio.Task[None]) -> None:
        """A delivery under way is finished, if that does not take long; else it is tried again at the next start."""
        assert self.courier is not None
        self.courier.stop()
        _, pending = await asyncio.wait({telling}, timeout=_FAREWELL)
        for task in pending:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _correct_price(self) -> None:
        if not self.budget.needs_correction(self.health.last_turn):
            return
        active = await self._executor.read(self._store.count, ResourceFilter(status=Status.ACTIVE))
        self.budget.correct(self.health.last_turn, active)
        await self._executor.write(self.budget.keep, self._store)

    async def _replan(self) -> None:
        """Whenever the price has moved, some sites at a time: prices and paces of the sites that have pages."""
        while self.revisiting is not None:
            now, planner = self._clock.now(), self.revisiting.replanner
            try:
                has_more = planner.is_due(now) and await self._executor.read(planner.step, now)
            except Exception:  # an old plan is better than no loop
                log.exception("sites could not be planned anew")
                has_more = False
            if has_more:
                self._wake.set()
            await asyncio.sleep(0.01 if has_more else _REPLANNING)

    async def _housekeep(self) -> None:
        """Now and then, forget visits older than the log shall reach back: the disk stays bounded."""
        while True:
            before = self._clock.now() - self._settings.keep.visits
            removed = await self._executor.write(self._store.prune, visits_before=before)
            if removed:
                log.info("forgot %d old visits", removed)
            await asyncio.sleep(_HOUSEKEEPING)

    async def _lease(self) -> int:
        """Begin as many visits as there is room for; the number begun."""
        now = self._clock.now()
        room = min(self._settings.loop.concurrency - len(self._tasks), self.budget.room(now))
        if room <= 0:
            return 0
        until = now + self._settings.loop.lease
        try:
            leases = await self._executor.write(
                self._store.lease, holder=self._holder, now=now, until=until, limit=room, early=self.budget.early()
            )
        except StoreBusy as error:  # somebody else's long transaction: it ends, and we have time
            log.warning("nothing can be leased at the moment", extra={"outcome": str(error)})
            return 0
        self.budget.note_leased(leases, now)
        for lease in leases:
            task = asyncio.create_task(self._visit(lease))
            self._tasks.add(task)
            task.add_done_callback(self._landed)
        self.health.in_flight = len(self._tasks)
        return len(leases)

    def _landed(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self.health.in_flight = len(self._tasks)
        self._wake.set()

    async def _nap(self) -> None:
        """Until something may be due, a visit has landed, or somebody pokes."""
        ready = await self._executor.read(self._store.next_ready)
        soonest = _LONGEST_NAP if ready is None else ready - self._clock.now() - self.budget.early()
        soonest = max(soonest, self.budget.ready_at() - self._clock.now())
        pause = min(_LONGEST_NAP, max(_SHORTEST_NAP, soonest))
        if self._tasks and len(self._tasks) >= self._settings.loop.concurrency:
            pause = _LONGEST_NAP
        self._wake.clear()
        if self._stopping:
            return
        waker = asyncio.create_task(self._wake.wait())
        sleeper = asyncio.create_task(self._clock.sleep(pause))
        _, pending = await asyncio.wait({waker, sleeper}, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _visit(self, lease: Lease) -> None:
        url = lease.resource.url
        try:
            outcome = await self._fetch(lease)
            report = await self._conclude(lease, outcome)
        except Exception:  # the outermost place that can go on: one resource must not end the loop
            log.exception("visit failed unexpectedly", extra={"url": url})
            report = await self._conclude(lease, self._broken(url))
        self._reports.append(report)
        self._reported.set()

    async def _fetch(self, lease: Lease) -> Outcome:
        links = self._concluder.links
        if links is not None and lease.resource.kind is Kind.LINK:
            return await links.fetch(lease, no_cache=self._no_cache)
        request = request_for(lease.resource, no_cache=self._no_cache)
        return await self._fetcher.fetch(replace(request, terms=lease.terms))

    async def _conclude(self, lease: Lease, outcome: Outcome) -> Report:
        site = await self._executor.read(self._store.site, lease.site)
        delay, u = site.delay if site else None, self._rng.random()
        report = await self._executor.read(self._concluder.conclude, lease, outcome, site_delay=delay, u=u, site=site)
        self.budget.note_done(lease, outcome, report)
        self._tell(lease, report)
        return report

    def _broken(self, url: str) -> Outcome:
        now = self._clock.now()
        trip = Trip(url=url, final_url=url, started=now, finished=now, headers=MappingProxyType({}))
        return Failed(trip=trip, cause=Failure.PROTOCOL, detail="internal error, see the log")

    def _tell(self, lease: Lease, report: Report) -> None:
        result = report.visit.result
        self.health.visits += 1
        self.health.is_offline = result is Result.OFFLINE
        self.health.results[result] = self.health.results.get(result, 0) + 1
        level = logging.DEBUG if result.is_success else logging.INFO
        log.log(
            level,
            "visited %s: %s",
            lease.resource.url,
            result,
            extra={"url": lease.resource.url, "result": str(result), "error": report.visit.error},
        )

    async def _record(self) -> None:
        """Write reports in batches, as long as there are any or may come."""
        settings = self._settings.loop
        await self._match()
        while True:
            await self._reported.wait()
            if not self._stopping and len(self._reports) < settings.batch:
                await asyncio.sleep(settings.flush)
            self._reported.clear()
            batch = [self._reports.popleft() for _ in range(min(settings.batch, len(self._reports)))]
            if batch:
                await self._write(batch)
                self._wake.set()
            if self._reports:
                self._reported.set()
            elif self._stopping and not self._tasks:
                return

    async def _write(self, batch: list[Report]) -> None:
        """Apply a batch; a store that cannot write now (a full disk) is tried again, for nothing may be lost."""
        wait = 0.5
        while True:
            try:
                applied = await self._executor.write(self._store.record, batch)
                break
            except StoreError as error:
                if self._stopping:
                    raise
                log.error("cannot write to the store, trying again in %.1f s: %s", wait, error)
                await asyncio.sleep(wait)
                wait = min(wait * 2, 60.0)
        self.health.recorded += sum(applied)
        self.health.refused += len(applied) - sum(applied)
        recorded = [report for report, is_applied in zip(batch, applied, strict=True) if is_applied]
        self._tell_of_links(recorded)
        await self._follow(recorded)
        if self._is_unmatched or any(report.entries for report in batch):
            await self._match()
        if self.courier is not None and any(report.entries or report.visit.error for report in batch):
            self.courier.poke()

    def _tell_of_links(self, reports: list[Report]) -> None:
        for report in reports:
            if self.link_listener is None or report.link is None or report.link.event is None:
                continue
            try:
                self.link_listener.link_changed(report.link.event)
            except Exception:  # whoever listens must not end the loop
                log.exception("a change of a link could not be told", extra={"url": report.resource.url})

    async def _follow(self, reports: list[Report]) -> None:
        """What was found may announce other pages, or name new ones."""
        if not reports:
            return
        try:
            if self.revisiting is not None:
                await self._executor.read(self.revisiting.follow, reports, now=self._clock.now())
            if self.pushes is not None:
                await self._executor.write(self.pushes.follow, reports, now=self._clock.now())
        except Exception:  # announcements may be lost; watching goes on
            log.exception("announcements could not be followed")

    async def _match(self) -> None:
        """Bring new entries to the query feeds. What cannot be matched now is matched next time: the store knows."""
        self._is_unmatched = True
        try:
            await self._executor.read(self._matcher.refresh)  # may take a while: nobody who writes shall wait for it
            taken = await self._executor.write(self._matcher.catch_up)
            if taken and self.pushes is not None:
                self.pushes.note_published()
        except Exception:  # query feeds may be late; watching goes on
            log.exception("query feeds could not be brought up to date")
        else:
            self._is_unmatched = False
