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
from collections.abc import Callable
from typing import TYPE_CHECKING

from afresh.base.clock import first_of
from afresh.base.errors import StoreBusy, StoreError
from afresh.base.executor import Executor
from afresh.base.lazy import Once
from afresh.base.models import Lease, ResourceFilter, Status
from afresh.base.settings import Settings
from afresh.base.troubles import LOOP, SERVERS, STORE, Trouble, Troubles
from afresh.engine.budget import Budget
from afresh.engine.companions import Companions
from afresh.engine.leader import Sharing
from afresh.engine.recording import Recorder
from afresh.engine.store_away import AWAY, Absence
from afresh.engine.supervision import LoopHealth, Supervision
from afresh.engine.visitor import Visitor
from afresh.http.guard import Guard

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Fetcher, Store
    from afresh.engine.refreshing import Refreshing
    from afresh.engine.steering import Steering
    from afresh.engine.visit import Concluder
    from afresh.engine.wanted_visits import Chosen

log = logging.getLogger("afresh.loop")

_SHORTEST_NAP = 0.005
_LONGEST_NAP = 1.0  # how long an idle loop may overlook a URL that another process has just added
_PLANS = 1_000  # resources whose plans are read in a turn
_ACTIVE = ResourceFilter(status=Status.ACTIVE)
_RECORDING = "recording"
_LAST_WRITES = 60.0  # seconds a store may take to recover before answers that were fetched are given up at the end
_OTHERS = 5.0  # seconds that other daemons get to record what they fetched before a store went away
_STANDS_STILL = 120.0  # seconds without a turn after which nothing is watched


