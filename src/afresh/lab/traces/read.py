"""Trace folders read into memory: ``feeds.csv`` with its entries, or ``pages.csv`` with its changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from afresh.lab.replay.trace import RecordedPolls, Trace
from afresh.lab.traces.errors import TraceError
from afresh.lab.traces.files import as_text, find, need, read_bytes
from afresh.lab.traces.pages import PageTrace
from afresh.lab.traces.parted import is_parted, read_whole
from afresh.lab.traces.tables import Table, header_of, read_records, read_table

Ints = NDArray[np.int64]

#: 2100-01-01. Milliseconds taken for seconds and other slips land far beyond it; a caller with a clock asks for less.
LATEST = 4_102_444_800.0
LARGEST_WINDOW = 1_000_000


@dataclass(frozen=True, slots=True)
class _Listing:
    """``feeds.csv`` or ``pages.csv``: ids in file order, where each stood, and all other columns as text."""

    path: Path
    key: str
    ids: Ints
    lines: list[int]
    columns: dict[str, list[str]]

    def fail(self, row: int, problem: str) -> TraceError:
        return TraceError(problem, path=str(self.path), line=self.lines[row])


@dataclass(frozen=True, slots=True)
class _Streams:
    """Rows of a file of events grouped by owner, in the owners' order."""

    offsets: Ints
    order: Ints  # row of the file for each place

    def __call__(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        return column[self.order]


def read_trace(folder: str | Path, *, latest: float = LATEST) -> Trace:
    """A feed trace; raises TraceError naming file, line and problem.

    ``latest`` is the last acceptable time: entries beyond it come from a wrong unit or clock. Feeds may be interleaved
    in ``entries.csv``, but the times of one feed must ascend; equal ones are genuine. A window of 0 is accepted for a
    feed without entries, where it does not matter, and becomes 1. A trace in parts is read as a whole.
    """
    folder = Path(folder)
    if is_parted(folder):
        return read_whole(folder)
    listing = _read_listing(need(folder, "feeds.csv"), "feed_id", needed=("window",))
    entries = read_table(need(folder, "entries.csv.gz", "entries.csv"), ("feed_id", "timestamp"), ("size",))
    streams = _group(entries, listing, latest)
    polls = find(folder, "polls.csv.gz", "polls.csv")
    return Trace(
        name=folder.resolve().name,
        feed_ids=listing.ids,
        offsets=streams.offsets,
        times=streams(entries["timestamp"]),
        windows=_windows(listing, np.diff(streams.offsets)),
        columns=listing.columns,
        sizes=_sizes(entries, streams, "size"),
        polls=None if polls is None else _read_polls(polls, listing, latest),
    )


def read_page_trace(folder: str | Path, *, latest: float = LATEST) -> PageTrace:
    """A page trace (``pages.csv``, ``changes.csv.gz``); raises TraceError naming file, line and problem."""
    folder = Path(folder)
    listing = _read_listing(need(folder, "pages.csv"), "page_id")
    changes = read_table(need(folder, "changes.csv.gz", "changes.csv"), ("page_id", "timestamp"), ("size",))
    streams = _group(changes, listing, latest)
    return PageTrace(
        name=folder.resolve().name,
        page_ids=listing.ids,
        offsets=streams.offsets,
        times=streams(changes["timestamp"]),
        columns=listing.columns,
        sizes=_sizes(changes, streams, "size"),
    )


def _read_listing(path: Path, key: str, needed: Sequence[str] = ()) -> _Listing:
    text = as_text(read_bytes(path), path)
    names = header_of(text.partition("\n")[0], path, (key, *needed))
    records = read_records(text, path)
    listing = _Listing(
        path=path,
        key=key,
        ids=np.empty(len(records), dtype=np.int64),
        lines=[line for line, _ in records],
        columns={name: [row[name] for _, row in records] for name in names if name != key},
    )
    seen: dict[int, int] = {}
    for i, (line, row) in enumerate(records):
        listing.ids[i] = number = _integer(row[key], f"{key}", listing, i)
        if number in seen:
            raise listing.fail(i, f"{key} {number} appears again, first on line {seen[number]}")
        seen[number] = line
    return listing


def _integer(field: str, name: str, listing: _Listing, row: int) -> int:
    """A number of 0 or more that fits 53 bits, as every number of the event files must."""
    field = field.strip()
    if not field:
        raise listing.fail(row, f"missing {name}")
    if not (field.isascii() and field.isdigit() and len(field) <= 15):
        raise listing.fail(row, f"{name} is not a whole number of 0 or more: {field[:40]!r}")
    return int(field)


def _windows(listing: _Listing, counts: Ints) -> Ints:
    """The windows of all feeds; removes their column, which is not text any more."""
    out = np.empty(len(listing.ids), dtype=np.int64)
    for i, field in enumerate(listing.columns.pop("window")):
        window = _integer(field, "window", listing, i)
        if window == 0 and counts[i]:
            raise listing.fail(i, f"window 0, but feed {listing.ids[i]} has {counts[i]} entries")
        if window > LARGEST_WINDOW:
            raise listing.fail(i, f"window {window} is beyond {LARGEST_WINDOW:,}")
        out[i] = max(window, 1)
    return out


def _group(table: Table, listing: _Listing, latest: float) -> _Streams:
    """Checks ids and times of a file of events and sorts its rows by owner, keeping their order."""
    key = listing.key
    owner = _owners(table, listing)
    table.fail(table["timestamp"] < 0, "negative timestamp {timestamp}")
    table.fail(
        table["timestamp"] > latest, "timestamp {timestamp} lies in the future (seconds since 1970 are expected)"
    )
    order = np.argsort(owner, kind="stable")
    times, owners = table["timestamp"][order], owner[order]
    backwards = np.zeros(len(table), dtype=np.bool_)
    backwards[order[1:]] = (np.diff(times) < 0) & (owners[1:] == owners[:-1])
    table.fail(backwards, f"unsorted: timestamp {{timestamp}} of {key} {{{key}}} is earlier than the one before it")
    counts = np.bincount(owner, minlength=len(listing.ids))
    return _Streams(np.concatenate(([0], np.cumsum(counts))).astype(np.int64), order)


def _owners(table: Table, listing: _Listing) -> Ints:
    """Place in the listing of the feed or page of each row."""
    numbers, key = table[listing.key], listing.key
    table.fail(numbers != np.floor(numbers), f"{key} is not a whole number: {{{key}}}")
    sorting = np.argsort(listing.ids, kind="stable")
    known = listing.ids[sorting]
    place = np.minimum(np.searchsorted(known, numbers), max(len(known) - 1, 0))
    unknown = known[place] != numbers if len(known) else np.ones(len(numbers), dtype=np.bool_)
    table.fail(unknown, f"unknown {key} {{{key}}}: not in {listing.path.name}")
    return sorting[place] if len(known) else np.empty(0, dtype=np.int64)


def _sizes(table: Table, streams: _Streams, name: str) -> NDArray[np.float64] | None:
    if name not in table.columns:
        return None
    table.fail(table[name] < 0, f"negative {name} {{{name}}}")
    return streams(table[name])


def _read_polls(path: Path, listing: _Listing, latest: float) -> RecordedPolls:
    table = read_table(path, ("feed_id", "timestamp", "window"), ("bytes",))
    streams = _group(table, listing, latest)
    window = table["window"]
    wrong = (window < 0) | (window != np.floor(window)) | (window > LARGEST_WINDOW)
    table.fail(wrong, "window {window} is not a whole number of 0 or more")
    sizes = _sizes(table, streams, "bytes")
    return RecordedPolls(
        offsets=streams.offsets,
        times=streams(table["timestamp"]),
        windows=streams(window).astype(np.int64),
        sizes=np.full(len(table), np.nan) if sizes is None else sizes,
    )
