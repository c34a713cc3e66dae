"""A feed's learnt intensity: how many entries an hour it will publish, from what its polls have shown.

Kept per feed, in one row of floats: counts with two memories (rate), counts by time of day, weekday and minute of
the hour (rhythm), and the spread of its gaps (regularity). docs/theory/priced.md has the equations.
"""

import math

from afresh.base.compiled import compiled
from afresh.base.models import Row

DAY = 86_400.0

# --- the row ----------------------------------------------------------------------------------------------------------

# All times are those of the rule's own clock (PACE).
POLLED = 0  #: time of the last poll; what has a memory is decayed up to it (0 in a row of zeros: never polled)
SINCE = 1  #: from when on the stream is known
NEWEST = 2  #: publication time of the newest entry
ENTRIES = 3  #: entries, forgotten with MEMORY
SHORT = 4  #: entries, forgotten with LATELY
COUNTED = 5  #: time up to which the rhythm's counts are decayed
GAPS = 6  #: number of gaps, forgotten gap by gap
GAP_SUM = 7  #: their sum
GAP_LOGS = 8  #: the sum of their logarithms
GROUPED = 9  #: entries that belong to these gaps: several at once make one gap
WAITED = 10  #: entries the rate and the rhythm led to expect since the newest one
AHEAD = 11  #: the same for the time up to the next poll
PLANNED = 12  #: the interval to the next poll as it was planned
PACE = 13  #: seconds of the rule's clock in a second: its day has 86,400 of them, however long a day lasts
QUARTERS = 14  #: 96 counts by quarter hour of the day (UTC)
WEEKDAYS = 110  #: 7 counts by weekday, Monday first
MINUTES = 117  #: 60 counts by minute of the hour
DAY_KINDS = 177  #: for each kind of day, how likely it makes these counts: ln, 0 the likeliest (_rhythm)
WEEK_BELIEFS = 182  #: the same for each belief in the week of feeds in general
QUARTER_BELIEFS = 185  #: the same for each belief in the product of the feed's hours and minutes
WEIGHED = 188  #: how many counts there were when these were computed
ODDS = 189  #: ln of the odds that the feed goes with the clocks of Europe, and of America (_clocks)
CHANGED = 191  #: the change of clocks of which this is asked; negative in spring; 0: none
MOVED = 192  #: the last one that the feed has gone with
SIZE = 193

NEVER = -1e15  # the newest entry's time where there is none

# --- what is believed of feeds in general: places in the rule's params row, see docs/theory/priced.md -----------------

MEMORY = 6  #: days after which a third is left of what was learnt; within them a feed that counts has published
LATELY = 7  #: the same for the rate of the last days, days
#: entries' worth of belief in the shapes and the regularity of feeds in general, and in the usual rate; its square and
#: its cube are the firmer beliefs; half as many gaps as its square are remembered
BELIEF = 8
USUAL = 9  #: entries a day of a feed of which nothing is known; a feed counts as much as so many entries
SPREAD = 10  #: mean logarithm of the gaps below the logarithm of their mean; 0.577 for a Poisson stream
GROUP = 11  #: minutes: entries closer than this are one publication
TURN = 12  #: expected entries after which the renewal is half way from "just published" to "long silent"
SURE = 13  #: ln of the odds at which it is settled whether a feed goes with the clocks

DOUBT = 0.25  # entries' worth of belief in USUAL, and in its order of magnitude: next to nothing
SHORTEST_GAP = 60.0  # what is told apart, seconds


@compiled(cache=False)
def learn(params: Row, state: Row, now: float, window: Row, new: int, capacity: float, missed: bool) -> None:
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
        _age(params, state, now, window, new)
        if missed and n > 1:
            _count_lost(params, state, now, window)
    for i in range(oldest_new, n):
        published = window[i] * pace
        if published >= state[NEWEST]:  # what turns up late or again says nothing about the present
            _learn_entry(params, state, now, published, first)


@compiled(cache=False)
def _age(params: Row, state: Row, now: float, window: Row, new: int) -> None:
    """Forget, and note how much was expected since the newest entry."""
    elapsed = max(0.0, now - state[POLLED])
    state[POLLED] = now
    state[ENTRIES] *= math.exp(-elapsed / (params[MEMORY] * DAY))
    state[SHORT] *= math.exp(-elapsed / (params[LATELY] * DAY))
    if state[PLANNED] > 0.0 and elapsed > 0.0:
        expected = state[AHEAD] * elapsed / state[PLANNED]
        silence = now - window[-1] * state[PACE] if new > 0 else elapsed
        if new > 0 and silence < elapsed:
            state[WAITED] = expected * max(0.0, silence) / elapsed
        else:
            state[WAITED] += expected
    if new > 0:
        left = math.exp(-max(0.0, now - state[COUNTED]) / (params[MEMORY] * DAY))
        state[COUNTED] = now
        for i in range(QUARTERS, DAY_KINDS):
            state[i] *= left


