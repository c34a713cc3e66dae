"""Many daemons on one store are one system: one of them leads, and every one says that it is there.

The leader plans sites, moves the price, brings idle budget to resources, asks hubs and keeps house; the others visit,
record and tell, at the leader's price. Leading is a lock that goes with the process (decision 0019): who dies leads no
more, and another does at its next beat. On SQLite there is one daemon, and it leads.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from afresh.base.errors import ServerAway, StoreAway, StoreError
from afresh.base.executor import Executor
from afresh.base.lazy import Once
from afresh.base.records.daemons import HEARTBEAT, STOPPED, DaemonRecord
from afresh.base.timekeeping import tell_apart
from afresh.base.troubles import SERVERS, STORE, Trouble, Troubles, standing
from afresh.engine.budget import Budget
from afresh.engine.budget_report import BudgetReport, kept_price, kept_report

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store
    from afresh.engine.refreshing import Refreshing
    from afresh.engine.steering import Steering
    from afresh.pages.planner import PagePlanner

log = logging.getLogger("afresh.leader")

BEAT = 1.0  # seconds between two
#: Seconds for which a leader believes what the store last said. The server gives the lock of a machine it hears nothing
#: of to another after ten (``store.postgres``), so there are never two, whatever becomes of the network.
BELIEVED = 6.0
COMPARED = 30.0  # seconds between two looks at the store's clock
_VISITS = 10_000  # of other daemons that are read after a beat
_WORLD = 60.0  # seconds between two looks at what all pages have shown, of those who follow
_LATE = 5.0  # seconds after its end by which a visit of another daemon is recorded


class Sharing:
    """One daemon among perhaps many: whether it leads, who else is there, and what all of them may still spend.

    Where there can be no other, the budget in memory is the budget.
    """

    def __init__(
        self, store: Store, budget: Budget, *, name: str, clock: Clock, executor: Executor, troubles: Troubles
    ) -> None:
        self._store, self._budget, self._name = store, budget, name
        self._clock, self._executor, self._troubles = clock, executor, troubles
        self.is_shared = store.daemons.is_shared  # whether there may be others at all
        self.said_troubles: Callable[[], tuple[Trouble, ...]] = troubles.current  # what this one says of itself
        self.others: list[DaemonRecord] = []  # that have not stopped
        self.pages: Once[PagePlanner] | None = None  # None: no pages are planned
        self.strategies: Once[Refreshing] | None = None  # None: rules alone decide
        self._since = 0.0
        self._leads_since: float | None = None  # None: another one does
        self._asked = self._compared = -math.inf  # when the lock was asked about, and clocks compared; steady seconds
        self._has_ended = False
        self._was_leading = False
        self._told: BudgetReport | None = None  # by the leader, if that is another daemon
        self._heard = 0.0  # when others were last listened to: to their visits, or to the leader's world

    @property
    def is_leading(self) -> bool:
        has_lead = self._leads_since is not None
        return has_lead and (not self.is_shared or time.monotonic() - self._asked < BELIEVED)

    @property
    def known(self) -> list[DaemonRecord]:
        """All of them, as they last said; this one as it would say now."""
        return [self._here(), *self.others]

    @property
    def seen(self) -> float:
        """Up to when the leader knows of all visits."""
        return self._heard - _LATE if self.others else math.inf

    def report(self) -> BudgetReport:
        """What the leader says of the budget; that is us, or another daemon."""
        ours = self._budget.report(self._clock.now())
        return ours if self.is_leading or self._told is None else self._told

    # --- one leader ---

    async def run(self) -> None:
        """Until cancelled. A store that cannot be asked leaves us what we were, for as long as a lead is believed."""
        while True:
            await asyncio.sleep(BEAT if self.is_shared else HEARTBEAT)
            await self._try_beat()

    async def begin(self) -> None:
        """The first beat. Where nobody else can be, we lead whatever the store says."""
        self._since = self._clock.now()
        if not self.is_shared:
            self._leads_since = self._since
        await self._try_beat()

    async def take_back(self, delay: float) -> None:
        """What the daemon before us, if it was killed, had out is nobody's. Its word names it, until ours does."""
        try:
            await self._executor.write(self._store.take_back, now=self._clock.now(), delay=delay)
        except StoreError as error:  # it ends by itself
            log.warning("leases of the last run are waited for", extra={"outcome": str(error)})

    async def _try_beat(self) -> None:
        try:
            await self.beat()
        except ServerAway:
            pass  # told already, and it keeps nobody from being there
        except StoreAway as error:
            self._troubles.report(STORE, str(error))
        except StoreError as error:
            log.warning("the store could not be told that we are there", extra={"outcome": str(error)})

    async def beat(self) -> None:
        """Say that we are there, lead if nobody does, and hear what the others say."""
        now, asked = self._clock.now(), time.monotonic()
        leads = await self._executor.read(self._store.daemons.lead)
        self._asked = asked
        if leads is (self._leads_since is None):
            log.info("leads from now on" if leads else "another daemon leads", extra={"daemon": self._name})
        self._leads_since = (self._leads_since or now) if leads else None
        await self.say()
        if self.is_shared:
            known = await self._executor.read(self._store.daemons.list_daemons)
            self.others = [one for one in known if one.name != self._name and one.status != STOPPED]
            self._budget.others = sum(one.requests for one in self.others)
            await self._compare_clocks(asked)
            await self._look_for_servers()
        await self._hear()

    async def _compare_clocks(self, now: float) -> None:
        """Daemons whose clocks differ do not mean the same by a due time or a pause."""
        if now - self._compared >= COMPARED:
            self._compared = now
            before = self._clock.now()
            theirs = await self._executor.read(self._store.daemons.clock)
            tell_apart(self._troubles, (before + self._clock.now()) / 2.0 - theirs)

    async def _look_for_servers(self) -> None:
        """Says which servers of the store do not answer, as long as they do not."""
        if away := await self._executor.read(self._store.daemons.servers_away):
            self._troubles.report(SERVERS, "; ".join(away))
        else:
            self._troubles.over(SERVERS)

    async def say(self) -> None:
        """Say that we are there and how we are doing. Also how a daemon finds out that nothing can be written."""
        if not self._has_ended:
            await self._executor.write(self._store.daemons.beat, self._here())

    def _here(self) -> DaemonRecord:
        now, troubles = self._clock.now(), self.said_troubles()
        return DaemonRecord(
            name=self._name,
            since=self._since,
            seen=now,
            requests=int(self._budget.requests.total(now)),
            leads_since=self._leads_since,
            status=standing(troubles, is_alive=True),
            troubles=troubles,
        )

    async def end(self) -> None:
        """We are gone; who died without saying so is forgotten after an hour."""
        self._has_ended = True  # a beat under way must not take it back
        try:
            if self.is_leading:  # what was used and when the next request is free, for whoever asks meanwhile
                await self._executor.write(self._budget.keeping(), self._store)
            await self._executor.write(self._store.daemons.leave, self._name, now=self._clock.now())
        except StoreError as error:
            log.warning("the store could not be told that we end", extra={"outcome": str(error)})

    # --- one budget ---

    async def take(self, steering: Steering, room: int, now: float) -> int:
        """How many of so many visits the budget of all has room for; the leader looks even if nothing is due."""
        if not self.is_shared or not steering.is_limited:
            return room
        ready = await self._executor.read(self._store.next_ready)
        is_due = ready is not None and ready <= now
        return await self._draw(steering, room if is_due else 0, now) if is_due or self.is_leading else 0

    async def give_back(self, steering: Steering, now: float) -> None:
        """What was drawn and not needed: others may need it."""
        if self.is_shared and steering.is_limited and steering.has_unspent:
            await self._draw(steering, 0, now)

    async def _draw(self, steering: Steering, room: int, now: float) -> int:
        draws = steering.draws(room)
        return steering.note_drawn(draws, await self._executor.write(self._store.daemons.draw, draws, now=now), now)

    # --- one price ---

    async def _hear(self) -> None:
        """After a beat: the leader hears of the visits that others made, the others of its price and world."""
        if not self.is_leading:
            await self._follow()
        elif not self._was_leading:
            await self._begin_to_lead()
        if self.is_leading and self.others:
            await self._hear_of_visits()
        self._was_leading = self.is_leading

    async def _hear_of_visits(self) -> None:
        now, after = self._clock.now(), self._heard - _LATE
        visited = await self._executor.read(self._store.daemons.visited_since, after, limit=_VISITS)
        if self._budget.steering is not None:
            self._budget.steering.note_elsewhere(visited)
        if self.strategies is not None and self.strategies.made is not None:
            await self._executor.read(self.strategies.made.note_elsewhere, visited)
        self._heard = now

    async def _begin_to_lead(self) -> None:
        now = self._heard = self._clock.now()
        if self.is_shared:
            if self._budget.steering is not None:
                self._budget.steering.lead()
            await self._look_at_the_world()
        self._budget.begin(now)
        await self._executor.write(self._budget.keeping(), self._store)

    async def _follow(self) -> None:
        kept = await self._executor.read(kept_price, self._store)
        if kept is not None:
            self._budget.follow(kept)
            self._told = await self._executor.read(kept_report, self._store)
        now = self._clock.now()
        if now - self._heard > _WORLD:
            self._heard = now
            await self._look_at_the_world()

    async def _look_at_the_world(self) -> None:
        """What all pages have shown, as the leader keeps it; who plans no page has no need of it."""
        if self.pages is not None and self.pages.made is not None:
            await self._executor.read(self.pages.made.refresh, self._store)
