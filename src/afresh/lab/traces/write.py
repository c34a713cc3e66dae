"""Traces written as folders that ``read_trace`` and anybody's spreadsheet can read."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.lab.replay.trace import Trace
from afresh.lab.traces.files import gzip_writer
from afresh.lab.traces.pages import PageTrace

BLOCK = 200_000  # rows turned into text at once


def write_trace(trace: Trace, folder: str | Path, *, readme: str = "") -> Path:
    """Writes ``feeds.csv``, ``entries.csv.gz``, recorded polls if any, and ``README.md``; returns the folder.

    The same trace gives the same bytes.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    columns: dict[str, Sequence[object]] = {"feed_id": trace.feed_ids.tolist(), "window": trace.windows.tolist()}
    _write_listing(folder / "feeds.csv", columns | dict(trace.columns))
    owners = np.repeat(trace.feed_ids, np.diff(trace.offsets))
    events = {"feed_id": owners, "timestamp": trace.times}
    _write_events(folder / "entries.csv.gz", events if trace.sizes is None else events | {"size": trace.sizes})
    if trace.polls is not None:
        polls = trace.polls
        owners = np.repeat(trace.feed_ids, np.diff(polls.offsets))
        rows = {"feed_id": owners, "timestamp": polls.times, "window": polls.windows, "bytes": polls.sizes}
        _write_events(folder / "polls.csv.gz", rows)
    (folder / "README.md").write_text(readme or f"# {trace.name}\n", encoding="utf-8")
    return folder


def write_page_trace(trace: PageTrace, folder: str | Path, *, readme: str = "") -> Path:
    """Writes ``pages.csv``, ``changes.csv.gz`` and ``README.md``; returns the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    columns: dict[str, Sequence[object]] = {"page_id": trace.page_ids.tolist()}
    _write_listing(folder / "pages.csv", columns | dict(trace.columns))
    events = {"page_id": np.repeat(trace.page_ids, np.diff(trace.offsets)), "timestamp": trace.times}
    _write_events(folder / "changes.csv.gz", events if trace.sizes is None else events | {"size": trace.sizes})
    (folder / "README.md").write_text(readme or f"# {trace.name}\n", encoding="utf-8")
    return folder


def _write_listing(path: Path, columns: Mapping[str, Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        plain = csv.writer(file, lineterminator="\n")
        quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            # the csv module does not see that a lone carriage return needs quotes
            (quoted if any("\r" in str(field) for field in row) else plain).writerow(row)


def _write_events(path: Path, columns: Mapping[str, NDArray[np.number[Any]]]) -> None:
    total = len(next(iter(columns.values())))
    with gzip_writer(path) as file:
        file.write((",".join(columns) + "\n").encode())
        for start in range(0, total, BLOCK):
            block = [_texts(column[start : start + BLOCK]) for column in columns.values()]
            file.write("".join(f"{','.join(row)}\n" for row in zip(*block, strict=True)).encode())


def _texts(column: NDArray[np.number[Any]]) -> list[str]:
    """Shortest text that reads back as the same number; whole numbers without a point, NaN as nothing."""
    if np.isfinite(column).all() and (column == np.floor(column)).all():
        return [str(value) for value in column.astype(np.int64).tolist()]
    return ["" if value != value else repr(value).removesuffix(".0") for value in column.astype(np.float64).tolist()]
