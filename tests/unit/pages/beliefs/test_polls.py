"""Change rates from visits: worked examples and laws; ``replication/test_merge_claims.py`` has the table of errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.lab.revisit.last_modified import complete_history_rate, last_modified_rate
from afresh.lab.revisit.rate_from_visits import cho_rate, em_map_rate, mle_rate, moment_rate, naive_rate
from afresh.lab.rivals.page_rates import RATE, learn_streaming
from afresh.pages.beliefs.streaming import large_numbers_rate, stochastic_approximation
from afresh.pages.policies.policy import FIRST

VISITS = st.lists(st.tuples(st.floats(0.01, 1e6), st.booleans()), min_size=2, max_size=30)


def test_hand_computed_rates() -> None:
    lengths, bits = [2.0, 2.0, 2.0, 2.0], [True, False, False, True]
    assert naive_rate(lengths, bits) == 0.25
    assert cho_rate(lengths, bits) == pytest.approx(-math.log(2.5 / 4.5) / 2.0)
    assert mle_rate(lengths, bits) == pytest.approx(math.log(2.0) / 2.0)  # half of the visits found nothing
    assert moment_rate(lengths, bits) == pytest.approx(math.log(2.0) / 2.0)
    assert last_modified_rate(lengths, bits, [1.0, 3.0, 5.0, 0.5], corrected=False) == pytest.approx(2.0 / 5.5)
    found = 1.0 - 2.0 / (4.0 * math.log(0.5))
    assert last_modified_rate(lengths, bits, [1.0, 3.0, 5.0, 0.5]) == pytest.approx(found / 5.5)


def test_no_and_only_changes() -> None:
    assert mle_rate([1.0, 2.0], [False, False]) == 0.0
    assert moment_rate([1.0, 2.0], [True, True]) == math.inf
    assert 0.0 < em_map_rate([1.0, 2.0], [False, False]) < em_map_rate([1.0, 2.0], [True, True]) < math.inf
    assert math.isfinite(cho_rate([1.0] * 5, [True] * 5))
    assert all(math.isnan(rate([], [])) for rate in (naive_rate, cho_rate, mle_rate, em_map_rate, moment_rate))
    assert last_modified_rate([5.0], [True], [0.0]) == math.inf


@pytest.mark.parametrize("interval", [0.0, -1.0, math.nan, math.inf])
def test_senseless_intervals_are_named(interval: float) -> None:
    with pytest.raises(ModelError, match="visit 1: interval"):
        em_map_rate([1.0, interval], [True, False])


def test_other_senseless_input() -> None:
    with pytest.raises(ModelError, match="2 intervals, but 1"):
        naive_rate([1.0, 2.0], [True])
    with pytest.raises(ModelError, match="times of modification"):
        last_modified_rate([1.0, 2.0], [True, False], [1.0])
    with pytest.raises(ModelError, match="shape"):
        em_map_rate([1.0], [True], shape=1.0)
    with pytest.raises(ModelError, match="make no sense"):
        complete_history_rate(-1, 5.0)


@given(VISITS, st.floats(0.001, 1000.0))
def test_the_unit_of_time_does_not_matter(visits: list[tuple[float, bool]], unit: float) -> None:
    lengths = np.array([length for length, _ in visits])
    bits = np.array([bit for _, bit in visits])
    for rate in (naive_rate, cho_rate, mle_rate, em_map_rate, moment_rate):
        assert rate(lengths * unit, bits) * unit == pytest.approx(rate(lengths, bits), rel=1e-6)


@given(VISITS)
def test_likelihood_is_flat_at_its_maximum(visits: list[tuple[float, bool]]) -> None:
    lengths = np.array([length for length, _ in visits])
    bits = np.array([bit for _, bit in visits])
    best = mle_rate(lengths, bits)
    if 0.0 < best < math.inf:

        def likelihood(rate: float) -> float:
            y = rate * lengths
            return float(np.log(-np.expm1(-y[bits])).sum() - y[~bits].sum())

        slack = 1e-9 * (1.0 + abs(likelihood(best)))
        assert likelihood(best) >= likelihood(best * 1.01) - slack
        assert likelihood(best) >= likelihood(best * 0.99) - slack


def test_streaming_em_settles_at_the_rate() -> None:
    rng = np.random.default_rng(5)
    params, page, site, world = np.array([0.02]), np.zeros(FIRST + 4), np.zeros(1), np.zeros(16)
    seen = []
    for _ in range(4000):
        interval = float(rng.exponential(200.0))
        changed = float(rng.random() < -math.expm1(-0.007 * interval))
        learn_streaming(params, page, site, world, 0.0, interval, changed, 0.0)
        seen.append(page[RATE])
    assert np.mean(seen[1000:]) == pytest.approx(0.007, rel=0.08)


def test_estimators_for_visits_at_poisson_times() -> None:
    assert large_numbers_rate(100, 50, 2.0) == pytest.approx(2.0)  # half changed: as many changes as visits
    assert large_numbers_rate(10, 10, 1.0) == pytest.approx(21.0)  # finite though every visit found a change
    rate, before = stochastic_approximation(1.0, 1.0, 1.0, True, 1, 0.0)
    assert (rate, before) == (pytest.approx(1.0 + 2.0**-0.75), 1.0)
    rate, _ = stochastic_approximation(1.0, 3.0, 1.0, False, 1, 0.5)
    assert rate == 0.0  # the heavy ball would take it below
