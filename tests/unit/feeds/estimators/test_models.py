"""Publication models: the worked examples of the specification, and the repairs of the printed rules."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.feeds.estimators import Estimator
from afresh.feeds.estimators.censored import gradient, most_likely
from afresh.feeds.estimators.poisson import expected_above, hazard
from afresh.feeds.estimators.smoothing import instability
from afresh.lab.refresh.catalogue import estimator
from afresh.lab.refresh.errors import divergence_error, profile_distance
from afresh.lab.refresh.known import Known
from afresh.lab.refresh.phases import Learning

DAY = 86_400.0


def update(model: Estimator, state: np.ndarray, last: float, now: float, count: float, full: bool = False) -> None:
    type(model).update(model.params(), state, last, now, count, float(full), 10.0)


def expect(model: Estimator, state: np.ndarray, last: float, now: float) -> tuple[float, float]:
    return type(model).expect(model.params(), state, last, now)


def test_single_variable_example() -> None:
    model, state = estimator("single", alpha=0.1), np.array([0.5])
    update(model, state, 0.0, 4.0, 6.0)
    assert state[0] == pytest.approx(0.6)


class TestPeriodic:
    """Golden test G4: four slots of length 6."""

    model = estimator("periodic", alpha=0.2, period=24.0, slots=4, covered=False, floor=1e-300)
    table = np.array([1.0, 1e-300, 2.0, 0.5])

    @pytest.mark.parametrize(("last", "now", "count"), [(4.0, 20.0, 15.0), (13.0, 16.0, 6.0), (4.0, 30.0, 23.0)])
    def test_divergence(self, last: float, now: float, count: float) -> None:
        assert expect(self.model, self.table, last, now)[0] == pytest.approx(count)

    def test_utility(self) -> None:
        assert expect(self.model, self.table, 4.0, 20.0)[1] == pytest.approx(149.0)

    def test_update(self) -> None:
        state = self.table.copy()
        update(self.model, state, 4.0, 20.0, 10.0)
        assert state == pytest.approx([0.9333, 0.0, 1.8667, 0.4667], abs=5e-5)

    def test_several_periods_at_once(self) -> None:
        slow = [expect(self.model, self.table, 4.0 + k, 5.0 + k) for k in range(100)]
        count = sum(c for c, _ in slow)
        moment = sum(m + k * c for k, (c, m) in enumerate(slow))
        assert expect(self.model, self.table, 4.0, 104.0) == pytest.approx((count, moment))

    def test_a_span_of_all_slots_teaches_the_level_not_the_shape(self) -> None:
        state = self.table.copy()
        update(self.model, state, 0.0, 24.0, 42.0)
        assert state[2] / state[0] == pytest.approx(2.0)
        assert state[0] == pytest.approx(1.2)

    def test_a_slot_learns_by_the_part_that_was_covered(self) -> None:
        model = estimator("periodic", alpha=0.2, period=24.0, slots=4, covered=True)
        state = np.array([1.0, 1.0, 1.0, 1.0])
        update(model, state, 3.0, 12.0, 18.0)
        assert state == pytest.approx([1.1, 1.2, 1.0, 1.0])


def test_zero_is_not_absorbing() -> None:
    """As printed a slot at 0 stays there whenever others are positive; the floor lets it come back."""
    model = estimator("periodic", alpha=0.2, period=24.0, slots=4, floor=1e-3, covered=False)
    state = np.full(4, 1.0)
    for day in range(200):
        update(model, state, 24.0 * day, 24.0 * day + 6.0, 0.0)
    assert state[0] == 1e-3
    for day in range(200, 300):
        update(model, state, 24.0 * day, 24.0 * day + 6.0, 12.0)
    assert state[0] == pytest.approx(2.0, rel=0.01)


def test_a_full_window_raises_an_estimate_that_is_too_low_and_leaves_a_high_one() -> None:
    model = estimator("single", alpha=0.5)
    low, high, naive = np.array([1.0]), np.array([50.0]), np.array([50.0])
    update(model, low, 0.0, 1.0, 10.0, full=True)
    update(model, high, 0.0, 1.0, 10.0, full=True)
    update(estimator("single", alpha=0.5, naive=True), naive, 0.0, 1.0, 10.0, full=True)
    assert low[0] > 5.5
    assert high[0] == pytest.approx(50.0, rel=1e-3)
    assert naive[0] == 30.0


class TestHybrid:
    model = estimator("hybrid", alpha=0.2, period=24.0, slots=4, memory=0.0)

    def test_the_closer_model_decides(self) -> None:
        state = np.zeros(self.model.state_size)
        state[0], state[3:7] = 1.0, [4.0, 1e-9, 1e-9, 1e-9]
        update(self.model, state, 0.0, 6.0, 24.0)  # the table was right, the single rate off by 18
        assert expect(self.model, state, 6.0, 12.0)[0] < 0.1
        update(self.model, state, 6.0, 12.0, 12.0)  # now the single rate was closer
        assert expect(self.model, state, 12.0, 18.0)[0] > 6.0

    def test_a_tie_goes_to_the_single_rate(self) -> None:
        state = np.zeros(self.model.state_size)
        state[0], state[3:7] = 2.0, 1.0
        assert expect(self.model, state, 0.0, 6.0)[0] == 12.0


class TestAdaptiveSmoothing:
    model = estimator("single", adaptive=True, alpha=0.1)

    def test_instability_of_the_example(self) -> None:
        state = np.zeros(self.model.state_size)
        state[2] = 10.0
        state[3:13] = [1.0] * 7 + [2.0] * 3
        assert instability(self.model.params(), state, 1) == pytest.approx(1.5385, abs=5e-5)

    def test_it_waits_for_enough_errors_then_calms_down(self) -> None:
        state = np.zeros(self.model.state_size)
        state[0] = 1.0
        for k in range(9):
            update(self.model, state, 10.0 * k, 10.0 * k + 10.0, 10.0)
        assert state[1] == pytest.approx(0.1)
        for k in range(9, 100):
            update(self.model, state, 10.0 * k, 10.0 * k + 10.0, 10.0)
        assert state[1] == pytest.approx(0.01)

    def test_it_grows_quicker_when_errors_grow(self) -> None:
        state = np.zeros(self.model.state_size)
        state[0], state[1], state[2] = 1.0, 0.05, 10.0
        state[3:13] = 0.1
        for k in range(3):
            update(self.model, state, 10.0 * k, 10.0 * k + 10.0, 300.0)
        assert state[1] == pytest.approx(0.05 * 1.05**3)


class TestCensored:
    """Golden test G5."""

    spans, counts = np.array([10.0, 15.0, 8.0, 20.0]), np.array([5.0, 1.0, 3.0, 8.0])

    def test_without_a_full_window_it_is_the_mean(self) -> None:
        assert most_likely(self.spans, self.counts, np.zeros(4), 1e-9, 0.0, 0.0) == pytest.approx(0.320755, abs=1e-6)

    def test_with_one(self) -> None:
        full = np.array([0.0, 0.0, 0.0, 8.0])
        assert most_likely(self.spans, self.counts, full, 1e-9, 0.0, 0.0) == pytest.approx(0.351097, abs=1e-6)

    def test_the_slope_of_the_specification(self) -> None:
        full = np.array([0.0, 0.0, 0.0, 0.0])
        assert gradient(self.spans, self.counts, full, 0.3, 0.0) == pytest.approx(3.667, abs=5e-4)

    def test_the_slope_is_the_derivative_of_the_likelihood(self) -> None:
        full = np.array([0.0, 0.0, 0.0, 8.0])

        def likelihood(rate: float) -> float:
            open_part = sum(
                x * math.log(rate * d) - rate * d for x, d in zip(self.counts[:3], self.spans[:3], strict=True)
            )
            mean = rate * 20.0
            below = sum(math.exp(-mean) * mean**j / math.factorial(j) for j in range(8))
            return float(open_part + math.log(1.0 - below))

        slope = (likelihood(0.3 + 1e-6) - likelihood(0.3 - 1e-6)) / 2e-6
        assert gradient(self.spans, self.counts, full, 0.3, 0.0) == pytest.approx(slope, rel=1e-6)

    def test_all_full_has_a_limit_and_all_silent_a_floor(self) -> None:
        assert most_likely(self.spans, np.full(4, 8.0), np.full(4, 8.0), 1e-9, 0.0, 0.0) == pytest.approx(4 * 32 / 53)
        assert most_likely(self.spans, np.zeros(4), np.zeros(4), 1e-9, 0.0, 0.0) == 1e-9

    def test_the_profile_forgets(self) -> None:
        model = estimator("censored", observations=4, belief=0.0)
        state = np.zeros(model.state_size)
        for k in range(10):
            update(model, state, 10.0 * k, 10.0 * k + 10.0, 9.0 if k < 6 else 3.0)
        assert state[0] == pytest.approx(0.3)


@given(st.floats(1e-3, 500.0), st.integers(1, 60))
def test_hazard_against_plain_sums(mean: float, window: int) -> None:
    log_p = [k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(window + 1_500)]
    above = sum(math.exp(p) for p in log_p[window:])
    at = math.exp(log_p[window - 1])
    if above > 1e-250 and at > 1e-280:
        assert hazard(mean, float(window)) == pytest.approx(at / above, rel=1e-6, abs=1e-15)
        assert expected_above(mean, float(window)) >= window


def test_moving_average_enlarges_its_interval_in_silence() -> None:
    model = estimator("moving_average", observations=2)
    state = np.zeros(model.state_size)
    update(model, state, 0.0, 10.0, 5.0)
    update(model, state, 10.0, 20.0, 5.0)
    assert state[0] == pytest.approx(0.5)
    update(model, state, 20.0, 40.0, 0.0)
    assert state[0] == pytest.approx(10.0 / 40.0)
    update(model, state, 40.0, 50.0, 10.0)
    assert state[0] == pytest.approx(15.0 / 40.0)


def test_known_tables_hold_the_rates() -> None:
    model = Known()
    times = np.array([3_600.0 * 5 + 10.0 + DAY * d for d in range(10)])
    state = model.table(times, 0.0, 10 * DAY)
    assert expect(model, state, 0.0, DAY)[0] == pytest.approx(1.0, abs=1e-3)
    assert state[5] == pytest.approx(1.0 / 3_600.0)
    before = state.copy()
    update(model, state, 0.0, DAY, 50.0)
    assert np.array_equal(state, before)


def test_errors() -> None:
    assert divergence_error([3.0, 0.0], [0.0, 4.0]) == pytest.approx(math.sqrt(12.5))
    with pytest.raises(ModelError):
        divergence_error([], [])
    times = np.array([DAY * d + 3_600.0 * 2 for d in range(14)])
    truth = np.zeros(24)
    truth[2] = 1.0
    assert profile_distance(truth, times, 14 * DAY) == 0.0
    assert profile_distance(np.zeros(24), times, 14 * DAY) == 1.0


def test_learning_phases() -> None:
    weekly = Learning(length=2.0, every=7.0, budget=3.0)
    assert [weekly.is_learning(start=100.0, now=100.0 + t) for t in (0, 1.9, 2, 6.9, 7, 8.9, 9)] == [
        True, True, False, False, True, True, False,
    ]  # fmt: skip
    assert weekly.next_change(start=100.0, now=101.0) == 102.0
    assert weekly.next_change(start=100.0, now=103.0) == 107.0
    assert Learning().next_change(start=0.0, now=5.0) == math.inf
    assert Learning(length=4.0).next_change(start=0.0, now=3.0) == 4.0
    with pytest.raises(ModelError):
        Learning(every=0.0)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("single", {"alpha": 0.0}),
        ("single", {"low": 0.3}),
        ("single", {"recent": 10}),
        ("single", {"calmer": 1.0}),
        ("single", {"prior": 0.0}),
        ("periodic", {"slots": 0}),
        ("hybrid", {"memory": 1.0}),
        ("censored", {"observations": 0}),
        ("censored", {"belief": -1.0}),
        ("moving_average", {"observations": 65}),
    ],
)
def test_nonsense_is_refused(name: str, changes: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=name):
        estimator(name, **changes)


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(ModelError, match="did you mean periodic"):
        estimator("periodical")
