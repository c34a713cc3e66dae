"""Traces in parts: what is read back is what was written, to the last digit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from afresh.lab.population import START, generate
from afresh.lab.replay.trace import RecordedPolls, Trace
from afresh.lab.traces import read_trace
from afresh.lab.traces.errors import TraceError
from afresh.lab.traces.parted import cut, read_parted, write_parts

pytest.importorskip("pyarrow", reason="left out: needs pyarrow")


def same(one: Trace, other: Trace) -> bool:
    arrays = ("feed_ids", "offsets", "times", "windows")
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
        and one.columns == other.columns
        and one.name == other.name
        and (one.sizes is None) == (other.sizes is None)
        and (one.polls is None) == (other.polls is None)
    )


def test_a_trace_in_parts_is_the_same_trace(tmp_path: Path) -> None:
    trace = generate(50, seed=3, days=5.0)
    parted = write_parts(cut(trace, 20), tmp_path / "parts", name=trace.name)
    assert [part.feeds for part in parted.parts] == [20, 20, 10]
    assert (len(parted), parted.entries) == (50, len(trace.times))
    assert (parted.first, parted.last) == (trace.first, trace.last)
    assert parted.complete_from == trace.complete_from == START
    assert same(read_trace(tmp_path / "parts"), trace)
    [*_, last] = parted.parts
    assert np.array_equal(last.load().feed_ids, trace.feed_ids[40:])


def test_sizes_and_recorded_polls_are_kept(tmp_path: Path) -> None:
    plain = generate(7, seed=1, days=3.0)
    polls = RecordedPolls(
        offsets=np.arange(8) * 2,
        times=np.arange(14) + 0.1,
        windows=np.arange(14),
        sizes=np.where(np.arange(14) % 2 == 0, np.nan, 7.5),
    )
    trace = replace(plain, sizes=np.arange(len(plain.times)) / 3.0, polls=polls)
    write_parts(cut(trace, 3), tmp_path, name=trace.name)
    found = read_trace(tmp_path)
    assert same(found, trace)
    assert found.sizes is not None
    assert found.polls is not None
    assert np.array_equal(found.sizes, trace.sizes)  # type: ignore[arg-type]
    for name in ("offsets", "times", "windows", "sizes"):
        assert np.array_equal(getattr(found.polls, name), getattr(polls, name), equal_nan=True)


def test_feeds_without_entries_stay_feeds(tmp_path: Path) -> None:
    trace = generate(9, seed=1, days=3.0)
    empty = trace.select(np.diff(trace.offsets) > 0)
    nothing = replace(empty, times=np.empty(0), offsets=np.zeros(len(empty) + 1, dtype=np.int64))
    write_parts(cut(nothing, 2), tmp_path, name="none")
    assert same(read_trace(tmp_path), replace(nothing, name="none"))
    assert np.isnan(read_parted(tmp_path).last)


def test_a_folder_that_was_not_finished_is_no_trace(tmp_path: Path) -> None:
    write_parts(cut(generate(5, seed=1, days=3.0), 2), tmp_path, name="half")
    (tmp_path / "trace.json").write_text("{", encoding="utf-8")
    with pytest.raises(TraceError, match="cannot be read"):
        read_parted(tmp_path)
