"""What a poll keeps from being pushed out of a feed's window before anybody has seen it.

Entries that come at once count as one: of a publication larger than the window some are lost whenever one looks. A
stream that never pauses has no such publications, however close its entries are. docs/theory/priced.md, *Window*.
"""

import math

from afresh.base.compiled import compiled
from afresh.base.models import Row

STEADY = 2.0  # gaps' worth of belief that entries come one by one


@compiled(cache=False)
def spacing_within(window: Row, pace: float, group: float, rate: float) -> float:
    """Seconds (of the rule's clock, as ``group`` and ``rate``) between two entries of one publication.

    The mean of the gaps in the window that are shorter than ``group``, and of two gaps of a steady stream.
    """
    total = STEADY * min(group, 1.0 / rate)
    count = STEADY
    for i in range(1, len(window)):
        gap = (window[i] - window[i - 1]) * pace
        if gap < group:
            total += gap
            count += 1.0
    return total / count


@compiled(cache=False)
def pauses(rate: float, spacing: float) -> float:
    """The part of the time in which nothing comes: 0 where entries follow each other as closely as the rate says."""
    return max(0.0, 1.0 - spacing * rate)


@compiled(cache=False)
def saved(entries: float, lag: float, capacity: float, group: float, spacing: float) -> float:
    """Entries that a poll after ``lag`` keeps from being lost where so many are expected by then.

    They come in groups, of which no more counts than can come till then; a stream that never pauses has none.
    """
    size = 1.0 + pauses(entries / lag, spacing) * (min(group, max(1.0, lag / spacing)) - 1.0)
    return size * loss_averted(entries / size, capacity / size)


@compiled(cache=False)
def before_loss(
    interval: float, shortest: float, rate: float, dear: float, capacity: float, group: float, spacing: float
) -> float:
    """The interval of a stream of this rate, shortened until a poll saves less than it costs.

    ``dear``: how many polls a lost entry is worth.
    """
    while interval > shortest and dear * saved(interval * rate, interval, capacity, group, spacing) > 1.0:
        interval *= 0.95
    return max(interval, shortest)


@compiled(cache=False)
def loss_averted(mean: float, capacity: float) -> float:
    """Entries that polling now keeps from being lost, if all intervals are like this: m P(N ≥ C) − E(N − C)⁺.

    N is a Poisson number with this mean. It is what the plan's x·c(x) − ∫c is for waiting: a poll is due when, times
    what a lost entry costs, it reaches the price.
    """
    if not mean > 0.1 * capacity:
        return 0.0
    if mean > 50.0 * (capacity + 1.0):
        return capacity
    chance = math.exp(-mean)
    if chance == 0.0:
        return capacity if mean > capacity else 0.0
    below = 0.0  # P(N < C)
    first = 0.0  # E(N; N < C)
    k = 0.0
    while k < capacity:
        below += chance
        first += k * chance
        k += 1.0
        chance *= mean / k
    # E(N − C)⁺ = m − C + Σ_{k<C} (C − k) P(k)
    return float(max(0.0, capacity * (1.0 - below) + first - mean * below))
