import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.lab.metrics import (
    Mean,
    Normalisation,
    Qualities,
    Tally,
    Weights,
    average,
    combine_modes,
    cumulative_volume,
    delay_distribution,
    goodness,
    histogram_quantile,
    log_edges,
    poll_volume,
)


def tally():
    """A busy feed, a slow one, one that was missed entirely, an empty one."""
    return Tally.of(
        polls=[10, 4, 6, 480],
        found=[20, 1, 0, 0],
        missed=[0, 0, 3, 0],
        open=[5, 0, 1, 0],
        delay_sum=[200.0, 90.0, 0, 0],
    )


def test_metrics_of_each_feed():
    np.testing.assert_array_equal(tally().delay(), [10, 90, np.nan, np.nan])
    np.testing.assert_array_equal(tally().recall(), [0.8, 1, 0, np.nan])
    np.testing.assert_array_equal(tally().ape(), [0.5, 4, np.nan, np.nan])


def test_mode_feeds_leaves_undefined_values_out_and_mode_entries_counts_every_poll():
    a = average(tally())
    assert (a.feeds, a.polls, a.found, a.missed, a.open) == (4, 500, 21, 3, 6)
    assert a.delay_feeds == 50
    assert a.ape_feeds == 2.25
    assert a.recall_feeds == pytest.approx(0.6)
    assert a.delay_entries == pytest.approx(290 / 21)
    assert a.ape_entries == pytest.approx(500 / 21)  # the 480 polls of the empty feed included
    assert a.recall_entries == pytest.approx(21 / 30)


def test_nothing_found_is_undefined_and_null_in_json():
    a = average(Tally.of(polls=[3], found=[0], missed=[0], open=[0], delay_sum=[0.0]))
    assert np.isnan([a.delay_feeds, a.recall_feeds, a.ape_entries, a.recall_entries]).all()
    assert a.as_dict()["delay_feeds"] is None
    assert a.as_dict()["polls"] == 3


@pytest.mark.parametrize("wrong", [{"found": [1, 2]}, {"polls": [-1]}, {"delay_sum": [np.nan]}])
def test_senseless_tallies_are_refused(wrong):
    with pytest.raises(ModelError):
        Tally.of(**({"polls": [1], "found": [1], "missed": [0], "open": [0], "delay_sum": [1.0]} | wrong))


@given(st.lists(st.lists(st.floats(0, 1e6), max_size=9), min_size=1, max_size=6))
def test_delay_quantiles_agree_with_numpy(feeds):
    offsets = np.concatenate(([0], np.cumsum([len(f) for f in feeds]))).astype(np.int64)
    pooled = np.concatenate([np.empty(0), *feeds])
    d = delay_distribution(pooled, offsets)
    some = [f for f in feeds if f]
    if not some:
        assert np.isnan(d.median_feeds)
        assert np.isnan(d.max_entries)
        return
    assert d.median_feeds == pytest.approx(np.mean([np.quantile(f, 0.5) for f in some]))
    assert d.p95_feeds == pytest.approx(np.mean([np.quantile(f, 0.95) for f in some]))
    assert d.max_feeds == pytest.approx(np.mean([max(f) for f in some]))
    assert d.median_entries == pytest.approx(np.quantile(pooled, 0.5))
    assert d.p95_entries == pytest.approx(np.quantile(pooled, 0.95))
    assert d.max_entries == pooled.max()


def test_offsets_must_cut_the_delays():
    with pytest.raises(ModelError):
        delay_distribution(np.ones(3), np.array([0, 2]))


def test_quantiles_of_a_histogram_are_exact_to_a_bin():
    delays = np.random.default_rng(1).lognormal(8, 2, 20_000)
    edges = log_edges()
    counts, _ = np.histogram(delays, edges)
    assert counts.sum() == len(delays)
    for q in (0.0, 0.05, 0.5, 0.95):
        assert histogram_quantile(counts, edges, q) == pytest.approx(np.quantile(delays, q), rel=0.07)
    assert np.isnan(histogram_quantile(np.zeros(2), np.arange(3.0), 0.5))
    with pytest.raises(ModelError):
        histogram_quantile(np.zeros(2), np.arange(2.0), 0.5)


