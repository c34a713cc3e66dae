"""Rare: polls just before the window would overflow, for those who want every entry and do not mind its age."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, bounded_words, explained, number


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """When a share of the window, or all but a few of its entries, are expected to be new.  [R12] §5.4.2.

    The source leaves type and size of the buffer open; without a usable mean gap silence stretches it as in MAVSync.
    """
    n = len(window)
    if n == 0:
        return float(now + params[2])
    kept = math.floor(params[3] * n) if math.isnan(params[4]) else n - params[4]
    turnover = max(1.0, kept)
    if n >= 2:
        newest = window[n - 1]
        sync = newest + (newest - window[0]) / (n - 1) * turnover
        if params[0] <= sync - now <= params[1]:
            return float(sync)
    return float(now + bounded(params, (now - window[0]) / n * turnover))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rare(Rule):
    """Ignores delay: polls when the expected number of new entries reaches ``share`` of the window.

    ``buffer``, if set, counts instead how many known entries should still be seen.
    """

    name: ClassVar[str] = "rare"
    step: ClassVar[Step] = staticmethod(next_poll)

    share: float = number(0.8, high=1.0)
    buffer: float = number(math.nan, open_low=False)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        wait = self.wait(state, now, window, hints)
        n = len(window)
        kept = math.floor(self.share * n) if math.isnan(self.buffer) else n - self.buffer
        words = (
            f"until {max(1, int(kept))} of the {n} entries shown are expected to be new: {bounded_words(self, wait)}"
        )
        return explained(self, words, interval=wait, entries=float(n), turnover=float(max(1, kept)))
