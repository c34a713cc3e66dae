"""Connections to one PostgreSQL database: a small pool, transactions, and errors a person can act on."""

import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import conninfo
from psycopg.adapt import Loader

from afresh.base.errors import ConfigError, StoreBusy, StoreError
from afresh.base.passwords import hide_password
from afresh.store.named_sql import Statement
from afresh.store.postgres.arrays import arrays
from afresh.store.postgres.failures import TRANSIENT, explain, is_lost
from afresh.store.postgres.locks import Lock, try_share, unshare_all
from afresh.store.postgres.records import Record, records
from afresh.store.postgres.schema import prepare_schema
from afresh.store.postgres.statements import flags, resolved

__all__ = ["Connection", "Database", "prepare_schema"]

T = TypeVar("T")

POOL = 8  # connections of one process; a thread that finds none free waits for one
PATIENCE = 20.0  # seconds a database that was there before may be away: a restart, a fail-over
LOCK_SECONDS = 15  # how long a statement waits for another process's rows
_ATTEMPTS = 5  # of a transaction that PostgreSQL ended to resolve a conflict
#: Unless the URL says otherwise. A peer that vanished is noticed within a minute instead of two hours.
_PARAMETERS = {
    "application_name": "afresh",
    "client_encoding": "utf8",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}


class Connection(psycopg.Connection[Record]):
    """A connection that takes named statements of either store (see ``statements``) and gives rows like SQLite's."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> psycopg.Cursor[Record]:
        if isinstance(query, Statement):
            text = resolved(query)
            given = {} if params is None else params
            if names := flags(text):
                given = {**given, **{f"{name}__is_null": given[name] is None for name in names}}
            return super().execute(text, given, **options)
        return super().execute(query, params, **options)

    def executemany(self, query: Any, rows: Iterable[Any]) -> None:
        """A statement for many rows: one COPY, one statement over arrays, or many sent together, as its text says."""
        text = resolved(query) if isinstance(query, Statement) else query
        given = list(rows)
        if not given:
            return
        if text.startswith("COPY "):
            self._copy(text, given)
        elif "unnest(" in text:
            super().execute(text, arrays(given))
        else:
            with self.cursor() as cursor:
                cursor.executemany(text, given)

    def _copy(self, text: str, rows: list[Any]) -> None:
        names = [name.strip() for name in text[text.index("(") + 1 : text.index(")")].split(",")]
        with self.cursor() as cursor, cursor.copy(text) as copy:
            for row in rows:
                copy.write_row([row[name] for name in names] if isinstance(row, Mapping) else row)


class Database:
    """An open database. Safe to use from several threads; each transaction has a connection to itself.

    ``shared`` says that this process is a daemon: there may be several, and whoever changes tables keeps away.
    ``settings`` are parameters of PostgreSQL for every connection.
    """

    def __init__(
        self, url: str, *, pool: int = POOL, shared: bool = False, settings: Mapping[str, str] | None = None
    ) -> None:
        self.name = hide_password(url)
        self._settings = {"lock_timeout": f"{LOCK_SECONDS}s", **(settings or {})}
        self._parameters = _parsed(url)
        self._free = threading.BoundedSemaphore(pool)
        self._idle: list[Connection] = []
        self._guard = threading.Lock()
        self._closed = self._was_there = False
        self._presence: Connection | None = None
        if shared:
            self._presence = self._announce()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction: committed at the end, rolled back on any exception.

        At isolation level READ COMMITTED: each statement sees what was committed before it, so what is read under a
        lock is current.
        """
        with self._translated(), self._borrowed() as connection, connection.transaction():
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read transaction: one consistent picture, waits for nobody."""
        with self._translated(), self._borrowed() as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield connection
            finally:
                if not connection.closed:
                    connection.execute("ROLLBACK")

    @contextmanager
    def asking(self) -> Iterator[Connection]:
        """For one statement that only reads: a picture by itself, and one round trip instead of three."""
        with self._translated(), self._borrowed() as connection:
            yield connection

    def run(self, work: Callable[[Connection], T]) -> T:
        """Work in a write transaction, begun again if need be (see ``patiently``): doing it twice must be harmless."""

        def attempt() -> T:
            with self._borrowed() as connection, connection.transaction():
                return work(connection)

        return self.patiently(attempt)

    def patiently(self, attempt: Callable[[], T]) -> T:
        """What the attempt brings, begun again after a conflict or a lost connection (a restart of the server)."""
        with self._translated():
            for left in reversed(range(_ATTEMPTS)):
                try:
                    return attempt()
                except psycopg.OperationalError as error:
                    if not left or not (isinstance(error, TRANSIENT) or is_lost(error)):
                        raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Closes every connection; harmless when repeated."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        if self._presence is not None:
            with suppress(psycopg.Error):  # the server ends a session when it gets round to it; the lock goes now
                unshare_all(self._presence)
            self._presence.close()
        for connection in idle:
            connection.close()

    @contextmanager
    def _borrowed(self) -> Iterator[Connection]:
        with self._free:
            connection = self._take()
            try:
                yield connection
            finally:
                self._give_back(connection)

    def _take(self) -> Connection:
        while True:
            with self._guard:
                if self._closed:
                    raise StoreError(f"{self.name} was closed")
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._connect_again()
            if _is_quiet(connection):
                return connection
            connection.close()

    def _give_back(self, connection: Connection) -> None:
        usable = connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
        with self._guard:
            if usable and not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _connect_again(self) -> Connection:
        """A new connection; a database that was there before is given some time to come back."""
        deadline = time.monotonic() + (PATIENCE if self._was_there else 0.0)
        while True:
            try:
                connection = self._connect()
            except psycopg.OperationalError:
                if self._closed or time.monotonic() > deadline:
                    raise
                time.sleep(0.25)
            else:
                self._was_there = True
                self._stay_announced()
                return connection

    def _connect(self) -> Connection:
        connection = Connection.connect(**self._parameters, autocommit=True, row_factory=records)
        try:
            connection.adapters.register_loader("numeric", _WholeOrReal)
            for name, value in self._settings.items():
                connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        except BaseException:
            connection.close()
            raise
        return connection

    def _announce(self) -> Connection:
        with self._translated():
            connection = self._connect()
            if not try_share(connection, Lock.DAEMON):
                connection.close()
                raise StoreBusy(f"{self.name} is being changed or copied by another afresh; try again when it is done")
            return connection

    def _stay_announced(self) -> None:
        """Announces a daemon again whose lock went with a restart of the server."""
        if self._presence is not None and not _is_quiet(self._presence):
            self._presence.close()
            self._presence = self._announce()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise explain(error, self.name) from error


class _WholeOrReal(Loader):
    """Sums of whole numbers arrive as ``numeric``; they are numbers of ours all the same."""

    def load(self, data: Any) -> int | float:
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)


def _is_quiet(connection: Connection) -> bool:
    """Whether an idle connection is still good: one that has something to say has been closed by the server."""
    try:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        return not poll.poll(0)
    except (psycopg.Error, OSError):
        return False


def _parsed(url: str) -> dict[str, Any]:
    """The parameters of a URL with our defaults beneath. What the driver says may quote a password."""
    try:
        return {**_PARAMETERS, **conninfo.conninfo_to_dict(url)}
    except psycopg.ProgrammingError:
        raise ConfigError(
            f"not a PostgreSQL URL: {hide_password(url)!r}; write it like postgresql://user:password@host:5432/database,"
            " with % / @ : in a password written as %25 %2F %40 %3A",
            option="store",
        ) from None
