"""IEPP: every page equally spaced for itself, at (k + U)/f, whatever the site bears.

The bound no polite order can pass; pages of one site collide, so it is no order to run.  [SL §3.1]
"""

from afresh.base.compiled import compiled
from afresh.lab.orders.timetable import ORDER, Floats, Numbers, Pace


@compiled(ORDER)
def iepp(frequency: Floats, phase: Floats, pace: Pace, _seed: int, times: Floats, pages: Numbers) -> int:
    """All visits of the first page, then of the second, and so on."""
    count = 0
    for i in range(len(frequency)):
        k = 0
        t = phase[i] / frequency[i]
        while t < pace.until:
            times[count] = t
            pages[count] = i
            count += 1
            k += 1
            t = (k + phase[i]) / frequency[i]
    return count
