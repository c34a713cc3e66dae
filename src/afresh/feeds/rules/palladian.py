"""Palladian's PostRate: probabilities of the 1,440 minutes of a day, summed until an entry is certain."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.calendar import minute_of_day
from afresh.base.compiled import STEP, compiled
from afresh.base.models import Explanation, Row
from afresh.base.plain_numbers import often
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import PROFILE
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.profiles import daily_profile
from afresh.feeds.rules.rule import Rule, explained

MINUTES = 1440


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """The first minute at which the summed probability reaches 1.  [readers]."""
    daily = 0.0
    for m in range(MINUTES):
        daily += hints[PROFILE + m]
    if not daily > 0.0:
        return float(now + params[2])
    days = max(0.0, math.ceil(1.0 / daily) - 1.0)  # whole days that cannot suffice
    need = 1.0 - days * daily
    t = (math.floor(now / 60.0) + 1.0) * 60.0
    if days * 86_400.0 > params[1]:
        return float(now + params[1])
    start = t
    total = 0.0
    while t - start < 2.0 * 86_400.0:
        total += hints[PROFILE + minute_of_day(t)]
        if total >= need - 1e-9:  # shares of days do not add up to exactly 1
            break
        t += 60.0
    return float(now + bounded(params, t + days * 86_400.0 - now))


@dataclass(frozen=True, slots=True, kw_only=True)
class PalladianPostRate(Rule):
    """A minute's probability is the share of the observed days on which it brought an entry (posts over chances)."""

    name: ClassVar[str] = "palladian_postrate"
    profile_size: ClassVar[int] = MINUTES
    has_calendar: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    def train(self, times: Row, start: float, end: float) -> Row:  # noqa: ARG002
        """Posts over chances of each minute of the day, from all entries before ``end``."""
        return daily_profile(times, end, slots=MINUTES)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        daily = float(hints[PROFILE : PROFILE + MINUTES].sum())
        words = f"{often(daily, 'entry', 'entries')} expected; polled when one is due"
        return explained(self, words, rate_per_day=daily)
