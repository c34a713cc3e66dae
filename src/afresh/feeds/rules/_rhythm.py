"""The rhythm of a feed: its day, week and hour, learnt from its own entries and from what kind of feed it seems to be.

Beforehand a feed may be of several kinds, with days of their own, and may keep to its week and its quarter hours more
or less firmly. How likely each of these makes the counts of the feed says how much it weighs. docs/theory/priced.md.
"""

import math

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.rules._clocks import move
from afresh.feeds.rules._intensity import (
    BELIEF,
    DAY,
    DAY_KINDS,
    MINUTES,
    POLLED,
    QUARTER_BELIEFS,
    QUARTERS,
    SINCE,
    WEEK_BELIEFS,
    WEEKDAYS,
    WEIGHED,
    dated,
)

# --- what was learnt from all feeds together --------------------------------------------------------------------------

#: per mille of a day's entries in each hour (UTC), by kind of feed, and of how many in a hundred feeds it is the kind
_KINDS = (
    # round the clock
    (53, (34, 30, 26, 25, 26, 29, 33, 33, 34, 38, 41, 48, 56, 58, 56, 56, 56, 55, 54, 48, 45, 44, 39, 34)),
    # America's day
    (22, (14, 13, 9, 4, 2, 2, 1, 2, 2, 2, 3, 6, 14, 32, 62, 105, 146, 147, 121, 103, 83, 63, 43, 21)),
    # America's morning, Europe's afternoon
    (12, (2, 1, 1, 1, 1, 2, 3, 4, 6, 9, 19, 41, 97, 177, 209, 172, 109, 59, 33, 21, 13, 9, 7, 4)),
    # Europe's day
    (8, (2, 2, 5, 11, 16, 25, 44, 73, 102, 118, 112, 102, 91, 70, 54, 48, 43, 30, 17, 12, 9, 6, 3, 3)),
    # around midnight
    (5, (162, 156, 123, 114, 98, 48, 11, 5, 4, 6, 4, 3, 4, 4, 3, 4, 8, 14, 16, 14, 18, 31, 48, 102)),
)
COMMON = np.array([share for share, _ in _KINDS]) / sum(share for share, _ in _KINDS)
DAYS = np.array([hours for _, hours in _KINDS]) / np.array([[sum(hours)] for _, hours in _KINDS])
HOURLY = COMMON @ DAYS
WEEKLY = np.array([0.156, 0.162, 0.166, 0.162, 0.156, 0.098, 0.1])
MINUTELY = np.full(60, 0.54 / 57.0)  # full and half hours; the other minutes share the rest
MINUTELY[[0, 1, 30]] = 0.24, 0.1, 0.12

BELIEFS = 3  #: a belief, its square and its cube: how firmly a feed keeps to what it is believed to do
MANY_CYCLES = 20.0  # from when on all parts of a cycle count as observed alike
ALIKE = 0.1  # by so many of them counts may change before the kinds are weighed again
ROOM = 144  # floats for what is computed on the way


@compiled(cache=False)
def observe(state: Row, cycle: float, ahead: float, shares: Row) -> bool:
    """Fill in how long each part of a cycle was observed, relative to the mean over its parts; whether all alike.

    ``ahead``: how far into a cycle 1970 began. After twenty cycles the one that is under way no longer matters.
    """
    n = len(shares)
    shares[:] = 1.0
    cycles = max(0.0, state[POLLED] - state[SINCE]) / cycle
    if not 0.0 < cycles < MANY_CYCLES:
        return True
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
    return False


@compiled(cache=False)
def _rate(total: float, prior: Row, seen: Row) -> float:
    """Entries in a cycle that was observed throughout, if they come as the prior says."""
    expected = 0.0
    for i in range(len(prior)):
        expected += prior[i] * seen[i]
    return total / expected if expected > 0.0 else 0.0


@compiled(cache=False)
def _posterior(counts: Row, total: float, prior: Row, belief: float, seen: Row, alike: bool, out: Row) -> None:
    """The shape of a cycle: counts against what the prior shape led to expect of the time that was observed.

    Each part is a gamma posterior mean around ``prior`` (sum 1) of ``belief`` entries' worth: a part that was not
    observed keeps the prior. Where all parts were observed alike this is the posterior mean of a Dirichlet prior.
    """
    if alike:
        scale = 1.0 / (belief + total)
        for i in range(len(prior)):
            out[i] = scale * (counts[i] + belief * prior[i])
        return
    rate = _rate(total, prior, seen)
    whole = 0.0
    for i in range(len(prior)):
        out[i] = (counts[i] + belief * prior[i]) / (belief + rate * seen[i])
        whole += out[i]
    scale = 1.0 / whole
    for i in range(len(prior)):
        out[i] *= scale


