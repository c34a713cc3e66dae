"""Connections to one PostgreSQL database: a small pool, transactions, and errors a person can act on."""

import logging
import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import conninfo
from psycopg.adapt import Loader
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from afresh.base.errors import ConfigError, StoreBusy, StoreError
from afresh.base.passwords import hide_password
from afresh.store.buckets import BUCKETS
from afresh.store.locks import Lock
from afresh.store.named_sql import Statement, numbered
from afresh.store.postgres.arrays import arrays
from afresh.store.postgres.failures import TRANSIENT, explain, is_lost, lost_server
from afresh.store.postgres.locks import take_lock, try_hold, try_share, unshare_all
from afresh.store.postgres.records import Record, records
from afresh.store.postgres.schema import prepare_schema

__all__ = ["Connection", "Database", "prepare_schema"]

T = TypeVar("T")

logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # as a library we are silent until asked

POOL = 8  # connections of one process; a thread that finds none free waits for one
PATIENCE = 20.0  # seconds a database that was there before may be away: a restart, a fail-over
#: The same for a service, which waits by itself, and meanwhile has to tell others that they should.
SERVICE_PATIENCE = 1.0
_LOOK = 0.5  # seconds after which it is looked again whether a database that was away is back
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
    "tcp_user_timeout": "20000",
}

#: Of the connection by which a daemon says that it is there: one whose machine vanished is noticed by the server.
_NOTICED_SOON = {
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",  # milliseconds that an answer may be on its way; longer than a leader believes itself
}


class Connection(psycopg.Connection[Record]):
    """A session: a connection that takes named statements in PostgreSQL's text and gives rows like SQLite's."""

    @property
    def slot(self) -> int:
        return self.info.backend_pid % BUCKETS

    def execute(self, query: Any, params: Any = None, **options: Any) -> psycopg.Cursor[Record]:
        if not isinstance(query, Statement):
            return super().execute(query, params, **options)
        ready = numbered(query.postgres)
        return psycopg.RawCursor(self).execute(ready.text, ready.values(params), **options)

    def executemany(self, query: Any, rows: Iterable[Any]) -> None:
        """A statement for many rows: one COPY, one statement over arrays, or many sent together, as it says."""
        given = list(rows)
        if not given:
            return
        if query.many == "copy":
            self._copy(query.postgres, given)
        elif query.many == "arrays":
            self.execute(query, arrays(given))
        else:
            ready = numbered(query.postgres)
            psycopg.RawCursor(self).executemany(ready.text, [ready.values(row) for row in given])

    def hold(self, lock: Lock) -> None:
        take_lock(self, lock)

    def filling(self, _table: str, _rows: int) -> AbstractContextManager[None]:
        """COPY is quick as it is, and others write to the table meanwhile."""
        return nullcontext()

    def _copy(self, text: str, rows: list[Any]) -> None:
        names = [name.strip() for name in text[text.index("(") + 1 : text.index(")")].split(",")]
        with self.cursor() as cursor, cursor.copy(text.encode()) as copy:
            for row in rows:
                copy.write_row([row[name] for name in names] if isinstance(row, Mapping) else row)


