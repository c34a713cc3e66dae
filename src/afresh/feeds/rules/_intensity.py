"""A feed's learnt intensity: how many entries an hour it will publish, from what its polls have shown.

Kept per feed, in one row of floats: counts with three memories (rate), counts by time of day, weekday and minute of
the hour (rhythm), and the spread of its gaps (regularity). docs/theory/priced.md has the equations.
"""

import math

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row

DAY = 86_400.0

# --- the row ----------------------------------------------------------------------------------------------------------

# All times are those of the rule's own clock (PACE).
POLLED = 0  #: time of the last poll; what has a memory is decayed up to it (0 in a row of zeros: never polled)
SINCE = 1  #: from when on the stream is known
NEWEST = 2  #: publication time of the newest entry
LONG = 3  #: entries, forgotten with MEMORY_LONG
MIDDLE = 4  #: entries, forgotten with MEMORY_MIDDLE
SHORT = 5  #: entries, forgotten with MEMORY_SHORT
COUNTED = 6  #: time up to which the rhythm's counts are decayed
TOTAL = 7  #: sum of the counts of the rhythm
GAPS = 8  #: number of gaps, forgotten gap by gap
GAP_SUM = 9  #: their sum
GAP_LOGS = 10  #: the sum of their logarithms
GROUPED = 11  #: entries that belong to these gaps: several at once make one gap
WAITED = 12  #: entries the rate and the rhythm led to expect since the newest one
AHEAD = 13  #: the same for the time up to the next poll
PLANNED = 14  #: the interval to the next poll as it was planned
PACE = 15  #: seconds of the rule's clock in a second: its day has 86,400 of them, however long a day lasts
QUARTERS = 16  #: 96 counts by quarter hour of the day (UTC)
WEEKDAYS = 112  #: 7 counts by weekday, Monday first
MINUTES = 119  #: 60 counts by minute of the hour
SIZE = 179

NEVER = -1e15  # the newest entry's time where there is none

# --- what is known of feeds in general: learnt from training periods, see docs/theory/priced.md ----------------------

MEMORY_LONG = 230.0 * DAY
MEMORY_MIDDLE = 144.0 * DAY
MEMORY_SHORT = 3.2 * DAY
MEMORY_RHYTHM = 60.0 * DAY
KEEP_GAP = 0.96  # what a new gap leaves of the older ones

PRIOR_RATE = 0.08 / DAY
PRIOR_LONG = 0.5  # entries' worth of belief in the prior rate, in the long rate, in the middle one
PRIOR_MIDDLE = 0.8
PRIOR_SHORT = 6.4
PRIOR_HOURS = 6.0  # entries' worth of belief in the population's rhythm
PRIOR_QUARTERS = 60.0  # ... in the product of the feed's own hours and minutes
PRIOR_WEEKDAYS = 30.0
PRIOR_MINUTES = 10.0
PRIOR_GAPS = 2.3
PRIOR_SPREAD = 1.2  # mean logarithm's distance below the logarithm of the mean; 0.577 for a Poisson stream

SMOOTH = 0.33  # share of an hour's count that is spread over its two neighbours
REPEATED = 0.5  # weight, in the rhythm, of an entry that follows another within SAME
SAME = 60.0
GROUP = 600.0  # entries closer than this are one publication

_HOURS = (40, 25, 26, 24, 26, 21, 27, 23, 31, 35, 36, 36, 57, 60, 64, 70, 75, 68, 63, 50, 41, 38, 36, 28)
HOURLY = np.array(_HOURS) / sum(_HOURS)
WEEKLY = np.array([0.156, 0.162, 0.166, 0.162, 0.156, 0.098, 0.1])
MINUTELY = np.full(60, 0.54 / 57.0)  # full and half hours; the other minutes share the rest
MINUTELY[[0, 1, 30]] = 0.24, 0.1, 0.12
MANY_CYCLES = 20.0  # from when on all parts of a cycle count as observed alike


@compiled(cache=False)
def learn(state: Row, now: float, window: Row, new: int, capacity: float, missed: bool) -> None:
    """Take in what the poll at ``now`` (the rule's clock) showed; the first window is history, learnt from at once."""
    n = len(window)
    pace = state[PACE]
    first = state[POLLED] == 0.0 and state[SINCE] == 0.0
    oldest_new = max(0, n - new)
    if first:
        state[POLLED] = now
        state[COUNTED] = now
        state[NEWEST] = NEVER
        # A full window tells of the time since its oldest entry, which then is no entry of that time.
        state[SINCE] = now
        if n > 0 and window[0] * pace < now - 1.0:
            state[SINCE] = window[0] * pace
        oldest_new = 1 if n >= capacity else 0
    else:
        _age(state, now, window, new)
        if missed and n > 1:
            _count_lost(state, now, window)
    for i in range(oldest_new, n):
        published = window[i] * pace
        if published >= state[NEWEST]:  # what turns up late or again says nothing about the present
            _learn_entry(state, now, published, first)


