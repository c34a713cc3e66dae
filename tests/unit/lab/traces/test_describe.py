import json

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.lab.replay.trace import RecordedPolls, Trace
from afresh.lab.traces import (
    PageTrace,
    as_text,
    attribute_report,
    describe,
    describe_pages,
    export_trace,
    fit_power_law,
    pages_as_text,
    plot_description,
    quality_report,
    read_trace,
    sample,
    sample_feeds,
)

HOUR, DAY = 3_600.0, 86_400.0
MONDAY = 4 * DAY  # 1970-01-05


def trace_of(*streams, windows=None, columns=None, polls=None):
    counts = np.array([len(s) for s in streams], dtype=np.int64)
    return Trace(
        name="example",
        feed_ids=np.arange(1, len(streams) + 1),
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times=np.concatenate([np.empty(0), *streams]).astype(np.float64),
        windows=np.array(windows or [10] * len(streams), dtype=np.int64),
        columns=columns or {},
        polls=polls,
    )


@pytest.fixture
def example():
    hourly = MONDAY + HOUR * np.arange(49)
    return trace_of(
        hourly,
        MONDAY + np.array([0.0, 0, 60, DAY]),
        [],
        windows=[10, 20, 10],
        columns={"ttl": ["600", "", "600"], "url": ["a", "b", "c"], "flag": ["0", "1", "0.0"]},
    )


def test_statistics(example):
    d = describe(example)
    assert (d.feeds, d.entries, d.silent, d.days) == (3, 53, 1, 2.0)
    assert d.rate_per_day["max"] == 24.5
    assert d.interval["p50"] == HOUR
    assert d.interval["max"] == DAY - 60
    assert d.entries_per_feed["mean"] == pytest.approx(53 / 3)
    assert d.hours[0] == pytest.approx((3 + 3 + 1) / 53)
    assert d.hours[5] == pytest.approx(2 / 53)
    assert d.weekdays[0] == pytest.approx((24 + 3) / 53)
    assert d.weekdays[3:] == [0, 0, 0, 0]
    assert d.common_windows == {10: pytest.approx(2 / 3), 20: pytest.approx(1 / 3)}
    assert d.equal_times == pytest.approx(1 / 51)
    assert d.patterns == {"constant": 1, "sliced": 1, "empty": 1}


def test_a_part_of_the_time(example):
    d = describe(example, start=MONDAY + DAY, end=MONDAY + 2 * DAY)
    assert d.entries == 25 + 1
    assert d.patterns["constant"] == 1  # judged from everything before


def test_turnover():
    busy = trace_of(MONDAY + 60.0 * np.arange(200), MONDAY + HOUR * np.arange(200), windows=[20, 20])
    assert describe(busy).fills_window_within_hour == 0.5


def test_words_and_json(example):
    text = as_text(describe(example))
    assert "3 feeds, 53 entries in 2.0 days; 1 feeds silent" in text
    assert "constant 1" in text
    assert "ttl" in text
    json.dumps(describe(example).as_dict(), allow_nan=False)


@pytest.mark.parametrize("streams", [(), ([],), ([5.0],)])
def test_traces_with_next_to_nothing(streams):
    d = describe(trace_of(*streams))
    assert d.entries == sum(len(s) for s in streams)
    assert as_text(d)
    json.dumps(d.as_dict(), allow_nan=False)


def test_attributes_by_feeds_and_by_entries(example):
    ttl, url, flag = attribute_report(example)
    assert (ttl.name, ttl.feeds) == ("ttl", 2)
    assert ttl.entries_share == pytest.approx(49 / 53)
    assert ttl.values == {"600": 2}
    assert url.feeds_share == 1
    assert (flag.feeds, flag.entries_share) == (1, pytest.approx(4 / 53))  # 0 is absent, however it is spelt


