"""LIHZ: on which weekdays does a feed have news? Polls in whole days until the summed probability suffices."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.calendar import DAY, weekday
from afresh.base.compiled import READ, ROW, STEP, compiled
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, duration, explained, number

UPDATES = 0  # state: 7 counts of weekdays with an update
DAYS = 7  # state: 7 counts of observed weekdays
ALL_UPDATES = 14  # state
ALL_DAYS = 15  # state
FIRST = 16  # state: time of the first poll
LAST_DAY = 17  # state: the day booked last, in days since 1970
LAST_UPDATED = 18  # state: 1 if that day was booked with an update
#: ten years; with beta infinite the sum may never reach a large sigma, because skipped days lower the probabilities
MOST_DAYS = 3_660


@compiled(f"void({ROW}, int64, boolean)")
def book(state: Row, day: int, updated: bool) -> None:
    """One more observed day."""
    state[DAYS + day] += 1.0
    state[ALL_DAYS] += 1.0
    if updated:
        state[UPDATES + day] += 1.0
        state[ALL_UPDATES] += 1.0


@compiled(f"float64({READ}, int64, float64)")
def probability(state: Row, day: int, mix: float) -> float:
    """P of an update on a weekday.  [R12] eq. 2.11; a weekday never observed has a share of 0."""
    share = state[UPDATES + day] / state[DAYS + day] if state[DAYS + day] > 0.0 else 0.0
    return float(mix * share + (1.0 - mix) * state[ALL_UPDATES] / state[ALL_DAYS])


@compiled(f"void({ROW}, float64, boolean)")
def book_poll(state: Row, now: float, updated: bool) -> None:
    """Books the day of a poll; a second poll on the same day can only add that there was an update."""
    today = math.floor(now / 86_400.0)
    day = weekday(now)
    if state[ALL_DAYS] == 0.0:
        state[FIRST] = now
    elif state[LAST_DAY] == today:
        if updated and state[LAST_UPDATED] == 0.0:
            state[UPDATES + day] += 1.0
            state[ALL_UPDATES] += 1.0
            state[LAST_UPDATED] = 1.0
        return
    book(state, day, updated)
    state[LAST_DAY] = today
    state[LAST_UPDATED] = 1.0 if updated else 0.0


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Adds up P day by day until sigma is reached; days passed over are booked as days without news.  [R12] §4.2.4."""
    book_poll(state, now, new > 0)
    if now < state[FIRST] + params[5]:
        return float(now + bounded(params, 86_400.0))
    if state[ALL_UPDATES] == 0.0:
        return float(now + params[2])
    total = 0.0
    k = 0
    while k == 0 or ((k + 1) * 86_400.0 <= params[1] and k < MOST_DAYS):
        if k > 0:
            book(state, (weekday(now) + k) % 7, False)
        k += 1
        total += probability(state, (weekday(now) + k) % 7, params[4])
        if total >= params[3]:
            break
    return float(now + bounded(params, k * 86_400.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class LIHZ(Rule):
    """Weekly cycle at day granularity from binary observations; intervals are whole days.

    1.0 is best over feeds, 0.1 over entries ([R12] tables A.5, A.6). An update is booked on the day of the poll that
    found it. While ``training`` lasts, the feed is polled every 24 hours; the table is kept up to date afterwards.
    """

    name: ClassVar[str] = "lihz"
    state_size: ClassVar[int] = 19
    has_calendar: ClassVar[bool] = True
    warm_up: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    sigma: float = number(1.0)
    mix: float = number(0.9, high=1.0, open_low=False)  # alpha_LIHZ: weight of the weekday against the overall share
    training: float = duration(7 * DAY, open_low=False)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        if now < state[FIRST] + self.training:
            return explained(self, "still training: polled once a day", days=float(state[ALL_DAYS]))
        if state[ALL_UPDATES] == 0.0:
            return explained(self, "never an update so far: the standard interval is used", days=float(state[ALL_DAYS]))
        chance = float(probability(state, (int(weekday(now)) + 1) % 7, self.mix))
        words = (
            f"news on {state[ALL_UPDATES]:.0f} of {state[ALL_DAYS]:.0f} days, {chance:.0%} tomorrow; polled on the day "
            f"the chances add up to {self.sigma:g}"
        )
        return explained(self, words, updates=float(state[ALL_UPDATES]), days=float(state[ALL_DAYS]), tomorrow=chance)
