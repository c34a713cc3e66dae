"""DELAYED: pages wish to be visited at their own times and wait until the site may be asked again.  [SL §3.1]

With virtual clocks the next wish is the last *wish* plus 1/f: waiting is jitter, the frequency is kept. Re-anchored, it
is the last *visit* plus 1/f: every wait is lost for good, which is what a naive crawler does. Sends bursts at the full
rate the delay permits, and has no known guarantee.
"""

import numpy as np

from afresh.base.compiled import compiled
from afresh.lab.orders.queue import pop, push
from afresh.lab.orders.spacing import after
from afresh.lab.orders.timetable import ORDER, Floats, Numbers, Pace


@compiled()
def _wait(frequency: Floats, phase: Floats, pace: Pace, is_anchored: bool, times: Floats, pages: Numbers) -> int:
    n = len(frequency)
    wishes = np.empty(n)
    who = np.empty(n, dtype=np.int64)
    waiting = 0
    for i in range(n):
        waiting = push(wishes, who, waiting, phase[i] / frequency[i], i)
    free = -np.inf
    count = 0
    while waiting > 0 and count < len(times):
        wish = wishes[0]
        i = who[0]
        t = max(wish, free)
        if t >= pace.until:
            break
        waiting = pop(wishes, who, waiting)
        times[count] = t
        pages[count] = i
        count += 1
        waiting = push(wishes, who, waiting, (t if is_anchored else wish) + 1.0 / frequency[i], i)
        free = after(t, pace.delay)
    return count


@compiled(ORDER)
def delayed(frequency: Floats, phase: Floats, pace: Pace, _seed: int, times: Floats, pages: Numbers) -> int:
    """Virtual clocks: the next wish follows the last wish."""
    return _wait(frequency, phase, pace, False, times, pages)


@compiled(ORDER)
def delayed_reanchored(frequency: Floats, phase: Floats, pace: Pace, _seed: int, times: Floats, pages: Numbers) -> int:
    """The next wish follows the visit."""
    return _wait(frequency, phase, pace, True, times, pages)
