"""The Gamma belief against numerical integration, and its laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.pages.beliefs.gamma import after_change, after_quiet, capped, faded


def _moments_after_change(a: float, b: float, interval: float) -> tuple[float, float]:
    """Mean and variance of the exact posterior, by summing over a fine grid."""
    rate = np.exp(np.linspace(math.log(1e-9 / b), math.log((a + 60.0) * 20.0 / b), 400_001))
    density = np.exp(a * np.log(rate) - b * rate) * -np.expm1(-rate * interval)  # over log rate
    density /= density.sum()
    mean = float((density * rate).sum())
    return mean, float((density * rate**2).sum()) - mean**2


@pytest.mark.parametrize(
    ("a", "b", "interval"), [(0.5, 10.0, 3.0), (1.0, 1.0, 20.0), (4.0, 100.0, 0.01), (8.0, 2.0, 2.0)]
)
def test_a_change_keeps_mean_and_variance(a: float, b: float, interval: float) -> None:
    mean, variance = _moments_after_change(a, b, interval)
    new_a, new_b = after_change(a, b, interval)
    assert new_a / new_b == pytest.approx(mean, rel=1e-4)
    assert new_a / new_b**2 == pytest.approx(variance, rel=1e-3)


@given(st.floats(0.05, 50.0), st.floats(1.0, 1e8), st.floats(1e-3, 1e10))
def test_changes_raise_and_quiet_lowers_the_rate(a: float, b: float, interval: float) -> None:
    up_a, up_b = after_change(a, b, interval)
    down_a, down_b = after_quiet(a, b, interval)
    assert math.isfinite(up_a)
    assert up_b > 0.0
    assert up_a / up_b >= a / b * (1.0 - 1e-9)
    assert down_a / down_b <= a / b


def test_caps_keep_the_mean_and_fading_leads_to_the_prior() -> None:
    a, b = capped(12.0, 48.0, 3.0)
    assert (a, a / b) == (3.0, 0.25)
    assert capped(1.0, 5.0, 3.0) == (1.0, 5.0)
    assert faded(9.0, 30.0, 1.0, 10.0, 0.0) == (1.0, 10.0)
    assert faded(9.0, 30.0, 1.0, 10.0, 1.0) == (9.0, 30.0)
