"""Miniflux 2.3, polling scheduler ``entry_frequency``: as often as entries came in the last week."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import COUNT_7D, MAX_AGE, OLDEST_7D, RETRY_AFTER, TTL
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, duration, explained, number


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """7 days / (weekly count * factor), between 5 minutes and a day; the server's wishes raise it.  [readers]."""
    weekly = 0.0
    if hints[COUNT_7D] > 1.0 and len(window) > 0:
        gap = (window[len(window) - 1] - hints[OLDEST_7D]) / (hints[COUNT_7D] - 1.0)
        if gap > 0.0:
            weekly = math.ceil(604_800.0 / gap)
    interval = params[5]
    if weekly > 0.0:
        interval = min(params[5], max(params[4], 604_800.0 / (weekly * params[3])))
    for i in (TTL, MAX_AGE, RETRY_AFTER):
        if hints[i] > interval:
            interval = hints[i]
    due = now + min(interval, params[5])
    if params[6] > 0.0:
        due = math.ceil(due / params[6]) * params[6]
    return float(now + bounded(params, due - now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Miniflux(Rule):
    """The mean gap of the last seven days' entries makes a weekly count, and that the interval.

    ``tick`` rounds due times up to its multiples, as Miniflux's hourly scheduler does; 0: not.
    """

    name: ClassVar[str] = "miniflux"
    needs_counts: ClassVar[bool] = True
    has_calendar: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    factor: float = number(1.0)
    shortest: float = duration(300.0)
    longest: float = duration(86_400.0)
    tick: float = duration(0.0, open_low=False)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        wait = self.wait(state, now, window, hints)
        count = 0.0 if math.isnan(hints[COUNT_7D]) else float(hints[COUNT_7D])
        words = f"{count:.0f} entries in the last 7 days: every {format_duration(wait)}"
        return explained(self, words, count_7d=count, interval=wait)
