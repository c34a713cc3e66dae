"""The laws of a publication model and of a refresh strategy: each a short function whose name is the law.

A law drives the compiled parts as the daemon and the lab do: rows of zeros to begin with, refresh after refresh.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from afresh.base.models import Row
from afresh.feeds.estimators import Estimator
from afresh.feeds.strategies import Strategy
from afresh.feeds.strategies.round import BALANCE, Marks, Standings

DAY = 86_400.0
START = 1_700_000_000.0
WINDOW = 10.0

Refresh = tuple[float, float, float, float]  # last, now, count, censored


def lives(seed: int = 0) -> Iterator[list[Refresh]]:
    """Refreshes of a silent source, a slow, a busy, one that always overflows, and one refreshed at once again."""
    for rate in (0.0, 0.3 / DAY, 40.0 / DAY, 4_000.0 / DAY):
        rng = np.random.default_rng([seed, int(rate * DAY)])
        made: list[Refresh] = []
        last = START
        for _ in range(60):
            now = last + float(rng.choice([61.0, 1_234.5, 7_200.0, 0.4 * DAY, 1.7 * DAY]))
            count = float(min(rng.poisson(rate * (now - last)), WINDOW))
            made.append((last, now, count, float(count >= WINDOW)))
            last = now
        yield made


def learnt(model: Estimator, life: list[Refresh], state: Row | None = None) -> Row:
    """The model's row after a life."""
    row = np.zeros(model.state_size) if state is None else state
    params = model.params()
    for last, now, count, censored in life:
        type(model).update(params, row, last, now, count, censored, WINDOW)
    return row


def expected(model: Estimator, state: Row, last: float, now: float) -> tuple[float, float]:
    count, moment = type(model).expect(model.params(), state, last, now)
    return float(count), float(moment)


def states(model: Estimator) -> Iterator[Row]:
    """Nothing learnt, and what each life teaches."""
    yield np.zeros(model.state_size)
    for life in lives():
        yield learnt(model, life)


# --- laws of models ---------------------------------------------------------------------------------------------------


def with_no_data_the_prior_answers(model: Estimator) -> None:
    count, moment = expected(model, np.zeros(model.state_size), START, START + DAY)
    assert math.isclose(count, model.prior * DAY, rel_tol=1e-6)
    assert math.isclose(moment, model.prior * DAY * DAY / 2.0, rel_tol=1e-6)


def expectations_are_finite_and_positive(model: Estimator) -> None:
    for state in states(model):
        for span in (1e-3, 60.0, 5_000.0, 3.3 * DAY, 400 * DAY):
            count, moment = expected(model, state, START + 777.0, START + 777.0 + span)
            assert 0.0 < count < math.inf
            assert 0.0 < moment <= count * span * (1 + 1e-9)


def expectations_add_up_over_time(model: Estimator) -> None:
    """What is expected in two spans is what is expected in both, so a planner may accumulate."""
    for state in states(model):
        for a, b in ((1_000.0, 5_000.0), (0.3 * DAY, 2.9 * DAY), (7.0, 40 * DAY)):
            whole = expected(model, state, START, START + a + b)
            first = expected(model, state, START, START + a)
            second = expected(model, state, START + a, START + a + b)
            assert math.isclose(whole[0], first[0] + second[0], rel_tol=1e-9)
            assert math.isclose(whole[1], first[1] + second[1] + a * second[0], rel_tol=1e-9)


def no_time_teaches_nothing(model: Estimator) -> None:
    for state in states(model):
        before = state.copy()
        learnt(model, [(START, START, 3.0, 0.0)], state)
        assert np.array_equal(state, before)


def state_round_trips(model: Estimator) -> None:
    for life in lives():
        half = np.frombuffer(learnt(model, life[:30]).tobytes(), dtype=np.float64).copy()
        assert np.array_equal(learnt(model, life[30:], half), learnt(model, life))


def parameters_are_not_changed(model: Estimator) -> None:
    params = model.params()
    before = params.copy()
    for life in lives():
        row = np.zeros(model.state_size)
        for last, now, count, censored in life:
            type(model).update(params, row, last, now, count, censored, WINDOW)
            type(model).expect(params, row, last, now)
    assert np.array_equal(params, before)


