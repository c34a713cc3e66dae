"""Streams in the layout of the published data set TUDCS6: one CSV file a feed, one line an entry, and MISS lines.

The thesis names the columns (publication time, poll time, item id, title, link, window size), not the separator, the
quoting or the spelling of times; so separators and times are recognised, and titles may hold anything.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from afresh.lab.replay.trace import RecordedPolls, Trace
from afresh.lab.traces.errors import TraceError
from afresh.lab.traces.files import read_bytes
from afresh.lab.traces.read import LARGEST_WINDOW, LATEST
from afresh.lab.traces.streams import pack

FIELDS = 6
DELIMITERS = (";", "\t", ",")
MILLISECONDS_FROM = 1e11  # a larger number cannot be seconds


@dataclass(slots=True)
class _Stream:
    """One feed while it is read."""

    times: list[float] = field(default_factory=list)  # corrected
    polls: list[tuple[float, int]] = field(default_factory=list)  # time, window; ascending
    misses: int = 0
    corrected: int = 0


def import_tudcs6(folder: str | Path, *, latest: float = LATEST) -> Trace:
    """Reads all ``*.csv`` and ``*.csv.gz`` files below a folder, one feed each.

    Feeds are numbered by the number in the file name where these are unique, else in order. Times are corrected as the
    thesis does (§3.5.5): a missing one, one after its poll or one before the poll before it becomes the poll time.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise TraceError("no such folder", path=str(folder))
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name.endswith((".csv", ".csv.gz")))
    if not paths:
        raise TraceError("no *.csv or *.csv.gz file below it", path=str(folder))
    streams = [_read_stream(path, latest) for path in paths]
    offsets, times = pack([stream.times for stream in streams])
    return Trace(
        name=folder.resolve().name,
        feed_ids=_ids(paths),
        offsets=offsets,
        times=times,
        windows=np.array([stream.polls[-1][1] if stream.polls else 1 for stream in streams], dtype=np.int64).clip(1),
        columns={
            "file": [str(path.relative_to(folder)) for path in paths],
            "misses": [str(stream.misses) for stream in streams],
            "corrected": [str(stream.corrected) for stream in streams],
        },
        polls=_recorded(streams),
    )


def _recorded(streams: list[_Stream]) -> RecordedPolls:
    counts = np.array([len(stream.polls) for stream in streams], dtype=np.int64)
    rows = np.array([poll for stream in streams for poll in stream.polls], dtype=np.float64).reshape(-1, 2)
    return RecordedPolls(
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times=rows[:, 0].copy(),
        windows=rows[:, 1].astype(np.int64),
        sizes=np.full(len(rows), np.nan),
    )


def _ids(paths: list[Path]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The last run of digits in each name, where all have one and no two share it."""
    numbers = []
    for path in paths:
        digits = "".join(c if c.isascii() and c.isdigit() else " " for c in path.name.split(".csv")[0]).split()
        numbers.append(int(digits[-1]) if digits and len(digits[-1]) <= 15 else -1)
    if min(numbers) < 0 or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(paths) + 1))
    return np.array(numbers, dtype=np.int64)


def _read_stream(path: Path, latest: float) -> _Stream:
    stream = _Stream()
    previous = current = -np.inf
    for line, row in _rows(path):
        if row[0].strip().upper() == "MISS":
            stream.misses += 1
            continue
        published, polled = _time(row[0]), _time(row[1])
        if polled is None or not 0 <= polled <= latest:
            if line == 1:
                continue  # a header
            raise TraceError(f"unusable poll time {row[1][:40]!r}", path=str(path), line=line)
        if polled < current:
            raise TraceError(f"unsorted: poll at {row[1][:40]} after a later one", path=str(path), line=line)
        if polled > current:
            previous, current = current, polled
            stream.polls.append((polled, _window(row[-1], path, line)))
        usable = published is not None and previous <= published <= polled and published >= 0
        stream.corrected += not usable
        stream.times.append(published if usable and published is not None else polled)
    return stream


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Lines with their six fields; a title that holds separators gets them back."""
    text = read_bytes(path).decode("utf-8-sig", errors="replace")
    delimiter = max(DELIMITERS, key=text[:20_000].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if not row or not any(f.strip() for f in row):
                continue
            if row[0].strip().upper().startswith("MISS"):
                yield reader.line_num, ["MISS"]
                continue
            if len(row) < FIELDS:
                problem = f"{len(row)} fields; expected publication, poll, id, title, link, window"
                raise TraceError(problem, path=str(path), line=reader.line_num)
            yield reader.line_num, [*row[:3], delimiter.join(row[3:-2]), row[-2], row[-1]]
    except csv.Error as error:
        raise TraceError(f"not CSV: {error}", path=str(path), line=reader.line_num) from error


def _time(text: str) -> float | None:
    """Seconds or milliseconds since 1970, or a date and time (UTC where it has no zone); None: neither."""
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        if not np.isfinite(number):
            return None
        return number / 1000.0 if number >= MILLISECONDS_FROM else number
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _window(text: str, path: Path, line: int) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= LARGEST_WINDOW):
        raise TraceError(f"window is not a whole number of 0 or more: {text[:40]!r}", path=str(path), line=line)
    return int(text)
