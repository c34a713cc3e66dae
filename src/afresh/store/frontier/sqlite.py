"""The frontier in SQLite: one file (or memory), one transaction at a time, sets as JSON."""

import random
import re
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TypeVar

import orjson

from afresh.base.errors import NoFrontier, SchemaMismatch, StoreError
from afresh.base.hashing import bucket_of
from afresh.store.buckets import BUCKETS, find_buckets
from afresh.store.damaged import DamagedText, UnreadableText
from afresh.store.frontier.numbering import moved_pages
from afresh.store.frontier.session import NONE, Row, Values
from afresh.store.named_sql import load_named, read_sql, split_statements
from afresh.store.sqlite.connection import (
    BUSY_SECONDS,
    check_place,
    explain,
    keep_private,
    locked,
    make_private,
    use_wal,
)
from afresh.store.sqlite.schema import FRONTIER_ID, load_migrations

T = TypeVar("T")

APPLICATION_ID = FRONTIER_ID  # in the file's header
VERSION = 11
_HEADER = 72  # bytes, the last four of which are the application's number
_PACKAGE = "afresh.store.frontier"
_ELSEWHERE = re.compile(r" \{(?:skip_locked|lock_sites|among|here_\w+)\}")  # what only databases of many writers need
_CACHE_KIB = 512 * 1024  # filled as needed: a million pages are about 130 MB
_CHECKPOINT = 32_000  # pages of the log: rows are written again and again, and copied back once
_ROWS = 50  # inserted by one statement; more are no quicker
_ALIKE = 0.1  # times a page; with more of them a statement for each time costs more than one for each page


@cache
def _statements(buckets: int) -> Mapping[str, str]:
    """Nobody else writes, so there are no locks; '' means that there is nothing to do."""
    return {
        name: "" if text == ";" else _ELSEWHERE.sub("", text).replace("{buckets}", str(buckets))
        for name, text in load_named(_PACKAGE, "statements.sql").items()
    }


class SqliteSession:
    """A ``Session`` on the connection."""

    random = "(random() / 18446744073709551616.0 + 0.5)"
    part = 0
    away: frozenset[int] = frozenset()

    def __init__(self, connection: sqlite3.Connection, buckets: int) -> None:
        self._connection = connection
        self._sql = _statements(buckets)
        self.buckets = buckets

    @property
    def connection(self) -> sqlite3.Connection:
        return self._connection

    def rows(self, name: str, values: Values = NONE, /, **pieces: str) -> list[Row]:
        text = self._sql[name]
        return self._connection.execute(text.format(**pieces) if pieces else text, values).fetchall()

    def pick(self, name: str, values: Values, /, **pieces: str) -> list[Row]:
        return self.rows(name, values, **pieces)

    def run(self, name: str, values: Values = NONE, /, **pieces: str) -> int:
        text = self._sql[name].format(**pieces) if pieces else self._sql[name]
        return self._connection.execute(text, values).rowcount if text else 0

    def run_many(self, name: str, rows: Sequence[Row]) -> int:
        text = self._sql[name]
        return self._connection.executemany(text, rows).rowcount if text and rows else 0

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        """Many rows a statement: binding values to one long statement is quicker than starting a short one for each."""
        if not rows:
            return
        whole = len(rows) - len(rows) % _ROWS
        if whole:
            statement = _inserting(self._sql[name], len(rows[0]), _ROWS)
            for start in range(0, whole, _ROWS):
                self._connection.execute(statement, tuple(chain.from_iterable(rows[start : start + _ROWS])))
        self._connection.executemany(_inserting(self._sql[name], len(rows[0]), 1), rows[whole:])

    def insert_new(self, name: str, rows: Sequence[Row]) -> list[Row]:
        return self._connection.execute(self._sql[name], (orjson.dumps(rows).decode(),)).fetchall()

    def rows_of_each(self, name: str, keys: Sequence[int], limit: int) -> list[list[Row]]:
        execute, text = self._connection.execute, self._sql[name]
        return [execute(text, (key, limit)).fetchall() for key in keys]

    def revisit(self, rows: Sequence[tuple[float, float | None, int]]) -> None:
        """Page by page, or in one go those of the same time: fetchers that state none are all given the report's."""
        pages = {page for _, _, page in rows}
        alike: defaultdict[tuple[float, float | None], list[int]] = defaultdict(list)
        for due, visited, page in rows:
            alike[due, visited].append(page)
        if len(alike) > _ALIKE * len(rows) or len(pages) < len(rows):
            self.run_many("revisit_pages", rows)  # of the same page, the last one counts
            return
        for times, members in alike.items():
            self.revisit_alike(*times, members)

    def revisit_alike(self, due: float, visited: float | None, pages: Sequence[int]) -> None:
        self._connection.execute(self._sql["revisit_pages_together"], (due, visited, self.as_set(pages)))

    def take_numbers(self, name: str, count: int) -> Sequence[int]:
        last: int = self.rows(name, {"count": count})[0][0]
        return range(last - count + 1, last + 1)

    def together(self) -> AbstractContextManager[object]:
        return nullcontext()

    def as_set(self, values: Iterable[int] | Iterable[str]) -> str:
        """As the JSON array that ``json_each`` turns into a table."""
        return orjson.dumps(list(values)).decode()


