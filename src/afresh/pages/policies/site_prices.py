"""What the pages of a site ask for at a price, the site's own price where it bears less, and which page is next.

The price of a saturated site is where its pages ask for just what it bears. It does not depend on the price of all, and
the larger of the two is in force (KKT), so every site can be looked at by itself, at any time, in any order.
"""

import math

from afresh.base.compiled import READ, ROW, ROWS, compiled
from afresh.base.models import Row
from afresh.pages.policies.belief import age_index, age_interval, belief_index, belief_interval
from afresh.pages.policies.site_clocked import clocked_due

_ASKED = f"boolean, {READ}, {ROWS}, {ROW}, {ROW}, {ROW}"  # what pages ask for: how both functions begin
_SIX = ", ".join([ROW] * 6)
_HIGHEST = 1e30  # a price no page pays: every page is at its longest interval

# Objectives and clocks are chosen by flags: to hand functions over costs more than a site's plan does.


@compiled()
def _interval(is_age: bool, params: Row, page: Row, world: Row, price: float) -> float:
    return (
        age_interval(params, page, page, world, price) if is_age else belief_interval(params, page, page, world, price)
    )


@compiled(f"float64({_ASKED}, float64)")
def demand(is_age: bool, params: Row, pages: Row, world: Row, shortest: Row, longest: Row, price: float) -> float:
    """Visits a second that pages (a row each) ask for at a price, each within its bounds; weight 0 asks for none."""
    total = 0.0
    for i in range(len(pages)):
        if not pages[i, 0] > 0.0:
            continue
        wait = _interval(is_age, params, pages[i], world, price)
        wait = min(longest[i], max(shortest[i], wait))
        if 0.0 < wait < math.inf:
            total += 1.0 / wait
    return total


@compiled(f"float64({_ASKED}, float64, float64, float64)")
def site_price(
    is_age: bool,
    params: Row,
    pages: Row,
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
    if demand(is_age, params, pages, world, shortest, longest, price) <= cap:
        return 0.0
    low, high = price, max(2.0 * price, guess)
    while demand(is_age, params, pages, world, shortest, longest, high) > cap:
        low = high
        high *= 8.0
        if high > _HIGHEST:
            return math.inf
    while high > low * 1.0001:
        middle = math.sqrt(low * high)
        if demand(is_age, params, pages, world, shortest, longest, middle) > cap:
            low = middle
        else:
            high = middle
    return high


@compiled(f"Tuple((int64, float64))(boolean, boolean, boolean, {READ}, {ROWS}, {_SIX}, float64, float64, float64)")
def next_page(
    is_age: bool,
    is_clocked: bool,
    is_full: bool,
    params: Row,
    pages: Row,
    last: Row,
    spread: Row,
    shortest: Row,
    longest: Row,
    site: Row,
    world: Row,
    second: float,
    price: float,
    free: float,
) -> tuple[int, float]:
    """Which of these pages is served next, and when it is due; a page of no weight never is. -1: none.

    The one that is due first; of those that are due before the site is ``free``, and of all where the site is full, the
    one for which a visit is worth most then (the greedy order, spec §3.8). ``spread``: factors of the intervals
    before a second visit, which are ``second`` at most; 0: it is not the second.
    """
    best, when, most = -1, math.inf, -1.0
    for i in range(len(pages)):
        if not pages[i, 0] > 0.0:
            continue
        wait = min(longest[i], max(shortest[i], _interval(is_age, params, pages[i], world, price)))
        moment = last[i] + wait
        if spread[i] > 0.0:
            moment = last[i] + max(shortest[i], spread[i] * min(wait, second))
        elif is_clocked and wait < math.inf:
            moment = clocked_due(params, pages[i], site, world, last[i], wait, price)
            moment = min(last[i] + longest[i], max(last[i] + shortest[i], moment))
        if is_full or moment <= free:
            elapsed = free - last[i]
            worth = age_index(params, pages[i], site, world, elapsed)
            if not is_age:
                worth = belief_index(params, pages[i], site, world, elapsed)
            if worth > most:
                best, when, most = i, moment, worth
        elif most < 0.0 and moment < when:
            best, when = i, moment
    return best, when
