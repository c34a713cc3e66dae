"""Networks of query feeds."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.lab.refresh.topology import by_interest, degree_report, find_cycle, geometric, jaccard_distance


def test_jaccard() -> None:
    a, b, none = np.array([1, 1, 0, 0], dtype=bool), np.array([0, 1, 1, 0], dtype=bool), np.zeros(4, dtype=bool)
    assert jaccard_distance(a, b) == pytest.approx(2 / 3)
    assert jaccard_distance(a, a) == 0.0
    assert jaccard_distance(none, none) == 0.0
    assert jaccard_distance(a, none) == 1.0


def test_a_small_weight_makes_a_star_and_a_large_one_none() -> None:
    largest = [degree_report(geometric(np.random.default_rng(1), 800, alpha)).largest for alpha in (0.5, 4, 20, 200)]
    assert largest[0] == 799
    assert largest == sorted(largest, reverse=True)
    assert largest[-1] < 20


@settings(max_examples=30)
@given(st.integers(0, 1_000), st.floats(0.0, 1.0), st.floats(0.0, 20.0))
def test_interest_networks_have_no_cycle_and_reach_whom_they_should(seed: int, radius: float, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    sources, queries = rng.random((4, 8)) < 0.5, rng.random((15, 8)) < 0.4
    network = by_interest(sources, queries, radius=radius, alpha=alpha)
    assert find_cycle(map(tuple, network.edges.tolist())) == []
    ordered = queries[np.argsort(-queries.sum(axis=1), kind="stable")]
    distances = {(i, n): jaccard_distance(s, q) for i, q in enumerate(ordered) for n, s in enumerate(sources)}
    assume(all(abs(distance - radius) > 1e-9 for distance in distances.values()))  # equal but for rounding: either way
    near = {i for (i, _), distance in distances.items() if distance <= radius}
    assert {int(reader) - 4 for _, reader in network.edges} == near
    assert (network.in_degrees()[:4] == 0).all()


def test_profiles_need_one_dictionary() -> None:
    with pytest.raises(ModelError):
        by_interest(np.ones((1, 3), dtype=bool), np.ones((1, 4), dtype=bool), radius=1.0, alpha=1.0)
    with pytest.raises(ModelError):
        geometric(np.random.default_rng(0), 0, 1.0)


def test_cycles_are_named() -> None:
    assert find_cycle([(1, 2), (2, 3)]) == []
    assert sorted(find_cycle([(0, 1), (1, 2), (2, 3), (3, 1)])) == [1, 2, 3]
    assert find_cycle([(5, 5)]) == [5]


def test_degree_report() -> None:
    report = degree_report(geometric(np.random.default_rng(1), 500, 4.0))
    assert report.at_least[0] == pytest.approx(1.0 - report.leaves)
    assert report.slope < 0