def sources_do_not_disturb_each_other(model: Estimator) -> None:
    one, other = list(lives())[1:3]
    rows = np.zeros((2, model.state_size))
    for a, b in zip(one, other, strict=True):
        learnt(model, [a], rows[0])
        learnt(model, [b], rows[1])
    assert np.array_equal(rows[0], learnt(model, one))
    assert np.array_equal(rows[1], learnt(model, other))


def a_busy_source_is_told_from_a_slow_one(model: Estimator) -> None:
    if model.name == "known":
        return
    slow, busy = (learnt(model, life) for life in list(lives())[1:3])
    assert expected(model, busy, START, START + DAY)[0] > 5.0 * expected(model, slow, START, START + DAY)[0]


MODEL_LAWS: tuple[Callable[[Estimator], None], ...] = (
    with_no_data_the_prior_answers,
    expectations_are_finite_and_positive,
    expectations_add_up_over_time,
    no_time_teaches_nothing,
    state_round_trips,
    parameters_are_not_changed,
    sources_do_not_disturb_each_other,
    a_busy_source_is_told_from_a_slow_one,
)


# --- laws of strategies -----------------------------------------------------------------------------------------------


class Rounds:
    """Sources that publish steadily, and a strategy that is told the truth about them, round after round."""

    def __init__(self, strategy: Strategy, sources: int = 50, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.strategy, self.rng = strategy, rng
        self.rates = rng.uniform(0.0, 3.0, sources)
        self.rates[:5] = 0.0
        self.params, self.control = strategy.params(), strategy.control()
        self.total, self.utility, self.last = np.zeros(sources), np.zeros(sources), np.zeros(sources)
        self.windows = np.full(sources, WINDOW, dtype=np.float32)
        self.due = np.zeros(sources)
        self.now = 0.0

    def play(self) -> Marks:
        """One round; the marks."""
        self.now += 1.0
        came = self.rng.poisson(self.rates)
        self.utility += came * (self.now - self.last)
        self.total += came
        chosen = np.zeros(len(self.total), dtype=np.uint8)
        available = np.minimum(self.total, WINDOW).astype(np.float32)
        ties = self.rng.random(len(self.total)).astype(np.float32)
        sources = Standings(self.total, available, self.utility, ties, self.due, chosen)
        count = type(self.strategy).choose(self.params, self.control, self.now, self.windows, sources)
        assert count == int(chosen.sum())
        hit = chosen == 1
        self.last[hit] = self.now
        self.total[hit] = 0.0
        self.utility[hit] = 0.0
        return chosen


def the_budget_is_held_on_average(strategy: Strategy) -> None:
    if strategy.name in ("reference", "uniform_random", "best_effort"):
        return
    rounds = Rounds(strategy)
    for _ in range(500):
        rounds.play()
    used = sum(int(rounds.play().sum()) for _ in range(500)) / 500
    # as printed the threshold holds the budget round by round, which is a little above the mean where use is skewed
    assert used <= 1.05 * strategy.budget, used


def nothing_is_refreshed_for_nothing(strategy: Strategy) -> None:
    """Where utility decides, a source that has published nothing is left alone."""
    if strategy.name in ("reference", "uniform_random", "uniform"):
        return
    rounds = Rounds(strategy)
    for _ in range(300):
        assert not rounds.play()[:5].any()


def rounds_repeat_exactly(strategy: Strategy) -> None:
    one, other = Rounds(strategy), Rounds(strategy)
    for _ in range(100):
        assert np.array_equal(one.play(), other.play())


def the_cap_is_never_passed(strategy: Strategy) -> None:
    if strategy.name in ("reference", "uniform_random"):
        return
    rounds = Rounds(strategy)
    rounds.params[7] = 3.0
    assert all(int(rounds.play().sum()) <= 3 for _ in range(200))


def accounts_are_kept(strategy: Strategy) -> None:
    if strategy.name in ("reference", "uniform_random", "best_effort"):
        return
    rounds = Rounds(strategy)
    used = sum(int(rounds.play().sum()) for _ in range(50))
    if strategy.horizon == 0.0:
        assert math.isclose(rounds.control[BALANCE], 50 * strategy.budget - used, abs_tol=1e-6)


STRATEGY_LAWS: tuple[Callable[[Strategy], None], ...] = (
    the_budget_is_held_on_average,
    nothing_is_refreshed_for_nothing,
    rounds_repeat_exactly,
    the_cap_is_never_passed,
    accounts_are_kept,
)
