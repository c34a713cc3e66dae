"""Time between requests, to the last digit."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from afresh.lab.draws import uniform
from afresh.lab.orders.spacing import after

times = st.floats(-2e9, 4e9, allow_nan=False)
gaps = st.floats(1e-9, 1e7, allow_nan=False)


@given(times, gaps)
def test_after_is_the_first_number_not_below_the_exact_sum(t: float, gap: float) -> None:
    found = after(t, gap)
    exact = Fraction(t) + Fraction(gap)
    assert Fraction(found) >= exact
    assert Fraction(float(np.nextafter(found, -np.inf))) < exact


@given(times, times, gaps)
def test_after_keeps_the_order_of_times(one: float, other: float, gap: float) -> None:
    first, second = sorted((one, other))
    assert after(first, gap) <= after(second, gap)


def test_uniform_numbers_are_uniform_and_repeat() -> None:
    drawn = np.array([uniform(7, i, 0) for i in range(4000)])
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    # the mean of 4000 uniforms is within 0.02 of 1/2 but once in 50,000 seeds
    assert abs(drawn.mean() - 0.5) < 0.02
    assert uniform(7, 3, 0) == drawn[3]
    assert len(np.unique(drawn)) == 4000
