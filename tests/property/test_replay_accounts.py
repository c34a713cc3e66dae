"""What holds for every replay: all entries are accounted for, and how the work is cut up does not matter."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.feeds.rules import load
from afresh.lab.replay import Keep, Period, Playback, ReplayResult, Trace
from afresh.lab.replay import replay as run

DAY = 86_400.0
RULES = ("mavsync", "recorder", "sqrt", "miniflux", "lihz", "nutch")
rules = st.sampled_from(RULES)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    counts = draw(st.lists(st.integers(0, 80), min_size=1, max_size=8))
    streams = [
        np.sort(np.round(rng.uniform(-10 * DAY, 20 * DAY, n), draw(st.sampled_from([-3, 0, 3])))) for n in counts
    ]
    return Trace(
        name="any",
        feed_ids=np.arange(len(counts)) * 7 + 5,
        offsets=np.cumsum([0, *counts]),
        times=np.concatenate([np.empty(0), *streams]),
        windows=rng.integers(1, 12, len(counts)),
    )


periods = st.builds(
    lambda train, test: Period(0.0, train * DAY, (train + test) * DAY), st.integers(0, 5), st.floats(0.2, 9)
)


def accounts(result: ReplayResult) -> list[list[float]]:
    names = ("polls", "found", "missed", "open", "delay_sum", "delay_max")
    return [getattr(result, name).tolist() for name in names]


@settings(deadline=None, max_examples=60)
@given(traces(), periods, rules)
def test_every_entry_after_the_first_window_is_found_missed_or_open(trace: Trace, period: Period, rule: str) -> None:
    result = run(trace, load(rule), period=period, keep_delays=True)
    assert result.delays is not None
    for i in range(len(trace)):
        stream = trace.stream(i)
        due = np.count_nonzero((stream > period.test) & (stream <= period.end))
        counted = result.found[i] + result.missed[i] + result.open[i]
        # a feed that was empty at first has a later window as its baseline, which is not counted
        if np.any(stream <= period.test):
            assert counted == due
        else:
            assert counted <= due
        mine = result.delays[trace.offsets[i] : trace.offsets[i + 1]]
        assert np.count_nonzero(~np.isnan(mine)) == result.found[i]
        assert np.nansum(mine) == pytest.approx(result.delay_sum[i])
        assert result.delay_max[i] == pytest.approx(np.nanmax(mine, initial=0.0))
        assert np.all(np.isnan(mine) | (mine >= 0.0))


@settings(deadline=None, max_examples=40)
@given(traces(), periods, rules, st.floats(0.05, 3.0))
def test_slices_do_not_change_the_accounts(trace: Trace, period: Period, rule: str, days: float) -> None:
    once = run(trace, load(rule), period=period, seed=3)
    sliced = run(trace, load(rule), period=period, seed=3, slices=days * DAY)
    assert accounts(once) == accounts(sliced)
    assert sliced.series is not None
    assert sliced.series.times[-1] == period.end
    assert sliced.series.polls[-1] == once.executed
    assert all(a <= b for a, b in pairwise(sliced.series.found))


@settings(deadline=None, max_examples=40)
@given(traces(), periods, rules)
def test_feeds_do_not_depend_on_each_other(trace: Trace, period: Period, rule: str) -> None:
    """Half of the feeds alone have the same accounts as among the others, whatever is drawn at random."""
    mask = np.arange(len(trace)) % 2 == 0
    alone = run(trace.select(mask), load(rule), period=period, seed=9)
    among = run(trace, load(rule), period=period, seed=9)
    assert accounts(alone) == [np.array(column)[mask].tolist() for column in accounts(among)]


@settings(deadline=None, max_examples=15)
@given(traces(), periods, st.sampled_from(["mavsync", "sqrt", "recorder"]))
def test_keeping_more_does_not_change_the_accounts(trace: Trace, period: Period, rule: str) -> None:
    """The short way of accounting and the long one, which also keeps delays and known entries, agree."""
    known = np.zeros(len(trace.times), dtype=np.uint8)
    delays = np.empty(len(trace.times))
    thorough = Playback(trace, load(rule), start=period.test, keep=Keep(known=known, delays=delays))
    thorough.advance(period.end)
    assert accounts(thorough.result(period.end)) == accounts(run(trace, load(rule), period=period))
    plain = thorough.result(period.end)
    assert known.sum() >= plain.found.sum()


def test_threads_do_not_change_the_accounts() -> None:
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 30, 1_200)
    trace = Trace(
        name="wide",
        feed_ids=np.arange(1_200),
        offsets=np.cumsum([0, *counts]),
        times=np.concatenate([np.sort(rng.uniform(0.0, 9 * DAY, n)) for n in counts]),
        windows=rng.integers(1, 9, 1_200),
    )
    period = Period(0.0, 2 * DAY, 9 * DAY)
    for rule in ("recorder", "lihz"):
        one = run(trace, load(rule), period=period, seed=2, jobs=1)
        assert accounts(one) == accounts(run(trace, load(rule), period=period, seed=2, jobs=3))
    assert accounts(run(trace, load("recorder"), period=period, seed=2)) != accounts(
        run(trace, load("recorder"), period=period, seed=8)
    )


def test_blocks_do_not_change_the_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Feeds are replayed block by block when their profiles would not fit into memory together."""
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 30, 2_500)
    trace = Trace(
        name="wide",
        feed_ids=np.arange(2_500),
        offsets=np.cumsum([0, *counts]),
        times=np.concatenate([np.sort(rng.uniform(0.0, 9 * DAY, n)) for n in counts]),
        windows=rng.integers(1, 9, 2_500),
    )
    period = Period(0.0, 2 * DAY, 9 * DAY)
    whole = run(trace, load("indhist"), period=period, keep_delays=True, slices=DAY)
    monkeypatch.setattr("afresh.lab.replay.run._AT_ONCE", 1)
    parts = run(trace, load("indhist"), period=period, keep_delays=True, slices=DAY)
    assert accounts(whole) == accounts(parts)
    assert whole.series is not None
    assert parts.series is not None
    assert whole.series.polls.tolist() == parts.series.polls.tolist()
    assert np.array_equal(replace(whole).delays, parts.delays, equal_nan=True)