@compiled(cache=False)
def _evidence(counts: Row, total: float, prior: Row, belief: float, seen: Row) -> float:
    """ln of how likely this belief in this prior makes the counts, up to a term that is the same for all.

    Where a part of the cycle was never observed the rate and the shape cannot be told apart: that says nothing, 0.
    """
    rate = _rate(total, prior, seen)
    likely = math.lgamma(belief) - math.lgamma(belief + total)
    likely += total * math.log(rate / total) - (belief + total) * math.log((belief + rate) / (belief + total))
    for i in range(len(prior)):
        if seen[i] == 0.0:
            return 0.0
        own = belief * prior[i]
        if counts[i] > 0.0:
            likely += math.lgamma(counts[i] + own) - math.lgamma(own)
        if seen[i] != 1.0:  # less was seen, or more, of this part than of others
            likely += counts[i] * math.log(seen[i])
            likely -= (counts[i] + own) * math.log((belief + rate * seen[i]) / (belief + rate))
    return float(likely)


@compiled(cache=False)
def _level(evidence: Row) -> None:
    """Count from the likeliest."""
    evidence -= evidence.max()


@compiled(cache=False)
def _weigh_beliefs(counts: Row, total: float, prior: Row, belief: float, seen: Row, evidence: Row) -> None:
    for i in range(BELIEFS):
        evidence[i] = _evidence(counts, total, prior, belief ** (i + 1), seen)
    _level(evidence)


@compiled(cache=False)
def _blend(
    counts: Row, total: float, prior: Row, belief: float, seen: Row, alike: bool, evidence: Row, room: Row, out: Row
) -> None:
    """The mean of the posterior shapes for each belief, weighed by its evidence; ``room`` is overwritten."""
    weights, shape = room[:BELIEFS], room[BELIEFS : BELIEFS + len(out)]
    whole = 0.0
    for i in range(BELIEFS):
        weights[i] = math.exp(evidence[i])
        whole += weights[i]
    if alike:  # each shape is a sum of the same two
        own, common = 0.0, 0.0
        for i in range(BELIEFS):
            firm = belief ** (i + 1)
            own += weights[i] / (whole * (firm + total))
            common += weights[i] * firm / (whole * (firm + total))
        for i in range(len(out)):
            out[i] = own * counts[i] + common * prior[i]
        return
    out[:] = 0.0
    for i in range(BELIEFS):
        _posterior(counts, total, prior, belief ** (i + 1), seen, alike, shape)
        weight = weights[i] / whole
        for part in range(len(out)):
            out[part] += weight * shape[part]


@compiled(cache=False)
def _by_hour(state: Row, seen: Row, hours: Row, observed: Row) -> None:
    for hour in range(24):
        q = 4 * hour
        at = QUARTERS + q
        hours[hour] = state[at] + state[at + 1] + state[at + 2] + state[at + 3]
        observed[hour] = 0.25 * (seen[q] + seen[q + 1] + seen[q + 2] + seen[q + 3])


@compiled(cache=False)
def _product(params: Row, state: Row, minutes: Row, seen: Row, alike: bool, room: Row, product: Row) -> None:
    """Fill in the 96 quarter hours that the feed's hours and minutes lead to expect; ``room`` is overwritten.

    The hours are shrunk to those of the kinds it may be of, and half of an hour is shared with its two neighbours.
    """
    hours, observed, prior, level = room[:24], room[24:48], room[48:72], room[72:96]
    smooth, near = room[96:120], room[120:144]
    _by_hour(state, seen, hours, observed)
    prior[:] = 0.0
    whole = 0.0
    for kind in range(len(COMMON)):
        weight = COMMON[kind] * math.exp(state[DAY_KINDS + kind])
        whole += weight
        for hour in range(24):
            prior[hour] += weight * DAYS[kind, hour]
    for hour in range(24):
        prior[hour] /= whole
        before, after = (hour - 1) % 24, (hour + 1) % 24
        smooth[hour] = 0.5 * hours[hour] + 0.25 * (hours[before] + hours[after])
        near[hour] = 0.5 * observed[hour] + 0.25 * (observed[before] + observed[after])
    _posterior(smooth, dated(state), prior, params[BELIEF], near, alike, level)
    for part in range(4):
        share = 0.0
        for i in range(15 * part, 15 * part + 15):
            share += minutes[i]
        for hour in range(24):
            product[4 * hour + part] = level[hour] * share


