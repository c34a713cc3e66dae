"""The living loop: lease what is due, fetch it, conclude, record; again.

The loop decides nothing. Whatever goes wrong with one resource is logged with its URL and the loop goes on; only an
unusable store ends it. A store that is away (a full disk, a server that is down) is waited for: nothing is asked for
meanwhile, and what was fetched stays in memory until it is recorded, which it is before anything else is leased.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import random
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from afresh.base.clock import first_of
from afresh.base.errors import StoreAway, StoreBusy, StoreError
from afresh.base.executor import Executor
from afresh.base.models import Failed, Failure, Lease, Outcome, Report, ResourceFilter, Result, Status, Trip
from afresh.base.once import Once, WhenUsed
from afresh.base.settings.watching import WatchSettings
from afresh.base.troubles import LOOP, NETWORK, STORE, Trouble, Troubles
from afresh.base.visits import Answer
from afresh.engine.budget import Budget
from afresh.engine.held_leases import HeldLeases
from afresh.engine.sharing import Sharing
from afresh.engine.supervision import Companion, Supervision

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Fetcher, Store
    from afresh.engine.refreshing import Refreshing
    from afresh.engine.timekeeper import Timekeeper
    from afresh.engine.visit import Concluder
    from afresh.feeds.queries.matching import Matcher
    from afresh.notices.delivery import Courier
    from afresh.notices.push import Pushes
    from afresh.pages.revisiting import Revisiting

T = TypeVar("T")

log = logging.getLogger("afresh.loop")

_SHORTEST_NAP = 0.005
_PLANS = 1_000  # resources whose plans are read in a turn
_ACTIVE = ResourceFilter(status=Status.ACTIVE)
_HOUSEKEEPING = 3600.0
_REPLANNING = 1.0  # how often it is asked whether sites want a new plan
_LOOKING = 1.0  # how often it is asked whether there is something to do for what runs beside
_TRIES = 3  # of a conclusion, while the store is busy
_RECORDING, _NOTICES = "recording", "notices"
_LAST_WRITES = 60.0  # seconds a store may take to recover before answers that were fetched are given up at the end
_FAREWELL = 10.0  # seconds a delivery under way may take when the loop ends
_OTHERS = 5.0  # seconds that other daemons get to record what they fetched before a store went away
_STANDS_STILL = 120.0  # seconds without a turn after which nothing is watched
_AWAY = 1.0  # seconds between two tries of a store that is away
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
    companions: dict[str, Companion] = field(default_factory=dict)  # what runs beside the loop, by name


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
        troubles: Troubles | None = None,
    ) -> None:
        self._store, self._fetcher, self._concluder = store, fetcher, concluder
        self._settings, self._clock, self._executor, self._rng = settings, clock, executor, rng
        self._no_cache = no_cache
        self.budget = budget or Budget(settings.budget)
        self._holder = f"{socket.gethostname()}:{os.getpid()}"
        self.sharing = Sharing(store, self.budget, name=self._holder, clock=clock, executor=executor)
        self._wake = asyncio.Event()
        self._stopping = False
        self._give_up = math.inf  # when what still cannot be recorded is given up
        self._unconcluded = 0  # visits that have an answer and wait for the store
        self.troubles = troubles or Troubles(clock.now)
        self.sharing.leader.troubles, self.sharing.leader.on_away = self.current_troubles, self._note_away
        self._tasks: set[asyncio.Task[None]] = set()
        self._reports: deque[Report] = deque()
        self._held = HeldLeases(store, executor, lasting=settings.loop.lease)
        self._reported = asyncio.Event()
        self._matcher = WhenUsed(self._make_matcher, store=store, part="queries")
        self._is_unmatched = True  # entries of an earlier run may wait for the query feeds
        self.health = LoopHealth()
        self.has_ended = False
        self.has_asked = asyncio.Event()  # the first answer has come, or there is nothing to ask for yet
        self.courier: WhenUsed[Courier] | None = None  # None: nobody is told anything
        self.on_stop: Callable[[], None] | None = None  # told that nobody shall wait any more
        self.revisiting: WhenUsed[Revisiting] | None = None  # None: pages are visited, but sites are not planned
        self.pushes: Pushes | None = None  # None: no hub is asked for news
        self.strategies: Once[Refreshing] | None = None  # None: rules alone decide
        self.timekeeper: Timekeeper | None = None  # None: the clock is taken at its word
        self.wants_anew = False  # it ended only to be begun again

    def stop(self) -> None:
        """Ask the loop to end: what is in flight is finished and recorded, nothing new is begun."""
        if not self.has_ended:  # who stops it has the last word
            self.wants_anew = False
        self._begin_to_end()

    def _begin_to_end(self) -> None:
        self._stopping = True
        self._wake.set()
        if self.on_stop is not None:
            self.on_stop()

    def begin_anew(self) -> None:
        """Ask the loop to end because what it remembers is no longer true; whoever runs it begins again."""
        if not self._stopping:
            self.stop()
            self.wants_anew = True

    def poke(self) -> None:
        """Something became due: look at once."""
        self._wake.set()

    async def run(self) -> None:
        """Until ``stop``. Raises StoreError if the store can no longer be used."""
        self.health.started = self._clock.now()
        await self.sharing.leader.begin()
        async with Supervision(self._clock, self.troubles) as beside:
            self.health.companions = beside.companions
            beside.start(_RECORDING, self._record)
            beside.start("leadership", self.sharing.leader.run)
            beside.start("housekeeping", self._housekeep)
            if self.timekeeper is not None:
                beside.start("clock", self.timekeeper.run)
            if self.revisiting is not None:
                beside.start("planning of sites", self._replan)
            if self.pushes is not None:
                beside.start("push", self.pushes.run)
            if self.courier is not None:
                beside.start(_NOTICES, self._tell_notices)
            try:
                while not self._stopping:
                    await self._turn()
            finally:
                await self._end(beside)

    async def _end(self, beside: Supervision) -> None:
        """Nothing new is begun; what is in flight lands and is recorded, what is being told is told."""
        self._begin_to_end()
        self._give_up = self._clock.now() + _LAST_WRITES
        if self._tasks:
            await asyncio.wait(self._tasks)
        self.has_ended = True
        self._reported.set()
        is_recorded = await beside.finish(_RECORDING, within=_LAST_WRITES)
        if self.courier is not None and self.courier.made:
            self.courier.made.stop()
            await beside.finish(_NOTICES, within=_FAREWELL)  # a delivery that takes longer is tried again next time
        if not is_recorded:
            why = self.troubles.why(STORE) or self.health.companions[_RECORDING].error
            raise StoreError(f"{len(self._reports)} answers could not be recorded before the end: {why}")
        await self.sharing.leader.end()
        try:
            if self.revisiting is not None and self.revisiting.made and self.sharing.is_leading:
                await self._executor.write(self.revisiting.made.replanner.pages.keep, self._store)
        except (StoreBusy, StoreAway) as error:  # known from the next visits on
            log.warning("what all pages have shown could not be kept", extra={"outcome": str(error)})

    async def _turn(self) -> None:
        self._wake.clear()  # whatever happens from here on is a reason not to rest
        self.health.last_turn = self._clock.now()
        try:
            if STORE in self.troubles and not await self._is_back():
                await self._rest(_AWAY)
                return
            await self._correct_price()
            await self._held.renew(self._clock.now())
            strategies = await self._look_at_strategies()
            if not await self._lease(strategies):
                await self._nap(math.inf if strategies is None else strategies.next_at)
        except StoreAway as error:
            self._note_away(error)
            await self._rest(_AWAY)
        except StoreBusy as error:  # somebody else's long transaction: it ends, and we have time
            log.warning("nothing can be leased at the moment", extra={"outcome": str(error)})
            await self._rest(_LONGEST_NAP)

    # --- a store that is away ---

    def _note_away(self, error: StoreAway) -> None:
        self.troubles.report(STORE, str(error))

    async def _is_back(self) -> bool:
        """Whether a store that was away works again. What was fetched is recorded before anything new is leased.

        Its lease may have run out meanwhile: leased again first, it would be fetched again and the first answer lost.
        """
        if self._reports or self._unconcluded:
            return False
        await self.sharing.leader.say()
        lasted = self._clock.now() - self.troubles.since(STORE)
        self.troubles.over(STORE)
        if lasted >= self._settings.loop.lease:  # leases of others on the same store have run out: they record first
            await self._rest(_OTHERS)
        return True

    async def _wait_for_store(self, error: StoreAway) -> None:
        """Before another try; raises the error when the end of the loop has come and waited long enough."""
        self._note_away(error)
        if self._clock.now() >= self._give_up:
            raise error
        await self._clock.sleep(_AWAY)

    def current_troubles(self) -> tuple[Trouble, ...]:
        """What is wrong, and a loop that stands still."""
        found, turned = self.troubles.current(), self.health.last_turn
        if not turned or self._clock.now() - turned < _STANDS_STILL:
            return found
        return (*found, Trouble(LOOP, "it has not turned since", turned))

    # --- turns ---

    async def _correct_price(self) -> None:
        if not self.sharing.is_leading or not self.budget.needs_correction(self.health.last_turn):
            return
        if not await self._know_plans():
            return
        active = await self._executor.read(self._store.count, _ACTIVE)
        self.budget.correct(self.health.last_turn, active)
        await self._executor.write(self.budget.keeping(), self._store)

    async def _know_plans(self) -> bool:
        """Whether the budget knows what is planned; it reads a part of that in each turn, now and then anew."""
        after = self.budget.plans_read
        if after is not None:
            page = await self._executor.read(self._store.list_resources, _ACTIVE, after=after, limit=_PLANS)
            self.budget.load(page, is_last=len(page) < _PLANS)
            self._wake.set()  # nothing to wait for yet
        return self.budget.plans_read is None

    async def _look_at_strategies(self) -> Refreshing | None:
        """Those that choose feeds in rounds, knowing whom they govern; None: there are none, or another daemon asks."""
        if self.strategies is None or not self.sharing.is_leading:
            return None
        strategies = self.strategies.made or await self._executor.read(self.strategies.look)
        if strategies is None:
            return None
        now = self._clock.now()
        if strategies.wants_to_read(now):
            await self._executor.read(strategies.read, now)
            self._wake.set()
        if (keeping := strategies.keeping(now)) is not None:
            await self._executor.write(keeping, self._store)
        return strategies

    async def _replan(self) -> None:
        """Whenever the price has moved, some sites at a time: prices and paces of the sites that have pages."""
        assert self.revisiting is not None
        planner = (await self._once_used(self.revisiting)).replanner
        while True:
            now = self._clock.now()
            is_ours = self.sharing.is_leading and planner.is_due(now)
            has_more = is_ours and await self._executor.read(planner.step, now)
            if has_more:
                self._wake.set()
            await asyncio.sleep(0.01 if has_more else _REPLANNING)

    async def _tell_notices(self) -> None:
        assert self.courier is not None
        await (await self._once_used(self.courier)).run()

    async def _once_used(self, part: WhenUsed[T]) -> T:
        """Waits until the store keeps something for it."""
        while (made := await self._executor.read(part.look)) is None:
            await asyncio.sleep(_LOOKING)
        return made

    async def _housekeep(self) -> None:
        """Now and then, forget visits older than the log shall reach back: the disk stays bounded."""
        while True:
            if not self.sharing.is_leading:
                await asyncio.sleep(_REPLANNING)
                continue
            before = self._clock.now() - self._settings.keep.visits
            if self.timekeeper is None or self.timekeeper.may_prune():
                removed = await self._executor.write(self._store.prune, visits_before=before)
                if removed:
                    log.info("forgot %d old visits", removed)
            await asyncio.sleep(_HOUSEKEEPING)

    async def _lease(self, strategies: Refreshing | None = None) -> int:
        """Begin as many visits as there is room for; the number begun."""
        now = self._clock.now()
        room = min(self._settings.loop.concurrency - len(self._tasks), self.budget.room(now))
        ahead = [] if strategies is None else await self._executor.read(strategies.due, now, room=max(0, room))
        if room <= 0:
            return 0
        room = await self.sharing.take(room, now)
        if self.sharing.is_leading:
            ahead += self.budget.ahead(now)
        if ahead:
            await self._executor.write(self._store.bring_forward, ahead, now=now, seen=self.sharing.seen)
        until = now + self._settings.loop.lease
        leases = await self._executor.write(self._store.lease, holder=self._holder, now=now, until=until, limit=room)
        self.budget.note_leased(leases, now)
        for lease in leases:
            task = asyncio.create_task(self._visit(lease))
            self._tasks.add(task)
            task.add_done_callback(self._landed)
        self.health.in_flight = len(self._tasks)
        await self.sharing.give_back(now)
        return len(leases)

    def _landed(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("a visit could not be concluded", exc_info=error)
        self.health.in_flight = len(self._tasks)
        self._wake.set()

    async def _nap(self, until: float = math.inf) -> None:
        """Until something may be due, a visit has landed, or somebody pokes; not beyond a time."""
        if not self._tasks:
            self.has_asked.set()
        ready = await self._executor.read(self._store.next_ready)
        soonest = _LONGEST_NAP if ready is None else ready - self._clock.now()
        soonest = max(soonest, self.budget.ready_at() - self._clock.now())
        pause = min(_LONGEST_NAP, max(_SHORTEST_NAP, min(soonest, until - self._clock.now())))
        if self._tasks and len(self._tasks) >= self._settings.loop.concurrency:
            pause = _LONGEST_NAP
        await self._rest(pause)

    async def _rest(self, pause: float) -> None:
        if not self._stopping:
            await first_of(self._wake.wait(), self._clock.sleep(pause))

    async def _visit(self, lease: Lease) -> None:
        url = lease.resource.url
        try:
            outcome = await self._fetch(lease)
            self._held.hold(lease)
            report = await self._conclude(lease, outcome)
        except Exception:  # the outermost place that can go on: one resource must not end the loop
            log.exception("visit failed unexpectedly", extra={"url": url})
            report = await self._conclude_broken(lease)
        self._reports.append(report)
        self._reported.set()

    async def _conclude_broken(self, lease: Lease) -> Report:
        try:
            return await self._conclude(lease, self._broken(lease.resource.url))
        except Exception:  # its lease runs out, and it is visited again
            self._held.let_go(lease.id)
            self.budget.note_lost(lease)
            raise

    async def _fetch(self, lease: Lease) -> Outcome:
        kind = self._concluder.kinds[lease.resource.kind]
        if kind.asks_store:
            request = await self._executor.read(kind.request, lease.resource, no_cache=self._no_cache)
        else:
            request = kind.request(lease.resource, no_cache=self._no_cache)
        outcome = await self._fetcher.fetch(replace(request, terms=lease.terms))
        self.has_asked.set()
        return outcome if kind.follow_up is None else await kind.follow_up(lease, outcome)

    async def _conclude(self, lease: Lease, outcome: Outcome) -> Report:
        u = self._rng.random()
        self._unconcluded += 1
        try:
            report = await self._patiently_concluded(lease, outcome, u)
        finally:
            self._unconcluded -= 1
        self.budget.note_done(lease, outcome, report)
        if self.strategies is not None and self.strategies.made is not None:
            await self._executor.read(self.strategies.made.note_done, lease, outcome, report)
        self._tell(lease, report)
        return report

    async def _patiently_concluded(self, lease: Lease, outcome: Outcome, u: float) -> Report:
        """What was fetched must not be lost because the store is busy or, however long that takes, away."""
        tries = _TRIES
        while True:
            try:
                return await self._executor.judge(self._concluded, lease, outcome, u)
            except StoreBusy:
                tries -= 1
                if not tries:
                    raise
                await self._clock.sleep(_LONGEST_NAP)
            except StoreAway as error:
                await self._wait_for_store(error)

    def _concluded(self, lease: Lease, outcome: Outcome, u: float) -> Report:
        site = self._store.site(lease.site)
        return self._concluder.conclude(Answer(lease=lease, outcome=outcome, site=site, u=u))

    def _broken(self, url: str) -> Outcome:
        now = self._clock.now()
        trip = Trip(url=url, final_url=url, started=now, finished=now, headers=MappingProxyType({}))
        return Failed(trip=trip, cause=Failure.PROTOCOL, detail="internal error, see the log")

    def _tell(self, lease: Lease, report: Report) -> None:
        result = report.visit.result
        self.health.visits += 1
        self._note_network(is_offline=result is Result.OFFLINE, error=report.visit.error)
        self.health.results[result] = self.health.results.get(result, 0) + 1
        level = logging.DEBUG if result.is_success else logging.INFO
        log.log(
            level,
            "visited %s: %s",
            lease.resource.url,
            result,
            extra={"url": lease.resource.url, "result": str(result), "error": report.visit.error},
        )

    def _note_network(self, *, is_offline: bool, error: str) -> None:
        self.health.is_offline = is_offline
        if is_offline:
            self.troubles.report(NETWORK, f"our own network seems down ({error})")
        else:
            self.troubles.over(NETWORK)

    async def _record(self) -> None:
        """Write reports in batches, as long as there are any or may come. What cannot be written stays for later."""
        settings = self._settings.loop
        self._reported.set()  # something may have been left when this was last begun
        await self._match()
        while True:
            await self._reported.wait()
            if not self._stopping and len(self._reports) < settings.batch:
                await asyncio.sleep(settings.flush)
            self._reported.clear()
            batch = list(islice(self._reports, settings.batch))
            if batch:
                applied = await self._write(batch)
                for report in batch:
                    self._held.let_go(report.lease)
                    self._reports.popleft()
                self._wake.set()
                await self._tell_all(batch, applied)
            if self._reports:
                self._reported.set()
            elif self.has_ended:  # nothing lands any more, and nothing that is being leased now either
                return

    async def _write(self, batch: list[Report]) -> list[bool]:
        """Apply a batch. What no store takes, by a fault of ours, is given up alone: it must not keep the others."""
        try:
            return await self._recorded(batch)
        except StoreError:  # busy: the same again later
            raise
        except Exception:
            if len(batch) > 1:
                return [is_applied for report in batch for is_applied in await self._write([report])]
            log.exception("a report cannot be recorded", extra={"url": batch[0].resource.url})
            return [False]

    async def _recorded(self, batch: list[Report]) -> list[bool]:
        while True:
            try:
                return await self._executor.write(self._store.record, batch)
            except StoreAway as error:
                await self._wait_for_store(error)

    async def _tell_all(self, batch: list[Report], applied: list[bool]) -> None:
        """After a batch was recorded: whoever follows from it or waits for it."""
        self.health.recorded += sum(applied)
        self.health.refused += len(applied) - sum(applied)
        recorded = [report for report, is_applied in zip(batch, applied, strict=True) if is_applied]
        await self._follow(recorded)
        if self._is_unmatched or any(report.entries for report in batch):
            await self._match()
        courier = None if self.courier is None else self.courier.made
        if courier is not None and any(map(_is_telling, batch)):
            courier.poke()

    async def _follow(self, reports: list[Report]) -> None:
        """What was found may announce other pages, or name new ones."""
        if not reports:
            return
        try:
            if self.revisiting is not None and (pages := await self._executor.read(self.revisiting.look)):
                await self._executor.read(pages.follow, reports, now=self._clock.now())
            if self.pushes is not None:
                await self._executor.write(self.pushes.follow, reports, now=self._clock.now())
        except StoreAway as error:
            self._note_away(error)
        except Exception:  # announcements may be lost; watching goes on
            log.exception("announcements could not be followed")

    def _make_matcher(self) -> Matcher:
        from afresh.feeds.queries.matching import Matcher  # noqa: PLC0415 (most stores have no query feed)

        return Matcher(self._store.queries, now=self._clock.now)

    async def _match(self) -> None:
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
            self._note_away(error)
        except Exception:  # query feeds may be late; watching goes on
            log.exception("query feeds could not be brought up to date")
        else:
            self._is_unmatched = False


def _is_telling(report: Report) -> bool:
    """Whether somebody may want to be told of what was recorded."""
    return bool(report.entries or report.visit.error or (report.link and report.link.event))
