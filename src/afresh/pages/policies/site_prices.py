"""What the pages of a site ask for at a price, and the site's own price where politeness cannot bear that (spec §2).

The price of a saturated site is where its pages ask for just what it bears. It does not depend on the price of all, and
the larger of the two is in force (KKT), so every site can be looked at by itself, at any time, in any order.
"""

import math

import numpy as np

from afresh.base.compiled import READ, ROW, ROWS, compiled
from afresh.base.models import Row
from afresh.pages.policies.policy import INTERVAL, Interval

_SITE = f"FunctionType({INTERVAL}), {READ}, {ROWS}, {ROW}, {ROW}, {ROW}, {ROW}"  # what both functions begin with
_HIGHEST = 1e30  # a price no page pays: every page is at its longest interval


@compiled(f"float64({_SITE}, float64)")
def demand(
    interval: Interval, params: Row, pages: Row, site: Row, world: Row, shortest: Row, longest: Row, price: float
) -> float:
    """Visits a second that pages (a row each) ask for at a price, each within its bounds; weight 0 asks for none."""
    total = 0.0
    for i in range(len(pages)):
        if not pages[i, 0] > 0.0:
            continue
        wait = interval(params, pages[i], site, world, price)
        wait = min(longest[i], max(shortest[i], wait))
        if 0.0 < wait < math.inf:
            total += 1.0 / wait
    return total


@compiled(f"float64({_SITE}, float64, float64, float64)")
def site_price(
    interval: Interval,
    params: Row,
    pages: Row,
    site: Row,
    world: Row,
    shortest: Row,
    longest: Row,
    cap: float,
    price: float,
    guess: float,
) -> float:
    """The price at which the pages ask for ``cap`` visits a second; 0 if they ask for no more at ``price``.

    Bisection of log price: demand falls with the price. ``guess`` is the price of an earlier plan, 0 for none. Where
    even the longest intervals ask for more than the site bears, the price is infinite: all pages get the same share.
    """
    if demand(interval, params, pages, site, world, shortest, longest, price) <= cap:
        return 0.0
    low, high = price, max(2.0 * price, guess)
    while demand(interval, params, pages, site, world, shortest, longest, high) > cap:
        low = high
        high *= 8.0
        if high > _HIGHEST:
            return math.inf
    while high > low * 1.0001:
        middle = math.sqrt(low * high)
        if demand(interval, params, pages, site, world, shortest, longest, middle) > cap:
            low = middle
        else:
            high = middle
    return high


def no_row() -> Row:
    """The site row of policies that keep none."""
    return np.zeros(1)
