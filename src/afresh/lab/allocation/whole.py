"""Whole numbers of visits over a short horizon: greedy on what the next visit of each page is worth.

Visited k times at equal distances within a horizon H, a page is fresh for a share A(k/H) of it. A is concave, so the
next visit of a page is never worth more than the one before, and taking the most valuable visit of all, one after
another, is optimal: exchanging a visit taken for one left out can only lose. The same is true if sites bear a limited
number, since pages belong to one site each (the sets of visits allowed are those of a laminar matroid).  [WSYLY02]

For long horizons, where a page gets many visits, ``allocate`` says the same at a cost that does not grow with them.
"""

import math

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.marginals import ALWAYS, NEVER, mean_freshness
from afresh.lab.allocation.pages import Ints, Pages, Reals
from afresh.lab.orders.queue import pop, push


def whole_visits(pages: Pages, horizon: float, visits: int) -> NDArray[np.int64]:
    """How often to visit each page within ``horizon`` seconds, ``visits`` in all; fewer where no more are worth it.

    A site with a cap takes at most cap * horizon visits, rounded down.

    >>> whole_visits(Pages.of([1.0, 2.0, 3.0, 4.0, 5.0]), 1.0, 5).tolist()
    [1, 1, 2, 1, 0]
    """
    if not (math.isfinite(horizon) and horizon > 0.0):
        raise ModelError(f"horizon is {horizon} seconds; it must be finite and above 0")
    if visits < 0:
        raise ModelError(f"{visits} visits cannot be shared out; give 0 or more")
    room = np.full(pages.sites, visits, dtype=np.int64)
    if pages.caps is not None:
        most = np.minimum(pages.caps * horizon * (1.0 + 1e-12), float(visits))  # 30 s fit twice into a minute
        room = np.floor(most).astype(np.int64)
    weight = np.ones(1, dtype=pages.rate.dtype) if pages.weight is None else pages.weight
    site = np.repeat(np.arange(pages.sites), np.diff(pages.offsets))
    return take_most_valuable(pages.rate, weight, site, room, horizon, visits)


@compiled()
def next_worth(rate: float, weight: float, count: int, horizon: float) -> float:
    """Weighted share of the horizon that one visit more than ``count`` makes fresh."""
    if weight <= 0.0 or rate <= NEVER or rate >= ALWAYS:
        return 0.0
    return weight * (mean_freshness((count + 1) / horizon, rate) - mean_freshness(count / horizon, rate))


@compiled()
def take_most_valuable(
    rate: Reals, weight: Reals, site: Ints, room: Ints, horizon: float, visits: int
) -> NDArray[np.int64]:
    """One heap entry a page: its next visit. Pages of a full site drop out as they come up; ``room`` is used up."""
    ws = 1 if len(weight) > 1 else 0
    counts = np.zeros(len(rate), dtype=np.int64)
    keys = np.empty(len(rate))
    who = np.empty(len(rate), dtype=np.int64)
    size = 0
    for i in range(len(rate)):
        worth = next_worth(rate[i], weight[i * ws], 0, horizon)
        if worth > 0.0:
            size = push(keys, who, size, -worth, i)
    taken = 0
    while taken < visits and size > 0:
        i = who[0]
        size = pop(keys, who, size)
        if room[site[i]] <= 0:
            continue
        room[site[i]] -= 1
        counts[i] += 1
        taken += 1
        worth = next_worth(rate[i], weight[i * ws], counts[i], horizon)
        if worth > 0.0:
            size = push(keys, who, size, -worth, i)
    return counts
