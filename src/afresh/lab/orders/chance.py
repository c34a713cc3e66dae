"""RANDOM: each tick takes page i with probability f_i over the site's sum; at least 0.770 of ideal freshness.  [SL]"""

import numpy as np

from afresh.base.compiled import compiled
from afresh.lab.draws import uniform
from afresh.lab.orders.spacing import after
from afresh.lab.orders.timetable import ORDER, Floats, Numbers, Pace


@compiled(ORDER)
def chance(frequency: Floats, _phase: Floats, pace: Pace, seed: int, times: Floats, pages: Numbers) -> int:
    """Independent draws by search in the cumulative frequencies."""
    sums = np.cumsum(frequency)
    t = pace.first_tick
    count = 0
    while t < pace.until:
        at = np.searchsorted(sums, uniform(seed, 0, count) * sums[-1], side="right")
        times[count] = t
        pages[count] = min(at, len(sums) - 1)
        count += 1
        t = after(t, pace.gap)
    return count
