"""The two-stage solver against slow references, and at the edges."""

import math

import numpy as np
import pytest

from afresh.base import marginals
from afresh.base.errors import ModelError
from afresh.base.marginals import OBJECTIVES
from afresh.lab.allocation.best import Allocation, allocate
from afresh.lab.allocation.pages import Pages, caps_of, group_by_site
from afresh.lab.allocation.shards import Shard, coordinate
from tests.replication import allocation_oracle

FIVE = [1.0, 2.0, 3.0, 4.0, 5.0]


def kkt_residual(pages: Pages, solution: Allocation, objective: str = "freshness") -> float:
    """Largest relative gap between a visited page's marginal and the price in force at its site."""
    worst = 0.0
    for s in range(pages.sites):
        for i in range(pages.offsets[s], pages.offsets[s + 1]):
            w = 1.0 if pages.weight is None else float(pages.weight[i])
            a = 1.0 if pages.shape is None else float(pages.shape[i])
            f, rate, price = float(solution.frequencies[i]), float(pages.rate[i]), solution.site_prices[s]
            if f > 0.0:
                value = marginals.index(OBJECTIVES[objective], 1.0 / f, rate, a, w)
                worst = max(worst, abs(value / price - 1.0))
            else:
                worst = max(worst, marginals.limit(OBJECTIVES[objective], rate, a, w) / price - 1.0)
    return worst


def test_textbook_instance() -> None:
    fresh = allocate(Pages.of(FIVE), 5.0)
    assert fresh.frequencies == pytest.approx([1.15, 1.36, 1.35, 1.14, 0.0], abs=0.005)
    assert fresh.starved == 1
    young = allocate(Pages.of(FIVE), 5.0, objective="age")
    assert young.frequencies == pytest.approx([0.835, 0.968, 1.034, 1.071, 1.093], abs=5e-4)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_agrees_with_nested_bisection(objective: str) -> None:
    rates = np.array([0.2, 1.0, 4.0, 0.5, 2.0])
    shapes = np.array([0.5, 1.0, 2.5, 0.8, 1.0])
    weights = np.array([1.0, 3.0, 1.0, 0.5, 2.0])
    site = np.array([0, 0, 0, 1, 1])
    slow = allocation_oracle.allocate(objective, rates, shapes, weights, site, [1.1, 100.0], 2.5)
    pages = Pages.of(rates, shape=shapes, weight=weights, offsets=[0, 3, 5], caps=[1.1, 100.0])
    ours = allocate(pages, 2.5, objective=objective)
    assert ours.full.tolist() == [True, False]
    np.testing.assert_allclose(ours.frequencies, slow, rtol=2e-6, atol=1e-9)
    assert kkt_residual(pages, ours, objective) < 1e-9


def test_no_worse_than_a_general_solver() -> None:
    rng = np.random.default_rng(3)
    rates, weights = np.exp(rng.normal(0, 1, 12)), rng.uniform(0.5, 2.0, 12)
    sites, caps = np.repeat([0, 1, 2], 4), np.array([1.0, 4.0, 2.0])
    general = allocation_oracle.best_by_slsqp(rates, weights, sites, caps, 5.0)
    ours = allocate(Pages.of(rates, weight=weights, offsets=[0, 4, 8, 12], caps=caps), 5.0)
    value = sum(w * marginals.mean_freshness(f, r) for f, r, w in zip(ours.frequencies, rates, weights, strict=True))
    assert value >= general - 1e-9
    assert value == pytest.approx(general, abs=1e-6)


@pytest.mark.parametrize("share", [1e-9, 1e-3, 0.1, 0.9, 0.999999])
def test_optimality_budget_and_caps_on_a_thousand_pages(share: float) -> None:
    rng = np.random.default_rng(7)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 80, 40))])
    n = offsets[-1]
    rates = np.exp(rng.normal(np.repeat(rng.normal(-3, 1.3, 40), np.diff(offsets)), 1.2))
    pages = Pages.of(rates, weight=rng.pareto(1.2, n) + 1, offsets=offsets, delays=rng.uniform(0.01, 0.5, 40))
    solution = allocate(pages, share * pages.capacity)
    assert pages.caps is not None
    assert solution.spent == pytest.approx(share * pages.capacity, rel=1e-9)
    sums = np.add.reduceat(solution.frequencies, offsets[:-1])
    assert np.all(sums <= pages.caps * (1 + 1e-9))
    np.testing.assert_allclose(sums[solution.full], pages.caps[solution.full], rtol=1e-9)
    assert kkt_residual(pages, solution) < 1e-9


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("budget", [1e-15, 1e-6, 1.0, 1e6, 1e12])
def test_rates_and_budgets_of_any_size(objective: str, budget: float) -> None:
    rates = 10.0 ** np.arange(-12.0, 7.0)
    pages = Pages.of(rates, shape=np.linspace(0.3, 3.0, len(rates)))
    solution = allocate(pages, budget, objective=objective)
    assert solution.spent == pytest.approx(budget, rel=1e-9)
    assert np.all(np.isfinite(solution.frequencies))
    assert np.all(solution.frequencies >= 0.0)