class Loop:
    """Keeps a store's resources fresh until it is stopped."""

    def __init__(
        self,
        store: Store,
        fetcher: Fetcher,
        concluder: Concluder,
        *,
        settings: Settings,
        clock: Clock,
        executor: Executor,
        rng: random.Random,
        budget: Budget | None = None,
        no_cache: bool = False,
        troubles: Troubles | None = None,
    ) -> None:
        self._store, self._settings, self._clock, self._executor = store, settings, clock, executor
        self.budget = budget or Budget(settings.budget)
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self._wake = asyncio.Event()
        self._stopping = False
        self.troubles = troubles or Troubles(clock.now)
        self._absence = Absence(clock, self.troubles)
        self.sharing = Sharing(
            store, self.budget, name=self.name, clock=clock, executor=executor, troubles=self.troubles
        )
        self.sharing.said_troubles = self.current_troubles
        self._tasks: set[asyncio.Task[None]] = set()
        self.health = LoopHealth()
        self.has_ended = False
        self.on_stop: Callable[[], None] | None = None  # told that nobody shall wait any more
        self.strategies: Once[Refreshing] | None = None  # None: rules alone decide
        self.chosen: Chosen | None = None  # somebody wants these visited, and no others; None: whatever is due
        self.wants_anew = False  # it ended only to be begun again
        self.companions = Companions(
            store,
            executor,
            clock=clock,
            sharing=self.sharing,
            absence=self._absence,
            keep_visits=settings.keep.visits,
            guard=Guard.of(settings.fetch),
            wake=self._wake.set,
        )
        self.recorder = Recorder(
            store,
            executor,
            self.companions,
            settings=settings.loop,
            absence=self._absence,
            health=self.health,
            wake=self._wake.set,
        )
        self._visitor = Visitor(
            store,
            fetcher,
            concluder,
            clock=clock,
            executor=executor,
            rng=rng,
            budget=self.budget,
            recorder=self.recorder,
            absence=self._absence,
            health=self.health,
            troubles=self.troubles,
            no_cache=no_cache,
        )
        self.has_asked = self._visitor.has_asked

    def stop(self) -> None:
        """Ask the loop to end: what is in flight is finished and recorded, nothing new is begun."""
        if not self.has_ended:  # who stops it has the last word
            self.wants_anew = False
        self._stopping = self._visitor.is_ending = True
        self.recorder.hurry()
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
        await self.sharing.take_back(self._settings.politeness.delay)
        await self.sharing.begin()
        async with Supervision(self._clock, self.troubles) as supervision:
            self.health.companions = supervision.companions
            supervision.start(_RECORDING, self.recorder.run)
            self.companions.start(supervision)
            try:
                while not self._stopping:
                    await self._turn()
            finally:
                await self._end(supervision)

    async def _end(self, supervision: Supervision) -> None:
        """Nothing new is begun; what is in flight lands and is recorded, what is being told is told."""
        if not self._stopping:  # something went wrong
            self.stop()
        self._absence.give_up = self._clock.now() + _LAST_WRITES
        if self._tasks:
            log.info("ending: %s visits in flight are waited for", len(self._tasks))
            await asyncio.wait(self._tasks)
        self.has_ended = True
        self.recorder.finish()
        is_recorded = await supervision.finish(_RECORDING, within=_LAST_WRITES)
        await self.companions.farewell(supervision)
        if not is_recorded:
            why = self.troubles.why(STORE) or self.troubles.why(SERVERS) or self.health.companions[_RECORDING].error
            raise StoreError(f"{len(self.recorder)} answers could not be recorded before the end: {why}")
        self.health.activity.say(self._clock.now(), is_last=True)
        await self.sharing.end()
        await self.companions.keep()

    async def _turn(self) -> None:
        self._wake.clear()  # whatever happens from here on is a reason not to rest
        self.health.last_turn = self._clock.now()
        self.health.activity.say(self.health.last_turn)
        try:
            if STORE in self.troubles and not await self._is_back():
                await self._rest(AWAY)
                return
            with self._absence.of_a_server():
                await self._correct_price()
            await self.recorder.renew(self._clock.now())
            strategies = None
            with self._absence.of_a_server():
                strategies = await self._look_at_strategies()
            if not await self._lease(strategies):
                await self._nap(math.inf if strategies is None else strategies.next_at)
        except StoreBusy as error:  # somebody else's long transaction: it ends, and we have time
            log.warning("nothing can be leased at the moment", extra={"outcome": str(error)})
            await self._rest(_LONGEST_NAP)
        except Exception as error:
            self._absence.note(error)
            await self._rest(AWAY)

    async def _is_back(self) -> bool:
        """Whether a store that was away works again. What was fetched is recorded before anything new is leased.

        Its lease may have run out meanwhile: leased again first, it would be fetched again and the first answer lost.
        """
        if len(self.recorder) or self._visitor.unconcluded:
            return False
        await self.sharing.say()
        lasted = self._clock.now() - self.troubles.since(STORE)
        self.troubles.over(STORE)
        if lasted >= self._settings.loop.lease:  # leases of others on the same store have run out: they record first
            await self._rest(_OTHERS)
        return True

    def current_troubles(self) -> tuple[Trouble, ...]:
        """What is wrong, and a loop that stands still."""
        found, turned = self.troubles.current(), self.health.last_turn
        if not turned or self._clock.now() - turned < _STANDS_STILL:
            return found
        return (*found, Trouble(LOOP, "it has not turned since", turned))

    async def _correct_price(self) -> None:
        steering = self.budget.steering
        if steering is None or not self.sharing.is_leading or not steering.needs_correction(self.health.last_turn):
            return
        if not await self._know_plans(steering):
            return
        active = await self._executor.read(self._store.count, _ACTIVE)
        steering.correct(self.health.last_turn, active)
        await self._executor.write(self.budget.keeping(), self._store)

    async def _know_plans(self, steering: Steering) -> bool:
        """Whether it is known what is planned; a part of that is read in each turn, now and then anew."""
        after = steering.plans_read
        if after is not None:
            page = await self._executor.read(self._store.list_resources, _ACTIVE, after=after, limit=_PLANS)
            steering.load(page, is_last=len(page) < _PLANS)
            self._wake.set()  # nothing to wait for yet
        return steering.plans_read is None

    async def _look_at_strategies(self) -> Refreshing | None:
        """Those that choose feeds in rounds, knowing whom they govern; None: there are none, or another daemon asks."""
        if self.strategies is None or not self.sharing.is_leading:
            return None
        strategies = self.strategies.made or await self._executor.read(self.strategies.look)
        if strategies is None:
            return None
        self._visitor.on_done, now = strategies.note_done, self._clock.now()
        if strategies.wants_to_read(now):
            await self._executor.read(strategies.read, now)
            self._wake.set()
        if (keeping := strategies.keeping(now)) is not None:
            await self._executor.write(keeping, self._store)
        return strategies

    async def _lease(self, strategies: Refreshing | None = None) -> int:
        """Begin as many visits as there is room for; the number begun."""
        now, steering = self._clock.now(), self.budget.steering
        room = self._settings.loop.concurrency - len(self._tasks)
        if steering is not None:
            room = min(room, steering.room(now))
        ahead = [] if strategies is None else await self._executor.read(strategies.due, now, room=max(0, room))
        if room <= 0:
            return 0
        if steering is not None:
            room = await self.sharing.take(steering, room, now)
            ahead += steering.ahead(now) if self.sharing.is_leading else []
        if ahead and self.chosen is None:
            await self._executor.write(self._store.bring_forward, ahead, now=now, seen=self.sharing.seen)
        until = now + self._settings.loop.lease
        only = None if self.chosen is None else self.chosen.some()
        leases = await self._executor.write(
            self._store.lease, holder=self.name, now=now, until=until, limit=room, only=only
        )
        self.budget.note_leased(leases, now)
        for lease in leases:
            task = asyncio.create_task(self._visit(lease))
            self._tasks.add(task)
            task.add_done_callback(self._landed)
        self.health.in_flight = len(self._tasks)
        if steering is not None:
            await self.sharing.give_back(steering, now)
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
        if self.budget.steering is not None:
            soonest = max(soonest, self.budget.steering.ready_at() - self._clock.now())
        pause = min(_LONGEST_NAP, max(_SHORTEST_NAP, min(soonest, until - self._clock.now())))
        if self._tasks and len(self._tasks) >= self._settings.loop.concurrency:
            pause = _LONGEST_NAP
        await self._rest(pause)

    async def _rest(self, pause: float) -> None:
        if not self._stopping:
            await first_of(self._wake.wait(), self._clock.sleep(pause))

    async def _visit(self, lease: Lease) -> None:
        report = await self._visitor.visit(lease)
        if report is None:
            return
        self.recorder.add(report)
        if self.chosen is not None and self.chosen.is_last(report):
            self.stop()
