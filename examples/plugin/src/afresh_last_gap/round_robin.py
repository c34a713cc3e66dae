"""Every page of a site in turn, however often it is wanted: the order that pays no attention."""

from afresh.base.compiled import compiled
from afresh.lab.orders.spacing import after
from afresh.lab.orders.timetable import ORDER, Floats, Numbers, Pace


@compiled(ORDER)
def round_robin(frequency: Floats, _phase: Floats, pace: Pace, _seed: int, times: Floats, pages: Numbers) -> int:
    """One page a tick, from the first to the last and again."""
    t, count = pace.first_tick, 0
    while t < pace.until:
        times[count] = t
        pages[count] = count % len(frequency)
        count += 1
        t = after(t, pace.gap)
    return count
