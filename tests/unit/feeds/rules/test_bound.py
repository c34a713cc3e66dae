"""The planner that is told the future (``tests.bound``), against trying all plans."""

from itertools import combinations

import numpy as np
import pytest

from tests.bound import MINUTE, plan, rhythm

MINUTES = 11


def cost_of(expected: np.ndarray, polls: tuple[int, ...], price: float) -> float:
    """Price of the polls, and how long what comes in the middle of each minute waits for the next of them."""
    ends = np.array(polls)
    waits = [ends[ends >= minute].min() - minute + 0.5 for minute in range(1, MINUTES + 1)]
    return price * len(polls) + MINUTE * float(np.dot(expected, waits))


@pytest.mark.parametrize("price", [1.0, 40.0, 200.0, 3_000.0])
@pytest.mark.parametrize("reach", [2, 5, MINUTES])
def test_it_plans_as_cheaply_as_can_be(price: float, reach: int) -> None:
    rng = np.random.default_rng(8)
    for _ in range(5):
        expected = rng.exponential(0.3, MINUTES) * (rng.random(MINUTES) < 0.6)
        best = min(
            cost_of(expected, polls, price)
            for size in range(MINUTES)
            for inner in combinations(range(1, MINUTES), size)
            if max(np.diff((0, *(polls := (*inner, MINUTES))))) <= reach
        )
        ours = tuple(plan(expected, price, reach)[::-1])
        assert max(np.diff((0, *ours))) <= reach
        assert cost_of(expected, ours, price) == pytest.approx(best)


def test_a_weekly_habit_is_most_of_the_rhythm_of_its_minute() -> None:
    tuesdays = np.arange(11) * 10_080 + 1_440 + 17 * 60
    week = rhythm(tuesdays)
    assert week.mean() == pytest.approx(1.0)
    assert int(np.argmax(week)) == 1_440 + 17 * 60
