"""A multiple of the last gap: a rule for demonstration."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, explained, number


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:
    """``factor`` times the newest gap of the window; undefined below two entries."""
    interval = params[3] * (window[-1] - window[-2]) if len(window) > 1 else 0.0
    return now + bounded(params, interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastGap(Rule):
    """Waits ``factor`` times the newest gap."""

    name: ClassVar[str] = "last_gap"
    step: ClassVar[Step] = staticmethod(next_poll)

    factor: float = number(2.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        due = float(next_poll(self.params(), state.copy(), now, window, 0, hints, 0.0))
        return explained(self, "a multiple of the last gap", interval=due - now)
