"""Whole visits over a short horizon: against every possible sharing, caps, edges."""

import math
from itertools import product

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.base.marginals import mean_freshness
from afresh.lab.allocation.best import allocate
from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.whole import whole_visits


def _value(counts: tuple[int, ...], rates: np.ndarray, weights: np.ndarray, horizon: float) -> float:
    return math.fsum(
        w * mean_freshness(k / horizon, r) for k, r, w in zip(counts, rates, weights, strict=True) if k > 0
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_sharing_is_better(seed: int) -> None:
    """All ways to share 6 visits among 5 pages of two sites, the second of which bears 3."""
    rng = np.random.default_rng(seed)
    rates, weights, horizon = np.exp(rng.normal(0.0, 1.0, 5)), rng.uniform(0.2, 3.0, 5), 2.0
    pages = Pages.of(rates, weight=weights, offsets=[0, 2, 5], caps=[math.inf, 1.5])
    ours = whole_visits(pages, horizon, 6)
    assert ours.sum() == 6
    assert ours[2:].sum() <= 3
    best = max(
        _value(counts, rates, weights, horizon)
        for counts in product(range(7), repeat=5)
        if sum(counts) == 6 and sum(counts[2:]) <= 3
    )
    assert _value(tuple(ours.tolist()), rates, weights, horizon) == pytest.approx(best, rel=1e-12)


def test_many_visits_come_near_the_frequencies() -> None:
    pages = Pages.of(np.random.default_rng(1).uniform(0.1, 2.0, 50))
    counts = whole_visits(pages, 1000.0, 60_000)
    np.testing.assert_allclose(counts / 1000.0, allocate(pages, 60.0).frequencies, atol=2e-3)


def test_pages_that_no_visit_helps() -> None:
    pages = Pages.of([0.0, math.inf, 1.0, 1.0], weight=[1.0, 1.0, 0.0, 1.0])
    assert whole_visits(pages, 10.0, 4).tolist() == [0, 0, 0, 4]
    assert whole_visits(pages, 10.0, 0).tolist() == [0, 0, 0, 0]
    assert whole_visits(Pages.of([1.0], delays=[30.0]), 60.0, 9).tolist() == [2]


@pytest.mark.parametrize(
    ("horizon", "visits", "message"), [(0.0, 1, "horizon"), (math.nan, 1, "horizon"), (1.0, -1, "visits")]
)
def test_nonsense_is_named(horizon: float, visits: int, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        whole_visits(Pages.of([1.0]), horizon, visits)
