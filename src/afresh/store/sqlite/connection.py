"""Connections to one SQLite file: one writer behind a lock, a pool of readers, and errors a person can act on."""

from __future__ import annotations

import logging
import os
import queue
import shutil
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from afresh.base.errors import NoStore, NotFound, SchemaMismatch, StoreAway, StoreBusy, StoreError
from afresh.store.buckets import OneServer, check_buckets
from afresh.store.damaged import DamagedText
from afresh.store.named_sql import numbered
from afresh.store.sqlite.schema import prepare_schema, schema_version_is_old

if TYPE_CHECKING:
    from afresh.store.locks import Lock
    from afresh.store.sqlite.lockfile import LockFile


BUSY_SECONDS = 15.0  # how long a statement waits for another process's transaction
_CACHE_KIB = 65_536
_MANY = 1_000  # rows for which making indexes anew is worth it
_INDEXES = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL ORDER BY rowid"
)
_LEAST_FREE = 65_536  # bytes; SQLite extends its files in steps of about so many
_WAL_LIMIT = 64 * 1024 * 1024  # the log file shrinks to this after a checkpoint

T = TypeVar("T")


class Connection(sqlite3.Connection):
    """A session: whoever writes is alone, and so has every lock."""

    slot = 0

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        """A statement for many rows. Named values are numbered first: SQLite would look up each name for every row."""
        given = list(rows)
        if not given or not isinstance(given[0], Mapping):
            return super().executemany(sql, given)
        ready = numbered(sql, "?")
        return super().executemany(ready.text, map(ready.values, given))

    def hold(self, lock: Lock) -> None:
        pass

    @contextmanager
    def filling(self, table: str, rows: int) -> Iterator[None]:
        """Indexes are made anew behind many rows: SQLite sorts all at once in half the time of as many steps.

        In the same transaction: nobody sees the table without them.
        """
        indexes = self.execute(_INDEXES, (table,)).fetchall() if rows >= _MANY and self._has_few(table, rows) else []
        for name, _ in indexes:
            self.execute(f'DROP INDEX "{name}"')
        yield
        for _, statement in indexes:
            self.execute(statement)

    def _has_few(self, table: str, rows: int) -> bool:
        """Whether a table has no more rows than will come: all of them are sorted."""
        counted = self.execute(f'SELECT count(*) FROM (SELECT 1 FROM "{table}" LIMIT ?)', (rows + 1,))
        return int(counted.fetchone()[0]) <= rows


