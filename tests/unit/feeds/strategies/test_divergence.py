"""Divergence, saturation and utility: the worked examples of the specification."""

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.feeds.strategies.divergence import saturation_coefficient, threshold_for
from tests.laws.divergence import (
    approximate_utility,
    constant_rate_interval,
    constant_rate_utility,
    exact_utility,
    is_saturated,
    query_set_divergence,
    stream_divergence,
    window_divergence,
)

TIMES = np.array([1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 9.0])
WANTED = np.array([True, False, True, True, False, True, True])


def test_golden_g1_at_seven() -> None:
    assert stream_divergence(TIMES, 3.0, 7.0) == 4
    assert window_divergence(TIMES, 3, 3.0, 7.0) == 3
    assert stream_divergence(TIMES, 3.0, 7.0, WANTED) == 3
    assert window_divergence(TIMES, 3, 3.0, 7.0, WANTED) == 2


def test_a_refresh_brings_divergence_to_nothing() -> None:
    assert stream_divergence(TIMES, 7.0, 7.0) == 0
    assert window_divergence(TIMES, 3, 7.0, 7.0) == 0


def test_golden_g2() -> None:
    assert exact_utility(TIMES, 3.0, 8.0) == 10.0
    assert approximate_utility(5.0, stream_divergence(TIMES, 3.0, 8.0)) == 10.0
    assert approximate_utility(5.0, window_divergence(TIMES, 3, 3.0, 8.0)) == 7.5


def test_of_two_sources_with_equal_divergence_the_late_publisher_is_worth_more() -> None:
    early, late = np.array([1.0, 1.5]), np.array([8.0, 9.0])
    assert exact_utility(late, 0.0, 10.0) > exact_utility(early, 0.0, 10.0)


def test_queries_that_overlap_count_an_entry_once() -> None:
    wanted = np.column_stack([WANTED, np.ones(7, dtype=bool)])
    assert query_set_divergence(TIMES, 3.0, 7.0, wanted) == 7
    assert query_set_divergence(TIMES, 3.0, 7.0, wanted, disjoint=False) == 4


def test_saturated_at_equality_though_nothing_is_lost_yet() -> None:
    assert is_saturated(10, 10)
    assert not is_saturated(9, 10)


@pytest.mark.parametrize(
    ("r", "rate", "lost"), [(1.0, 10.0, 0.0), (0.5, 10.0, 0.5), (1.0, 40.0, 0.75), (1.0, 0.0, 0.0)]
)
def test_saturation_coefficient(r: float, rate: float, lost: float) -> None:
    assert saturation_coefficient(10, r, rate) == lost


def test_saturation_refuses_nonsense() -> None:
    with pytest.raises(ModelError, match="positive"):
        saturation_coefficient(0, 1.0, 1.0)


def test_constant_rate() -> None:
    interval = constant_rate_interval(8.0, 4.0)
    assert interval == 2.0
    assert constant_rate_utility(interval, 4.0) == 8.0
    assert constant_rate_interval(8.0, 0.0) == np.inf


def test_the_threshold_spends_the_budget() -> None:
    rates = np.random.default_rng(1).uniform(0.0, 6.5, 100)
    tau = threshold_for(rates, 30.0)
    spent = sum(1.0 / constant_rate_interval(tau, rate) for rate in rates)
    assert spent == pytest.approx(30.0)
    with pytest.raises(ModelError):
        threshold_for(rates, 0.0)