def test_a_tie_at_the_limit_is_shared_evenly() -> None:
    one_each = Pages.of(np.ones(10), offsets=np.arange(11), caps=0.01)
    solution = allocate(one_each, 0.05)
    np.testing.assert_allclose(solution.frequencies, 0.005, rtol=1e-9)


def test_more_budget_than_politeness_permits_stays_unspent() -> None:
    pages = Pages.of(FIVE, offsets=[0, 2, 5], delays=[2.0, 4.0])
    solution = allocate(pages, 10.0)
    assert solution.spent == pytest.approx(0.75)
    assert solution.unspent == pytest.approx(9.25)
    assert solution.price == 0.0
    assert solution.full.all()
    assert math.isfinite(solution.site_prices.max())


def test_closed_empty_and_useless_sites() -> None:
    pages = Pages.of([1.0, 0.0, 5.0, 2.0], weight=[1, 1, 0, 1], offsets=[0, 1, 1, 3, 4], caps=[0.0, 1.0, 1.0, 9.0])
    solution = allocate(pages, 3.0)
    np.testing.assert_allclose(solution.frequencies, [0.0, 0.0, 0.0, 3.0])
    assert solution.starved == 1  # the page of the closed site
    assert allocate(pages, 0.0).frequencies.tolist() == [0.0] * 4
    assert allocate(pages, 20.0).spent == pytest.approx(9.0)
    assert allocate(Pages.of([], offsets=[0]), 1.0).spent == 0.0
    assert allocate(Pages.of([0.0, 0.0]), 1.0).spent == 0.0


def test_infinite_rates_are_not_fought_for() -> None:
    solution = allocate(Pages.of([1.0, math.inf]), 2.0)
    assert solution.frequencies.tolist() == pytest.approx([2.0, 0.0])
    assert solution.starved == 1
    assert allocate(Pages.of([1.0, math.inf]), 2.0, objective="age").frequencies.min() > 0.5


def test_floors() -> None:
    solution = allocate(Pages.of([*FIVE, 0.0]), 5.0, floor=0.2)
    assert solution.frequencies[4] == pytest.approx(0.2)
    assert solution.frequencies[5] == pytest.approx(0.2)
    assert solution.spent == pytest.approx(5.0)
    assert solution.starved == 0
    poor = allocate(Pages.of(FIVE, offsets=[0, 2, 5], caps=[0.1, 9.0]), 0.5, floor=0.2)
    assert poor.floor_share == pytest.approx(0.5 / 0.7)
    assert poor.spent == pytest.approx(0.5)
    assert poor.frequencies[0] == pytest.approx(0.05 * 0.5 / 0.7)
    narrow = allocate(Pages.of(FIVE, offsets=[0, 2, 5], caps=[0.1, 9.0]), 3.0, floor=0.2)
    np.testing.assert_allclose(narrow.frequencies[:2], 0.05)
    assert narrow.spent == pytest.approx(3.0)
    exact = allocate(Pages.of(FIVE), 1.0, floor=0.2)
    np.testing.assert_allclose(exact.frequencies, 0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": [1.0, math.nan]}, "page 1: rate is nan"),
        ({"rate": [-1.0]}, "page 0: rate is -1"),
        ({"rate": [1.0, 1.0], "weight": [1.0, -2.0]}, "page 1: weight is -2"),
        ({"rate": [1.0], "weight": [math.inf]}, "page 0: weight is inf"),
        ({"rate": [1.0], "shape": [0.0]}, "page 0: shape is 0"),
        ({"rate": [1.0], "weight": [1.0, 1.0]}, "2 weights for 1 pages"),
        ({"rate": [1.0], "caps": [math.nan]}, "site 0: cap is nan"),
        ({"rate": [1.0], "delays": [-1.0]}, "site 0: delay is -1"),
        ({"rate": [1.0], "caps": [1.0, 1.0]}, "2 caps for 1 sites"),
        ({"rate": [1.0], "caps": [1.0], "delays": [1.0]}, "not both"),
        ({"rate": [1.0, 1.0], "offsets": [0, 3]}, "offsets"),
        ({"rate": [[1.0], [1.0]]}, "one number a page"),
    ],
)
def test_nonsense_is_named(arguments: dict[str, object], message: str) -> None:
    rate = arguments.pop("rate")
    with pytest.raises(ModelError, match=message):
        Pages.of(rate, **arguments)  # type: ignore[arg-type]


