"""What a server or the stream says besides the window: the layout of a step's ``hints`` row.

A missing hint is NaN. Behind the fixed slots follows the trained profile row of models that need one (IndHist: 24
hourly rates), so a step finds it at ``hints[PROFILE:]``.
"""

import math

import numpy as np
from numpy.typing import NDArray

PREVIOUS = 0  #: time of the previous successful poll; NaN at the first
TTL = 1  #: RSS ttl, seconds
MAX_AGE = 2  #: freshness the HTTP cache headers promise, seconds
COUNT_7D = 3  #: known entries published in the last 7 days
OLDEST_7D = 4  #: publication time of the oldest of these
COUNT_30D = 5  #: known entries published in the last 30 days
OLDEST_30D = 6  #: publication time of the oldest of these
CAPACITY = 7  #: how many entries the window can hold (largest size seen lately)
PRICE = 8  #: price of one request in entry-seconds; NaN: the rule's own parameter counts
WEIGHT = 9  #: worth of an entry of this feed; 1 is usual
RETRY_AFTER = 10  #: seconds the server asked us to wait
MISSED = 11  #: 1 if this poll's window did not overlap the previous one
PROFILE = 12  #: start of the trained profile row


def row(profile: NDArray[np.float64] | None = None, **known: float) -> NDArray[np.float64]:
    """A hints row with the named slots set and all others missing.

    >>> row(ttl=600.0)[TTL]
    np.float64(600.0)
    """
    hints = np.full(PROFILE + (0 if profile is None else len(profile)), math.nan)
    hints[WEIGHT] = 1.0
    for name, value in known.items():
        hints[globals()[name.upper()]] = value
    if profile is not None:
        hints[PROFILE:] = profile
    return hints
