"""Traces as Parquet, in parts of so many feeds: each part can be read, and replayed, without the others.

A folder holds ``trace.json`` (name, span, and the parts in their order) and a file a part: a row a feed with its
entries as lists. Numbers are kept as they are, so a trace that is read back is the same to the last digit.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.extras import need
from afresh.lab.replay.trace import RecordedPolls, Trace
from afresh.lab.traces.errors import TraceError

SUMMARY = "trace.json"
PART = 10_000  # feeds of a part, unless told otherwise
_TEXT = "text:"  # in front of the columns of feeds.csv


@dataclass(frozen=True, slots=True)
class Part:
    """Some feeds of a trace, in a file that others may read, too."""

    path: str
    name: str  # of the trace
    feeds: int
    entries: int

    def load(self) -> Trace:
        """The feeds of this part as a trace of their own."""
        table = _parquet().read_table(self.path)
        values = {name: table.column(name) for name in table.column_names}
        offsets, times = _lists(values["times"])
        return Trace(
            name=self.name,
            feed_ids=_plain(values["feed_id"], np.int64),
            offsets=offsets,
            times=times,
            windows=_plain(values["window"], np.int64),
            columns={name[len(_TEXT) :]: values[name].to_pylist() for name in values if name.startswith(_TEXT)},
            sizes=_lists(values["sizes"])[1] if "sizes" in values else None,
            polls=_polls(values) if "poll_times" in values else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PartedTrace:
    """A trace of which only the summary is in memory."""

    name: str
    first: float  # times of the oldest and newest entry
    last: float
    complete_from: float  # nothing is missing from then on
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return sum(part.feeds for part in self.parts)

    @property
    def entries(self) -> int:
        return sum(part.entries for part in self.parts)


def is_parted(folder: str | Path) -> bool:
    return (Path(folder) / SUMMARY).exists()


def read_parted(folder: str | Path) -> PartedTrace:
    """The summary of a trace in parts; TraceError where it cannot be read."""
    need("parquet", "a trace in parts")
    path = Path(folder).resolve() / SUMMARY
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        parts = tuple(
            Part(str(path.parent / part["file"]), told["name"], part["feeds"], part["entries"])
            for part in told["parts"]
        )
        return PartedTrace(
            name=told["name"],
            first=_moment(told["first"]),
            last=_moment(told["last"]),
            complete_from=_moment(told.get("complete_from", told["first"])),
            parts=parts,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TraceError(f"cannot be read: {error}", path=str(path)) from error


def read_whole(folder: str | Path) -> Trace:
    """All parts of a trace in memory."""
    return joined([part.load() for part in read_parted(folder).parts])


def joined(parts: Sequence[Trace]) -> Trace:
    """Traces one behind the other as one."""
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    sizes = [part.sizes for part in parts if part.sizes is not None]
    polls = [part.polls for part in parts if part.polls is not None]
    return Trace(
        name=parts[0].name,
        feed_ids=np.concatenate([part.feed_ids for part in parts]),
        offsets=_offsets(lengths),
        times=np.concatenate([part.times for part in parts]),
        windows=np.concatenate([part.windows for part in parts]),
        columns={name: [text for part in parts for text in part.columns[name]] for name in parts[0].columns},
        sizes=np.concatenate(sizes) if sizes else None,
        polls=_joined_polls(polls) if polls else None,
    )


def cut(trace: Trace, feeds: int = PART) -> Iterator[Trace]:
    """A trace in parts of so many feeds."""
    for first in range(0, max(1, len(trace)), feeds):
        mask = np.zeros(len(trace), dtype=np.bool_)
        mask[first : first + feeds] = True
        yield trace.select(mask)


def write_parts(parts: Iterable[Trace], folder: str | Path, *, name: str) -> PartedTrace:
    """Writes each part as it comes; the summary last, so that a folder without one is not finished."""
    need("parquet", "a trace in parts")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return write_summary([write_part(part, folder, number) for number, part in enumerate(parts)], folder, name=name)


def write_summary(written: Sequence[dict[str, Any]], folder: Path, *, name: str) -> PartedTrace:
    spans = [part.pop("span") for part in written]
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    told = {
        "name": name,
        "first": _told(first),
        "last": _told(last),
        "complete_from": _told(min(span[2] for span in spans)),
        "parts": list(written),
    }
    (folder / SUMMARY).write_text(json.dumps(told, indent=1), encoding="utf-8")
    return read_parted(folder)


def write_part(trace: Trace, folder: Path, number: int) -> dict[str, Any]:
    """One file; what the summary says of it."""
    arrow = import_module("pyarrow")
    columns = {
        "feed_id": arrow.array(trace.feed_ids),
        "window": arrow.array(trace.windows),
        "times": _listed(trace.offsets, trace.times),
    }
    if trace.sizes is not None:
        columns["sizes"] = _listed(trace.offsets, trace.sizes)
    if (polls := trace.polls) is not None:
        columns["poll_times"] = _listed(polls.offsets, polls.times)
        columns["poll_windows"] = _listed(polls.offsets, polls.windows)
        columns["poll_sizes"] = _listed(polls.offsets, polls.sizes)
    columns |= {_TEXT + column: arrow.array(texts, arrow.string()) for column, texts in trace.columns.items()}
    file = f"part-{number:05d}.parquet"
    _parquet().write_table(arrow.table(columns), folder / file, compression="zstd")
    span = (trace.first, trace.last, trace.complete_from) if len(trace.times) else (math.inf, -math.inf, math.inf)
    return {"file": file, "feeds": len(trace), "entries": len(trace.times), "span": span}


def _parquet() -> Any:
    return import_module("pyarrow.parquet")


def _listed(offsets: NDArray[np.int64], values: NDArray[Any]) -> Any:
    arrow = import_module("pyarrow")
    return arrow.LargeListArray.from_arrays(arrow.array(offsets), arrow.array(values))


def _lists(column: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    chunks = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    values = np.concatenate(chunks) if chunks else np.empty(0)
    lengths = import_module("pyarrow.compute").list_value_length(column)
    return _offsets(_plain(lengths, np.int64)), np.ascontiguousarray(values, dtype=np.float64)


def _plain(column: Any, dtype: Any) -> NDArray[Any]:
    return np.ascontiguousarray(column.to_numpy(), dtype=dtype)


def _offsets(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def _polls(values: dict[str, Any]) -> RecordedPolls:
    offsets, times = _lists(values["poll_times"])
    windows, sizes = _lists(values["poll_windows"])[1], _lists(values["poll_sizes"])[1]
    return RecordedPolls(offsets=offsets, times=times, windows=windows.astype(np.int64), sizes=sizes)


def _joined_polls(parts: Sequence[RecordedPolls]) -> RecordedPolls:
    return RecordedPolls(
        offsets=_offsets(np.concatenate([np.diff(part.offsets) for part in parts])),
        times=np.concatenate([part.times for part in parts]),
        windows=np.concatenate([part.windows for part in parts]),
        sizes=np.concatenate([part.sizes for part in parts]),
    )


def _told(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None


def _moment(told: float | None) -> float:
    return math.nan if told is None else float(told)
