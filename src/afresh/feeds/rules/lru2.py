"""LRU-2: the last gap between two distinct publication times predicts the next."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, bounded_words, explained

KNOWN = 0  # state: how many distinct times are kept, 0 to 2
NEWEST = 1  # state
SECOND = 2  # state


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Distance of the two newest distinct times of the stream.  [R12] eq. 4.8."""
    for i in range(len(window) - 1, -1, -1):
        t = window[i]
        if state[KNOWN] == 0.0:
            state[KNOWN] = 1.0
            state[NEWEST] = t
        elif t > state[NEWEST]:
            state[KNOWN] = 2.0
            state[SECOND] = state[NEWEST]
            state[NEWEST] = t
        elif t < state[NEWEST] and (state[KNOWN] == 1.0 or t > state[SECOND]):
            state[KNOWN] = 2.0
            state[SECOND] = t
        elif t < state[NEWEST]:
            break  # descending: nothing older can be among the two newest
    return float(now + bounded(params, state[NEWEST] - state[SECOND] if state[KNOWN] == 2.0 else 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class LRU2(Rule):
    """From the LRU-K replacement strategy; looks at the whole known stream, of which two times suffice.

    Two entries minutes apart followed by silence make it poll every few minutes for all of the silence.
    """

    name: ClassVar[str] = "lru2"
    state_size: ClassVar[int] = 3
    step: ClassVar[Step] = staticmethod(next_poll)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        gap = float(state[NEWEST] - state[SECOND]) if state[KNOWN] == 2.0 else 0.0
        return explained(self, f"gap between the two newest entries: {bounded_words(self, gap)}", gap=gap)
