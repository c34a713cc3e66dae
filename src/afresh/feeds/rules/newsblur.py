"""NewsBlur: by stories of the last thirty days and by subscribers, with a random delay on top."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import COUNT_30D
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, choice, explained, number

MONTH = 30.0 * 86_400.0


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Minutes by a table of daily stories and weighted subscribers.  [readers]."""
    stories = hints[COUNT_30D] / 30.0 if hints[COUNT_30D] > 0.0 else 0.0
    subscribers = params[3]
    if stories >= 1.0:
        minutes = 6.0 if subscribers >= 10.0 else 15.0 if subscribers > 1.0 else 45.0
    elif stories > 0.0:
        minutes = (60.0 if subscribers > 1.0 else 360.0) * (1.0 - stories)
    else:
        minutes = 360.0 if subscribers > 1.0 else 720.0 if subscribers == 1.0 else 1440.0
        if len(window) > 0:
            minutes *= max(1.0, (now - window[len(window) - 1]) / MONTH)
    if params[4] == 1.0:
        minutes *= 12.0
    minutes = min(minutes, 240.0 if subscribers >= 1.0 else 2880.0)
    jitter = 1.0 if minutes <= 5.0 else 0.25
    return float(now + bounded(params, minutes * 60.0 * (1.0 + jitter * u)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsBlur(Rule):
    """A story a day makes 45 minutes for a single subscriber; silence stretches up to the cap of four hours."""

    name: ClassVar[str] = "newsblur"
    needs_counts: ClassVar[bool] = True
    has_calendar: ClassVar[bool] = True
    is_random: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    subscribers: float = number(1.0, open_low=False)
    websub: str = choice("no", "yes")  # pushed feeds are asked twelve times more rarely

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        wait = self.wait(state, now, window, hints)
        count = float(hints[COUNT_30D]) if hints[COUNT_30D] > 0.0 else 0.0
        words = f"{count:.0f} entries in the last 30 days: {format_duration(wait)} and a random part more"
        return explained(self, words, count_30d=count, interval=wait)