class Database:
    """An open database. Safe to use from several threads; each transaction has a connection to itself.

    ``shared`` says that this process is a daemon: there may be several, and whoever changes tables keeps away.
    ``settings`` are parameters of PostgreSQL for every connection. A database that was there before is waited for
    as long as ``patience`` says (default: ``PATIENCE``); as long as it stays away, all others are told at once.
    """

    def __init__(
        self,
        url: str,
        *,
        pool: int = POOL,
        shared: bool = False,
        settings: Mapping[str, str] | None = None,
        patience: float | None = None,
    ) -> None:
        patience = PATIENCE if patience is None else patience
        self._away: psycopg.OperationalError | None = None  # what was said when it was last looked for
        self._looked = 0.0
        self._looking = threading.Lock()
        self.name = hide_password(url)
        self._settings = {"lock_timeout": f"{LOCK_SECONDS}s", **(settings or {})}
        self._parameters = {**_parsed(url), "autocommit": True, "row_factory": records}
        self._guard = threading.Lock()
        self._presence: Connection | None = None
        self._led: Connection | None = None  # the presence by which we lead; None: we do not
        self._alone: Connection | None = None  # by which ``hold_alone`` holds, or tries to
        self._has_alone = False
        if shared:
            self._presence = self._announce()
        else:
            with self._translated():  # a pool would only say that there is no connection, not why
                self._connect().close()
        self._pool = ConnectionPool(
            connection_class=Connection,
            kwargs=self._parameters,
            min_size=0,
            max_size=pool,
            timeout=patience,
            reconnect_timeout=patience,
            configure=self._configure,
            check=_check_quiet,
            num_workers=1,
            open=True,
        )

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction: committed at the end, rolled back on any exception.

        At isolation level READ COMMITTED: each statement sees what was committed before it, so what is read under a
        lock is current.
        """
        with self._translated(), self._borrowed() as connection, connection.transaction():
            yield connection

    @contextmanager
    def reading(self, *, ordered: bool = False) -> Iterator[Connection]:  # noqa: ARG002 (numbers are drawn under a lock)
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

    def look(self, work: Callable[[Connection], T]) -> T:
        """One statement that only reads, asked again where the connection was lost."""

        def attempt() -> T:
            with self._borrowed() as connection:
                return work(connection)

        return self.patiently(attempt)

    def patiently(self, attempt: Callable[[], T]) -> T:
        """What the attempt brings, begun again after a conflict or a lost connection (a restart of the server)."""
        with self._translated():
            for left in reversed(range(_ATTEMPTS)):
                try:
                    return attempt()
                except psycopg.OperationalError as error:
                    is_passing = isinstance(error, TRANSIENT) or (is_lost(error) and lost_server(error) is None)
                    if not left or not is_passing:
                        raise
        raise AssertionError("unreachable")

    is_shared = True

    def lead(self) -> bool:
        """Whether this daemon leads: it has a lock by the connection that says it is there, and loses both together."""
        with self._translated(), self._guard:
            self._stay_announced()
            if self._presence is None:
                return False
            if self._led is not self._presence:
                self._led = self._presence if try_hold(self._presence, Lock.LEADER) else None
            elif self._led is not None:
                self._led.execute("SELECT 1")  # a server that has given us up does not say so by itself
            return self._led is not None

    def is_served(self) -> None:
        return None

    def hold_alone(self, lock: Lock) -> bool:
        """Whether this process has a lock that one has at a time: by a connection of its own, and as long as that."""
        with self._translated(), self._guard:
            if self._alone is not None and not _is_quiet(self._alone):
                self._alone.close()
                self._alone = None
            if self._alone is None:
                self._alone, self._has_alone = self._connect(), False
                self._notice_soon(self._alone)
            if self._has_alone:
                self._alone.execute("SELECT 1")  # see ``lead``
            else:
                self._has_alone = try_hold(self._alone, lock)
            return self._has_alone

    def close(self) -> None:
        """Closes every connection; harmless when repeated."""
        self._pool.close()
        with self._guard:
            alone, self._alone = self._alone, None
            if alone is not None:
                alone.close()
            presence, self._presence = self._presence, None  # a connection still on its way does not announce us again
        if presence is not None:
            with suppress(psycopg.Error):  # the server ends a session when it gets round to it; the lock goes now
                unshare_all(presence)
            presence.close()

    @contextmanager
    def _borrowed(self) -> Iterator[Connection]:
        if self._away is not None:
            self._look_for_it(self._away)
        connection = self._taken()
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def _taken(self) -> Connection:
        """A connection of the pool."""
        try:
            try:
                return self._pool.getconn()
            except PoolTimeout:
                self._look()  # says why, if the server is away
                return self._pool.getconn(max(0.0, PATIENCE - self._pool.timeout))
        except PoolClosed:
            raise StoreError(f"{self.name} was closed") from None
        except PoolTimeout:
            raise StoreBusy(f"all connections to {self.name} are in use; try again later") from None

    def _look_for_it(self, said: psycopg.OperationalError) -> None:
        """Raises while the server is away: one looks from time to time, the others believe what it saw."""
        if time.monotonic() - self._looked < _LOOK or not self._looking.acquire(blocking=False):
            raise psycopg.OperationalError(*said.args)
        try:
            self._look()
        finally:
            self._looking.release()

    def _look(self) -> None:
        try:
            self._connect().close()
            self._away = None
        except psycopg.OperationalError as error:
            self._away, self._looked = error, time.monotonic()
            raise

    def _connect(self) -> Connection:
        connection = Connection.connect(**self._parameters)
        try:
            self._set_up(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _configure(self, connection: Connection) -> None:
        """Makes a connection of the pool ours."""
        self._set_up(connection)
        with self._guard:
            self._stay_announced()

    def set_up_for(self, connection: Connection, settings: Mapping[str, str]) -> None:
        """More parameters of PostgreSQL, for this connection and all that come."""
        self._settings |= settings
        self._set_up(connection)

    def _set_up(self, connection: Connection) -> None:
        connection.adapters.register_loader("numeric", _WholeOrReal)
        for name, value in self._settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))

    def _announce(self) -> Connection:
        with self._translated():
            connection = self._connect()
            self._notice_soon(connection)
            if not try_share(connection, Lock.DAEMON):
                connection.close()
                raise StoreBusy(f"{self.name} is being changed or copied by another afresh; try again when it is done")
            return connection

    def _notice_soon(self, connection: Connection) -> None:
        """Lets the server miss us soon when our machine vanishes: what the connection holds goes to others."""
        for name, value in _NOTICED_SOON.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))

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


def _check_quiet(connection: Connection) -> None:
    """Raises for an idle connection that the server has closed; costs no round trip."""
    if not _is_quiet(connection):
        connection.close()
        raise psycopg.OperationalError("the server has closed the connection")


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
