"""The cheapest sequence of polls over the coming hours, and with it the next one.

Entries wait until the next poll, a poll costs its price: this is the lot-sizing problem, whose optimum over a grid of
possible poll times is a shortest path. docs/theory/priced.md has the equations.
"""

import math

import numpy as np

from afresh.core.compiled import compiled
from afresh.core.models import Row

NODES = 322  #: possible poll times looked at, the present one included

# Rows of a grid.
AT = 0  #: seconds from now
ENTRIES = 1  #: what is expected to have come, weighted: Λ
MOMENT = 2  #: ∫ t dΛ, which turns a difference of Λ into a waiting time
FLUID = 3  #: cost up to here of a feed polled at the ideal pace; what lies behind the last poll is judged by it
PLAIN = 4  #: expected entries by rate and rhythm alone
COST = 5  #: of the cheapest plan that polls here
ROWS = 6


@compiled()
def phase_of(minutes: Row, step: int) -> int:
    """The minute (below ``step``) at which a grid of ``step`` minutes has to start to follow its entries closest.

    Moving the grid one minute on adds a minute's wait to all entries but those it has just passed.
    """
    best = 0
    lag = 0.0
    least = 0.0
    for offset in range(step - 1):
        passed = 0.0
        for i in range(offset, 60, step):
            passed += minutes[i]
        lag += 1.0 - step * passed
        if lag < least:
            least = lag
            best = offset + 1
    return best


@compiled()
def cheapest(grid: Row, last: int, price: float, alpha: float) -> int:
    """The node of the first poll of the cheapest plan, in time linear in the number of nodes.

    cost(j) = price + t_j Λ_j − M_j + min_i (cost(i) + M_i − Λ_i t_j): the minimum is over straight lines in t_j whose
    slopes fall with i, so the lower envelope is a queue from which each line is taken once.
    """
    at, entries, moment, cost = grid[AT], grid[ENTRIES], grid[MOMENT], grid[COST]
    first = np.zeros(last + 1, np.int32)
    queue = np.zeros(last + 1, np.int32)
    head = 0
    tail = 1
    cost[0] = 0.0
    for j in range(1, last + 1):
        t = at[j]
        i = queue[head]
        least = cost[i] + moment[i] - entries[i] * t
        while tail - head > 1:
            k = queue[head + 1]
            other = cost[k] + moment[k] - entries[k] * t
            if other > least:
                break
            least = other
            i = k
            head += 1
        cost[j] = price + t * entries[j] - moment[j] + least
        first[j] = j if i == 0 else first[i]
        if t < alpha:  # no poll so soon, so no plan goes through here
            continue
        height = cost[j] + moment[j]
        while tail - head > 1:
            i = queue[tail - 1]
            k = queue[tail - 2]
            base = cost[k] + moment[k]
            rise = cost[i] + moment[i] - base
            if (height - base) * (entries[i] - entries[k]) > rise * (entries[j] - entries[k]):
                break
            tail -= 1
        queue[tail] = j
        tail += 1
    return int(first[_end(grid, last)])


@compiled()
def cheapest_within(grid: Row, last: int, price: float, reach: int) -> int:
    """The same where no two polls may be more than ``reach`` nodes apart: every pair of nodes is looked at."""
    at, entries, moment, cost = grid[AT], grid[ENTRIES], grid[MOMENT], grid[COST]
    first = np.zeros(last + 1, np.int32)
    cost[0] = 0.0
    for j in range(1, last + 1):
        t = at[j]
        best = max(0, j - reach)
        least = math.inf
        for i in range(best, j):
            value = cost[i] + moment[i] - entries[i] * t
            if value < least:
                least = value
                best = i
        cost[j] = price + t * entries[j] - moment[j] + least
        first[j] = j if best == 0 else first[best]
    return int(first[_end(grid, last)])


@compiled()
def _end(grid: Row, last: int) -> int:
    """Where the best plan has its last poll: in the second half, the time behind it at the fluid cost."""
    best = last
    least = math.inf
    for j in range(max(1, last // 2), last + 1):
        value = grid[COST, j] - grid[FLUID, j]
        if value < least:
            least = value
            best = j
    return best


@compiled()
def expected_loss(mean: float, capacity: float) -> float:
    """Entries a window of ``capacity`` is expected to lose when a Poisson number of them with this mean arrive."""
    if mean > 50.0 * (capacity + 1.0):
        return mean - capacity
    room = 0.0
    chance = math.exp(-mean)
    if chance == 0.0:
        return max(0.0, mean - capacity)
    k = 0.0
    while k < capacity:
        room += (capacity - k) * chance
        k += 1.0
        chance *= mean / k
    return max(0.0, mean - capacity + room)
