"""The plan behind ``priced``: cheapest polls on a grid, against obvious oracles."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.feeds.rules._plan import (
    AT,
    COST,
    ENTRIES,
    FLUID,
    MOMENT,
    ROWS,
    cheapest,
    phase_of,
)
from afresh.feeds.rules._window import loss_averted

Grid = np.ndarray


def a_grid(masses: list[float], step: float = 300.0) -> Grid:
    """Entries arrive in the middle of each cell."""
    n = len(masses)
    grid = np.zeros((ROWS, n + 1))
    grid[AT] = step * np.arange(n + 1)
    grid[ENTRIES, 1:] = np.cumsum(masses)
    grid[MOMENT, 1:] = np.cumsum(np.array(masses) * (grid[AT, 1:] - step / 2.0))
    grid[FLUID, 1:] = np.cumsum(np.sqrt(np.array(masses) * step))
    return grid


def cost_of(grid: Grid, polls: tuple[int, ...], price: float) -> float:
    """Price of the polls and the time the entries wait for them, added up cell by cell."""
    total, step = price * len(polls), grid[AT, 1] - grid[AT, 0]
    masses = np.diff(grid[ENTRIES])
    for j, mass in enumerate(masses, start=1):
        following = next((p for p in polls if p >= j), None)
        if following is not None:
            total += mass * (grid[AT, following] - grid[AT, j] + step / 2.0)
    return total


def best_plan(grid: Grid, price: float, reach: int) -> float:
    """The value of the best plan by trying all of them, judged as the planner judges its end."""
    last = grid.shape[1] - 1
    least = math.inf
    for size in range(1, last + 1):
        for polls in combinations(range(1, last + 1), size):
            gaps = np.diff((0, *polls))
            if polls[-1] >= max(1, last // 2) and max(gaps) <= reach:
                least = min(least, cost_of(grid, polls, price) - grid[FLUID, polls[-1]])
    return least


masses = st.lists(st.floats(0.0, 3.0), min_size=2, max_size=9)


@settings(max_examples=80, deadline=None)
@given(masses=masses, price=st.floats(1.0, 5_000.0), reach=st.integers(1, 9))
def test_the_planner_finds_what_trying_all_plans_finds(masses: list[float], price: float, reach: int) -> None:
    grid = a_grid(masses)
    last = len(masses)
    half = max(1, last // 2)
    first = cheapest(grid, last, price, 0.0, reach)
    assert 1 <= first <= reach
    value = np.min(grid[COST, half:] - grid[FLUID, half:])
    assert value == pytest.approx(best_plan(grid, price, reach), rel=1e-9, abs=1e-6)


def pair_by_pair(grid: Grid, price: float, reach: int) -> Grid:
    """Cost of the cheapest plan that polls at each node, every pair of nodes looked at."""
    cost = np.zeros(grid.shape[1])
    for j in range(1, len(cost)):
        before = range(max(0, j - reach), j)
        cost[j] = price + min(
            cost[i] + grid[AT, j] * (grid[ENTRIES, j] - grid[ENTRIES, i]) - (grid[MOMENT, j] - grid[MOMENT, i])
            for i in before
        )
    return cost


@pytest.mark.parametrize("reach", [1, 7, 24, 48, 120, 500])
def test_a_long_plan_is_the_same_pair_by_pair(reach: int) -> None:
    rng = np.random.default_rng(4)
    for price in (3.0, 80.0, 500.0, 20_000.0):
        grid = a_grid(list(rng.exponential(0.2, 150) * (rng.random(150) < 0.5)))
        cheapest(grid, 150, price, 0.0, reach)
        np.testing.assert_allclose(grid[COST], pair_by_pair(grid, price, reach), rtol=1e-9)


def test_a_steady_stream_is_polled_at_the_ideal_interval() -> None:
    rate, price = 1.0 / 3_600.0, 800.0
    grid = a_grid([60.0 * rate] * 320, step=60.0)
    grid[FLUID] = grid[AT] * math.sqrt(2.0 * price * rate)
    assert grid[AT, cheapest(grid, 320, price, 60.0, 320)] == pytest.approx(math.sqrt(2.0 * price / rate), abs=120.0)


def test_no_plan_polls_before_alpha() -> None:
    grid = a_grid([50.0, 0.0, 0.0, 50.0, 0.0, 0.0, 0.0, 0.0], step=10.0)
    assert grid[AT, cheapest(grid, 8, 1.0, 0.0, 8)] == 10.0
    assert grid[AT, cheapest(grid, 8, 1.0, 35.0, 8)] >= 35.0


@pytest.mark.parametrize(("minute", "step"), [(0, 5), (7, 15), (14, 15), (29, 30), (59, 30), (3, 1)])
def test_the_grid_starts_right_behind_the_habitual_minute(minute: int, step: int) -> None:
    minutes = np.full(60, 0.005)
    minutes[minute] += 0.7
    assert phase_of(minutes, step) == (minute + 1) % step


@pytest.mark.parametrize(("mean", "capacity"), [(0.2, 1.0), (3.0, 5.0), (20.0, 10.0), (9.0, 20.0), (30.0, 7.5)])
def test_the_loss_averted_is_the_sum_over_all_numbers(mean: float, capacity: float) -> None:
    """m P(N ≥ C) − E(N − C)⁺, number by number."""
    numbers = np.arange(120)
    chances = np.array([math.exp(-mean) * mean**k / math.factorial(k) for k in numbers])
    lost = float(np.sum(np.maximum(0.0, numbers - capacity) * chances))
    direct = mean * float(chances[numbers >= capacity].sum()) - lost
    assert loss_averted(mean, capacity) == pytest.approx(direct, abs=1e-9)


def test_a_flood_can_be_kept_from_losing_a_window_and_a_trickle_loses_nothing() -> None:
    assert loss_averted(5_000.0, 10.0) == pytest.approx(10.0)
    assert loss_averted(800.0, 700.0) == pytest.approx(700.0)
    assert loss_averted(1.0, 20.0) == 0.0
    assert loss_averted(1e9, math.inf) == 0.0
