"""The timekeeper: what a clock that was wrong, or is, must not do to what is planned and kept.

At the start the store is looked at: times ahead of now were written by a clock that was wrong, and are pulled back. A
jump while the program runs is told, and is believed when it has stayed for a while (``base.clock.WatchedClock``). After
a step backward whatever remembers times begins anew. After a jump that nobody expected nothing is forgotten for a day:
what is old by a clock that is a year ahead need not be; and no pause is over that was not when the jump came.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from afresh.base.durations import format_duration
from afresh.base.politeness import DAY
from afresh.base.troubles import CLOCK, CLOCKS, Troubles
from afresh.base.value_class import dataclass

if TYPE_CHECKING:
    from afresh.base.clock import WatchedClock
    from afresh.base.executor import Executor, InPlace
    from afresh.base.store_parts import TimedStore

log = logging.getLogger("afresh.clock")

SKEW = 300.0  # seconds: clocks of machines that share a store differ, but not by more
APART = 60.0  # seconds by which clocks of one system may differ
_LOOK = 1.0  # seconds between two looks at the clock
_TOLD = 600.0  # seconds for which a jump that is over is shown
_HELD = DAY  # for which nothing is forgotten after a jump
_USUAL_GAP = DAY  # a program that stood still for longer cannot know whether its clock is right
_NO_PRUNING, _PULLED_BACK = "clock.no_pruning_before", "clock.pulled_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """How far ahead a time of a store may lie, in seconds."""

    intervals: Mapping[str, float]  # the longest between two visits, by kind of resource
    pause: float  # the longest that a site is left alone
    delay: float  # the shortest
    lease: float
    trouble: float = 0.0  # the longest wait after failures, or that a server may ask for
    delivery: float = 0.0  # the longest wait between two tries to tell somebody

    @property
    def interval(self) -> float:
        """The longest between two visits of anything."""
        return max(self.intervals.values())

    @property
    def longest(self) -> float:
        """Past this nothing is ever planned."""
        return 1.25 * max(self.interval, self.trouble, self.pause, self.lease)


@dataclass(frozen=True, slots=True)
class SeenTimes:
    """The latest times in a store; None: there are none."""

    visited: float | None  # the end of a visit
    added: float | None  # a resource
    due: float | None
    ready: float | None  # a site
    worked: float | None = None  # the end of the visit recorded last: not the latest where a clock was ahead before

    @property
    def latest(self) -> float:
        """Of what was done."""
        return max(self.visited or 0.0, self.added or 0.0)

    def are_ahead(self, now: float, bounds: TimeBounds) -> bool:
        """Whether a clock that was ahead of ours must have written some of them."""
        planned = max(self.due or 0.0, self.ready or 0.0)
        return self.latest > now + SKEW or planned > now + SKEW + bounds.longest


class Timekeeper:
    """Watches the clock of a program.

    ``begin_anew`` ends it in good order, to be started again at once; None: it remembers no times, and after a step
    backward the store is looked at again.
    """

    def __init__(
        self,
        clock: WatchedClock,
        store: TimedStore,
        *,
        executor: Executor | InPlace,
        troubles: Troubles,
        begin_anew: Callable[[], None] | None = None,
    ) -> None:
        self._clock, self._store = clock, store
        self._executor, self._troubles, self._begin_anew = executor, troubles, begin_anew
        self._held_until = 0.0  # before then nothing is forgotten

    def begin(self) -> None:
        """Looks at the store before anything is planned; a call of the store."""
        now = self._clock.now()
        seen = self._store.seen_times()
        self._held_until = min(float(self._store.get_setting(_NO_PRUNING) or 0.0), now + _HELD)
        if seen.worked is not None and now - seen.worked > _USUAL_GAP:
            self._hold(now)
            self._store.resume_pauses(now, since=seen.worked)
        if seen.are_ahead(now, self._store.bounds()):
            count = self._pull_back(now)
            mark = repr(seen.latest)
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
        if step < 0.0 and self._begin_anew is not None:
            self._begin_anew()
        elif step < 0.0:
            await self._executor.write(self.begin)

    def _hold(self, now: float) -> None:
        self._held_until = now + _HELD
        self._store.put_setting(_NO_PRUNING, repr(self._held_until))

    def _pull_back(self, now: float) -> int:
        count = self._store.pull_back(now)
        if count:
            log.warning("%d due times and pauses were pulled back: a clock that was ahead wrote them", count)
        return count


def _by(seconds: float) -> str:
    return f"{format_duration(abs(seconds))} {'forward' if seconds > 0 else 'backward'}"


def tell_apart(troubles: Troubles, ahead: float) -> None:
    """Says whether our clock agrees with that of a store which others share."""
    if abs(ahead) <= APART:
        troubles.over(CLOCKS)
        return
    words = f"this machine's clock is {format_duration(abs(ahead))} {'ahead of' if ahead > 0.0 else 'behind'}"
    troubles.report(
        CLOCKS, f"{words} the database server's: due times and pauses mean something else to the others; set it right"
    )


def _found_ahead(count: int) -> str:
    return (
        "the store bears times that have not been yet: the clock was ahead when they were written, or is behind now;"
        f" {count} due times and pauses were pulled back"
    )
