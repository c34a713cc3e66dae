"""CommaFeed 7: half the mean gap of the window, and ever more rarely once the newest entry is a week old."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import MAX_AGE
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, duration, explained


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """By the age of the newest entry, else by half the mean gap; cache validity raises it.  [readers]."""
    shortest = params[3]
    longest = params[4]
    n = len(window)
    interval = longest
    if n > 0:
        age = now - window[n - 1]
        if age >= 30.0 * 86_400.0:
            interval = longest
        elif age >= 14.0 * 86_400.0:
            interval = longest / 2.0
        elif age >= 7.0 * 86_400.0:
            interval = longest / 4.0
        elif n >= 2:
            gap = (window[n - 1] - window[0]) / (n - 1)
            interval = min(longest / 4.0, max(shortest, gap / 2.0))
    if hints[MAX_AGE] > interval:
        interval = hints[MAX_AGE]
    return float(now + bounded(params, min(longest, max(shortest, interval))))


@dataclass(frozen=True, slots=True, kw_only=True)
class CommaFeed(Rule):
    """Between ``shortest`` and a quarter of ``longest`` for feeds with fresh entries."""

    name: ClassVar[str] = "commafeed"
    has_calendar: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    shortest: float = duration(300.0)
    longest: float = duration(14_400.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        wait = self.wait(state, now, window, hints)
        if not len(window):
            return explained(self, f"no dated entry: every {format_duration(wait)}", interval=wait)
        age = float(now - window[-1])
        return explained(
            self, f"newest entry {format_duration(age)} old: every {format_duration(wait)}", age=age, interval=wait
        )
