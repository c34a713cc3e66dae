"""Expected freshness under a belief against its integral."""

import math

import numpy as np
import pytest

from afresh.pages.beliefs.outlook import mean_freshness, still_fresh


@pytest.mark.parametrize("a", [0.3, 1.0, 1.0 + 1e-12, 2.5, 50.0])
@pytest.mark.parametrize("interval", [1e-3, 1.0, 40.0, 1e4])
def test_the_mean_is_the_integral(a: float, interval: float) -> None:
    times = np.concatenate([[0.0], np.geomspace(1e-8 * interval, interval, 5_000)])
    curve = np.array([still_fresh(a, 10.0, u) for u in times])
    assert mean_freshness(a, 10.0, interval) == pytest.approx(np.trapezoid(curve, times) / interval, rel=1e-3)


def test_the_ends() -> None:
    assert still_fresh(1.0, 10.0, -5.0) == 1.0, "a clock that went back"
    assert mean_freshness(1.0, 10.0, 0.0) == 1.0
    assert mean_freshness(1.0, 10.0, math.inf) == 0.0
