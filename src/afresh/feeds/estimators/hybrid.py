"""Both models side by side; the one that was closer decides until the next refresh.  [H12] §7.2.3."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.feeds.estimators.model import (
    EXPECT,
    FLOOR,
    NAIVE,
    PRIOR,
    SLOTS,
    SMOOTHING,
    UPDATE,
    Expect,
    Update,
)
from afresh.feeds.estimators.periodic import Periodic, table_expect, table_learn
from afresh.feeds.estimators.poisson import expected_above
from afresh.feeds.estimators.single import expect as by_single_rate
from afresh.feeds.estimators.smoothing import follow, smoothing

# state: the single rate (where ``single`` has it), its smoothed error, the table's smoothed error, the table, the
# smoothing block
_RATE, _SINGLE_ERROR, _TABLE_ERROR, _TABLE = 0, 1, 2, 3


@compiled(EXPECT, _nrt=False)
def expect(params: Row, state: Row, last: float, now: float) -> tuple[float, float]:
    """By the model with the smaller error; ties go to the single rate, the cheaper one."""
    if state[_TABLE_ERROR] < state[_SINGLE_ERROR]:
        expected: tuple[float, float] = table_expect(params, state, _TABLE, last, now)
        return expected
    return by_single_rate(params, state, last, now)


@compiled(UPDATE)
def update(params: Row, state: Row, last: float, now: float, count: float, censored: float, window: float) -> None:
    """Both learn from every refresh, whoever decided."""
    elapsed = now - last
    if not elapsed > 0.0:
        return
    rate = state[_RATE] if state[_RATE] > 0.0 else params[PRIOR]
    by_table = table_expect(params, state, _TABLE, last, now)[0]
    seen, seen_by_table = count, count
    if censored != 0.0 and params[NAIVE] == 0.0:
        seen, seen_by_table = expected_above(rate * elapsed, window), expected_above(by_table, window)
    keep = params[SMOOTHING]
    state[_SINGLE_ERROR] = keep * state[_SINGLE_ERROR] + (1.0 - keep) * abs(seen - rate * elapsed)
    state[_TABLE_ERROR] = keep * state[_TABLE_ERROR] + (1.0 - keep) * abs(seen_by_table - by_table)
    block = _TABLE + int(params[SLOTS])
    alpha = smoothing(params, state, block)
    follow(params, state, block, min(abs(seen - rate * elapsed), abs(seen_by_table - by_table)))
    table_learn(params, state, _TABLE, last, now, seen_by_table, alpha, by_table)
    state[_RATE] = max(params[FLOOR], alpha * seen / elapsed + (1.0 - alpha) * rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid(Periodic):
    """Needs no decision beforehand whether a source has a rhythm.

    ``memory``: part of the old errors kept at each refresh; 0 compares the last observation alone, as printed, which
    is noisy.
    """

    name: ClassVar[str] = "hybrid"
    expect: ClassVar[Expect] = staticmethod(expect)
    update: ClassVar[Update] = staticmethod(update)

    memory: float = 0.9

    def __post_init__(self) -> None:
        Periodic.__post_init__(self)
        if not 0.0 <= self.memory < 1.0:
            raise ModelError(f"{self.name}: memory must lie in [0, 1), not {self.memory:g}")

    @property
    def state_size(self) -> int:
        return _TABLE + self.slots + self._ring

    def params(self) -> Row:
        row = Periodic.params(self)
        row[SMOOTHING] = self.memory
        return row
