"""Plain moving average: the mean gap of the window, from the poll on."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, bounded_words, explained


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Mean gap after the poll.  [R12] eq. 4.9 with eq. 4.5."""
    n = len(window)
    return float(now + bounded(params, (window[n - 1] - window[0]) / (n - 1) if n >= 2 else 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingAverage(Rule):
    """MAVSync without its two additions; what they are worth is seen by comparison.

    On a regular feed it stays as late as it first was, and silence does not lengthen its interval.
    """

    name: ClassVar[str] = "moving_average"
    step: ClassVar[Step] = staticmethod(next_poll)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        n = len(window)
        gap = float(window[-1] - window[0]) / (n - 1) if n >= 2 else 0.0
        words = f"mean gap of the {n} entries shown: {bounded_words(self, gap)}"
        return explained(self, words, mean_gap=gap, entries=float(n))
