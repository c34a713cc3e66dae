"""The frontier in PostgreSQL: any number of processes beside each other, sets and rows as arrays, many rows by COPY."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, lru_cache, partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeVar

from psycopg import RawCursor
from psycopg.pq import Format
from psycopg.rows import tuple_row

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import HASH_BITS
from afresh.store.frontier.numbering import BUCKETS, find_buckets
from afresh.store.frontier.session import NONE, Row, Values
from afresh.store.named_sql import Numbered, load_named, numbered
from afresh.store.postgres.arrays import array, arrays
from afresh.store.postgres.connection import SERVICE_PATIENCE, Connection, Database, prepare_schema
from afresh.store.postgres.schema import Migration, load_migrations

T = TypeVar("T")

VERSION = 6
SQL = load_named("afresh.store.frontier", "statements.sql")
#: What stands in the braces of a text unless somebody says otherwise.
_PIECES = {"skip_locked": "FOR UPDATE SKIP LOCKED", "lock_sites": "FOR UPDATE OF site", "among": ""}
_HERE = re.compile(r"\{(here_\w+)\}")
COPIED = 2_000  # rows from which on COPY is quicker than arrays
#: What COPY writes, by statement: the types of the columns, the first of which are bucket and site.
_TYPES: Final = {
    "add_pages": ["int4", "int4", "int8", "float8", "float8", "int2"],
    "add_addresses": ["int4", "int4", "int8", "text", "float8", "float8", "float8"],
}
_PACKAGE = "afresh.store.frontier"
_SCHEMA = "frontier"
#: Every statement finds its rows by a key, whatever the statistics of a growing table say; so plans are made once.
_SETTINGS = {
    "search_path": _SCHEMA,
    "plan_cache_mode": "force_generic_plan",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "jit": "off",
}


@cache
def _everywhere() -> Mapping[str, str]:
    """One server has all buckets: nothing is said about where rows are."""
    return {piece: "" for text in SQL.values() for piece in _HERE.findall(text.postgres)}


@lru_cache(maxsize=4096)
def _text(name: str, buckets: int, *pieces: tuple[str, str]) -> Numbered | None:
    """A statement as the driver wants it; None: there is nothing to do."""
    text = SQL[name].postgres
    if text == ";":
        return None
    filled = {**_PIECES, **_everywhere(), "buckets": str(buckets), **dict(pieces)}
    return numbered(text.format_map(filled))


class PostgresSession:
    """A ``Session`` on a connection; rows are tuples in the binary format: numbers need no parsing."""

    random = "random()"

    def __init__(self, connection: Connection, buckets: int) -> None:
        self.buckets = buckets
        self._connection = connection
        self._cursor = RawCursor(connection, row_factory=tuple_row)
        self._cursor.format = Format.BINARY
        self.part = connection.info.backend_pid % buckets

    def rows(self, name: str, values: Values = NONE, /, **pieces: str) -> list[Row]:
        text = _text(name, self.buckets, *pieces.items())
        return self._cursor.execute(text.text, text.values(values)).fetchall() if text else []

    def pick(self, name: str, values: Values, /, **pieces: str) -> list[Row]:
        return self.rows(name, values, **pieces)

    def run(self, name: str, values: Values = NONE, /, **pieces: str) -> int:
        text = _text(name, self.buckets, *pieces.items())
        return self._cursor.execute(text.text, text.values(values)).rowcount if text else 0

    def run_many(self, name: str, rows: Sequence[Row]) -> int:
        text = _text(name, self.buckets)
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
        text = _text(name, self.buckets)
        return self._cursor.execute(text.text, arrays(rows)).fetchall() if text and rows else []

    def rows_of_each(self, name: str, keys: Sequence[int], limit: int) -> list[list[Row]]:
        text = _text(name, self.buckets)
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


class PostgresDatabase:
    """The PostgreSQL schema ``frontier`` of a database."""

    def __init__(self, url: str, *, buckets: int = BUCKETS) -> None:
        _prepare(url, buckets)
        self._database = Database(url, settings=_SETTINGS, patience=SERVICE_PATIENCE)
        try:
            with self._database.asking() as connection:
                self._buckets = find_buckets(lambda text: connection.execute(text).fetchone(), self._database.name)
        except BaseException:
            self._database.close()
            raise
        self._own = threading.local()  # the session of a batch

    def read(self, work: Callable[[PostgresSession], T]) -> T:
        session = self._batch_of_thread
        if session is not None:
            return work(session)
        with self._database.asking() as connection:
            return work(self._session(connection))

    def write(self, work: Callable[[PostgresSession], T]) -> T:
        session = self._batch_of_thread
        if session is not None:
            return work(session)
        return self._database.run(lambda connection: work(self._session(connection)))

    @contextmanager
    def batch(self) -> Iterator[None]:
        if self.in_batch:
            yield
            return
        with self._database.writing() as connection:
            self._own.session = self._session(connection)
            try:
                yield
            finally:
                self._own.session = None

    def _session(self, connection: Connection) -> PostgresSession:
        return PostgresSession(connection, self._buckets)

    def tolerant(self) -> AbstractContextManager[object]:
        return nullcontext()  # a server takes no text that is none

    @property
    def in_batch(self) -> bool:
        return self._batch_of_thread is not None

    @property
    def _batch_of_thread(self) -> PostgresSession | None:
        found: PostgresSession | None = getattr(self._own, "session", None)
        return found

    def close(self) -> None:
        self._database.close()


def _prepare(url: str, buckets: int) -> None:
    """Makes or updates the tables, on a connection that looks where the other tables of afresh are."""
    database = Database(url, pool=1)
    try:
        with database.asking() as connection:
            migrations: dict[int, Migration] = dict(load_migrations(_PACKAGE, "migrations/postgresql"))
            migrations[6] = partial(_to_buckets, script=str(migrations[6]))
            prepare_schema(
                connection,
                _PACKAGE,
                _SCHEMA,
                VERSION,
                script="schema_postgresql.sql",
                migrations=migrations,
                pieces={"buckets": str(buckets)},
            )
    finally:
        database.close()


def _to_buckets(connection: Any, *, script: str) -> None:
    """The step to buckets. Those of fetchers, whose hashes are kept nowhere, are said beforehand."""
    fetchers = (
        connection.cursor(row_factory=tuple_row).execute("SELECT DISTINCT fetcher FROM frontier.receipt").fetchall()
    )
    connection.execute("CREATE TEMP TABLE receipt_bucket (fetcher text PRIMARY KEY, bucket integer NOT NULL)")
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO receipt_bucket VALUES (%s, %s)", [(name, bucket_of(name, BUCKETS)) for (name,) in fetchers]
        )
    connection.execute(script.encode())
