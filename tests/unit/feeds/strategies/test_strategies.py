"""Strategies on rounds that can be followed by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.feeds.strategies import Strategy
from afresh.feeds.strategies.round import CARRIED, TAU, Standings
from afresh.feeds.strategies.selection import take_above, take_saturated
from afresh.feeds.strategies.threshold import adjusted
from afresh.lab.refresh.catalogue import strategy


def a_round(
    chosen: Strategy,
    total: list[float],
    available: list[float],
    utility: list[float],
    *,
    control: np.ndarray | None = None,
    ties: list[float] | None = None,
    window: float = 10.0,
    params: np.ndarray | None = None,
) -> tuple[list[int], np.ndarray]:
    n = len(total)
    control = chosen.control() if control is None else control
    marks = np.zeros(n, dtype=np.uint8)
    sources = Standings(
        total=np.array(total, dtype=np.float64),
        available=np.array(available, dtype=np.float32),
        utility=np.array(utility, dtype=np.float64),
        ties=np.array(ties or [0.0] * n, dtype=np.float32),
        due=np.zeros(n),
        chosen=marks,
    )
    windows = np.full(n, window, dtype=np.float32)
    type(chosen).choose(chosen.params() if params is None else params, control, 1.0, windows, sources)
    return np.flatnonzero(marks).tolist(), control


def test_two_steps_serves_the_saturated_first_and_raises_the_threshold() -> None:
    rule = strategy("two_steps", budget=4.0, tau=3.0)
    # sources 0 and 1 are saturated; what is left of the budget is a half, so the threshold doubles to 6
    taken, _ = a_round(rule, [12, 10, 3, 3, 9], [8, 10, 3, 3, 9], [0.0, 0.0, 5.9, 6.0, 7.0])
    assert taken == [0, 1, 3, 4]


def test_step_one_takes_at_most_the_budget_and_the_largest() -> None:
    rule = strategy("two_steps", budget=2.0, tau=1e-6)
    taken, control = a_round(rule, [12, 10, 30, 11], [8, 10, 9, 1], [50.0, 50.0, 50.0, 50.0])
    assert taken == [1, 2]
    assert control[TAU] == 1e-6  # exactly the budget: the threshold is frozen


def test_ties_in_step_one() -> None:
    taken, _ = a_round(strategy("only_sat", budget=1.0), [10, 10, 10], [10, 10, 10], [0, 0, 0], ties=[0.1, 0.9, 0.5])
    assert taken == [1]


def test_a_saturated_source_without_anything_relevant_is_left_alone() -> None:
    assert a_round(strategy("two_steps", budget=3.0), [20, 20], [0, 2], [0.0, 0.0])[0] == [1]


def test_only_tau_knows_no_saturation() -> None:
    assert a_round(strategy("only_tau", budget=1.0, tau=2.0), [50, 1, 1], [10, 1, 1], [1.9, 2.0, 7.0])[0] == [1, 2]


def test_utility_of_nothing_is_never_enough() -> None:
    rule = strategy("only_tau", budget=5.0, tau=1e-9)
    assert a_round(rule, [0, 1], [0, 1], [0.0, 1e-9])[0] == [1]


def test_best_effort_does_not_move_its_threshold() -> None:
    _, control = a_round(strategy("best_effort", budget=1.0, tau=2.0), [1] * 3, [1] * 3, [5.0, 5.0, 5.0])
    assert control[TAU] == 2.0


def test_a_hard_cap_keeps_the_most_useful() -> None:
    rule = strategy("only_tau", budget=5.0, tau=1.0, cap=2.0)
    assert a_round(rule, [1] * 4, [1] * 4, [3.0, 9.0, 2.0, 5.0])[0] == [1, 3]


def test_uniform_goes_round_with_parts_of_a_request() -> None:
    rule = strategy("uniform", budget=1.5)
    control = rule.control()
    seen = [a_round(rule, [0] * 4, [0] * 4, [0] * 4, control=control)[0] for _ in range(4)]
    assert seen == [[0], [1, 2], [3], [0, 1]]
    assert control[CARRIED] == 0.0


def test_uniform_survives_sources_that_left() -> None:
    rule = strategy("uniform", budget=3.0)
    control = rule.control()
    a_round(rule, [0] * 5, [0] * 5, [0] * 5, control=control)
    assert a_round(rule, [0] * 2, [0] * 2, [0] * 2, control=control)[0] == [0, 1]


def test_reference_takes_all() -> None:
    assert a_round(strategy("reference"), [0, 0], [0, 0], [0, 0])[0] == [0, 1]


def test_uniform_random_draws_whole_rounds_around_its_mean() -> None:
    rule = strategy("uniform_random", interval=3_600.0, rounds=6.0)
    due, marks = np.zeros(3), np.zeros(3, dtype=np.uint8)
    row = np.zeros(3)
    singles = np.zeros(3, dtype=np.float32)
    ties = np.array([0.0, 0.5, 0.9999], dtype=np.float32)
    type(rule).choose(rule.params(), rule.control(), 0.0, singles, Standings(row, singles, row, ties, due, marks))
    assert marks.tolist() == [1, 1, 1]
    assert due.tolist() == [600.0, 4_200.0, 7_200.0]  # 10 min to 2 h


@pytest.mark.parametrize(("used", "expected"), [(31, 2.1), (30, 2.0), (27, 2.0), (26, 1.9)])
def test_the_threshold_moves_by_a_twentieth(used: float, expected: float) -> None:
    assert adjusted(2.0, 30.0, used, 0.9, 0.95, 1.05, 1e-9) == pytest.approx(expected)


def test_the_threshold_has_a_floor() -> None:
    assert adjusted(1e-9, 30.0, 0.0, 0.9, 0.95, 1.05, 1e-9) == 1e-9


def test_with_a_horizon_savings_are_spent_and_the_mean_is_held() -> None:
    """A tenth of a request a round: as printed the threshold would hold the median, which is far more or nothing."""
    rule = strategy("only_tau", budget=0.1, horizon=200.0, least=5.0, tau=10.0)
    rng = np.random.default_rng(3)
    control, last, used = rule.control(), np.zeros(20), 0
    rates = rng.uniform(0.01, 0.3, 20)
    for now in range(1, 6_001):
        utility = 0.5 * rates * (now - last) ** 2
        taken, _ = a_round(rule, [0] * 20, [0] * 20, utility.tolist(), control=control)
        last[taken] = now
        used += len(taken) if now > 2_000 else 0
    assert used == pytest.approx(400, rel=0.05)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"budget": 0.0}, "budget"),
        ({"budget": -1.0}, "budget"),
        ({"budget": math.nan}, "budget"),
        ({"usage": 0.0}, "usage"),
        ({"decrease": 1.0}, "decrease"),
        ({"increase": 1.0}, "increase"),
        ({"tau": 0.0}, "tau"),
        ({"floor": 0.0}, "floor"),
        ({"horizon": -1.0}, "horizon"),
        ({"cap": 0.0}, "cap"),
    ],
)
def test_nonsense_is_refused_by_name(changes: dict[str, float], word: str) -> None:
    with pytest.raises(ModelError, match=word):
        strategy("two_steps", **changes)


def test_an_unknown_strategy_names_the_nearest() -> None:
    with pytest.raises(ModelError, match="did you mean two_steps"):
        strategy("two_step")
    with pytest.raises(ModelError, match="interval"):
        strategy("uniform_random", interval=0.0)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)), min_size=1, max_size=40),
    st.integers(0, 12),
)
def test_the_heap_finds_what_sorting_finds(sources: list[tuple[int, int]], limit: int) -> None:
    total = np.array([float(max(t, a)) for t, a in sources])
    available = np.array([float(a) for _, a in sources], dtype=np.float32)
    windows = np.full(len(sources), 10.0, dtype=np.float32)
    ties = np.linspace(0.0, 1.0, len(sources), dtype=np.float32)
    standings = Standings.of(len(sources))._replace(total=total, available=available, ties=ties)
    count = take_saturated(windows, limit, standings)
    eligible = [i for i in range(len(sources)) if total[i] >= 10 and available[i] > 0]
    best = sorted(eligible, key=lambda i: (-available[i], -ties[i]))[:limit]
    assert count == len(best)
    assert sorted(best) == np.flatnonzero(standings.chosen).tolist()


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=40), st.floats(0.0, 50.0), st.integers(0, 12))
def test_a_cut_at_the_limit_keeps_the_largest(utility: list[float], threshold: float, limit: int) -> None:
    standings = Standings.of(len(utility))._replace(utility=np.array(utility))
    take_above(threshold, limit, standings)
    kept = sorted(u for u, mark in zip(utility, standings.chosen, strict=True) if mark)
    worth = sorted(u for u in utility if u >= threshold and u > 0)
    assert kept == worth[len(worth) - min(limit, len(worth)) :]
