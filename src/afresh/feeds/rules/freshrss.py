"""FreshRSS with the AutoTTL extension: the mean gap of the last thirty days."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import COUNT_30D, OLDEST_30D
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, duration, explained


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """(now - oldest entry of 30 days) / their number, between the default ttl and a day.  [readers]."""
    if not hints[COUNT_30D] > 0.0:
        return float(now + bounded(params, params[4]))
    mean = (now - hints[OLDEST_30D]) / hints[COUNT_30D]
    return float(now + bounded(params, min(params[4], max(params[3], mean))))


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshRSSAutoTTL(Rule):
    """Between FreshRSS's own ttl of an hour and a day; a feed without an entry in 30 days gets the day."""

    name: ClassVar[str] = "freshrss_autottl"
    needs_counts: ClassVar[bool] = True
    has_calendar: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    shortest: float = duration(3_600.0)
    longest: float = duration(86_400.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        wait = self.wait(state, now, window, hints)
        count = float(hints[COUNT_30D]) if hints[COUNT_30D] > 0.0 else 0.0
        words = f"{count:.0f} entries in the last 30 days: every {format_duration(wait)}"
        return explained(self, words, count_30d=count, interval=wait)
