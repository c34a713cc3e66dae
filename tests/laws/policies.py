"""The laws every allocation policy obeys; each is a function whose name is the law."""

import math
from collections.abc import Callable

import numpy as np

from afresh.base.marginals import OBJECTIVES, index, limit, mean_age, mean_freshness
from afresh.lab.allocation.pages import Pages, site_sums
from afresh.lab.allocation.policy import Policy
from afresh.lab.allocation.proportional import Proportional
from afresh.lab.allocation.uniform import Uniform

Law = Callable[[Policy], None]

_SIZES = (1, 12, 40, 3, 0, 64)


def some_pages(seed: int = 1, *, unit: float = 1.0) -> Pages:
    """A small mixed repository: all sizes of site, some of it useless, some caps tight; ``unit`` scales time."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(_SIZES)])
    n = int(offsets[-1])
    rate = np.exp(rng.normal(-2.0, 1.5, n))
    rate[5] = 0.0
    weight = rng.uniform(0.2, 3.0, n)
    weight[7] = 0.0
    caps = np.array([0.5, 0.8, 4.0, math.inf, 1.0, 1.5])
    return Pages.of(rate / unit, weight=weight, shape=rng.uniform(0.3, 2.0, n), offsets=offsets, caps=caps / unit)


_BUDGETS = (0.0, 1e-6, 0.3, 3.0, 30.0)


def the_budget_is_kept(policy: Policy) -> None:
    for budget in _BUDGETS:
        solution = policy.allocate(some_pages(), budget)
        assert solution.spent <= budget * (1 + 1e-9)
        assert math.isclose(solution.spent, float(np.sum(solution.frequencies)), rel_tol=1e-12, abs_tol=1e-300)


def what_can_be_spent_is(policy: Policy) -> None:
    for budget in (1e-6, 0.3, 3.0, 30.0):
        assert math.isclose(policy.allocate(some_pages(), budget).spent, budget, rel_tol=1e-9)


def nothing_is_negative(policy: Policy) -> None:
    for budget in _BUDGETS:
        frequencies = policy.allocate(some_pages(), budget).frequencies
        assert np.all(frequencies >= 0.0)
        assert np.all(np.isfinite(frequencies))


def politeness_always_holds(policy: Policy) -> None:
    pages = some_pages()
    assert pages.caps is not None
    for budget in _BUDGETS:
        solution = policy.allocate(pages, budget)
        sums = site_sums(solution.frequencies, pages.offsets)
        assert np.all(sums <= pages.caps * (1 + 1e-9))


def more_than_politeness_permits_stays_unspent(policy: Policy) -> None:
    pages = some_pages()
    capped = Pages.of(pages.rate, weight=pages.weight, shape=pages.shape, offsets=pages.offsets, caps=0.5)
    solution = policy.allocate(capped, 100.0)
    assert math.isclose(solution.spent, 2.5, rel_tol=1e-9)
    assert solution.full.sum() == 5


def the_order_of_pages_is_irrelevant(policy: Policy) -> None:
    pages = some_pages()
    rng = np.random.default_rng(3)
    order = np.concatenate(
        [rng.permutation(np.arange(first, last)) for first, last in zip(pages.offsets, pages.offsets[1:], strict=False)]
    ).astype(np.int64)
    assert pages.weight is not None
    assert pages.shape is not None
    mixed = Pages.of(
        pages.rate[order],
        weight=pages.weight[order],
        shape=pages.shape[order],
        offsets=pages.offsets,
        caps=pages.caps,
    )
    for budget in (0.3, 3.0):
        before = policy.allocate(pages, budget).frequencies
        after = policy.allocate(mixed, budget).frequencies
        np.testing.assert_allclose(after, before[order], rtol=1e-7, atol=1e-12)


def the_unit_of_time_is_irrelevant(policy: Policy) -> None:
    for budget in (0.3, 3.0):
        seconds = policy.allocate(some_pages(), budget).frequencies
        hours = policy.allocate(some_pages(unit=1 / 3600.0), budget * 3600.0).frequencies
        np.testing.assert_allclose(hours, seconds * 3600.0, rtol=1e-6, atol=1e-12)


def pages_are_not_changed(policy: Policy) -> None:
    pages, same = some_pages(), some_pages()
    policy.allocate(pages, 3.0)
    np.testing.assert_array_equal(pages.rate, same.rate)
    np.testing.assert_array_equal(pages.weight, same.weight)
    np.testing.assert_array_equal(pages.caps, same.caps)


def the_same_question_has_the_same_answer(policy: Policy) -> None:
    first = policy.allocate(some_pages(), 3.0).frequencies
    np.testing.assert_array_equal(first, policy.allocate(some_pages(), 3.0).frequencies)


def no_importance_earns_no_visits(policy: Policy) -> None:
    if policy.counts_importance:
        for budget in _BUDGETS:
            assert policy.allocate(some_pages(), budget).frequencies[7] == 0.0


def a_page_alone_gets_it_all(policy: Policy) -> None:
    alone = Pages.of([0.3], weight=[2.0], shape=[0.7], caps=[5.0])
    assert math.isclose(policy.allocate(alone, 2.0).frequencies[0], 2.0, rel_tol=1e-9)
    assert math.isclose(policy.allocate(alone, 20.0).frequencies[0], 5.0, rel_tol=1e-9)


def the_best_is_no_worse_than_simple_rules(policy: Policy) -> None:
    if policy.objective is None:
        return
    pages = some_pages()
    for budget in (0.3, 3.0):
        ours = loss(policy.objective, pages, policy.allocate(pages, budget).frequencies)
        for other in (Uniform(), Proportional()):
            theirs = loss(policy.objective, pages, other.allocate(pages, budget).frequencies)
            assert ours <= theirs * (1 + 1e-9)


def optimality_conditions_are_met(policy: Policy) -> None:
    if policy.objective is None or getattr(policy, "floor", 0.0) > 0.0:
        return
    pages, objective = some_pages(), OBJECTIVES[policy.objective]
    assert pages.weight is not None
    assert pages.shape is not None
    for budget in (1e-6, 0.3, 3.0):
        solution = policy.allocate(pages, budget)
        for s in range(pages.sites):
            for i in range(pages.offsets[s], pages.offsets[s + 1]):
                f, page = solution.frequencies[i], (pages.rate[i], pages.shape[i], pages.weight[i])
                price = solution.site_prices[s]
                if f > 0.0:
                    assert math.isclose(index(objective, 1.0 / f, *page), price, rel_tol=1e-9)
                else:
                    assert limit(objective, *page) <= price * (1 + 1e-9)


def loss(objective: str, pages: Pages, frequencies: np.ndarray) -> float:
    """What an objective wants small, at given frequencies, over pages that change and matter."""
    assert pages.weight is not None
    assert pages.shape is not None
    total = 0.0
    for f, rate, shape, weight in zip(frequencies, pages.rate, pages.shape, pages.weight, strict=True):
        if weight > 0.0 and rate > 0.0:
            total += weight * _page_loss(objective, float(f), float(rate), float(shape))
    return total


def _page_loss(objective: str, f: float, rate: float, shape: float) -> float:
    if objective == "freshness":
        return 1.0 - mean_freshness(f, rate)
    if objective == "poisson":
        return rate / (f + rate)
    if f <= 0.0:
        return 1.0 if objective == "belief" else math.inf
    if objective == "age":
        return mean_age(f, rate)
    if objective == "poisson_harmonic":
        return math.log1p(rate / f)
    # belief and harmonic: the mean of the cost rate over one interval, by Simpson's rule
    u = np.linspace(0.0, 1.0 / f, 2001)
    if objective == "belief":
        cost = 1.0 - (1.0 + u * rate / shape) ** -shape
    else:
        cost = np.concatenate([[0.0], np.cumsum(-np.expm1(-rate * u[1:]) / u[1:]) * u[1]])
    weights = np.ones(2001)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    return float(np.sum(weights * cost) / np.sum(weights))


LAWS: tuple[Law, ...] = (
    the_budget_is_kept,
    what_can_be_spent_is,
    nothing_is_negative,
    politeness_always_holds,
    more_than_politeness_permits_stays_unspent,
    the_order_of_pages_is_irrelevant,
    the_unit_of_time_is_irrelevant,
    pages_are_not_changed,
    the_same_question_has_the_same_answer,
    no_importance_earns_no_visits,
    a_page_alone_gets_it_all,
    the_best_is_no_worse_than_simple_rules,
    optimality_conditions_are_met,
)
