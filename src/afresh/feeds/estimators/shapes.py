"""A table of rates seen through its shape: peaks are two levels, waves are smooth, and where hours are alike they are
one rate.  [H12] §6.4 describes the shapes; that a model may go by them is ours.
"""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.base.signatures import WF, F, types
from afresh.feeds.estimators.model import NAIVE, PRIOR, SLOTS, UPDATE, Expect, Update
from afresh.feeds.estimators.periodic import Periodic, expect, table_expect, table_learn
from afresh.feeds.estimators.poisson import expected_above
from afresh.feeds.estimators.smoothing import follow, smoothing

# The thesis names thresholds and gives no values.
HIGH = 1.5  #: a busy slot has at least so many times the mean,
LOW = 0.5  #: a silent one less than this
RELAXED = 0.8  #: part of the slots that must agree


@compiled(types.int64(F, types.float64, types.float64))
def extremes(rates: Row, high: float, low: float) -> int:
    """How many of the rates are far from their mean, on either side."""
    mean = rates.mean()
    count = 0
    for rate in rates:
        if rate >= high * mean or rate < low * mean:
            count += 1
    return count


@compiled(types.void(F, WF))
def shape(table: Row, shown: Row) -> None:
    """Writes the table as its shape has it; the sum stays."""
    n = len(table)
    mean = table.mean()
    far = extremes(table, HIGH, LOW)
    if n - far >= RELAXED * n:
        shown[:] = mean
    elif far >= RELAXED * n:
        busy = table >= HIGH * mean
        upper, lower = 0.0, 0.0
        for i in range(n):
            upper += table[i] if busy[i] else 0.0
            lower += 0.0 if busy[i] else table[i]
        count = busy.sum()
        for i in range(n):
            shown[i] = upper / count if busy[i] else lower / (n - count)
    else:
        for i in range(n):
            shown[i] = (table[i - 1] + table[i] + table[(i + 1) % n]) / 3.0


@compiled(UPDATE)
def update(params: Row, state: Row, last: float, now: float, count: float, censored: float, window: float) -> None:
    """The table behind learns as a periodic one does; what is shown of it is made anew."""
    if not now > last:
        return
    slots = int(params[SLOTS])
    if state[slots] == 0.0:
        state[slots : 2 * slots] = params[PRIOR]
    behind = table_expect(params, state, slots, last, now)[0]
    if censored != 0.0 and params[NAIVE] == 0.0:
        count = expected_above(behind, window)
    alpha = smoothing(params, state, 2 * slots)
    follow(params, state, 2 * slots, abs(count - behind))
    table_learn(params, state, slots, last, now, count, alpha, behind)
    shape(state[slots : 2 * slots], state[:slots])


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes(Periodic):
    """Fewer numbers than a table has slots, and so less noise: one busy hour speaks of all of them."""

    name: ClassVar[str] = "shapes"
    expect: ClassVar[Expect] = staticmethod(expect)  # by what is shown, which stands where a periodic model's table is
    update: ClassVar[Update] = staticmethod(update)

    @property
    def state_size(self) -> int:
        return 2 * self.slots + self._ring