@compiled(cache=False)
def _minutes(params: Row, state: Row, seen: Row, minutes: Row) -> None:
    """Fill in the shape of the hour, shrunk to that of feeds in general.

    Whose entries of less than an hour are many is no feed that waits for the full hour: until that was observed, all
    minutes are believed to be alike, the more so the more entries there are.
    """
    total, belief = dated(state), params[BELIEF]
    alike = observe(state, 3_600.0, 0.0, seen[:60])
    usual = belief / (belief + total) if state[POLLED] - state[SINCE] < 3_600.0 else 1.0
    prior = usual * MINUTELY + (1.0 - usual) / 60.0
    _posterior(state[MINUTES : MINUTES + 60], total, prior, belief, seen[:60], alike, minutes)


@compiled(cache=False)
def weigh(params: Row, state: Row) -> None:
    """Note how likely each kind of day, and each belief, makes what was counted; anew when the counts have changed."""
    total = dated(state)
    if total <= 0.0 or abs(total - state[WEIGHED]) <= ALIKE * total:
        return
    state[WEIGHED] = total
    belief = params[BELIEF]
    seen, minutes, product, room = np.empty(96), np.empty(60), np.empty(96), np.empty(ROOM)
    observe(state, 7.0 * DAY, 3.0 * DAY, seen[:7])  # 1970-01-01 was a Thursday
    week = state[WEEK_BELIEFS : WEEK_BELIEFS + BELIEFS]
    _weigh_beliefs(state[WEEKDAYS : WEEKDAYS + 7], total, WEEKLY, belief, seen[:7], week)
    _minutes(params, state, seen, minutes)
    alike = observe(state, DAY, 0.0, seen)
    hours, observed = np.empty(24), np.empty(24)
    _by_hour(state, seen, hours, observed)
    for kind in range(len(COMMON)):
        state[DAY_KINDS + kind] = _evidence(hours, total, DAYS[kind], belief, observed)
    _level(state[DAY_KINDS : DAY_KINDS + len(COMMON)])
    _product(params, state, minutes, seen, alike, room, product)
    quarters = state[QUARTER_BELIEFS : QUARTER_BELIEFS + BELIEFS]
    _weigh_beliefs(state[QUARTERS : QUARTERS + 96], total, product, belief, seen, quarters)


@compiled(cache=False)
def learnt_rhythm(params: Row, state: Row, quarters: Row, weekdays: Row, minutes: Row) -> None:
    """Fill in the shape of the day (sum 24), of the week (mean 1) and of the hour (sum 1), as they were counted.

    One entry at 17:00 makes other days' 17:00 likelier, and other hours' full hour. Times that were not observed are
    unknown, not empty.
    """
    belief, total = params[BELIEF], dated(state)
    block = np.empty(96 + 96 + ROOM)
    seen, product, room = block[:96], block[96:192], block[192:]
    alike = observe(state, 7.0 * DAY, 3.0 * DAY, seen[:7])
    week = state[WEEK_BELIEFS : WEEK_BELIEFS + BELIEFS]
    _blend(state[WEEKDAYS : WEEKDAYS + 7], total, WEEKLY, belief, seen[:7], alike, week, room, weekdays)
    for day in range(7):
        weekdays[day] *= 7.0
    _minutes(params, state, seen, minutes)
    alike = observe(state, DAY, 0.0, seen)
    _product(params, state, minutes, seen, alike, room, product)
    beliefs = state[QUARTER_BELIEFS : QUARTER_BELIEFS + BELIEFS]
    _blend(state[QUARTERS : QUARTERS + 96], total, product, belief, seen, alike, beliefs, room, quarters)
    for q in range(96):
        quarters[q] *= 24.0


@compiled(cache=False)
def rhythm(params: Row, state: Row, quarters: Row, weekdays: Row, minutes: Row) -> None:
    """The learnt rhythm; after a change of clocks in both places where the day may now be."""
    learnt_rhythm(params, state, quarters, weekdays, minutes)
    move(state, quarters)


@compiled(cache=False)
def is_rhythm_known(state: Row) -> bool:
    """Whether a rhythm may be told as the feed's own: two days or more were observed, and some entries in them."""
    return bool(state[POLLED] - state[SINCE] >= 2.0 * DAY and dated(state) >= 10.0)