class Database(OneServer):
    """An open database. Safe to use from several threads; each transaction has a connection to itself."""

    is_shared = False

    def __init__(
        self, path: Path, *, makes: bool = True, exclusive: bool = False, purpose: str = "", full_sync: bool = False
    ) -> None:
        self.path = path
        self._full_sync = full_sync
        self._write_lock = threading.Lock()
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._closed = False
        check_place(path, absent=None if makes else NoStore)
        make_private(path)
        self._lock = locked(path, purpose) if exclusive else None
        try:
            self._writer = self._open_writer()
        except BaseException:
            if self._lock is not None:
                self._lock.release()
            raise

    def _open_writer(self) -> Connection:
        with self._translated():
            writer = self._connect()
            try:
                if schema_version_is_old(writer, self.path) and self._lock is None:
                    # A running daemon of the old version must not have its tables changed under it.
                    lock = locked(self.path)
                    try:
                        prepare_schema(writer, self.path)
                    finally:
                        lock.release()
                else:
                    prepare_schema(writer, self.path)
                check_buckets(lambda text: writer.execute(text).fetchone(), str(self.path))
                keep_private(self.path)
                use_wal(writer)
            except BaseException:
                writer.close()
                raise
        return writer

    def _connect(self) -> Connection:
        connection = sqlite3.connect(
            self.path,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            factory=Connection,
        )
        connection.row_factory = sqlite3.Row
        connection.text_factory = DamagedText.of  # one damaged text must not keep the rows around it from being read
        connection.create_function("has_tag", 2, _has_tag, deterministic=True)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._full_sync else 'NORMAL'}")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def lead(self) -> bool:
        """There is one daemon: the lock of the file sees to it."""
        return True

    def is_served(self) -> bool | None:
        """Whether a process has the lock of the file, which vanishes with it; None: we may not look."""
        from afresh.store.sqlite.lockfile import LockFile  # noqa: PLC0415 (where somebody asks who is there)

        return self._lock is not None or LockFile(self.path).is_held()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction: committed at the end, rolled back on any exception."""
        with self._write_lock, self._translated():
            connection = self._writer
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # Some errors (a full disk) have already rolled back.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self, *, ordered: bool = False) -> Iterator[Connection]:  # noqa: ARG002 (all that is written is)
        """A read transaction: one consistent picture, waits for nobody."""
        with self._translated():
            try:
                connection = self._idle.get_nowait()
            except queue.Empty:
                if self._closed:
                    raise StoreError(f"{self.path} was closed") from None
                connection = self._connect()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")
                self._idle.put(connection)
        if self._closed:
            self._drain()

    def working(self, work: Callable[[Connection], T], _place: int | None = None) -> T:
        """Work in a write transaction: there is one writer at a time anyway."""
        with self.writing() as connection:
            return work(connection)

    def look(self, work: Callable[[Connection], T]) -> T:
        with self.reading() as connection:
            return work(connection)

    def close(self) -> None:
        """Closes every connection and gives up the daemon's lock; harmless when repeated."""
        with self._write_lock:
            self._closed = True
            self._drain()
            self._writer.close()
            if self._lock is not None:
                self._lock.release()

    def _drain(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise explain(error, self.path) from error


def locked(path: Path, purpose: str = "") -> LockFile:
    """The lock of whoever serves a database; StoreBusy if another process has it."""
    from afresh.store.sqlite.lockfile import LockFile  # noqa: PLC0415 (commands work beside a daemon without one)

    lock = LockFile(path, purpose=purpose)
    lock.acquire()
    return lock


def _has_tag(tags: str, tag: str) -> bool:
    """PostgreSQL has it as a function of the schema: one text then says it for both. Damaged tags are none."""
    try:
        return tag in orjson.loads(tags)
    except (ValueError, TypeError):
        return False


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """The driver's error as one line that says what, where and what to try."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(f"{path} is locked by another process for more than {BUSY_SECONDS:.0f}s; try again later")
    if code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and is_full(path)):
        return StoreAway(f"the disk is full: {path} cannot grow; free some space, nothing recorded was lost")
    if code == sqlite3.SQLITE_READONLY:
        return StoreAway(f"{path} is read-only; check the permissions of the file and of its directory")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreAway(f"cannot open {path}; check the permissions of the file and of its directory")
    if code == sqlite3.SQLITE_NOTADB:
        return SchemaMismatch(f"{path} is not a database; choose another file")
    if code == sqlite3.SQLITE_CORRUPT:
        return StoreError(f"{path} is damaged ({error}); restore a backup, or try `sqlite3 {path} .recover`")
    if code == sqlite3.SQLITE_IOERR:
        return StoreAway(f"reading or writing {path} failed ({error}); check the disk and its free space")
    return StoreError(f"{path}: {error}")


def is_full(path: Path) -> bool:
    """Whether the disk of a file has nothing left: SQLite calls that an I/O error in places."""
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_FREE
    except OSError:
        return False


def check_place(path: Path, *, absent: type[NotFound] | None = None) -> None:
    """Whether a database can be at a path; ``absent``: what is raised where there is none, None: it may be made."""
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a directory; name a file in it, like {path / 'afresh.db'}")
        if not path.parent.is_dir():
            raise StoreError(f"cannot open {path}: there is no directory {path.parent}; create it or choose another")
        if absent is not None and not path.exists():
            raise absent(path.absolute())
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error.strerror}") from error


def use_wal(connection: sqlite3.Connection) -> None:
    """Write-ahead logging, kept in the file once set: readers and the writer do not wait for each other.

    SQLite does not wait for others when it changes the mode, so two processes that open a new database at once
    have to be patient here. Set on every open because copies (``VACUUM INTO``) come without it.
    """
    for attempt in range(200):
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                return
        except sqlite3.OperationalError as error:
            if attempt == 199 or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        time.sleep(0.02)
    raise StoreError("this file system cannot hold a shared database (no write-ahead log); choose a local disk")


log = logging.getLogger("afresh.store")

PRIVATE = 0o600
_BESIDE = ("", "-wal", "-shm", "-journal", ".lock")  # SQLite gives its own the mode of the database when it makes them


def make_private(path: Path) -> None:
    """Makes the file of a new database, so that there is no moment at which others could open it."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE))
    except OSError:  # it is there, or cannot be made: SQLite finds out, and says why
        return


def keep_private(path: Path) -> None:
    """Takes from others what an older afresh, or a copy, left them; call it for a database of ours only."""
    for end in _BESIDE:
        file = path.with_name(path.name + end)
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
            if not mode & 0o077:
                continue
            file.chmod(mode & PRIVATE)
        except FileNotFoundError:
            continue
        except OSError as error:  # somebody else's: they decide
            log.warning("%s can be read by others, and that cannot be changed: %s", file, error.strerror)
        else:
            log.warning("%s could be read by others (mode %04o); now only its owner can", file, mode)
