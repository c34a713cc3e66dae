"""Numeric CSV files read at memory speed, and again line by line when something in them is wrong."""

import csv
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from afresh.lab.traces.errors import TraceError
from afresh.lab.traces.files import as_text, read_bytes

COMMA, NEWLINE = ord(","), ord("\n")


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of numbers with the line each row came from; NaN stands for an empty field of an optional column."""

    path: Path
    lines: NDArray[np.int64]
    columns: dict[str, NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self.columns[name]

    def fail(self, wrong: NDArray[np.bool_], problem: str) -> None:
        """Raises for the first row of ``wrong``; ``{name}`` in the problem is filled from that row."""
        if not wrong.any():
            return
        row = int(np.flatnonzero(wrong)[0])
        values = {name: f"{column[row]:.15g}" for name, column in self.columns.items()}
        raise TraceError(problem.format(**values), path=str(self.path), line=int(self.lines[row]))


def read_table(path: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> Table:
    """The named columns of a CSV file (plain or .gz) with a header line; optional ones only where they exist."""
    content = read_bytes(path)
    head, _, body = content.partition(b"\n")
    names = header_of(as_text(head, path), path, needed)
    wanted = [name for name in (*needed, *optional) if name in names]
    matrix = _parse_block(body, len(names))
    if matrix is not None:
        columns = {name: np.ascontiguousarray(matrix[:, names.index(name)]) for name in wanted}
        table = Table(path, np.arange(2, len(matrix) + 2), columns)
        if all(np.isfinite(table[n]).all() if n in needed else not np.isinf(table[n]).any() for n in wanted):
            return table
    return _parse_lines(as_text(content, path), path, wanted, needed)


def header_of(line: str, path: Path, needed: Sequence[str]) -> list[str]:
    """Column names of the first line, checked."""
    names = [name.strip() for name in next(csv.reader([line.rstrip("\r\n")]), [])]
    missing = [name for name in needed if name not in names]
    if missing:
        found = ", ".join(names[:20]) or "nothing"
        raise TraceError(f"missing column {missing[0]}; the header names {found[:200]}", path=str(path), line=1)
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise TraceError(f"column {twice!r} appears twice", path=str(path), line=1)
    return names


def _parse_block(body: bytes, width: int) -> NDArray[np.float64] | None:
    """All numbers at once (NaN: an empty field), or None where the file is not a plain rectangle of numbers."""
    body = body.replace(b"\r\n", b"\n").rstrip(b"\n")
    if not body:
        return np.empty((0, width))
    body += b"\n"
    if width > 1 and (b",\n" in body or b",," in body):
        body = body.replace(b",\n", b",nan\n").replace(b",,", b",nan,").replace(b",,", b",nan,")
    raw = np.frombuffer(body, dtype=np.uint8)
    separators = raw[(raw == COMMA) | (raw == NEWLINE)]
    if len(separators) % width:
        return None
    grid = separators.reshape(-1, width)
    if (grid[:, -1] != NEWLINE).any() or (grid[:, :-1] != COMMA).any():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # how numpy before 2.3 says "not a number"
            flat = np.fromstring(body.replace(b"\n", b","), dtype=np.float64, sep=",")
    except (ValueError, DeprecationWarning):
        return None
    return flat.reshape(-1, width) if len(flat) == len(separators) else None


def _parse_lines(text: str, path: Path, wanted: Sequence[str], needed: Sequence[str]) -> Table:
    """The patient way: any CSV, and an error that names the line."""
    lines: list[int] = []
    columns: dict[str, list[float]] = {name: [] for name in wanted}
    for line, row in read_records(text, path):
        lines.append(line)
        for name in wanted:
            columns[name].append(_number(row[name], name, path, line, optional=name not in needed))
    arrays = {name: np.array(values, dtype=np.float64) for name, values in columns.items()}
    return Table(path, np.array(lines, dtype=np.int64), arrays)


def _number(field: str, name: str, path: Path, line: int, *, optional: bool) -> float:
    field = field.strip()
    if not field:
        if optional:
            return nan
        raise TraceError(f"missing {name}", path=str(path), line=line)
    try:
        value = float(field) if "_" not in field else nan  # Python reads 1_0, nobody else does
    except ValueError:
        value = nan
    if not np.isfinite(value):
        raise TraceError(f"{name} is not a number: {field[:40]!r}", path=str(path), line=line)
    return value


def read_records(text: str, path: Path) -> list[tuple[int, dict[str, str]]]:
    """Rows of a CSV text by column name, each with its line; blank lines are skipped."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    out: list[tuple[int, dict[str, str]]] = []
    try:
        names = [name.strip() for name in next(reader, [])]
        for row in reader:
            if not row:
                continue
            if len(row) != len(names):
                raise TraceError(
                    f"{len(row)} fields, the header has {len(names)}", path=str(path), line=reader.line_num
                )
            out.append((reader.line_num, dict(zip(names, row, strict=True))))
    except csv.Error as error:
        raise TraceError(f"not CSV: {error}", path=str(path), line=reader.line_num) from error
    return out
