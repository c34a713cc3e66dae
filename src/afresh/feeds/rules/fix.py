"""Fix: the same interval for every feed, whatever it does."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.rule import Rule, duration, explained


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """A constant interval.  [R12] §4.2.2."""
    return float(now + params[3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix(Rule):
    """Polls every ``interval``; one hour is the usual setting of feed readers and the baseline of comparisons.

    The bounds are not applied: they would only turn one Fix into another ([R12] §5.1.1).

    >>> Fix(interval=7200.0).params()[3]
    np.float64(7200.0)
    """

    name: ClassVar[str] = "fix"
    is_bounded: ClassVar[bool] = False
    step: ClassVar[Step] = staticmethod(next_poll)

    interval: float = duration(3_600.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        return explained(self, f"polled every {format_duration(self.interval)}, always", interval=self.interval)
