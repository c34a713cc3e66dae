"""How fresh a copy is likely to be under a Gamma belief about the page's rate: now, and on average over an interval.

P(fresh after u) = E exp(-rate u) = (b/(b+u))^a        mean over an interval t: 1/t times its integral
"""

import math


def still_fresh(a: float, b: float, elapsed: float) -> float:
    """Probability that nothing changed in ``elapsed`` seconds.

    >>> still_fresh(1.0, 100.0, 100.0)
    0.5
    """
    return math.exp(-a * math.log1p(max(0.0, elapsed) / b))


def mean_freshness(a: float, b: float, interval: float) -> float:
    """Expected freshness of a page visited every ``interval`` seconds; 0 if never, 1 if always.

    >>> round(mean_freshness(1e9, 1e9, 1.0), 6)  # a rate known for certain: (1 - exp(-1))/1
    0.632121
    """
    if interval == math.inf:
        return 0.0
    if interval <= 1e-12 * b:
        return 1.0
    z = math.log1p(interval / b)
    power = (a - 1.0) * z
    integral = b * z if abs(power) < 1e-9 else -math.expm1(-power) * b / (a - 1.0)
    return min(1.0, integral / interval)
