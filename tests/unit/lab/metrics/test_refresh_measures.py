"""Completeness and freshness: golden test G1, and the fast form against the obvious one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.lab.metrics.refresh import completeness, freshness_over_time, query_freshness, stream_quality, timeliness

TIMES = np.array([1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 9.0])
WANTED = np.array([True, False, True, True, False, True, True])


def test_golden_g1() -> None:
    union = stream_quality(TIMES, np.array([3.0, 8.0]), 3, start=0.0, end=10.0)
    query = stream_quality(TIMES, np.array([3.0, 8.0]), 3, start=0.0, end=10.0, relevant=WANTED)
    assert union.completeness == pytest.approx(5 / 7)
    assert query.completeness == pytest.approx(0.6)
    assert union.freshness == pytest.approx(0.466667, abs=1e-6)
    assert query.freshness == pytest.approx(0.4)


def test_completeness_is_pooled() -> None:
    assert completeness([9, 0], [9, 1]) == 0.9
    assert completeness([0], [0]) == 1.0


def test_freshness_of_a_query_is_the_mean_of_its_sources() -> None:
    assert query_freshness([1.0, 0.5, 0.0], [0, 1]) == 0.75
    assert query_freshness([1.0], []) == 1.0


@given(
    st.lists(st.integers(0, 40), max_size=25),
    st.lists(st.integers(11, 40), max_size=6),
    st.integers(1, 5),
)
def test_from_delays_as_event_by_event(entries: list[int], refreshes: list[int], window: int) -> None:
    times, polls = np.sort(np.array(entries, dtype=np.float64)), np.sort(np.array(refreshes, dtype=np.float64))
    start, end = 10.0, 40.0
    delays = np.full(len(times), np.nan)
    for k, t in enumerate(times):
        later = polls[polls >= t]
        if t > start and len(later) and (k + window >= len(times) or times[k + window] > later[0]):
            delays[k] = later[0] - t
    slow = stream_quality(times, polls, window, start=start, end=end)
    fast = freshness_over_time(times, np.array([0, len(times)]), [window], delays, start=start, end=end)
    assert fast[0] == pytest.approx(slow.freshness, abs=1e-12)
    assert int((~np.isnan(delays)).sum()) == slow.fetched


def test_nonsense_is_refused() -> None:
    with pytest.raises(ModelError):
        stream_quality(TIMES, TIMES, 0, start=0.0, end=1.0)
    with pytest.raises(ModelError):
        freshness_over_time(TIMES, np.array([0, 7]), [3], TIMES, start=1.0, end=1.0)
    with pytest.raises(ModelError):
        freshness_over_time(TIMES, np.array([0, 7]), [3], TIMES[:2], start=0.0, end=1.0)


def test_timeliness_lies_between_entries_and_feeds() -> None:
    """Ten entries at once and one that waits half as long as counts: a feed here is worth five entries."""
    waits, published = np.array([0.0] * 10 + [50.0]), np.array([10, 0, 1])
    by_fairness = [timeliness(waits, published, most=100.0, fairness=f, feed=5.0) for f in (0.0, 0.5, 1.0)]
    assert by_fairness == pytest.approx([1.0 - 0.5 / 11.0, 1.0 - (0.5 + 5.0 * 0.5) / (11.0 + 10.0), 0.75])
    assert timeliness(np.array([1e9]), np.array([1]), most=100.0, fairness=0.0, feed=5.0) == 0.0
    assert timeliness(np.empty(0), np.array([0, 0]), most=100.0, fairness=1.0, feed=5.0) == 1.0
