"""A SQLite store copied into an empty PostgreSQL store, whole or not at all, and compared row by row.

Numbers stay what they are (of resources, entries, leases, queries), so readers go on where they were. The daemon of
neither store may run meanwhile. A frontier is copied by the same steps (``store.frontier.copying``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afresh.base.errors import StoreBusy, StoreError, UsageError
from afresh.store.buckets import BUCKETS
from afresh.store.postgres.database import StoreDatabase
from afresh.store.postgres.locks import Lock, try_lock
from afresh.store.sql.moving import CARRIED
from afresh.store.sqlite.connection import Database as SqliteDatabase

if TYPE_CHECKING:
    from afresh.store.postgres.connection import Connection

_BATCH = 2_000  # rows read at a time
#: The bucket is a column of PostgreSQL's tables alone; where the copy takes it from.
BUCKET_OF: Mapping[str, str] = {
    "site": f"id % {BUCKETS}",
    **dict.fromkeys(("resource", "signal"), f"site_id % {BUCKETS}"),
    **{
        table: f"coalesce((SELECT site_id % {BUCKETS} FROM resource WHERE resource.id = {table}.resource_id), 0)"
        for table in CARRIED
    },
    **dict.fromkeys(("tally", "activity"), "0"),
}
_SUMMED = ("tally", "activity")  # over all buckets
#: Rows that PostgreSQL keeps as a sequence instead, or has already.
_WITHOUT = {"counter": "name <> 'lease'", "setting": "key <> 'buckets'"}

Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Compared:
    """A table of both stores; equal sums mean equal rows, in whatever order."""

    table: str
    rows: int
    sum: str
    target_rows: int
    target_sum: str

    @property
    def is_equal(self) -> bool:
        return (self.rows, self.sum) == (self.target_rows, self.target_sum)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the target, and where its rows are in the source."""

    name: str
    columns: tuple[str, ...]  # of both
    which: str = "true"  # the rows that both keep as such
    bucket: str = ""  # the source's words for the bucket, where only the target has that column
    summed: bool = False  # over all buckets
    origin: str = ""  # the source's words for what it reads from; '': the table of the same name
    replaced: bool = False  # its other rows, made with the table, go when it is copied

    @property
    def source(self) -> str:
        """Its rows in SQLite's words."""
        return self._read(self.origin or self.name)

    @property
    def target(self) -> str:
        """Its rows in PostgreSQL's words: totals over all buckets, all else without its bucket."""
        if not self.summed:
            return self._read(self.name)
        key, *sums = self.columns
        totals = ", ".join(f"sum({name})" if name == "delay" else f"sum({name})::bigint" for name in sums)
        return f"SELECT {key}, {totals} FROM {self.name} GROUP BY {key}"

    def copying(self) -> tuple[str, str]:
        """The statement that reads and the one that writes."""
        if not self.bucket:
            return self.source, f"COPY {self.name} ({self._list(self.columns)}) FROM STDIN"
        read = self.source.replace(" FROM ", f", {self.bucket} FROM ", 1)
        return read, f"COPY {self.name} ({self._list((*self.columns, 'bucket'))}) FROM STDIN"

    def _read(self, name: str) -> str:
        return f"SELECT {self._list(self.columns)} FROM {name} WHERE {self.which}"

    def _list(self, columns: Sequence[str]) -> str:
        return ", ".join(f'"{name}"' for name in columns)


@dataclass(frozen=True, slots=True)
class Copying:
    """Of one kind of store: how both are opened, which tables they have, and what the target keeps otherwise."""

    both: Callable[[Path, str], AbstractContextManager[tuple[sqlite3.Connection, Connection]]]
    tables: Callable[[sqlite3.Connection, Connection], Sequence[Table]]
    finish: Callable[[sqlite3.Connection, Connection], None]

    def copy_store(
        self, source: Path, target: str, *, progress: Progress = lambda _table, _rows: None
    ) -> list[Compared]:
        """Copies everything and compares it before it is committed; raises, and keeps nothing, if anything differs."""
        with self.both(source, target) as (read, write):
            return _copy_tables(read, write, self.tables(read, write), finish=self.finish, progress=progress)

    def verify_stores(self, source: Path, target: str) -> list[Compared]:
        """Compares both stores table by table; both must rest."""
        with self.both(source, target) as (read, write):
            return _compare_tables(read, write, self.tables(read, write))


def _copy_tables(
    read: sqlite3.Connection,
    write: Connection,
    tables: Sequence[Table],
    *,
    finish: Callable[[sqlite3.Connection, Connection], None],
    progress: Progress,
) -> list[Compared]:
    """Copies tables into empty ones; ``finish`` sees to what the target keeps otherwise. Raises where they differ."""
    _check_empty(write, tables)
    for table in tables:
        if table.replaced:
            write.execute(f"DELETE FROM {table.name} WHERE NOT ({table.which})")
        progress(table.name, _copy(read, write, table))
    finish(read, write)
    compared = _compare_tables(read, write, tables)
    wrong = [item.table for item in compared if not item.is_equal]
    if wrong:
        raise StoreError(f"the copy differs in {', '.join(wrong)}; nothing was kept")
    write.execute("ANALYZE")
    return compared


def _compare_tables(read: sqlite3.Connection, write: Connection, tables: Sequence[Table]) -> list[Compared]:
    return [_compare(read, write, table) for table in tables]


