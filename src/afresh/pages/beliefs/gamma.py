"""Gamma belief about a page's change rate, learnt from visits that say only "changed" or "not".

rate ~ Gamma(a, b): a is evidence in changes, b exposure in seconds. A quiet interval I turns it into Gamma(a, b + I)
exactly. A visit that found a change multiplies the density by 1 - exp(-rate I), which is no Gamma any more; it is
replaced by the Gamma of the same mean and variance (assumed-density filtering):

    E[rate^k | change] = (a)_k/b^k * (1 - s^(a+k))/(1 - s^a),   s = b/(b+I)

Evidence is forgotten in two ways, since pages do not keep their rates (spec §5.8): a never passes ``memory``, b being
scaled alike, and with time the belief drifts back towards the prior.
"""

import math

from afresh.base.compiled import compiled


@compiled()
def after_change(a: float, b: float, interval: float) -> tuple[float, float]:
    """The belief after a visit that found a change.

    >>> a, b = after_change(1.0, 10.0, 1e-6)  # a short interval: one more change, for certain
    >>> round(a, 3), round(b, 3)
    (2.0, 10.0)
    >>> after_change(1.0, 10.0, 1e9)[0] < 1.01  # a long one says nothing
    True
    """
    z = -math.log1p(interval / b)
    none = -math.expm1(a * z)
    if none < 1e-9:
        return a + 1.0, b
    first = a / b * (math.expm1((a + 1.0) * z) / math.expm1(a * z))
    second = a * (a + 1.0) / (b * b) * (math.expm1((a + 2.0) * z) / math.expm1(a * z))
    variance = max(second - first * first, 1e-12 * first * first)
    return first * first / variance, first / variance


@compiled()
def after_quiet(a: float, b: float, interval: float) -> tuple[float, float]:
    """The belief after a visit that found nothing: exposure without evidence."""
    return a, b + interval


@compiled()
def capped(a: float, b: float, most: float) -> tuple[float, float]:
    """The same mean rate with no more evidence than ``most`` changes."""
    if a > most:
        return most, b * (most / a)
    return a, b


@compiled()
def faded(a: float, b: float, a0: float, b0: float, keep: float) -> tuple[float, float]:
    """Part of the evidence beyond the prior forgotten: ``keep`` of it stays."""
    return a0 + (a - a0) * keep, b0 + (b - b0) * keep