def test_budgets_that_make_no_sense() -> None:
    for budget in (-1.0, math.nan):
        with pytest.raises(ModelError, match="budget"):
            allocate(Pages.of(FIVE), budget)
    with pytest.raises(ModelError, match="infinite budget"):
        allocate(Pages.of(FIVE), math.inf)
    with pytest.raises(ModelError, match="past all use"):
        allocate(Pages.of(FIVE), 1e31)
    with pytest.raises(ModelError, match="unknown objective"):
        allocate(Pages.of(FIVE), 1.0, objective="fame")
    with pytest.raises(ModelError, match="shape"):
        allocate(Pages.of(FIVE), 1.0, objective="belief")
    with pytest.raises(ModelError, match="floor"):
        allocate(Pages.of(FIVE), 1.0, floor=-1.0)
    with pytest.raises(ModelError, match="room for"):
        allocate(Pages.of(FIVE), 1.0, out=np.empty(3))
    assert allocate(Pages.of(FIVE, caps=3.0), math.inf).spent == pytest.approx(3.0)


def test_warm_start_saves_passes_and_changes_nothing() -> None:
    rng = np.random.default_rng(11)
    pages = Pages.of(np.exp(rng.normal(-3, 1.5, 5000)), offsets=np.arange(0, 5001, 100), caps=1.0)
    cold = allocate(pages, 20.0)
    other = allocate(pages, 20.2, warm=cold)
    again = allocate(pages, 20.0, warm=other)
    np.testing.assert_allclose(again.frequencies, cold.frequencies, rtol=1e-7, atol=1e-12)
    repeated = allocate(pages, 20.0, warm=cold)
    assert repeated.passes == 1
    assert repeated.work < 0.5 * cold.work


def test_shards_find_the_same_price() -> None:
    rng = np.random.default_rng(13)
    rates, caps = np.exp(rng.normal(-3, 1.5, 900)), rng.uniform(0.1, 2.0, 9)
    whole = allocate(Pages.of(rates, offsets=np.arange(0, 901, 100), caps=caps), 4.0)
    parts = [
        Shard(Pages.of(rates[k : k + 300], offsets=np.arange(0, 301, 100), caps=caps[k // 100 : k // 100 + 3]), 0)
        for k in (0, 300, 600)
    ]
    settled = coordinate(parts, 4.0)
    assert math.exp(settled.log_price) == pytest.approx(whole.price, rel=1e-9)
    out = np.empty(900)
    spent = [part.finish(settled, out[k * 300 : k * 300 + 300], np.empty(0), 1e-11)[0] for k, part in enumerate(parts)]
    assert sum(spent) == pytest.approx(4.0, rel=1e-9)
    np.testing.assert_allclose(out, whole.frequencies, rtol=1e-7)


def test_single_precision_is_close() -> None:
    rng = np.random.default_rng(17)
    rates = np.exp(rng.normal(-3, 1.5, 2000))
    double = allocate(Pages.of(rates), 50.0)
    single = allocate(Pages.of(rates.astype(np.float32)), 50.0)
    assert single.frequencies.dtype == np.float32
    assert single.price == pytest.approx(double.price, rel=1e-6)


def test_caps_and_grouping() -> None:
    assert caps_of([0.0, 2.0, math.inf]).tolist() == [math.inf, 0.5, 0.0]
    order, offsets, names = group_by_site(["b", "a", "b", "c"])
    assert (order.tolist(), offsets.tolist(), names.tolist()) == ([1, 0, 2, 3], [0, 1, 3, 4], ["a", "b", "c"])
