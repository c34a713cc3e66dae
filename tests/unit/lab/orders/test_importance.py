"""PageRank, OPIC, staleness, two queues: each beside a slow and obvious one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from afresh.base.errors import ModelError
from afresh.frontier.orders.pagerank import pagerank
from tests.laws.opic import Opic
from tests.laws.staleness import mean_staleness, staleness
from tests.laws.two_queues import split

graphs = st.integers(1, 12).flatmap(
    lambda count: st.tuples(
        st.just(count), st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=40)
    )
)


def plain_pagerank(count: int, links: list[tuple[int, int]], damping: float = 0.85) -> list[float]:
    scores = [1.0 / count] * count
    for _ in range(400):
        fresh = [(1.0 - damping) / count] * count
        for page in range(count):
            targets = [target for source, target in links if source == page] or list(range(count))
            for target in targets:
                fresh[target] += damping * scores[page] / len(targets)
        scores = fresh
    return scores


@settings(deadline=None)  # the first call compiles
@given(graphs)
def test_pagerank_agrees_with_the_plain_loop(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, links = graph
    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    scores = pagerank(count, ends[:, 0], ends[:, 1])
    assert scores == pytest.approx(plain_pagerank(count, links), abs=1e-9)
    assert scores.sum() == pytest.approx(1.0)


def test_pagerank_agrees_with_scipy() -> None:
    rng = np.random.default_rng(3)
    count, links = 2_000, 9_000
    sources, targets = rng.integers(count, size=links), (rng.random(links) ** 3 * count).astype(np.int64)
    leaving = np.bincount(sources, minlength=count)
    matrix = sparse.csr_matrix((1.0 / leaving[sources], (targets, sources)), shape=(count, count))
    scores = np.full(count, 1.0 / count)
    for _ in range(200):
        scores = 0.15 / count + 0.85 * (matrix @ scores + scores[leaving == 0].sum() / count)
    assert pagerank(count, sources, targets) == pytest.approx(scores, abs=1e-10)


def test_a_warm_start_comes_to_the_same() -> None:
    sources, targets = np.array([0, 1, 2, 2]), np.array([1, 2, 0, 1])
    cold = pagerank(4, sources, targets)
    assert pagerank(4, sources, targets, start=np.array([9.0, 1.0, 0.0, 0.0])) == pytest.approx(cold, abs=1e-9)


def test_no_pages_have_no_rank() -> None:
    assert len(pagerank(0, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))) == 0


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.lists(st.sampled_from("abcdef"), max_size=4)), max_size=30))
def test_cash_is_never_lost(visits: list[tuple[str, list[str]]]) -> None:
    bank = Opic()
    for page in "abcd":
        bank.discover(page, 0.25)
    for page, links in visits:
        bank.visit(page, links)
    assert sum(bank.cash.values()) == pytest.approx(1.0)
    assert sum(bank.importance(page) for page in bank.cash) == pytest.approx(1.0)


def test_opic_comes_to_pagerank_without_damping() -> None:
    """[APC03] theorem 3: visiting the richest, importance tends to the stationary distribution."""
    links = {"a": ["b"], "b": ["a", "c"], "c": ["a"]}
    bank = Opic()
    for page in links:
        bank.discover(page, 1 / 3)
    for _ in range(5_000):
        page = bank.richest()
        bank.visit(page, links[page])
    assert [bank.importance(page) for page in "abc"] == pytest.approx([0.4, 0.4, 0.2], abs=1e-3)


def test_what_was_never_seen_is_wholly_stale() -> None:
    assert staleness(0.0, None) == 1.0
    assert staleness(5.0, 0.0) == 0.0
    assert staleness(1.0, -3.0) == 0.0  # clocks of fetchers differ
    with pytest.raises(ModelError, match="negative"):
        staleness(-1.0, 1.0)


def test_mean_staleness_is_the_mean() -> None:
    rates, ages = np.array([0.5, 1.0, 0.0]), np.array([1.0, np.nan, 7.0])
    one_by_one = [staleness(0.5, 1.0), staleness(1.0, None), staleness(0.0, 7.0)]
    assert mean_staleness(rates, ages) == pytest.approx(sum(one_by_one) / 3)
    assert mean_staleness(np.empty(0), np.empty(0)) == 0.0


@given(
    places=st.integers(0, 50),
    share=st.floats(0, 1),
    seen=st.integers(0, 60),
    unseen=st.integers(0, 60),
    u=st.floats(0, 1, exclude_max=True),
)
def test_no_place_of_a_list_stays_empty(places: int, share: float, seen: int, unseen: int, u: float) -> None:
    old, new = split(places, share, seen=seen, unseen=unseen, u=u)
    assert 0 <= old <= seen
    assert 0 <= new <= unseen
    assert old + new == min(places, seen + unseen)


def test_the_share_is_met_over_many_lists() -> None:
    rng = np.random.default_rng(0)
    old = [split(5, 0.3, seen=9, unseen=9, u=u)[0] for u in rng.random(10_000)]
    assert sum(old) / 50_000 == pytest.approx(0.3, abs=0.005)
    with pytest.raises(ModelError, match="share"):
        split(5, 1.5, seen=1, unseen=1)
