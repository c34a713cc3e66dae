"""Change rates learnt one visit at a time in a few bytes a page (spec §6): compiled steps over plain numbers."""

import math

from afresh.base.compiled import compiled


@compiled()
def expected_changes(y: float) -> float:
    """y/(1 - exp(-y)): how many changes a visit that found one is expected to have found, y = rate * interval."""
    return y / -math.expm1(-y) if y > 1e-9 else 1.0 + 0.5 * y


@compiled()
def stochastic_approximation(
    rate: float, previous: float, poll_rate: float, changed: bool, count: int, momentum: float
) -> tuple[float, float]:
    """Avrachenkov, Patil and Thoppe: rate += (k+1)^-0.75 (c (rate + p) - rate), with an optional heavy ball.

    p is the rate of visits, which must fall at Poisson times: under regular visits the result is too high, by 70 %
    where visits are as frequent as changes. Gives the new rate and the one before it.
    """
    gain = float(max(count, 1) + 1) ** -0.75
    target = rate + poll_rate if changed else 0.0
    better = rate + gain * (target - rate) + momentum * (rate - previous)
    return max(better, 0.0), rate


@compiled()
def large_numbers_rate(visits: int, changes: int, poll_rate: float) -> float:
    """p (X + 1/2)/(n + 1/2 - X): by the law of large numbers, for visits at Poisson times of rate p."""
    return poll_rate * (changes + 0.5) / (visits + 0.5 - changes)
