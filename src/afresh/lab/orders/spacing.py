"""Time between two requests to a site, kept to the last digit.

A floating-point sum may round down, so "last + delay" can come out closer than the delay. ``after`` returns the
smallest number not below the exact sum; whoever checks with exact fractions finds no violation.
"""

import math

import numpy as np

from afresh.base.compiled import compiled


@compiled()
def after(t: float, gap: float) -> float:
    """The first representable time at or after t + gap, exactly (Knuth's two-sum gives the rounding error).

    >>> after(0.1, 0.2) - 0.1 >= 0.2
    True
    """
    s = t + gap
    back = s - t
    error = (t - (s - back)) + (gap - back)
    if error > 0.0:
        if s > 0.0:
            return np.int64(np.float64(s).view(np.int64) + 1).view(np.float64)
        return math.nextafter(s, math.inf) if s == 0.0 else np.int64(np.float64(s).view(np.int64) - 1).view(np.float64)
    return s
