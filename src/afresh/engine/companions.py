"""What runs beside the loop: sites planned anew, notices told, hubs asked, old visits forgotten, the clock watched.

Also what follows from the reports that were recorded: query feeds, pages that were announced, people who are told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from afresh.base.errors import StoreAway, StoreBusy
from afresh.base.executor import Executor
from afresh.base.lazy import WhenUsed
from afresh.base.models import Report
from afresh.engine.store_away import Absence

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store
    from afresh.base.timekeeping import Timekeeper
    from afresh.engine.leader import Sharing
    from afresh.engine.supervision import Supervision
    from afresh.feeds.queries.matching import Matcher
    from afresh.http.guard import Guard
    from afresh.notices.delivery import Courier
    from afresh.notices.websub import Pushes
    from afresh.pages.revisiting import Revisiting
    from afresh.sinks.forwarding import Forwarder

T = TypeVar("T")

log = logging.getLogger("afresh.loop")

_HOUSEKEEPING = 3600.0
_REPLANNING = 1.0  # how often it is asked whether sites want a new plan
_LOOKING = 1.0  # how often it is asked whether there is something to do
_NOTICES = "notices"
_FAREWELL = 10.0  # seconds a delivery under way may take when the loop ends


class Companions:
    """The companions of one loop; ``wake`` tells it that something may be due."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        *,
        clock: Clock,
        sharing: Sharing,
        absence: Absence,
        keep_visits: float,
        guard: Guard,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._executor, self._clock, self._sharing = store, executor, clock, sharing
        self._absence, self._keep_visits, self._guard, self._wake = absence, keep_visits, guard, wake
        self.courier: WhenUsed[Courier] | None = None  # None: nobody is told anything
        self.revisiting: WhenUsed[Revisiting] | None = None  # None: pages are visited, but sites are not planned
        self.pushes: Pushes | None = None  # None: no hub is asked for news
        self.forwarders: Sequence[Forwarder] = ()  # that carry entries to sinks
        self.timekeeper: Timekeeper | None = None  # None: the clock is taken at its word
        self._matcher = WhenUsed(self._make_matcher, store=store, part="queries")
        self._is_unmatched = True  # entries of an earlier run may wait for the query feeds

    def start(self, supervision: Supervision) -> None:
        supervision.start("leadership", self._sharing.run)
        supervision.start("housekeeping", self.housekeep)
        if self.timekeeper is not None:
            supervision.start("clock", self.timekeeper.run)
        if self.revisiting is not None:
            supervision.start("planning of sites", self.replan)
        if self.pushes is not None:
            supervision.start("push", self.pushes.run)
        if self.courier is not None:
            supervision.start(_NOTICES, self.tell_notices)
        for forwarder in self.forwarders:
            supervision.start(forwarder.trouble, forwarder.run)

    async def farewell(self, supervision: Supervision) -> None:
        """What is being told is told; what takes longer is tried again next time."""
        for forwarder in self.forwarders:
            forwarder.stop()
        if self.courier is not None and self.courier.made:
            self.courier.made.stop()
            await supervision.finish(_NOTICES, within=_FAREWELL)
        await asyncio.gather(*(supervision.finish(one.trouble, within=_FAREWELL) for one in self.forwarders))

    async def keep(self) -> None:
        """At the end: what all pages have shown."""
        try:
            if self.revisiting is not None and self.revisiting.made and self._sharing.is_leading:
                await self._executor.write(self.revisiting.made.replanner.pages.keep, self._store)
        except (StoreBusy, StoreAway) as error:  # known from the next visits on
            log.warning("what all pages have shown could not be kept", extra={"outcome": str(error)})

    async def replan(self) -> None:
        """Whenever the price has moved, some sites at a time: prices and paces of the sites that have pages."""
        assert self.revisiting is not None
        planner = (await self._once_used(self.revisiting)).replanner
        while True:
            now = self._clock.now()
            is_ours = self._sharing.is_leading and planner.is_due(now)
            has_more = is_ours and await self._executor.read(planner.step, now)
            if has_more:
                self._wake()
            await asyncio.sleep(0.01 if has_more else _REPLANNING)

    async def tell_notices(self) -> None:
        assert self.courier is not None
        await (await self._once_used(self.courier)).run()

    async def housekeep(self) -> None:
        """Once, what the guard lets through since it has other settings is due; now and then, forget visits older than
        the log shall reach back: the disk stays bounded."""
        has_begun = False
        while True:
            if not self._sharing.is_leading:
                await asyncio.sleep(_REPLANNING)
                continue
            if not has_begun:
                await self._ask_let_through()
                has_begun = True
            before = self._clock.now() - self._keep_visits
            if self.timekeeper is None or self.timekeeper.may_prune():
                removed = await self._executor.write(self._store.prune, visits_before=before)
                if removed:
                    log.info("forgot %d old visits", removed)
            await asyncio.sleep(_HOUSEKEEPING)

    async def _ask_let_through(self) -> None:
        if not await self._executor.read(self._store.refused, limit=1):
            return
        from afresh.engine.formerly_refused import bring_let_through_forward  # noqa: PLC0415 (mostly there is none)

        now = self._clock.now()
        if count := await bring_let_through_forward(self._store, self._executor, self._guard, now=now):
            log.info("%d resources that the address guard refused are let through now: asked at once", count)
            self._wake()

    async def _once_used(self, part: WhenUsed[T]) -> T:
        """Waits until the store keeps something for it."""
        while (made := await self._executor.read(part.look)) is None:
            await asyncio.sleep(_LOOKING)
        return made

    # --- what follows from reports; whatever fails here is tried again with the next, or lost: watching goes on ---

    async def follow(self, batch: list[Report], recorded: list[Report]) -> None:
        """After a batch was recorded: whoever follows from it or waits for it."""
        await self._hear(recorded)
        if self._is_unmatched or any(report.entries for report in batch):
            await self.match()
        courier = None if self.courier is None else self.courier.made
        if courier is not None and any(map(_is_telling, batch)):
            courier.poke()

    async def _hear(self, reports: list[Report]) -> None:
        """What was found may announce other pages, or name new ones."""
        if not reports:
            return
        revisiting, pushes = self.revisiting, self.pushes
        try:
            if revisiting is not None and (pages := await self._executor.read(revisiting.look)):
                await self._executor.read(pages.follow, reports, now=self._clock.now())
            if pushes is not None:
                await self._executor.write(pushes.follow, reports, now=self._clock.now())
        except StoreAway as error:
            self._absence.note(error)
        except Exception:  # announcements may be lost; watching goes on
            log.exception("announcements could not be followed")

    def _make_matcher(self) -> Matcher:
        from afresh.feeds.queries.matching import Matcher  # noqa: PLC0415 (most stores have no query feed)

        return Matcher(self._store.queries, now=self._clock.now)

    async def match(self) -> None:
        """Bring new entries to the query feeds. What cannot be matched now is matched next time: the store knows."""
        self._is_unmatched = True
        try:
            matcher = await self._executor.read(self._matcher.look)
            taken = 0
            if matcher is not None:
                await self._executor.read(matcher.refresh)  # may take a while: nobody who writes shall wait for it
                taken = await self._executor.write(matcher.catch_up)
            if taken and self.pushes is not None:
                self.pushes.note_published()
        except StoreAway as error:
            self._absence.note(error)
        except Exception:  # query feeds may be late; watching goes on
            log.exception("query feeds could not be brought up to date")
        else:
            self._is_unmatched = False


def _is_telling(report: Report) -> bool:
    """Whether somebody may want to be told of what was recorded."""
    return bool(report.entries or report.visit.error or (report.link and report.link.event)) or any(
        part.event for part in report.parts
    )
