"""Statements of the frontier in PostgreSQL: sets and rows as arrays, many rows by COPY."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeVar

from psycopg import RawCursor
from psycopg.pq import Format
from psycopg.rows import tuple_row

from afresh.base.page_numbers import HASH_BITS
from afresh.store.frontier.session import NONE, Row, Values
from afresh.store.named_sql import HERE, Numbered, load_named, numbered
from afresh.store.postgres.arrays import array, arrays
from afresh.store.postgres.connection import Connection

T = TypeVar("T")

SQL = load_named("afresh.store.frontier", "statements.sql")
#: What stands in the braces of a text unless somebody says otherwise.
_PIECES = {"skip_locked": "FOR UPDATE SKIP LOCKED", "lock_sites": "FOR UPDATE OF site", "among": ""}
COPIED = 2_000  # rows from which on COPY is quicker than arrays
#: What COPY writes, by statement: the types of the columns, the first of which are bucket and site.
_TYPES: Final = {
    "add_pages": ["int4", "int4", "int8", "float8", "float8", "int2"],
    "add_addresses": ["int4", "int4", "int8", "text", "float8", "float8", "float8"],
}


@cache
def _everywhere() -> Mapping[str, str]:
    """One server has all buckets: nothing is said about where rows are."""
    return {piece: "" for text in SQL.values() for piece in HERE.findall(text.postgres)}


@lru_cache(maxsize=4096)
def statement(name: str, buckets: int, *pieces: tuple[str, str]) -> Numbered | None:
    """A statement as the driver wants it; None: there is nothing to do."""
    text = SQL[name].postgres
    if text == ";":
        return None
    filled = {**_PIECES, **_everywhere(), "buckets": str(buckets), **dict(pieces)}
    return numbered(text.format_map(filled))


class PostgresSession:
    """A ``Session`` on a connection; rows are tuples in the binary format: numbers need no parsing."""

    random = "random()"
    away: frozenset[int] = frozenset()

    def __init__(self, connection: Connection, buckets: int) -> None:
        self.buckets = buckets
        self._connection = connection
        self._cursor = RawCursor(connection, row_factory=tuple_row)
        self._cursor.format = Format.BINARY
        self.part = connection.info.backend_pid % buckets

    def rows(self, name: str, values: Values = NONE, /, **pieces: str) -> list[Row]:
        text = statement(name, self.buckets, *pieces.items())
        return self._cursor.execute(text.text, text.values(values)).fetchall() if text else []

    def pick(self, name: str, values: Values, /, **pieces: str) -> list[Row]:
        return self.rows(name, values, **pieces)

    def run(self, name: str, values: Values = NONE, /, **pieces: str) -> int:
        text = statement(name, self.buckets, *pieces.items())
        return self._cursor.execute(text.text, text.values(values)).rowcount if text else 0

    def run_many(self, name: str, rows: Sequence[Row]) -> int:
        text = statement(name, self.buckets)
        return self._cursor.execute(text.text, arrays(rows)).rowcount if text and rows else 0

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        if len(rows) < COPIED or name not in _TYPES:
            self.run_many(name, rows)
            return
        with self._cursor.copy(SQL[f"{name}_in_bulk"].postgres.encode()) as copy:
            copy.set_types(_TYPES[name])
            for row in rows:
                site = row[0] >> HASH_BITS
                copy.write_row((site % self.buckets, site, *row))

    def insert_new(self, name: str, rows: Sequence[Row]) -> list[Row]:
        text = statement(name, self.buckets)
        return self._cursor.execute(text.text, arrays(rows)).fetchall() if text and rows else []

    def rows_of_each(self, name: str, keys: Sequence[int], limit: int) -> list[list[Row]]:
        text = statement(name, self.buckets)
        if not keys or not text:
            return []
        rows = self._cursor.execute(text.text, (array(keys), limit)).fetchall()
        found = {key: [row[:-1] for row in part] for key, part in groupby(rows, key=itemgetter(-1))}
        return [found.get(key, []) for key in keys]

    def revisit(self, rows: Sequence[tuple[float, float | None, int]]) -> None:
        self.run_many("revisit_pages", rows)

    def revisit_alike(self, due: float, visited: float | None, pages: Sequence[int]) -> None:
        self.run_many("revisit_pages", [(due, visited, page) for page in pages])

    def take_numbers(self, name: str, count: int) -> Sequence[int]:
        return [row[0] for row in self.rows(name, {"count": count})]

    def together(self) -> AbstractContextManager[object]:
        return self._connection.pipeline()

    def as_set(self, values: Iterable[int] | Iterable[str]) -> str:
        return array(list(values))