@compiled(cache=False)
def _age(state: Row, now: float, window: Row, new: int) -> None:
    """Forget, and note how much was expected since the newest entry."""
    elapsed = max(0.0, now - state[POLLED])
    state[POLLED] = now
    state[LONG] *= math.exp(-elapsed / MEMORY_LONG)
    state[MIDDLE] *= math.exp(-elapsed / MEMORY_MIDDLE)
    state[SHORT] *= math.exp(-elapsed / MEMORY_SHORT)
    if state[PLANNED] > 0.0 and elapsed > 0.0:
        expected = state[AHEAD] * elapsed / state[PLANNED]
        silence = now - window[-1] * state[PACE] if new > 0 else elapsed
        if new > 0 and silence < elapsed:
            state[WAITED] = expected * max(0.0, silence) / elapsed
        else:
            state[WAITED] += expected
    if new > 0:
        left = math.exp(-max(0.0, now - state[COUNTED]) / MEMORY_RHYTHM)
        state[COUNTED] = now
        state[TOTAL] *= left
        for i in range(QUARTERS, SIZE):
            state[i] *= left


@compiled(cache=False)
def _count_lost(state: Row, now: float, window: Row) -> None:
    """Count what was pushed out of the window, at the pace of what was left in it."""
    n = len(window)
    oldest = window[0] * state[PACE]
    span = window[-1] * state[PACE] - oldest
    gap = oldest - state[NEWEST]
    if span <= 0.0 or not 0.0 < gap < -0.5 * NEVER:
        return
    lost = min(10.0 * n, gap * (n - 1) / span)
    age = max(0.0, now - oldest)
    state[LONG] += lost * math.exp(-age / MEMORY_LONG)
    state[MIDDLE] += lost * math.exp(-age / MEMORY_MIDDLE)
    state[SHORT] += lost * math.exp(-age / MEMORY_SHORT)


