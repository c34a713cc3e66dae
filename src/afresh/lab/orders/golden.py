"""GOLDEN: the page whose slice of the unit circle holds frac(U + t phi), phi the golden section.

Keeps no state: any tick can be computed alone. A slice is revisited after a, b or a+b ticks only, a and b neighbouring
Fibonacci numbers (three-gap theorem), hence at least 0.959 of ideal freshness (Itai and Rosberg 1984; Hofri and
Rosberg 1987 for time-division multiplexing). Does not get better on large sites, as MERGE does.
"""

import numpy as np

from afresh.base.compiled import compiled
from afresh.lab.draws import uniform
from afresh.lab.orders.spacing import after
from afresh.lab.orders.timetable import ORDER, Floats, Numbers, Pace

PHI = 0.6180339887498949


@compiled(ORDER)
def golden(frequency: Floats, _phase: Floats, pace: Pace, seed: int, times: Floats, pages: Numbers) -> int:
    """Rotation by the golden section over the cumulative frequencies."""
    sums = np.cumsum(frequency)
    sums /= sums[-1]
    t = pace.first_tick
    start = uniform(seed, 0, 0)
    count = 0
    while t < pace.until:
        spot = start + count * PHI
        at = np.searchsorted(sums, spot - np.floor(spot), side="right")
        times[count] = t
        pages[count] = min(at, len(sums) - 1)
        count += 1
        t = after(t, pace.gap)
    return count
