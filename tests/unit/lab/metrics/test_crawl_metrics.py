"""Metrics of crawls and rankings, by hand and beside slow ones."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from afresh.base.errors import ModelError
from afresh.lab.metrics import crawl
from afresh.lab.metrics.rankings import cumulative_share, kendall_tau, mean_cumulative_share

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25)


def test_the_published_shares_of_t3_stand_for_these_visits() -> None:
    """Specification §6.8: 14.3 % is 10,000 pages, 12.7 % about 7,000, the maximum 20,000."""
    assert crawl.visits_behind(0.143, 20_000, 5) == pytest.approx(10_035, abs=1)
    assert crawl.visits_behind(0.127, 20_000, 5) == pytest.approx(6_959, abs=1)
    assert crawl.visited_share(20_000, 20_000, 5) == pytest.approx(1 / 6)


@given(st.floats(0, 1e6), st.floats(1, 1e6), st.floats(0, 10))
def test_share_and_visits_are_inverse(visits: float, initial: float, links: float) -> None:
    share = crawl.visited_share(visits, initial, links)
    if links * share < 0.999:
        assert crawl.visits_behind(share, initial, links) == pytest.approx(visits, rel=1e-6, abs=1e-6)


def test_an_impossible_share_is_refused() -> None:
    with pytest.raises(ModelError, match=r"0\.2"):
        crawl.visits_behind(0.2, 100, 5)


def test_small_metrics() -> None:
    assert crawl.visited_pages(1_000, 0.25) == 250
    assert crawl.freshness_prime(130.0, 100.0) == 30.0
    assert crawl.utilisation(0.985, 4.261) == pytest.approx(0.2312, abs=1e-4)  # the example of [G20] Table 18
    assert crawl.utilisation(1.0, 0.0) == crawl.throughput(1.0, 0.0) == crawl.true_freshness(1, 0) == 0.0
    assert crawl.throughput(10.0, 4.0) == 2.5
    assert crawl.visited_share(0.0, 0.0, 1.0) == 0.0


def plain_tau(rows: list[tuple[int, int]]) -> float:
    agree = against = tied_a = tied_b = 0
    for (a, b), (c, d) in combinations(rows, 2):
        agree += (a - c) * (b - d) > 0
        against += (a - c) * (b - d) < 0
        tied_a += a == c
        tied_b += b == d
    count = len(rows) * (len(rows) - 1) // 2
    apart = (count - tied_a) * (count - tied_b)
    return (agree - against) / apart**0.5 if apart else 0.0


@given(pairs)
def test_tau_agrees_with_counting_pairs(rows: list[tuple[int, int]]) -> None:
    assert kendall_tau([a for a, _ in rows], [b for _, b in rows]) == pytest.approx(plain_tau(rows), abs=1e-12)


def test_tau_agrees_with_scipy_on_many() -> None:
    rng = np.random.default_rng(0)
    one = rng.normal(size=3_000)
    other = np.round(one + rng.normal(size=3_000), 1)
    assert kendall_tau(one, other) == pytest.approx(stats.kendalltau(one, other).statistic, abs=1e-12)


def test_tau_refuses_what_cannot_be_ranked() -> None:
    with pytest.raises(ModelError, match="length"):
        kendall_tau([1.0], [1.0, 2.0])
    with pytest.raises(ModelError, match="missing"):
        kendall_tau([1.0, float("nan")], [1.0, 2.0])


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_best_first_finds_most(values: list[float]) -> None:
    best, worst = sorted(values, reverse=True), sorted(values)
    assert mean_cumulative_share(best) >= mean_cumulative_share(values) - 1e-12
    assert mean_cumulative_share(worst) <= mean_cumulative_share(values) + 1e-12


def test_nothing_found_is_nothing() -> None:
    assert mean_cumulative_share([]) == 0.0
    assert cumulative_share([0.0, 0.0]).tolist() == [0.0, 0.0]
