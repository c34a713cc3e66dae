"""A table of rates, one a slot of the day, each smoothed exponentially.  [H12] §7.2.2."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.base.signatures import WF, F, types
from afresh.feeds.estimators.model import (
    COVERED,
    EXPECT,
    FLOOR,
    NAIVE,
    PRIOR,
    SLOT,
    SLOTS,
    UPDATE,
    Expect,
    Smoothed,
    Update,
)
from afresh.feeds.estimators.poisson import expected_above
from afresh.feeds.estimators.smoothing import follow, smoothing


@compiled(types.UniTuple(types.float64, 2)(F, F, types.int64, types.float64, types.float64), _nrt=False)
def table_expect(params: Row, state: Row, at: int, last: float, now: float) -> tuple[float, float]:
    """Entries and their moment by the table at ``state[at:]``; whole periods are taken at once."""
    slot, slots = params[SLOT], int(params[SLOTS])
    count = 0.0
    moment = 0.0
    begin = last
    period = slot * slots
    whole = math.floor((now - last) / period)
    if whole > 0:
        each = 0.0
        lever = 0.0  # moment of one period about its own beginning
        while True:
            edge = (math.floor(begin / slot) + 1.0) * slot
            stop = min(edge, last + period)
            rate = state[at + math.floor(begin / slot) % slots]
            rate = rate if rate > 0.0 else params[PRIOR]
            each += rate * (stop - begin)
            lever += 0.5 * rate * ((stop - last) ** 2 - (begin - last) ** 2)
            begin = stop
            if stop >= last + period:
                break
        count = whole * each
        moment = whole * lever + each * period * whole * (whole - 1.0) / 2.0
        begin = last + whole * period
    while begin < now:
        stop = min((math.floor(begin / slot) + 1.0) * slot, now)
        rate = state[at + math.floor(begin / slot) % slots]
        rate = rate if rate > 0.0 else params[PRIOR]
        count += rate * (stop - begin)
        moment += 0.5 * rate * ((stop - last) ** 2 - (begin - last) ** 2)
        if not stop > begin:
            break
        begin = stop
    return count, moment


@compiled(types.void(F, WF, types.int64, types.float64, types.float64, *[types.float64] * 3))
def table_learn(
    params: Row, state: Row, at: int, last: float, now: float, count: float, alpha: float, expected: float
) -> None:
    """Spread the count over the slots touched in proportion to the table, then smooth.  [H12] Eq. 7.3, repaired.

    Repairs: where nothing was expected the count is spread evenly; no slot falls below the floor, because 0 would be
    absorbing; a slot may learn by the part of it that was covered instead of wholly.
    """
    slot, slots = params[SLOT], int(params[SLOTS])
    first = math.floor(last / slot)
    touched = min(math.ceil(now / slot) - first, slots)
    for j in range(touched):
        index = at + (first + j) % slots
        rate = state[index] if state[index] > 0.0 else params[PRIOR]
        part = alpha
        if params[COVERED] != 0.0 and now - last < slot * slots:
            covered = min(now, (first + j + 1) * slot) - max(last, (first + j) * slot)
            part *= covered / slot
        seen = rate * count / expected if expected > 0.0 else count / (now - last)
        state[index] = max(params[FLOOR], part * seen + (1.0 - part) * rate)


@compiled(EXPECT, _nrt=False)
def expect(params: Row, state: Row, last: float, now: float) -> tuple[float, float]:
    """By the table, which is the whole state."""
    expected: tuple[float, float] = table_expect(params, state, 0, last, now)
    return expected


@compiled(UPDATE)
def update(params: Row, state: Row, last: float, now: float, count: float, censored: float, window: float) -> None:
    """One refresh."""
    if not now > last:
        return
    expected = table_expect(params, state, 0, last, now)[0]
    if censored != 0.0 and params[NAIVE] == 0.0:
        count = expected_above(expected, window)
    block = int(params[SLOTS])
    alpha = smoothing(params, state, block)
    follow(params, state, block, abs(count - expected))
    table_learn(params, state, 0, last, now, count, alpha, expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic(Smoothed):
    """Learns when of the day a source publishes, where refreshes are frequent enough to show it.

    An interval that spans every slot scales all of them alike: it teaches the level, not the shape.
    """

    name: ClassVar[str] = "periodic"
    expect: ClassVar[Expect] = staticmethod(expect)
    update: ClassVar[Update] = staticmethod(update)

    period: float = 86_400.0
    slots: int = 24
    covered: bool = True

    def __post_init__(self) -> None:
        Smoothed.__post_init__(self)
        if not (self.period > 0.0 and 1 <= self.slots <= 10_080):
            raise ModelError(f"{self.name}: period must be positive and slots at least 1")

    @property
    def state_size(self) -> int:
        return self.slots + self._ring

    def params(self) -> Row:
        row = Smoothed.params(self)
        row[SLOT], row[SLOTS], row[COVERED] = self.period / self.slots, self.slots, float(self.covered)
        return row
