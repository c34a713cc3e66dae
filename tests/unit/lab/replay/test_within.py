"""What is allowed is spent, and never more."""

import math

import pytest

from afresh.lab.replay.within import within


@pytest.mark.parametrize("follows", [1.0, 1.3, 0.9])
@pytest.mark.parametrize("power", [1.0, 0.5, 2.0, 0.2])
def test_it_comes_close_from_below(follows: float, power: float) -> None:
    made = within(lambda aim: math.floor(follows * 1_000.0 * aim**power), lambda count: count, 1_000.0)
    assert 980 <= made <= 1_000


def test_steps_are_never_taken_from_above() -> None:
    """All feeds are asked at the same time: 90 requests or 130, nothing between."""
    tried = []

    def run(aim: float) -> int:
        tried.append(aim)
        return 130 if aim > 0.62 else 90

    assert within(run, lambda count: count, 100.0) == 90
    assert len(tried) <= 10


def test_where_it_cannot_be_less_the_least_is_the_answer() -> None:
    assert within(lambda aim: 200 + round(50 * aim), lambda count: count, 100.0) < 215
