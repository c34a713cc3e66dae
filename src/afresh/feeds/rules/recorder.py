"""The recorder's rule: mean gap of the window within tight limits, spread at random where the limit binds."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.rule import Rule, duration, explained


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Mean gap; at the upper limit minus a random part of half of it.  [R12] eq. 3.2-3.5."""
    beta = max(params[0], min(params[1], params[3]))
    n = len(window)
    interval = beta
    if n > 1 and window[n - 1] > window[0]:
        interval = min(beta, max(params[0], (window[n - 1] - window[0]) / (n - 1)))
    if interval == beta:
        interval = max(params[0], beta - u * beta / 2.0)
    return float(now + interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder(Rule):
    """How the thesis's data set was recorded: nothing should be missed, and no load peak every ``longest`` hours.

    ``longest`` is the recorder's own upper bound of six hours; a smaller beta lowers it.
    """

    name: ClassVar[str] = "recorder"
    is_random: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    longest: float = duration(21_600.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        n = len(window)
        limit = min(self.bounds.longest, self.longest)
        if n > 1 and window[-1] > window[0]:
            gap = float(window[-1] - window[0]) / (n - 1)
            if gap < limit:
                words = f"{n} entries came every {format_duration(gap)} on average"
                return explained(self, words, mean_gap=gap, entries=float(n))
        words = f"polled at least every {format_duration(limit)}, up to half of it earlier so that polls spread"
        return explained(self, words, entries=float(n), own_longest=limit)
