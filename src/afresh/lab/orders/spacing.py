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


@compiled()
def uniform(seed: int, stream: int, draw: int) -> float:
    """A number in [0, 1) that depends on its three arguments only (SplitMix64): phases repeat without being stored."""
    z = np.uint64(seed) + np.uint64(stream) * np.uint64(0xD1342543DE82EF95)
    z += (np.uint64(draw) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)
