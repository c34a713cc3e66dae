"""FixLearned: the interval is learnt once, from the first window, and never changed."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, explained

LEARNT = 0  # state: 1 once the first poll was made
INTERVAL = 1  # state: the raw interval; 0: undefined


@compiled(STEP)
def next_poll_w(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Mean gap of the first window.  [R12] eq. 4.3."""
    if state[LEARNT] == 0.0:
        state[LEARNT] = 1.0
        n = len(window)
        state[INTERVAL] = (window[n - 1] - window[0]) / (n - 1) if n >= 2 else 0.0
    return float(now + bounded(params, state[INTERVAL]))


@compiled(STEP)
def next_poll_a(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Time from the oldest entry to the first poll over the number of entries.  [R12] eq. 4.4, 4.6."""
    if state[LEARNT] == 0.0:
        state[LEARNT] = 1.0
        n = len(window)
        state[INTERVAL] = (now - window[0]) / n if n >= 1 else 0.0
    return float(now + bounded(params, state[INTERVAL]))


@dataclass(frozen=True, slots=True, kw_only=True)
class FixLearnedW(Rule):
    """The mean gap of the first window, for ever; an initially empty feed stays at eta."""

    name: ClassVar[str] = "fix_learned_w"
    state_size: ClassVar[int] = 2
    step: ClassVar[Step] = staticmethod(next_poll_w)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        interval = float(state[INTERVAL])
        if not interval > 0.0:
            standard = format_duration(self.bounds.standard)
            words = f"the first document gave no interval, so {standard} is used for good"
        else:
            words = f"learnt from the first document and kept: {format_duration(interval)}"
        return explained(self, words, learnt=interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixLearnedA(FixLearnedW):
    """As FixLearnedW, but the silence before the first poll counts as well: zombies are asked less often."""

    name: ClassVar[str] = "fix_learned_a"
    step: ClassVar[Step] = staticmethod(next_poll_a)
