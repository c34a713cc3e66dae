"""Finding prices: the compiled passes over pages, and the safeguarded Newton step they all share.

What a site demands falls with the price. The price of a saturated site is where its demand equals its cap; the price of
all is where the demand of all sites, each held to its cap, equals the budget. The first does not depend on the second
[SL §2, KKT: a page's multiplier is the larger of the two], so there are two plain searches and none inside another.

Prices are handled as logarithms. Where demand falls so steeply that two neighbouring prices lie on either side of the
target (a tiny budget buys from pages that are just about to be starved), the answer is the mixture of the demands
at k and k(1+``SPREAD``) that meets the target: ``mix`` is the share of the first, 1 where no mixing is needed.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.marginals import NEVER, frequency, index, limit

Reals = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

SPREAD = 1e-12  #: relative distance of two prices that count as one
LOWEST = -1300.0  #: logarithm of the lowest price looked at; a page then gets some 1e140 visits per change
BLUR = 0.02  #: see ``marginals.frequency``
THIN = 16  #: every so manieth page stands for its neighbours in a first guess
_MOST = 200

OPEN = 0  #: the site's demand at the price in force is below its cap
FULL = 1  #: the cap binds
SHARED = 2  #: the floors alone exceed the cap: all of the site's pages get the same share of theirs
CLOSED = 3  #: cap 0, or no page worth a visit


class Goods(NamedTuple):
    """What visits are bought for; a single weight or shape stands for all pages, and the passes tell by the length."""

    objective: int
    floor: float  # visits a second that a page with importance gets in any case
    rate: Reals
    weight: Reals
    shape: Reals


class Sites(NamedTuple):
    """Where the pages live, and how much of each site may be asked for."""

    offsets: Ints
    caps: Floats  # a single number stands for all sites
    state: Bytes  # which caps bind; written by the passes


@compiled()
def neighbour(log_price: float) -> float:
    """The logarithm of the upper neighbour of a price.

    Written once: where demand falls steeply the last digit of the neighbour decides about the mixture, so whoever
    computes a mixture and whoever applies it must mean the same number.
    """
    return log_price + math.log1p(SPREAD)


@compiled()
def next_log_price(
    low: float, high: float, at: float, total: float, slope: float, target: float, is_stuck: bool
) -> float:
    """Where to look next: Newton's step on log total against log price, or the middle of the bracket."""
    if not is_stuck and total > 0.0 and slope < 0.0:
        # Far out demand is a power of the price, a straight line here; a step is held to 40 (a factor of e^40).
        step = math.log(total / target) * total / -slope
        guess = at + min(max(step, -40.0), 40.0)
        if low < guess < high:
            return guess
    if high == math.inf:
        return at + 8.0
    if low == -math.inf:
        return at - 8.0
    return 0.5 * (low + high)


