"""Hours and weekdays of UTC seconds, in compiled form so that a step can ask for them.

A fixed zone is used throughout, the same for training and prediction (Reichert leaves the zone open, spec B10).
"""

import math

from afresh.base.compiled import compiled

MINUTE = 60.0
HOUR = 3_600.0
DAY = 86_400.0
WEEK = 604_800.0


@compiled("int64(float64)")
def hour_of_day(t: float) -> int:
    """0 to 23."""
    return math.floor(t / 3_600.0) % 24


@compiled("int64(float64)")
def minute_of_day(t: float) -> int:
    """0 to 1439."""
    return math.floor(t / 60.0) % 1440


@compiled("int64(float64)")
def weekday(t: float) -> int:
    """0 (Monday) to 6 (Sunday).

    >>> weekday(0.0)
    3
    """
    return (math.floor(t / 86_400.0) + 3) % 7  # 1970-01-01 was a Thursday


@compiled("float64(float64)")
def next_hour(t: float) -> float:
    """The first full hour after ``t``; an hour later if ``t`` is one."""
    return (math.floor(t / 3_600.0) + 1.0) * 3_600.0