@cache
def _inserting(text: str, columns: int, rows: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return text.format(rows=", ".join([row] * rows))


class SqliteDatabase:
    """An open frontier. Threads take turns; other processes wait at most ``BUSY_SECONDS``. ``path`` None: in memory.

    With a ``seed`` random orders repeat, which an experiment needs and a service does not. ``exclusive`` refuses a file
    that another such process has (StoreBusy); programs that look at it beside are not asked.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        full_sync: bool = False,
        seed: int | None = None,
        exclusive: bool = False,
        buckets: int = BUCKETS,
        makes: bool = True,
    ) -> None:
        self.path = Path(":memory:") if path is None else path
        self._lock = threading.RLock()
        if path is not None:
            check_place(path, absent=None if makes else NoFrontier)
            make_private(path)
        self._owned = locked(path) if path is not None and exclusive else None
        try:
            self._connection: sqlite3.Connection | None = self._open(full_sync, buckets)
        except BaseException as error:
            self._disown()
            if isinstance(error, sqlite3.Error):
                raise explain(error, self.path) from error
            raise
        if seed is not None:
            draw = random.Random(seed).getrandbits  # noqa: S311  # an order, not a secret
            self._connection.create_function("random", 0, lambda: draw(64) - (1 << 63))

    def _open(self, full_sync: bool, buckets: int) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        try:
            for pragma in (
                f"synchronous = {'FULL' if full_sync else 'NORMAL'}",
                f"cache_size = -{_CACHE_KIB}",
                f"wal_autocheckpoint = {_CHECKPOINT}",
                "secure_delete = OFF",
                "temp_store = MEMORY",
            ):
                connection.execute(f"PRAGMA {pragma}")
            prepare(connection, self.path, buckets=buckets)
            self._buckets = find_buckets(lambda text: connection.execute(text).fetchone(), str(self.path))
            if str(self.path) != ":memory:":
                keep_private(self.path)
                use_wal(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def read(self, work: Callable[[SqliteSession], T]) -> T:
        with self._turn("BEGIN") as session:
            return work(session)

    def write(self, work: Callable[[SqliteSession], T]) -> T:
        with self._turn("BEGIN IMMEDIATE") as session:
            return work(session)

    def batch(self) -> AbstractContextManager[object]:
        return self._turn("BEGIN IMMEDIATE")

    @contextmanager
    def picture(self) -> Iterator[sqlite3.Connection]:
        """The file as it is at this moment, for whoever copies it whole."""
        with self._turn("BEGIN") as session:
            yield session.connection

    @contextmanager
    def tolerant(self) -> Iterator[None]:
        with self._lock:
            connection = self._connection
            assert connection is not None
            connection.text_factory = DamagedText.of
            try:
                yield
            finally:
                connection.text_factory = str

    @property
    def in_batch(self) -> bool:
        with self._lock:  # nobody else's transaction is open then
            return self._connection is not None and self._connection.in_transaction

    @contextmanager
    def _turn(self, begin: str) -> Iterator[SqliteSession]:
        """A transaction, or a part of this thread's: the lock lets no other in."""
        with self._lock:
            connection = self._connection
            if connection is None:
                raise StoreError(f"{self.path} was closed")
            if _is_open(connection):
                yield SqliteSession(connection, self._buckets)
                return
            try:
                connection.execute(begin)
                yield SqliteSession(connection, self._buckets)
                connection.execute("COMMIT")
            except BaseException as error:
                # Some errors (a full disk) have already rolled back.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise _explained(error, self.path) from error
                raise

    def servers_away(self) -> list[str]:
        return []

    def lead(self) -> bool:
        """One process serves a file."""
        return True

    def close(self) -> None:
        """Harmless when repeated."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()
                self._disown()

    def _disown(self) -> None:
        if self._owned is not None:
            self._owned.release()


def _explained(error: sqlite3.Error, path: Path) -> StoreError:
    if "decode to UTF-8" in str(error):
        return UnreadableText(f"{path}: {error}")
    return explain(error, path)


def _is_open(connection: sqlite3.Connection) -> bool:
    """Whether it is within a transaction; a function, since this changes between two looks."""
    return connection.in_transaction


def prepare(connection: sqlite3.Connection, path: Path, *, buckets: int = BUCKETS) -> None:
    """Makes the tables of a new database, brings an older one up to date; refuses one that is not ours, or newer."""
    if _found_version(connection, path) == VERSION:
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        found = _found_version(connection, path)  # asked again: another process may have been quicker
        if found is None:
            scripts = [read_sql(_PACKAGE, "schema_sqlite.sql").replace("{buckets}", str(buckets))]
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        else:
            connection.create_function("moved_pages", 2, moved_pages)
            connection.create_function("bucket_of", 1, lambda name: bucket_of(str(name), BUCKETS))
            steps = load_migrations(_PACKAGE, "migrations/sqlite")
            scripts = [steps[version] for version in range(found + 1, VERSION + 1)]
        for script in scripts:
            for statement in split_statements(_with_buckets(script, connection, path)):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _with_buckets(script: str, connection: sqlite3.Connection, path: Path) -> str:
    """A step of an update as this file needs it: sites are divided as they were when it was made."""
    if "{buckets}" not in script:
        return script
    return script.replace("{buckets}", str(find_buckets(lambda text: connection.execute(text).fetchone(), str(path))))


def is_frontier(path: Path) -> bool:
    """Whether a file is a frontier's, by its header; a store of `afresh run` has another."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(_HEADER)[-4:] == APPLICATION_ID.to_bytes(4, "big")


def _found_version(connection: sqlite3.Connection, path: Path) -> int | None:
    """The version of a frontier; None: the database is empty."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        return None
    if application != APPLICATION_ID:
        raise SchemaMismatch(f"{path} is a database of another kind; a frontier needs a file of its own")
    if not 1 <= version <= VERSION:
        raise SchemaMismatch(f"{path} is a frontier of schema {version}, this afresh knows {VERSION}; upgrade afresh")
    return int(version)
