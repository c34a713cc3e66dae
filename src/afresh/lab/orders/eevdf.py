"""EEVDF: among the pages whose window has opened, the one whose window closes first.

Page i must be visited once in each window [(k+U)/f, (k+1+U)/f). Tijdeman's chairman assignment shows that the number of
visits then never errs by a whole one. If no window is open the tick goes to the one that opens next.
"""

import numpy as np

from afresh.base.compiled import compiled
from afresh.lab.orders.queue import pop, push
from afresh.lab.orders.spacing import after
from afresh.lab.orders.timetable import ORDER, Floats, Numbers, Pace


@compiled(ORDER)
def eevdf(frequency: Floats, phase: Floats, pace: Pace, _seed: int, times: Floats, pages: Numbers) -> int:
    """Two heaps: windows to come by opening, open windows by closing."""
    n = len(frequency)
    opening = np.empty(n)
    asleep = np.empty(n, dtype=np.int64)
    closing = np.empty(n)
    awake = np.empty(n, dtype=np.int64)
    rounds = np.zeros(n, dtype=np.int64)
    sleeping = 0
    waiting = 0
    for i in range(n):
        sleeping = push(opening, asleep, sleeping, phase[i] / frequency[i], i)
    t = pace.first_tick
    count = 0
    while t < pace.until:
        while sleeping > 0 and (opening[0] <= t or waiting == 0):
            i = asleep[0]
            sleeping = pop(opening, asleep, sleeping)
            waiting = push(closing, awake, waiting, (rounds[i] + 1 + phase[i]) / frequency[i], i)
        i = awake[0]
        waiting = pop(closing, awake, waiting)
        times[count] = t
        pages[count] = i
        count += 1
        rounds[i] += 1
        sleeping = push(opening, asleep, sleeping, (rounds[i] + phase[i]) / frequency[i], i)
        t = after(t, pace.gap)
    return count