def check_source(source: Path) -> None:
    """Refuses to make what shall be copied."""
    if not source.is_file():
        raise UsageError(f"there is no store {source}; name the SQLite file to copy from")


@contextmanager
def _both(source: Path, target: str) -> Iterator[tuple[sqlite3.Connection, Connection]]:
    """A picture of the source and a transaction on the target, with no daemon on either."""
    check_source(source)
    old = SqliteDatabase(source, exclusive=True)
    try:
        new = StoreDatabase(target)
        try:
            with old.reading() as read, new.writing() as write:
                if not try_lock(write, Lock.DAEMON):
                    raise StoreBusy(f"{new.name} is in use by a running daemon; stop it first")
                read.row_factory = None
                try:
                    yield read, write
                finally:
                    read.row_factory = sqlite3.Row
        finally:
            new.close()
    finally:
        old.close()


def _tables(read: sqlite3.Connection, write: Connection) -> list[Table]:
    """All tables, those that others point to first."""
    names = table_names(read)
    pointing = {name: {row[2] for row in read.execute(f"PRAGMA foreign_key_list({name})")} - {name} for name in names}
    ordered: list[str] = []
    while len(ordered) < len(names):
        ordered += [name for name in names if name not in ordered and pointing[name] <= set(ordered)]
    tables = [
        Table(
            name,
            tuple(row[1] for row in read.execute(f"PRAGMA table_info({name})")),
            which=_WITHOUT.get(name, "true"),
            bucket=BUCKET_OF.get(name, ""),
            summed=name in _SUMMED,
        )
        for name in ordered
    ]
    for table in tables:
        check_columns(write, table)
    return tables


def table_names(read: sqlite3.Connection) -> list[str]:
    """Our own, in the order in which they were made."""
    names = [row[0] for row in read.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")]
    return [name for name in names if not name.startswith("sqlite_")]


def check_columns(write: Connection, table: Table) -> None:
    rows = write.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped",
        (table.name,),
    )
    missing = set(table.columns) - {row[0] for row in rows}
    if missing:
        raise StoreError(f"PostgreSQL's table {table.name} lacks {', '.join(sorted(missing))}; upgrade afresh")


def _check_empty(write: Connection, tables: Sequence[Table]) -> None:
    for table in tables:
        row = write.execute(f"SELECT EXISTS (SELECT FROM {table.name} WHERE {table.which})").fetchone()
        if row is not None and row[0]:
            raise UsageError(f"the target is not empty: its table {table.name} has rows; name an empty database")


def _copy(read: sqlite3.Connection, write: Connection, table: Table) -> int:
    reading, writing = table.copying()
    count = 0
    with write.cursor() as cursor, cursor.copy(writing) as copy:
        for row in _batched(read.execute(reading)):
            copy.write_row(row)
            count += 1
    return count


def _batched(rows: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    while batch := rows.fetchmany(_BATCH):
        yield from batch


def _set_sequences(read: sqlite3.Connection, write: Connection) -> None:
    """Numbers go on where they were: none is ever given again."""
    last = last_numbers(read)
    site = read.execute(f"SELECT coalesce(max(id), 0) / {BUCKETS} FROM site").fetchone()[0]
    owned = write.execute(
        "SELECT pg_class.relname, pg_get_serial_sequence(pg_class.relname, attname) FROM pg_attribute"
        " JOIN pg_class ON pg_class.oid = attrelid WHERE attidentity <> '' AND NOT relispartition"
    ).fetchall()
    lease = read.execute("SELECT value FROM counter WHERE name = 'lease'").fetchone()
    wanted = [(sequence, last.get(table, 0)) for table, sequence in owned]
    wanted += [("site_number", site), ("resource_number", last.get("resource", 0))]
    wanted.append(("lease_number", lease[0] if lease else 0))
    for sequence, value in wanted:
        set_sequence(write, sequence, value)


def last_numbers(read: sqlite3.Connection) -> dict[str, int]:
    """The last number that was given, by table."""
    return dict(read.execute("SELECT name, seq FROM sqlite_sequence").fetchall())


def set_sequence(write: Connection, sequence: str, last: int) -> None:
    """The next number is the one behind ``last``."""
    write.execute("SELECT setval(%s::regclass, greatest(%s, 1), %s > 0)", (sequence, last, last))


def _compare(read: sqlite3.Connection, write: Connection, table: Table) -> Compared:
    with write.cursor(f"compare_{table.name}") as cursor:
        cursor.itersize = _BATCH
        cursor.execute(table.target)
        there = _digest(cursor)
    return Compared(table.name, *_digest(_batched(read.execute(table.source))), *there)


def _digest(rows: Iterator[Any]) -> tuple[int, str]:
    """How many rows, and the sum of their hashes: the same for the same rows in any order."""
    count, total = 0, 0
    while batch := list(islice(rows, _BATCH)):
        count += len(batch)
        for row in batch:
            key = blake2b(repr(tuple(row)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
            total = (total + int.from_bytes(key, "big")) & 0xFFFF_FFFF_FFFF_FFFF
    return count, f"{total:016x}"


copying = Copying(_both, _tables, _set_sequences)
copy_store, verify_stores = copying.copy_store, copying.verify_stores
