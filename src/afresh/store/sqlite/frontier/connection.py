"""One SQLite file (or memory) for the frontier: who it belongs to, how it is opened, one transaction at a time."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from afresh.base.errors import SchemaMismatch, StoreError
from afresh.store.named_sql import read_sql, split_statements
from afresh.store.sqlite.connection import BUSY_SECONDS, check_place, explain, use_wal

APPLICATION_ID = 0x61667266  # "afrf", in the file's header
VERSION = 2
_CACHE_KIB = 512 * 1024  # filled as needed: a million pages are about 130 MB
_CHECKPOINT = 32_000  # pages of the log: rows are written again and again, and copied back once
#: What leads from the version before to each version.
_STEPS = {2: "ALTER TABLE page ADD COLUMN spare BLOB"}
_PACKAGE = "afresh.store.sqlite.frontier"


class Database:
    """An open frontier database. Threads take turns; other processes wait at most ``BUSY_SECONDS``."""

    def __init__(
        self, path: Path | None, *, full_sync: bool = False, taken_back: Callable[[], None] = lambda: None
    ) -> None:
        self.path = Path(":memory:") if path is None else path
        self._taken_back = taken_back  # told when a transaction is rolled back
        self._lock = threading.RLock()
        if path is not None:
            check_place(path)
        try:
            self._connection: sqlite3.Connection | None = self._open(full_sync)
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def _open(self, full_sync: bool) -> sqlite3.Connection:
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
            prepare(connection, self.path)
            if str(self.path) != ":memory:":
                use_wal(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: committed at the end, rolled back on any exception; within another, a part of it."""
        with self._turn("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent picture."""
        with self._turn("BEGIN") as connection:
            yield connection

    @contextmanager
    def _turn(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._connection
            if connection is None:
                raise StoreError(f"{self.path} was closed")
            if self._is_within(connection):
                yield connection
                return
            try:
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
            except BaseException as error:
                # Some errors (a full disk) have already rolled back.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._taken_back()
                if isinstance(error, sqlite3.Error):
                    raise explain(error, self.path) from error
                raise

    @staticmethod
    def _is_within(connection: sqlite3.Connection) -> bool:
        """Whether a transaction of this thread is open: the lock lets no other in."""
        return connection.in_transaction

    def close(self) -> None:
        """Harmless when repeated."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Makes the tables of a new database, brings an older one up to date; refuses one that is not ours, or newer."""
    if _found_version(connection, path) == VERSION:
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        found = _found_version(connection, path)  # asked again: another process may have been quicker
        if found is None:
            for statement in split_statements(read_sql(_PACKAGE, "schema.sql")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for version in range(VERSION if found is None else found, VERSION):
            connection.execute(_STEPS[version + 1])
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


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
