"""The cheapest sequence of polls over the coming hours, and with it the next one.

Entries wait until the next poll, a poll costs its price: this is the lot-sizing problem, whose optimum over a grid of
possible poll times is a shortest path. docs/theory/priced.md has the equations.
"""

import math

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row

NODES = 322  #: possible poll times looked at, the present one included

# Rows of a grid.
AT = 0  #: seconds from now
ENTRIES = 1  #: what is expected to have come, weighted: Λ
MOMENT = 2  #: ∫ t dΛ, which turns a difference of Λ into a waiting time
FLUID = 3  #: cost up to here of a feed polled at the ideal pace; what lies behind the last poll is judged by it
PLAIN = 4  #: expected entries by rate and rhythm alone
COST = 5  #: of the cheapest plan that polls here
HEIGHT = 6  #: the planner's own: where its line starts
SINCE = 7  #: the planner's own: from when on a line is the lowest
ROWS = 8


@compiled(cache=False)
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


@compiled(cache=False)
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


@compiled(cache=False)
def cheapest(grid: Row, last: int, price: float, alpha: float, reach: int) -> int:
    """The node of the first poll of the cheapest plan whose polls are at most ``reach`` nodes apart, in O(``last``).

    cost(j) = price + t_j Λ_j − M_j + min_i (cost(i) + M_i − Λ_i t_j): the minimum is over straight lines in t_j whose
    slopes fall with i, so a later line, once better, stays better. A queue holds the lines that will each be the
    lowest for a while, with the time from when on: from when it beats the one before it, or that one is out of reach.
    """
    at, entries, moment, cost = grid[AT], grid[ENTRIES], grid[MOMENT], grid[COST]
    height, since = grid[HEIGHT], grid[SINCE]
    first = np.empty(last + 1, np.int32)
    queue = np.empty(last + 1, np.int32)
    head = 0
    tail = 1
    queue[0] = 0
    cost[0] = 0.0
    height[0] = 0.0
    since[0] = -math.inf
    for j in range(1, last + 1):
        t = at[j]
        while tail - head > 1 and since[head + 1] <= t:
            head += 1
        i = queue[head]
        cost[j] = price + t * entries[j] - moment[j] + height[i] - entries[i] * t
        first[j] = j if i == 0 else first[i]
        if t < alpha:  # no poll so soon, so no plan goes through here
            continue
        height[j] = cost[j] + moment[j]
        start = -math.inf
        while tail > head:
            i = queue[tail - 1]
            start = at[i + reach + 1] if i + reach < last else math.inf
            if entries[j] > entries[i]:
                start = min(start, (height[j] - height[i]) / (entries[j] - entries[i]))
            if tail - head == 1 or start > since[tail - 1]:
                break
            tail -= 1
        queue[tail] = j
        since[tail] = start
        tail += 1
    return int(first[_end(grid, last)])
