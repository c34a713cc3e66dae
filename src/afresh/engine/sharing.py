"""What a daemon does so that all on one store spend one budget at one price: it draws, hears, and follows or leads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afresh.base.executor import Executor
from afresh.base.once import Once
from afresh.engine.budget import Budget
from afresh.engine.budget_report import BudgetReport, kept_price, kept_report
from afresh.engine.leader import Leader

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store
    from afresh.engine.refreshing import Refreshing
    from afresh.pages.planner import PagePlanner

_VISITS = 10_000  # of other daemons that are read after a beat
_WORLD = 60.0  # seconds between two looks at what all pages have shown, of those who follow
_LATE = 5.0  # seconds after its end by which a visit of another daemon is recorded


class Sharing:
    """One daemon among perhaps many. Where there can be no other, the budget in memory is the budget."""

    def __init__(self, store: Store, budget: Budget, *, name: str, clock: Clock, executor: Executor) -> None:
        self._store, self._budget, self._clock, self._executor = store, budget, clock, executor
        self.leader = Leader(store, clock, executor, name, budget.made, self._hear)
        assert self.leader.is_shared is not None  # loaded now: later there may be no descriptor to load it with
        self.pages: Once[PagePlanner] | None = None  # None: no pages are planned
        self.strategies: Once[Refreshing] | None = None  # None: rules alone decide
        self._was_leading = False
        self._told: BudgetReport | None = None  # by the leader, if that is another daemon
        self._heard = 0.0  # when others were last listened to: to their visits, or to the leader's world

    @property
    def is_leading(self) -> bool:
        return self.leader.is_leading

    @property
    def seen(self) -> float:
        """Up to when the leader knows of all visits."""
        return self._heard - _LATE if self.leader.others else math.inf

    def report(self) -> BudgetReport:
        """What the leader says of the budget; that is us, or another daemon."""
        ours = self._budget.report(self._clock.now())
        return ours if self.is_leading or self._told is None else self._told

    # --- one budget ---

    async def take(self, room: int, now: float) -> int:
        """How many of so many visits the budget of all has room for; the leader looks even if nothing is due."""
        if not self._has_one_budget:
            return room
        ready = await self._executor.read(self._store.next_ready)
        is_due = ready is not None and ready <= now
        return await self._draw(room if is_due else 0, now) if is_due or self.is_leading else 0

    async def give_back(self, now: float) -> None:
        """What was drawn and not needed: others may need it."""
        if self._has_one_budget and self._budget.has_unspent:
            await self._draw(0, now)

    @property
    def _has_one_budget(self) -> bool:
        return self.leader.is_shared and self._budget.is_limited

    async def _draw(self, room: int, now: float) -> int:
        draws = self._budget.draws(room)
        return self._budget.note_drawn(draws, await self._executor.write(self._store.daemons.draw, draws, now=now), now)

    # --- one price ---

    async def _hear(self) -> None:
        """After a beat: the leader hears of the visits that others made, the others of its price and world."""
        self._budget.others = sum(one.requests for one in self.leader.others)
        if self.is_leading:
            if not self._was_leading:
                await self._begin_to_lead()
            if self.leader.others:
                now, after = self._clock.now(), self._heard - _LATE
                visited = await self._executor.read(self._store.daemons.visited_since, after, limit=_VISITS)
                self._budget.note_elsewhere(visited)
                if self.strategies is not None and self.strategies.made is not None:
                    await self._executor.read(self.strategies.made.note_elsewhere, visited)
                self._heard = now
        else:
            await self._follow()
        self._was_leading = self.is_leading

    async def _begin_to_lead(self) -> None:
        now = self._heard = self._clock.now()
        if self.leader.is_shared:
            self._budget.lead()
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