@compiled(cache=False)
def _learn_entry(state: Row, now: float, published: float, first: bool) -> None:
    """One entry; a time that is the poll's own is no time (undated feeds), so it is counted without its rhythm."""
    age = max(0.0, now - published)
    undated = age <= 1.0
    if undated and first:
        return
    state[LONG] += math.exp(-age / MEMORY_LONG)
    state[MIDDLE] += math.exp(-age / MEMORY_MIDDLE)
    state[SHORT] += math.exp(-age / MEMORY_SHORT)
    gap = published - state[NEWEST]
    state[NEWEST] = published
    if undated:
        return
    if GROUP < gap < -0.5 * NEVER:
        gap = max(gap - GROUP, SAME)  # what is left of an exponential gap above a threshold is exponential again
        state[GAPS] = state[GAPS] * KEEP_GAP + 1.0
        state[GAP_SUM] = state[GAP_SUM] * KEEP_GAP + gap
        state[GAP_LOGS] = state[GAP_LOGS] * KEEP_GAP + math.log(gap)
        state[GROUPED] = state[GROUPED] * KEEP_GAP + 1.0
    else:
        state[GROUPED] += 1.0
    weight = math.exp(-age / MEMORY_RHYTHM)
    if weight < 1e-12:
        return
    if gap < SAME:
        weight *= REPEATED
    minute = math.floor(published / 60.0)
    hour = minute // 60
    state[QUARTERS + minute // 15 % 96] += weight
    state[WEEKDAYS + (hour // 24 + 3) % 7] += weight  # 1970-01-01 was a Thursday
    state[MINUTES + minute % 60] += weight
    state[TOTAL] += weight


@compiled(cache=False)
def rates(state: Row, now: float) -> tuple[float, float]:
    """Entries a second: the usual rate, and that of the last days; each longer memory is the prior of the next."""
    known = max(0.0, now - state[SINCE])
    long_span = MEMORY_LONG * (1.0 - math.exp(-known / MEMORY_LONG))
    middle_span = MEMORY_MIDDLE * (1.0 - math.exp(-known / MEMORY_MIDDLE))
    short_span = MEMORY_SHORT * (1.0 - math.exp(-known / MEMORY_SHORT))
    rate = (state[LONG] + PRIOR_LONG) / (long_span + PRIOR_LONG / PRIOR_RATE)
    usual = (state[MIDDLE] + PRIOR_MIDDLE) / (middle_span + PRIOR_MIDDLE / rate)
    return usual, (state[SHORT] + PRIOR_SHORT) / (short_span + PRIOR_SHORT / usual)


@compiled(cache=False)
def regularity(state: Row) -> float:
    """Shape of a gamma distribution of the gaps: 1 Poisson, above regular, below in bursts.

    Closed form of the maximum-likelihood shape from the distance between the logarithm of the mean gap and the mean
    logarithm, here shrunk to the population's.
    """
    spread = PRIOR_SPREAD
    n = state[GAPS]
    if n > 0.0:
        own = math.log(state[GAP_SUM] / n) - state[GAP_LOGS] / n
        spread = (n * own + PRIOR_GAPS * PRIOR_SPREAD) / (n + PRIOR_GAPS)
    spread = max(spread, 0.05)
    return (3.0 - spread + math.sqrt((spread - 3.0) ** 2 + 24.0 * spread)) / (12.0 * spread)


@compiled(cache=False)
def group_size(state: Row) -> float:
    """Entries that come at once, on average."""
    return float(max(1.0, (state[GROUPED] + 1.0) / (state[GAPS] + 1.0)))


@compiled(cache=False)
def observe(state: Row, cycle: float, ahead: float, shares: Row) -> None:
    """Fill in how long each part of a cycle was observed, relative to the mean over its parts.

    ``ahead``: how far into a cycle 1970 began. After twenty cycles the one that is under way no longer matters.
    """
    n = len(shares)
    shares[:] = 1.0
    cycles = max(0.0, state[POLLED] - state[SINCE]) / cycle
    if not 0.0 < cycles < MANY_CYCLES:
        return
    whole = math.floor(cycles)
    shares[:] = whole / cycles
    left = (cycles - whole) * n
    place = (state[SINCE] + ahead) % cycle / cycle * n
    while left > 1e-9:
        part = int(place) % n
        length = min(left, 1.0 - (place - math.floor(place)))
        shares[part] += length / cycles
        place = math.floor(place) + 1.0
        left -= length


@compiled(cache=False)
def _posterior(counts: Row, total: float, prior: Row, belief: float, seen: Row, out: Row) -> None:
    """The shape of a cycle: counts against what the prior shape led to expect of the time that was observed.

    Each part is a gamma posterior mean around ``prior`` (sum 1) of ``belief`` entries' worth: a part that was not
    observed keeps the prior. Where all parts were observed alike this is the posterior mean of a Dirichlet prior.
    """
    expected = 0.0
    for i in range(len(prior)):
        expected += prior[i] * seen[i]
    rate = total / expected if expected > 0.0 else 0.0
    whole = 0.0
    for i in range(len(prior)):
        out[i] = (counts[i] + belief * prior[i]) / (belief + rate * seen[i])
        whole += out[i]
    for i in range(len(prior)):
        out[i] /= whole


@compiled(cache=False)
def rhythm(state: Row, quarters: Row, weekdays: Row, minutes: Row) -> None:
    """Fill in the shape of the day (sum 24), of the week (mean 1) and of the hour (sum 1).

    The minutes are shrunk to the population's; the quarter hours to the product of hours and minutes, whose hours are
    shrunk to the population's. So one entry at 17:00 makes other days' 17:00 likelier, and other hours' full hour.
    Times that were not observed are unknown, not empty.
    """
    total = state[TOTAL]
    seen = np.empty(96)
    observe(state, 7.0 * DAY, 3.0 * DAY, seen[:7])  # 1970-01-01 was a Thursday
    _posterior(state[WEEKDAYS : WEEKDAYS + 7], total, WEEKLY, PRIOR_WEEKDAYS, seen[:7], weekdays)
    weekdays *= 7.0
    observe(state, 3_600.0, 0.0, seen[:60])
    _posterior(state[MINUTES : MINUTES + 60], total, MINUTELY, PRIOR_MINUTES, seen[:60], minutes)
    observe(state, DAY, 0.0, seen)
    parts, hours, smooth, by_hour = np.zeros(4), np.zeros(24), np.empty(24), np.zeros(24)
    for i in range(60):
        parts[i // 15] += minutes[i]
    for q in range(96):
        hours[q // 4] += state[QUARTERS + q]
        by_hour[q // 4] += 0.25 * seen[q]
    level, near = np.empty(24), np.empty(24)
    for hour in range(24):
        before, after = hour - 1, (hour + 1) % 24
        smooth[hour] = (1.0 - SMOOTH) * hours[hour] + 0.5 * SMOOTH * (hours[before] + hours[after])
        near[hour] = (1.0 - SMOOTH) * by_hour[hour] + 0.5 * SMOOTH * (by_hour[before] + by_hour[after])
    _posterior(smooth, total, HOURLY, PRIOR_HOURS, near, level)
    product = np.empty(96)
    for q in range(96):
        product[q] = level[q // 4] * parts[q % 4]
    _posterior(state[QUARTERS : QUARTERS + 96], total, product, PRIOR_QUARTERS, seen, quarters)
    quarters *= 24.0


@compiled(cache=False)
def is_rhythm_known(state: Row) -> bool:
    """Whether a rhythm may be told as the feed's own: two days or more were observed, and some entries in them."""
    return bool(state[POLLED] - state[SINCE] >= 2.0 * DAY and state[TOTAL] >= 10.0)
