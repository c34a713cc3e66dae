"""Wall time and waiting; apart from the daemon, so that a scheduler process starts without it."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from afresh.base.value_class import dataclass

STEP = 30.0  # seconds by which a clock may be set without further ado
DOUBT = 60.0  # seconds for which a larger jump must have stayed to be believed


class SystemClock:
    """Wall time."""

    now = staticmethod(time.time)  # asked a dozen times for each request

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def steady_seconds() -> float:
    """Seconds that nobody can set; they pass while the machine sleeps, too, where the system can tell."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@dataclass(frozen=True, slots=True)
class _Belief:
    """What wall time is: steady seconds and an offset; perhaps a doubt."""

    offset: float
    gap: float = 0.0  # by which the system's clock has jumped, not believed yet; 0: it has not
    since: float = 0.0  # steady seconds


class WatchedClock(SystemClock):
    """Wall time that does not believe every jump of the system's clock.

    It follows small steps at once. A jump counts when it has stayed for a while: a clock that is a month ahead for some
    seconds must not plan anything. Until then time goes on steadily. Jumps that were believed are in ``steps``.
    """

    def __init__(self, *, patience: float = DOUBT, steady: Callable[[], float] = steady_seconds) -> None:
        self._patience, self._steady = patience, steady
        self._belief = _Belief(super().now() - steady())  # one value, so that threads see all of it or nothing
        self.steps: deque[float] = deque()  # seconds, backward negative; whoever handles one takes it out

    def now(self) -> float:
        said, steady, belief = super().now(), self._steady(), self._belief
        gap = said - (belief.offset + steady)
        if abs(gap) <= STEP:
            self._belief = _Belief(said - steady)
            return said
        if not belief.gap or abs(gap - belief.gap) > STEP:
            self._belief = belief = _Belief(belief.offset, gap, steady)
        if steady - belief.since < self._patience:
            return belief.offset + steady
        self._belief = _Belief(said - steady)
        self.steps.append(gap)
        return said

    @property
    def doubt(self) -> float:
        """By how much the system's clock is ahead of what we believe; 0: not at all."""
        return self._belief.gap

    @property
    def patience(self) -> float:
        """Seconds for which a jump must have stayed to be believed."""
        return self._patience


async def first_of(*waits: Awaitable[object]) -> None:
    """Until the first of these has come; the others are called off."""
    tasks = {asyncio.ensure_future(wait) for wait in waits}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
