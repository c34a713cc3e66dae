"""AdaptiveTTL: the longer a feed has been silent, the longer it is left alone."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, bounded_words, explained, number


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """A fraction of the newest entry's age.  [R12] eq. 4.7."""
    n = len(window)
    return float(now + bounded(params, params[3] * (now - window[n - 1]) if n >= 1 else 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveTTL(Rule):
    """Waits ``M`` times the age of the newest entry, the rule of the Alex file system and of web caches.

    0.1 when delay and recall count, 3.0 when polls count ([R12] tables A.1, A.2).
    """

    name: ClassVar[str] = "adaptive_ttl"
    step: ClassVar[Step] = staticmethod(next_poll)

    M: float = number(0.1)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        if not len(window):
            return explained(self, bounded_words(self, 0.0))
        age = float(now - window[-1])
        words = (
            f"{self.M:g} times the newest entry's age of {format_duration(age)}: {bounded_words(self, self.M * age)}"
        )
        return explained(self, words, age=age, interval=self.M * age)
