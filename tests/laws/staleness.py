"""How stale a page is expected to be: the order WebFountain-like schedulers visit by.  [EMT01], [G20] §4.2.3.

With changes at a steady rate λ, a page last seen u seconds ago differs from its copy with probability 1 − e^(−λu). A
page never downloaded counts as wholly stale, so new pages come first. Sites are ranked by the mean over their pages.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError


def staleness(rate: float, age: float | None) -> float:
    """The probability that a page seen ``age`` seconds ago has changed; None: never seen.

    >>> staleness(0.0, 1e9), staleness(1.0, None), round(staleness(1.0, 1.0), 4)
    (0.0, 1.0, 0.6321)
    """
    if age is None:
        return 1.0
    if rate < 0.0:
        raise ModelError(f"a change rate cannot be negative, got {rate}")
    return 1.0 - exp(-rate * max(age, 0.0))


def mean_staleness(rates: NDArray[np.float64], ages: NDArray[np.float64]) -> float:
    """Of a site; an age of NaN: never seen. A site without pages is not stale."""
    if len(rates) == 0:
        return 0.0
    return float(np.where(np.isnan(ages), 1.0, -np.expm1(-rates * np.maximum(ages, 0.0))).mean())
