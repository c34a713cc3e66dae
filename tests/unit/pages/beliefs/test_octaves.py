"""Odds of rates an octave apart: what visits show counts by its likelihood, whatever was believed before."""

import numpy as np
import pytest

from afresh.base.models import Row
from afresh.pages.beliefs.octaves import (
    ANNOUNCED,
    CHANGED,
    OCTAVES,
    QUICKEST,
    QUIET,
    first_odds,
    gamma_of,
    learn_octaves,
)

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0


def mean_gap(odds: Row) -> float:
    evidence, exposure = gamma_of(odds)
    return exposure / evidence


def learnt(*looks: tuple[float, int], anew: float = 0.0) -> Row:
    odds = first_odds()
    for interval, shown in looks:
        learn_octaves(odds, interval, shown, anew)
    return odds


def test_three_changes_in_half_an_hour_are_those_of_a_fast_page() -> None:
    assert mean_gap(learnt(*[(10 * MINUTE, CHANGED)] * 3)) < 20 * MINUTE


def test_quiet_looks_make_it_slow() -> None:
    waits = [mean_gap(learnt(*[(DAY, QUIET)] * count)) for count in (0, 1, 10, 100)]
    assert waits == sorted(waits)
    assert waits[0] < 2 * DAY
    assert waits[3] > 100 * DAY


def test_odds_are_those_of_a_slow_and_obvious_sum() -> None:
    rates = QUICKEST * 2.0 ** -np.arange(OCTAVES)
    likelihood = first_odds() * np.exp(-rates * HOUR) * (1.0 - np.exp(-rates * 3 * HOUR)) * rates * np.exp(-rates * DAY)
    odds = learnt((HOUR, QUIET), (3 * HOUR, CHANGED), (DAY, ANNOUNCED))
    assert odds == pytest.approx(likelihood / likelihood.sum(), rel=1e-9, abs=1e-11)
    assert mean_gap(odds) == pytest.approx(1.0 / (odds @ rates))


def test_what_never_ends_is_believed_again_when_it_does() -> None:
    odds = learnt(*[(HOUR, CHANGED)] * 500, anew=1e-4)
    learn_octaves(odds, 10 * DAY, QUIET, 1e-4)
    assert mean_gap(odds) > 5 * DAY


@pytest.mark.parametrize("interval", [0.0, 1e-9, 1e15])
@pytest.mark.parametrize("shown", [QUIET, CHANGED, ANNOUNCED])
def test_odds_stay_odds_whatever_the_interval(interval: float, shown: int) -> None:
    odds = learnt(*[(interval, shown)] * 50, anew=1e-4)
    assert np.all(odds > 0.0)
    assert odds.sum() == pytest.approx(1.0, abs=1e-9)
    assert np.all(np.isfinite(gamma_of(odds)))
