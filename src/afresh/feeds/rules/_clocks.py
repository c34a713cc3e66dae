"""Whether a feed goes with the clocks of Europe or America when these change, and what becomes of its learnt day then.

People keep to their own clocks, robots mostly to UTC. From a change on, both are possible: the day is forecast as a
mixture of where it was and an hour away from there, until the entries have shown which. docs/theory/priced.md.
"""

import math

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.rules._intensity import CHANGED, DAY, MEMORY, MOVED, ODDS, PACE, POLLED, QUARTERS, SURE

HOUR = 3_600.0
EUROPE, AMERICA = HOUR, 7.0 * HOUR  # when of a Sunday clocks change; in America an hour or two apart, here as one
APART = 40.0 * DAY  # more than lies between the changes of Europe and America, less than a season
#: what one entry can say: it may come from elsewhere than the day's habit
MOST = 2.0


@compiled(cache=False)
def _new_year(year: int) -> int:
    """Days from 1970 to the first of January."""
    before = year - 1
    return 365 * (year - 1970) + before // 4 - before // 100 + before // 400 - 477


@compiled(cache=False)
def _sunday(year: int, last: int) -> int:
    """The last Sunday among the days until day ``last`` of a common year, as days since 1970."""
    leap = 1 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 0
    day = _new_year(year) + leap + last
    return day - (day + 4) % 7  # 1970-01-01 was a Thursday


@compiled(cache=False)
def latest_change(now: float) -> float:
    """When clocks were changed last, in Europe or America; negative in spring.

    Europe: the last Sundays of March and October, 1 h UTC; America: the second of March and the first of November.
    """
    year = 1970 + int(now // (365.2425 * DAY))  # around New Year perhaps the other one: nothing changes then
    for one in (year, year - 1):
        for last, sign, hour in ((310, 1.0, AMERICA), (303, 1.0, EUROPE), (89, -1.0, EUROPE), (72, -1.0, AMERICA)):
            at = _sunday(one, last) * DAY + hour
            if 0.0 < at <= now:
                return sign * at
    return 0.0


@compiled(cache=False)
def odds_at(changed: float) -> int:
    """Where a row keeps the odds that the feed goes with this change."""
    return ODDS if abs(changed) % DAY == EUROPE else ODDS + 1


@compiled(cache=False)
def is_asked(state: Row, now: float) -> bool:
    """Whether it is to be found out if the feed went with a change; begins with the first poll after the change."""
    return bool(state[CHANGED] != 0.0 or 0.0 < state[POLLED] < abs(latest_change(now)))


@compiled(cache=False)
def follow(params: Row, state: Row, now: float, window: Row, new: int, quarters: Row) -> None:
    """Ask anew after a change of clocks; let new entries answer by ``quarters``, the day as it was learnt before."""
    change = latest_change(now)
    if 0.0 < state[POLLED] < abs(change):
        if state[CHANGED] != 0.0:
            _settle(params, state, window, new)
        if abs(state[MOVED] - change) > APART:  # who went with one of them this season does not go with the other
            state[CHANGED] = change
    changed = state[CHANGED]
    if changed == 0.0:
        return
    by = 4 if changed > 0.0 else -4
    odds = odds_at(changed)
    for i in range(max(0, len(window) - new), len(window)):
        published = window[i] * state[PACE]
        if published > abs(changed):
            here = int(published // 900.0) % 96
            state[odds] += max(-MOST, min(MOST, math.log(quarters[(here - by) % 96] / quarters[here])))
    if abs(state[odds]) >= params[SURE] or now - abs(changed) > 0.5 * params[MEMORY] * DAY:
        _settle(params, state, window, new)


@compiled(cache=False)
def _settle(params: Row, state: Row, window: Row, new: int) -> None:
    """Move the counts by an hour if the feed went with the clocks, but not those of entries since then."""
    changed = state[CHANGED]
    odds = odds_at(changed)
    if state[odds] > 0.0:
        state[MOVED] = changed
        counts = state[QUARTERS : QUARTERS + 96]
        since = np.zeros(96)
        for i in range(max(0, len(window) - new)):
            if window[i] * state[PACE] > abs(changed):
                here = int(window[i] * state[PACE] // 900.0) % 96
                taken = min(1.0, counts[here])
                counts[here] -= taken
                since[here] += taken
        before = counts.copy()
        by = 4 if changed > 0.0 else -4
        for q in range(96):
            counts[q] = before[(q - by) % 96] + since[q]
    state[odds] = max(-params[SURE], min(params[SURE], state[odds]))
    state[CHANGED] = 0.0


@compiled(cache=False)
def move(state: Row, quarters: Row) -> None:
    """The day while it is not settled: as likely an hour away as the feed is to go with the clocks."""
    changed = state[CHANGED]
    if changed == 0.0:
        return
    chance = 1.0 / (1.0 + math.exp(-state[odds_at(changed)]))
    by = 4 if changed > 0.0 else -4
    before = quarters.copy()
    for q in range(96):
        quarters[q] += chance * (before[(q - by) % 96] - before[q])