@compiled()
def site_demand(goods: Goods, price: float, blur: float, first: int, last: int, stride: int) -> tuple[float, float]:
    """Sum of the frequencies of pages ``first`` to ``last`` at a price, and its slope over log price.

    With a stride above 1 only every so manieth page is looked at and the sums are scaled up: good enough for a guess.
    """
    if last - first < 16 * stride:
        stride = 1
    objective, floor, rate, weight, shape = goods
    total = 0.0
    slope = 0.0
    ws = 1 if len(weight) > 1 else 0
    ss = 1 if len(shape) > 1 else 0
    for i in range(first, last, stride):
        w = weight[i * ws]
        f, df = frequency(objective, price, rate[i], shape[i * ss], w, blur)
        if f < floor and w > 0.0:
            total += floor
        else:
            total += f
            slope += df
    if stride > 1:
        scale = (last - first) / ((last - first + stride - 1) // stride)
        return total * scale, slope * scale
    return total, slope


@compiled()
def highest_price(goods: Goods, first: int, last: int) -> float:
    """The price from which on none of the pages is visited; infinite if there is none, 0 if none ever is."""
    objective, _, rate, weight, shape = goods
    most = 0.0
    ws = 1 if len(weight) > 1 else 0
    ss = 1 if len(shape) > 1 else 0
    for i in range(first, last):
        most = max(most, limit(objective, rate[i], shape[i * ss], weight[i * ws]))
    return most


@compiled()
def useful_pages(weight: Reals, first: int, last: int) -> int:
    """How many of the pages a floor applies to: those with importance."""
    ws = 1 if len(weight) > 1 else 0
    count = 0
    for i in range(first, last):
        count += weight[i * ws] > 0.0
    return count


@compiled()
def site_price(
    goods: Goods, target: float, first: int, last: int, start: float, tolerance: float
) -> tuple[float, float, int]:
    """Log price at which the pages demand ``target``, the mixture there, and how many evaluations of pages that took.

    ``start`` is a guess, NaN for none. The target must lie between the floors and what the lowest price buys.
    """
    most = highest_price(goods, first, last)
    high = math.log(most) if most < math.inf else math.inf
    low = -math.inf
    at = start
    if not (at < high):
        at = high - 1.0 if high < math.inf else _some_price(goods, target, first, last)
    blur = BLUR
    worst = math.inf
    work = 0
    top = high
    # A thinned site first, to within a hundredth: that is nearly free and leaves two or three exact passes.
    stride = THIN if last - first >= 16 * THIN else 1
    for turn in range(1, _MOST):
        total, slope = site_demand(goods, math.exp(at), blur, first, last, stride)
        work += (last - first) // stride
        error = abs(total - target)
        if stride > 1 and (error < 0.01 * target or turn > 12):
            stride, low, high, worst = 1, -math.inf, top, math.inf
            continue
        if error <= tolerance * target or at < LOWEST:
            return at, 1.0, work
        if total > target:
            low = at
        else:
            high = at
        if low > -math.inf and high - low < 0.5 * SPREAD:
            break
        is_stuck = turn > 4 and error > 0.5 * worst
        worst = error
        ahead = next_log_price(low, high, at, total, slope, target, is_stuck)
        blur = min(BLUR, abs(ahead - at))
        at = ahead
    return low, _mixture(goods, target, first, last, low), work


@compiled()
def _some_price(goods: Goods, target: float, first: int, last: int) -> float:
    """Log price of the first page worth a visit if it had an equal share of the target: a start where none is known."""
    objective, _, rate, weight, shape = goods
    ws = 1 if len(weight) > 1 else 0
    ss = 1 if len(shape) > 1 else 0
    for i in range(first, last):
        worth = index(objective, (last - first) / target, rate[i], shape[i * ss], weight[i * ws])
        if 0.0 < worth < math.inf:
            return math.log(worth)
    return 0.0


@compiled()
def _mixture(goods: Goods, target: float, first: int, last: int, low: float) -> float:
    more = site_demand(goods, math.exp(low), 0.0, first, last, 1)[0]
    less = site_demand(goods, math.exp(neighbour(low)), 0.0, first, last, 1)[0]
    return share_of_first(more, less, target)


@compiled()
def share_of_first(more: float, less: float, target: float) -> float:
    """The t with t * more + (1-t) * less = target, held to [0, 1]."""
    return min(max((target - less) / (more - less), 0.0), 1.0) if more > less else 1.0


@compiled()
def demand(
    goods: Goods, sites: Sites, log_price: float, blur: float, settled: Bytes, stride: int
) -> tuple[float, float]:
    """What all sites demand at a price, each held to its cap, and the slope; ``state`` says which caps bind.

    Sites marked in ``settled`` are known to be full at this price and are not looked at again.
    """
    offsets, caps, state = sites
    total = 0.0
    slope = 0.0
    price = math.exp(log_price)
    cs = 1 if len(caps) > 1 else 0
    for s in range(len(offsets) - 1):
        cap = caps[s * cs]
        if state[s] >= SHARED:
            total += 0.0 if state[s] == CLOSED else cap
            continue
        if settled[s]:
            total += cap
            continue
        f, df = site_demand(goods, price, blur, offsets[s], offsets[s + 1], stride)
        if f >= cap:
            state[s] = FULL
            total += cap
        else:
            state[s] = OPEN
            total += f
            slope += df
    return total, slope


@compiled()
def classify(goods: Goods, sites: Sites) -> tuple[float, float, float, float]:
    """Marks sites closed or shared by their floors.

    Returns the highest log price of all, the sum of the floors each held to its cap, the capacity of the sites
    that have anything worth a visit, and the number of pages with importance.
    """
    offsets, caps, state = sites
    top = 0.0
    floors = 0.0
    capacity = 0.0
    counted = 0
    cs = 1 if len(caps) > 1 else 0
    for s in range(len(offsets) - 1):
        cap = caps[s * cs]
        useful = useful_pages(goods.weight, offsets[s], offsets[s + 1])
        counted += useful
        most = highest_price(goods, offsets[s], offsets[s + 1])
        wanted = goods.floor * useful
        state[s] = OPEN
        if cap <= 0.0 or (most <= 0.0 and wanted <= 0.0):
            state[s] = CLOSED
            continue
        floors += min(wanted, cap)
        if wanted >= cap:
            state[s] = SHARED
            capacity += cap
            continue
        capacity += cap if most > 0.0 else wanted
        top = max(top, most)
    return (math.log(top) if top > 0.0 else -math.inf), floors, capacity, float(counted)


@compiled()
def settle_full_sites(
    goods: Goods, sites: Sites, log_price: float, starts: Floats, tolerance: float, log_prices: Floats, mixes: Floats
) -> int:
    """Finds the price of every full site; says how many page evaluations that took.

    The start is the site's price of an earlier solution, else that of the full site before it: neighbours differ by
    less than strangers, and Newton's method forgives a bad guess.
    """
    offsets, caps, state = sites
    work = 0
    cs = 1 if len(caps) > 1 else 0
    previous = log_price
    for s in range(len(offsets) - 1):
        if state[s] != FULL:
            continue
        start = starts[s] if len(starts) > 1 else previous
        if not (math.isfinite(start)):
            start = previous
        at, mix, done = site_price(goods, caps[s * cs], offsets[s], offsets[s + 1], start, tolerance)
        log_prices[s] = at
        mixes[s] = mix
        previous = at
        work += done
    return work


@compiled()
def mixed_frequency(
    objective: int, price: float, upper: float, mix: float, floor: float, rate: float, shape: float, weight: float
) -> float:
    """A page's frequency at a price, mixed with that at the price's upper neighbour, neither below the floor."""
    f = max(frequency(objective, price, rate, shape, weight, 0.0)[0], floor)
    if mix < 1.0:
        above = max(frequency(objective, upper, rate, shape, weight, 0.0)[0], floor)
        f = above + mix * (f - above)
    return f


@compiled()
def write_frequencies(
    goods: Goods,
    sites: Sites,
    log_price: float,
    mix: float,
    floor_share: float,
    log_prices: Floats,
    mixes: Floats,
    out: Reals,
) -> tuple[float, int]:
    """Fills in every page's frequency; returns their sum and how many pages worth a visit got none.

    ``floor_share`` below 1 means that the budget does not even pay for the floors: each page gets that share of its.
    """
    objective, floor, rate, weight, shape = goods
    offsets, caps, state = sites
    spent = 0.0
    starved = 0
    ws = 1 if len(weight) > 1 else 0
    ss = 1 if len(shape) > 1 else 0
    cs = 1 if len(caps) > 1 else 0
    price = math.exp(log_price)
    upper = math.exp(neighbour(log_price))
    for s in range(len(offsets) - 1):
        own = math.exp(log_prices[s]) if state[s] == FULL else 0.0
        own_upper = math.exp(neighbour(log_prices[s])) if state[s] == FULL else 0.0
        # The site's price and the price of all are one to our resolution: the cap binds at one end of the mixture only.
        tied = mix < 1.0 and own <= upper
        even = 0.0
        if state[s] == SHARED:
            even = caps[s * cs] / useful_pages(weight, offsets[s], offsets[s + 1])
        site_sum = 0.0
        for i in range(offsets[s], offsets[s + 1]):
            r, a, w = rate[i], shape[i * ss], weight[i * ws]
            if w <= 0.0 or state[s] == CLOSED:
                f = 0.0
            elif state[s] == SHARED:
                f = even * min(floor_share, 1.0)
            elif floor_share < 1.0:
                f = floor * floor_share
            elif state[s] == FULL:
                f = mixed_frequency(objective, own, own_upper, mixes[s], floor, r, a, w)
                if tied:
                    above = max(frequency(objective, upper, r, a, w, 0.0)[0], floor)
                    f = above + mix * (f - above)
            else:
                f = mixed_frequency(objective, price, upper, mix, floor, r, a, w)
            out[i] = f
            site_sum += f
            starved += f == 0.0 and w > 0.0 and r > NEVER
        spent += site_sum
    return spent, starved
