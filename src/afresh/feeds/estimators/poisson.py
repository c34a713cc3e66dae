"""Poisson counts that a window cuts off: how likely is a full window, and how many entries were there then?"""

import math

from afresh.base.compiled import compiled
from afresh.base.signatures import types


@compiled(types.float64(types.float64, types.float64))
def hazard(mean: float, window: float) -> float:
    """P(N = W − 1) / P(N ≥ W) for a Poisson number N, without the cancellation of 1 − Σ.

    Times the interval this is the gradient of a full window's log-likelihood.  [H12] §7.4.3 in its telescoped form.
    """
    if not mean > 0.0:
        return math.inf
    if mean < window + 10.0:
        # P(N ≥ W) = P(N = W)·(1 + μ/(W+1) + …) and P(N = W − 1) = P(N = W)·W/μ
        total = 1.0
        term = 1.0
        k = window
        while True:
            k += 1.0
            term *= mean / k
            total += term
            if term < 1e-16 * total:
                break
        return (window / mean) / total
    log_p = (window - 1.0) * math.log(mean) - mean - math.lgamma(window)
    p = math.exp(log_p)
    below = 0.0
    term = p
    k = window - 1.0
    while k >= 0.0 and term > 1e-18:
        below += term
        term *= k / mean
        k -= 1.0
    return p / (1.0 - below)


@compiled(types.float64(types.float64, types.float64))
def expected_above(mean: float, window: float) -> float:
    """E[N | N ≥ W]: the entries to expect behind a window that came full.

    >>> round(expected_above(1.0, 1.0), 3)
    1.582
    """
    return float(max(window, mean * (1.0 + hazard(mean, window)))) if mean > 0.0 else float(window)