@compiled(cache=False)
def _count_lost(params: Row, state: Row, now: float, window: Row) -> None:
    """Count what was pushed out of the window, at the pace of what was left in it."""
    n = len(window)
    oldest = window[0] * state[PACE]
    span = window[-1] * state[PACE] - oldest
    gap = oldest - state[NEWEST]
    if span <= 0.0 or not 0.0 < gap < -0.5 * NEVER:
        return
    lost = min(10.0 * n, gap * (n - 1) / span)
    age = max(0.0, now - oldest)
    state[ENTRIES] += lost * math.exp(-age / (params[MEMORY] * DAY))
    state[SHORT] += lost * math.exp(-age / (params[LATELY] * DAY))


@compiled(cache=False)
def _learn_entry(params: Row, state: Row, now: float, published: float, first: bool) -> None:
    """One entry; a time that is the poll's own is no time (undated feeds), so it is counted without its rhythm."""
    age = max(0.0, now - published)
    undated = age <= 1.0
    if undated and first:
        return
    weight = math.exp(-age / (params[MEMORY] * DAY))
    state[ENTRIES] += weight
    state[SHORT] += math.exp(-age / (params[LATELY] * DAY))
    gap = published - state[NEWEST]
    state[NEWEST] = published
    if undated:
        return
    group = 60.0 * params[GROUP]
    if group < gap < -0.5 * NEVER:
        gap = max(
            gap - group, SHORTEST_GAP
        )  # what is left of an exponential gap above a threshold is exponential again
        keep = 1.0 - 1.0 / max(1.0, 0.5 * params[BELIEF] ** 2)
        state[GAPS] = state[GAPS] * keep + 1.0
        state[GAP_SUM] = state[GAP_SUM] * keep + gap
        state[GAP_LOGS] = state[GAP_LOGS] * keep + math.log(gap)
        state[GROUPED] = state[GROUPED] * keep + 1.0
    else:
        state[GROUPED] += 1.0
    if weight < 1e-12:
        return
    minute = math.floor(published / 60.0)
    hour = minute // 60
    state[QUARTERS + minute // 15 % 96] += weight
    state[WEEKDAYS + (hour // 24 + 3) % 7] += weight  # 1970-01-01 was a Thursday
    state[MINUTES + minute % 60] += weight


@compiled(cache=False)
def observed(state: Row, now: float, days: float) -> float:
    """Seconds that a count with a memory of so many days has seen of the stream."""
    memory = days * DAY
    return memory * (1.0 - math.exp(-max(0.0, now - state[SINCE]) / memory))


@compiled(cache=False)
def rates(params: Row, state: Row, now: float) -> tuple[float, float]:
    """Entries a second: the usual rate, and that of the last days, whose prior is the usual one.

    Feeds differ by orders of magnitude: the prior of the usual rate r is gamma with a scale that is not known either,
    so few entries in a short time are believed. r = (entries + k) / (seen + 2k / (r + prior)), solved for r.
    """
    seen = max(SHORTEST_GAP, observed(state, now, params[MEMORY]))
    prior = params[USUAL] / DAY
    surplus = state[ENTRIES] - DOUBT - seen * prior
    believed = (state[ENTRIES] + DOUBT) * prior
    root = math.sqrt(surplus * surplus + 4.0 * seen * believed)
    usual = (root + surplus) / (2.0 * seen) if surplus > 0.0 else 2.0 * believed / (root - surplus)
    belief = params[BELIEF]
    return usual, (state[SHORT] + belief) / (observed(state, now, params[LATELY]) + belief / usual)


@compiled(cache=False)
def regularity(params: Row, state: Row) -> float:
    """Shape of a gamma distribution of the gaps: 1 Poisson, above regular, below in bursts.

    Closed form of the maximum-likelihood shape from the distance between the logarithm of the mean gap and the mean
    logarithm, here shrunk to the population's.
    """
    spread = params[SPREAD]
    n = state[GAPS]
    if n > 0.0:
        own = math.log(state[GAP_SUM] / n) - state[GAP_LOGS] / n
        spread = (n * own + params[BELIEF] * spread) / (n + params[BELIEF])
    spread = max(spread, 0.05)
    return float((3.0 - spread + math.sqrt((spread - 3.0) ** 2 + 24.0 * spread)) / (12.0 * spread))


@compiled(cache=False)
def group_size(state: Row) -> float:
    """Entries that come at once, on average."""
    return float(max(1.0, (state[GROUPED] + 1.0) / (state[GAPS] + 1.0)))


@compiled(cache=False)
def dated(state: Row) -> float:
    """Entries with a time, forgotten as the rhythm is: the sum of its counts."""
    total = 0.0
    for i in range(WEEKDAYS, WEEKDAYS + 7):
        total += state[i]
    return total
