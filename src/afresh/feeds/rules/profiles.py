"""The rhythm of a day that a feed's history shows, for rules that are trained."""

import numpy as np

from afresh.base.calendar import DAY
from afresh.base.models import Row


def daily_profile(times: Row, end: float, *, slots: int) -> Row:
    """Mean entries per day in each of so many equal parts of the day, from all entries before ``end``.  [R12] §4.4.1.

    Observed days reach from the oldest of them to ``end``, at least one (spec B10).
    """
    known = times[times < end]
    if not len(known):
        return np.zeros(slots)
    of_day = (np.floor(known / (DAY / slots)) % slots).astype(np.int64)
    days = max(1.0, (end - float(known.min())) / DAY)
    return np.bincount(of_day, minlength=slots) / days
