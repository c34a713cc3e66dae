"""The timekeeper: what a clock that was wrong, or is, must not do to what is planned and kept.

At the start the store is looked at: times ahead of now were written by a clock that was wrong, and are pulled back. A
jump while the daemon runs is told, and is believed when it has stayed for a while (``base.clock.WatchedClock``). After
a step backward whatever remembers times begins anew, with the daemon. After a jump that nobody expected nothing is
forgotten for a day: what is old by a clock that is a year ahead need not be.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from afresh.base.durations import format_duration
from afresh.base.executor import Executor
from afresh.base.models import Kind
from afresh.base.pacing import DAY, Manners
from afresh.base.records.times import TimeBounds
from afresh.base.settings import Settings
from afresh.base.troubles import CLOCK, Troubles

if TYPE_CHECKING:
    from afresh.base.clock import WatchedClock
    from afresh.base.protocols import Store

log = logging.getLogger("afresh.clock")

_LOOK = 1.0  # seconds between two looks at the clock
_TOLD = 600.0  # seconds for which a jump that is over is shown
_HELD = DAY  # for which nothing is forgotten after a jump
_USUAL_GAP = DAY  # a daemon that stood still for longer cannot know whether its clock is right
_NO_PRUNING, _PULLED_BACK = "clock.no_pruning_before", "clock.pulled_back"


def time_bounds(settings: Settings) -> TimeBounds:
    """How far ahead anything is ever planned under these settings."""
    return TimeBounds(
        intervals={
            Kind.FEED: max(settings.predict.longest, settings.push.safety),
            Kind.PAGE: settings.revisit.longest,
            Kind.SITEMAP: max(settings.revisit.longest, settings.revisit.sitemap_every),
            Kind.LINK: settings.links.longest,
        },
        trouble=max(settings.errors.longest_wait, settings.politeness.retry_after_cap),
        pause=max(settings.politeness.retry_after_cap, Manners().backoff_cap),
        delay=settings.politeness.delay,
        lease=settings.loop.lease,
        delivery=settings.notices.longest_wait,
    )


class Timekeeper:
    """Watches the clock of a daemon. ``begin_anew`` ends the daemon in good order, to be started again at once."""

    def __init__(
        self,
        clock: WatchedClock,
        store: Store,
        settings: Settings,
        *,
        executor: Executor,
        troubles: Troubles,
        begin_anew: Callable[[], None],
    ) -> None:
        self._clock, self._store, self._bounds = clock, store, time_bounds(settings)
        self._executor, self._troubles, self._begin_anew = executor, troubles, begin_anew
        self._held_until = 0.0  # before then nothing is forgotten

    def begin(self) -> None:
        """Looks at the store before anything is planned; a call of the store."""
        now, seen = self._clock.now(), self._store.times.seen_times()
        self._held_until = min(float(self._store.get_setting(_NO_PRUNING) or 0.0), now + _HELD)
        if seen.visited is not None and now - seen.visited > _USUAL_GAP:
            self._hold(now)
        if seen.are_ahead(now, self._bounds):
            count = self._pull_back(now)
            mark = repr(max(seen.visited or 0.0, seen.added or 0.0))
            if count or self._store.get_setting(_PULLED_BACK) != mark:  # else it was told when it was found
                self._store.put_setting(_PULLED_BACK, mark)
                self._troubles.report(CLOCK, _found_ahead(count), lasting=_TOLD)

    def may_prune(self) -> bool:
        """Whether the clock can be trusted with forgetting."""
        return self._clock.now() >= self._held_until and not self._clock.doubt

    async def run(self) -> None:
        """Until cancelled."""
        doubted = 0.0
        while True:
            self._clock.now()
            if self._clock.steps:
                await self._follow(self._clock.steps.popleft())
            elif self._clock.doubt:
                words = f"the system's clock has jumped {_by(self._clock.doubt)}; not believed unless it stays so for"
                self._troubles.report(CLOCK, f"{words} {format_duration(self._clock.patience)}", lasting=_TOLD)
            elif doubted:  # commands beside us may have believed it
                await self._executor.write(self._pull_back, self._clock.now())
                words = f"the system's clock had jumped {_by(doubted)} for a moment; what was planned stays"
                self._troubles.report(CLOCK, words, lasting=_TOLD)
            doubted = self._clock.doubt
            await asyncio.sleep(_LOOK)

    async def _follow(self, step: float) -> None:
        now = self._clock.now()
        self._troubles.report(CLOCK, f"the system's clock was set {_by(step)} and stays so", lasting=_TOLD)
        await self._executor.write(self._hold, now)
        if step < 0.0:
            self._begin_anew()

    def _hold(self, now: float) -> None:
        self._held_until = now + _HELD
        self._store.put_setting(_NO_PRUNING, repr(self._held_until))

    def _pull_back(self, now: float) -> int:
        count = self._store.times.pull_back(now=now, bounds=self._bounds)
        if count:
            log.warning("%d due times and pauses were pulled back: a clock that was ahead wrote them", count)
        return count


def _by(seconds: float) -> str:
    return f"{format_duration(abs(seconds))} {'forward' if seconds > 0 else 'backward'}"


def _found_ahead(count: int) -> str:
    return (
        "the store bears times that have not been yet: the clock was ahead when they were written, or is behind now;"
        f" {count} due times and pauses were pulled back"
    )