def test_potential_gaps_are_windows_without_a_common_entry():
    stream = np.arange(10.0, 110.0, 10.0)
    polls = RecordedPolls(
        offsets=np.array([0, 5, 5]),
        times=np.array([20.0, 30, 60, 80, 100]),
        windows=np.array([2, 2, 3, 0, 3]),  # 30 -> 60: three new in a window of three; 60 -> 100: four in three
        sizes=np.full(5, np.nan),
    )
    quality = quality_report(trace_of(stream, [], polls=polls))
    assert quality.source == "polls"
    assert (quality.gaps, quality.feeds_with_gaps, quality.largest) == (2, 1, 2)
    assert quality.feeds_without_gap == 0.5
    assert quality.cumulative[1] == 0.5
    assert quality.cumulative[2] == 1.0
    assert quality_report(trace_of([])).source == ""
    assert quality_report(trace_of([], columns={"misses": ["3"]})).gaps == 3


def test_power_law():
    x = np.arange(1, 60)
    counts = np.repeat(x, np.round(5000 * x**-0.74).astype(int))
    law = fit_power_law(counts)
    assert law is not None
    assert law.b == pytest.approx(-0.74, abs=0.01)
    assert law.a == pytest.approx(5000, rel=0.03)
    assert fit_power_law(np.array([0, 0, 1, 2])) is None


def test_random_samples(example):
    assert sample(list("abcdef"), 3, seed=1) == sample(list("abcdef"), 3, seed=1)
    assert len(sample_feeds(example, 2, seed=1)) == 2
    seen = {tuple(sample(range(6), 3, seed=seed)) for seed in range(200)}
    assert len(seen) == 20  # every subset comes up
    with pytest.raises(UsageError, match="cannot take 4 of 3"):
        sample_feeds(example, 4, seed=1)


def test_an_export_explains_itself(example, tmp_path):
    where = export_trace(example, tmp_path / "out", source="Made up.", licence="CC0-1.0")
    text = (where / "README.md").read_text()
    assert "Made up." in text
    assert "Licence: CC0-1.0." in text
    assert "| ttl | seconds the feed asks" in text
    assert "3 feeds, 53 entries, 1970-01-05 to 1970-01-07" in text
    assert len(read_trace(where).times) == 53


def test_a_figure_of_a_trace(example, tmp_path):
    path = plot_description(example, describe(example), tmp_path / "trace.svg")
    assert "<svg" in path.read_text()
    plot_description(trace_of([]), describe(trace_of([])), tmp_path / "empty.png")  # nothing to show is no error


def pages(*versions, **columns):
    counts = [len(v) for v in versions]
    return PageTrace(
        name="pages",
        page_ids=np.arange(1, len(versions) + 1),
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times=np.concatenate([np.empty(0), *versions]).astype(np.float64),
        columns=columns,
    )


def test_pages_are_described_by_their_changes():
    trace = pages([MONDAY, MONDAY + DAY, MONDAY + 2 * DAY], [MONDAY], observed_until=["", str(MONDAY + 10 * DAY)])
    d = describe_pages(trace)
    assert (d.pages, d.changes, d.never_changed) == (2, 2, 0.5)
    assert d.observed_days["max"] == 10
    assert d.rate_per_day["max"] == 1.0
    assert d.interval["p50"] == DAY
    assert d.weekdays[:4] == [0, 0.5, 0.5, 0]
    assert "2 pages, 2 changes" in pages_as_text(d)
    json.dumps(d.as_dict(), allow_nan=False)
    short = describe_pages(pages([MONDAY, MONDAY + 60], [MONDAY + 60]))
    assert (short.seen_once, short.never_changed, short.rate_per_day["max"]) == (1, 0.0, 1440.0)
    assert "1 were seen once; of the others 0.0% never changed" in pages_as_text(short)
    once = pages_as_text(describe_pages(pages([MONDAY], [MONDAY])))
    assert "none was seen for long enough to tell whether it changes" in once
    assert "nan" not in once
    json.dumps(describe_pages(pages()).as_dict(), allow_nan=False)