def test_volume():
    yes, no = np.array([True, True, False]), np.array([False, True, False])
    cost = poll_volume(np.full(3, 17e3), np.full(3, 369.0), conditional=yes, changed=no)
    assert cost.tolist() == [369, 17e3, 17e3]
    got = cumulative_volume(np.array([30.0, 10, 20]), np.array([1.0, 2, 4]), np.array([0.0, 10, 25, 99]))
    assert got.tolist() == [0, 2, 6, 7]


positive = st.floats(0.01, 1e6)
rows = st.lists(st.tuples(positive, positive, st.floats(0.001, 1)), min_size=2, max_size=8)


@given(rows, rows, st.tuples(*[st.floats(0.1, 5)] * 3))
def test_order_and_ratios_do_not_depend_on_the_reference(one, more, w):
    small, large = Qualities.of(*np.array(one).T), Qualities.of(*np.array(one + more).T)
    weights = Weights(*w)
    local = goodness(small, weights=weights)
    assert local.value.max() == pytest.approx(1)
    assert (local.value > 0).all()
    joined = goodness(large, weights=weights)
    baseline = goodness(small, weights=weights, reference=Qualities.of(*more[0]))
    globally = goodness(small, weights=weights, reference=large)
    for other in (joined.value[: len(one)], baseline.value, globally.value):
        np.testing.assert_allclose(other / other[0], local.value / local.value[0], rtol=1e-6)
    np.testing.assert_allclose(globally.value, joined.value[: len(one)])


def test_twice_the_delay_with_half_the_polls_is_as_good():
    assert goodness(Qualities.of([60, 120], [2.0, 1.0], [0.9, 0.9])).value.tolist() == pytest.approx([1, 1])


def test_a_baseline_has_goodness_one_and_may_be_beaten():
    q = Qualities.of([3600, 1800], [2.0, 2.0], [1, 1])
    value = goodness(q, reference=Qualities.of(3600, 2.0, 1)).value
    assert value.tolist() == pytest.approx([1, 2 ** (1 / 3)])


def test_edge_cases():
    q = Qualities.of([0, 60, np.nan, 30], [0, 1, np.nan, np.nan], [1, 1, 0, 1])
    result = goodness(q)
    assert result.value[0] == 1  # a delay of 0 counts as a second, no polls as 1e-6
    assert 0 < result.value[1] < 1
    assert result.value[2] == 0  # finds nothing
    assert np.isnan(result.value[3])  # undefined, and no mark for others
    nothing = goodness(Qualities.of([np.nan], [np.nan], [0.0]))
    assert nothing.value.tolist() == [0]
    assert np.isnan(goodness(Qualities.of([np.nan], [np.nan], [np.nan])).value[0])


def test_a_weight_of_zero_leaves_a_value_out():
    q = Qualities.of([60, 6000], [1, 1], [0.5, 1])
    assert goodness(q, weights=Weights(0, 0, 1)).value.tolist() == [0.5, 1]
    for wrong in ((0, 0, 0), (-1, 1, 1), (np.nan, 1, 1), (np.inf, 1, 1)):
        with pytest.raises(ModelError):
            Weights(*wrong)


@pytest.mark.parametrize("wrong", [([1, 2], [1], [1]), ([-1], [1], [1]), ([1], [1], [1.5])])
def test_senseless_qualities_are_refused(wrong):
    with pytest.raises(ModelError):
        Qualities.of(*wrong)


def test_a_harmonic_mean_with_a_zero_is_undefined():
    q = Qualities.of([1, 2], [1, 2], [1, 0.5])
    got = goodness(q, mean=Mean.HARMONIC, normalisation=Normalisation.WORST).raw
    assert np.isnan(got[1])
    assert got[0] > 0


def test_modes_are_combined_by_weight():
    feeds, entries = np.array([1.0, 0.5]), np.array([0.5, 1.0])
    assert combine_modes(feeds, entries).tolist() == [1, 1]
    np.testing.assert_allclose(combine_modes(feeds, entries, feeds_weight=2), [1, 2 ** (-1 / 3)])
    assert combine_modes(feeds, entries, entries_weight=0).tolist() == [1, 0.5]
    assert combine_modes(np.zeros(2), np.ones(2)).tolist() == [0, 0]
    with pytest.raises(ModelError):
        combine_modes(feeds, entries, feeds_weight=-1)
