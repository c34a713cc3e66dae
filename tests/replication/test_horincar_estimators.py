"""The findings of [H12] §7.3 and §7.4 on shaped sources, in the bands of the specification's own runs."""

import numpy as np
import pytest

from afresh.lab.experiments import Options, experiment
from afresh.lab.experiments.horincar.learning import distances_of, errors_of, tracking_of

#: ratio of the periodic to the single model's error: shape, hours between refreshes, low, high
BANDS = [
    ("peaks", 0.5, 0.25, 0.6),
    ("peaks", 24.0, 0.95, 1.3),
    ("uniform", 0.5, 0.95, 1.1),
    ("uniform", 24.0, 0.97, 1.3),
    ("waves", 4.0, 0.35, 0.65),
    ("waves", 24.0, 0.4, 0.95),
]


@pytest.mark.parametrize(("shape", "hours", "low", "high"), BANDS)
def test_divergence_errors(shape: str, hours: float, low: float, high: float) -> None:
    ratios = [e[0, 1] / e[0, 0] for e in (errors_of(0, draw, shape, [hours]) for draw in range(2))]
    assert low < np.mean(ratios) < high


def test_rare_refreshing_spoils_the_learnt_profile() -> None:
    hourly, daily = distances_of(0, 0, 1.0), distances_of(0, 0, 24.0)
    assert hourly[24:32].mean() < 0.5 * daily[24:32].mean()  # second half of the peaks
    assert hourly[16] > 2.0 * hourly[31]  # found again after the change


def test_online_tracks_what_a_frozen_model_does_not() -> None:
    frozen, online, _ = tracking_of(0, 0)
    assert online < 0.8 * frozen


@pytest.mark.parametrize("name", ["horincar-censoring", "horincar-topology"])
def test_small_experiments_hold(name: str) -> None:
    outcome = experiment(name).run(Options(seed=2, scale=0.1))
    assert all(claim.holds for claim in outcome.claims), outcome.claims
