"""The allocation keeps its promises for any rates, weights, caps, floors and budgets."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.marginals import OBJECTIVES, index, limit
from afresh.lab.allocation.best import allocate
from afresh.lab.allocation.pages import Pages, site_sums
from afresh.lab.allocation.sharing import share_out

magnitude = st.floats(-12.0, 6.0)
page = st.tuples(
    st.one_of(st.just(0.0), st.just(math.inf), magnitude.map(lambda z: 10.0**z)),
    st.one_of(st.just(0.0), st.floats(-3.0, 3.0).map(lambda z: 10.0**z)),
    st.floats(0.05, 30.0),
)
site = st.tuples(
    st.lists(page, max_size=6), st.one_of(st.just(0.0), st.just(math.inf), magnitude.map(lambda z: 10.0**z))
)


def build(sites: list[tuple[list[tuple[float, float, float]], float]]) -> Pages:
    everything = [one for members, _ in sites for one in members]
    return Pages.of(
        [rate for rate, _, _ in everything],
        weight=[weight for _, weight, _ in everything],
        shape=[shape for _, _, shape in everything],
        offsets=np.concatenate([[0], np.cumsum([len(members) for members, _ in sites])]),
        caps=[cap for _, cap in sites],
    )


@settings(max_examples=300, deadline=None)
@given(
    st.lists(site, min_size=1, max_size=5),
    st.floats(-15.0, 12.0).map(lambda z: 10.0**z),
    st.sampled_from(sorted(OBJECTIVES)),
    st.one_of(st.just(0.0), st.floats(-9.0, 1.0).map(lambda z: 10.0**z)),
)
def test_budget_caps_floors_and_optimality(
    sites: list[tuple[list[tuple[float, float, float]], float]], budget: float, objective: str, floor: float
) -> None:
    pages = build(sites)
    assert pages.caps is not None
    assert pages.weight is not None
    assert pages.shape is not None
    solution = allocate(pages, budget, objective=objective, floor=floor)
    f = solution.frequencies
    assert np.all(np.isfinite(f))
    assert np.all(f >= 0.0)
    assert np.all(f[pages.weight == 0.0] == 0.0)
    sums = site_sums(f, pages.offsets)
    assert np.all(sums <= pages.caps * (1 + 1e-9))
    assert solution.spent <= budget * (1 + 1e-9)
    if solution.spent < budget * (1 - 1e-9):
        for s in range(pages.sites):  # what is left over could go nowhere
            members = slice(pages.offsets[s], pages.offsets[s + 1])
            tops = [limit(OBJECTIVES[objective], r, a, w) for r, a, w in zip(
                pages.rate[members], pages.shape[members], pages.weight[members], strict=True)]  # fmt: skip
            assert sums[s] >= pages.caps[s] * (1 - 1e-9) or max(tops, default=0.0) == 0.0
    if solution.floor_share >= 1.0:
        for s in range(pages.sites):
            if pages.caps[s] >= floor * np.sum(pages.weight[pages.offsets[s] : pages.offsets[s + 1]] > 0) > 0:
                least = f[pages.offsets[s] : pages.offsets[s + 1]][
                    pages.weight[pages.offsets[s] : pages.offsets[s + 1]] > 0
                ].min()
                assert least >= floor * (1 - 1e-9)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(site, min_size=1, max_size=4),
    st.floats(-12.0, 9.0).map(lambda z: 10.0**z),
    st.sampled_from(sorted(OBJECTIVES)),
)
def test_every_visited_page_is_worth_the_price(
    sites: list[tuple[list[tuple[float, float, float]], float]], budget: float, objective: str
) -> None:
    pages = build(sites)
    assert pages.weight is not None
    assert pages.shape is not None
    solution = allocate(pages, budget, objective=objective)
    for s in range(pages.sites):
        price = solution.site_prices[s]
        for i in range(pages.offsets[s], pages.offsets[s + 1]):
            described = (pages.rate[i], pages.shape[i], pages.weight[i])
            f = float(solution.frequencies[i])
            if f > 0.0 and math.isfinite(price):
                value = index(OBJECTIVES[objective], 1.0 / f, *described)
                assert math.isclose(value, price, rel_tol=1e-8)


@settings(max_examples=100, deadline=None)
@given(st.lists(site, min_size=1, max_size=5), st.floats(-9.0, 9.0).map(lambda z: 10.0**z))
def test_fixed_shares_fill_sites_in_turn(
    sites: list[tuple[list[tuple[float, float, float]], float]], budget: float
) -> None:
    pages = build(sites)
    assert pages.caps is not None
    solution = share_out(pages, np.ones(len(pages)), budget)
    sums = site_sums(solution.frequencies, pages.offsets)
    assert np.all(sums <= pages.caps * (1 + 1e-9))
    filled = np.diff(pages.offsets) > 0
    possible = min(budget, float(np.sum(pages.caps[filled])))
    assert math.isclose(solution.spent, possible, rel_tol=1e-9, abs_tol=1e-300)
    pace = sums / np.maximum(np.diff(pages.offsets), 1)
    below = pace[filled & ~solution.full & (pace > 0.0)]
    np.testing.assert_allclose(below, below[:1].repeat(len(below)), rtol=1e-9)
