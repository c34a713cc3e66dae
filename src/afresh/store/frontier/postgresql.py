"""The frontier in PostgreSQL: any number of processes beside each other, on one server or on several."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, TypeVar

from psycopg.rows import tuple_row

from afresh.base.errors import NoFrontier, ServerAway
from afresh.base.hashing import bucket_of
from afresh.base.passwords import hide_password
from afresh.store.buckets import BUCKETS, find_buckets
from afresh.store.frontier.distributed import LAYOUT, DistributedSession
from afresh.store.frontier.postgresql_session import PostgresSession
from afresh.store.locks import Lock
from afresh.store.postgres.bucket_places import SETTINGS as DISTRIBUTED
from afresh.store.postgres.bucket_places import Attendance, Places, find_places, one_of
from afresh.store.postgres.connection import SERVICE_PATIENCE, Connection, Database, prepare_schema
from afresh.store.postgres.schema import Migration, load_migrations

T = TypeVar("T")

VERSION = 11
_PACKAGE = "afresh.store.frontier"
SCHEMA = "frontier"
#: Every statement finds its rows by a key, whatever the statistics of a growing table say; so plans are made once.
_SETTINGS = {
    "search_path": SCHEMA,
    "plan_cache_mode": "force_generic_plan",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "jit": "off",
}


class PostgresDatabase:
    """The PostgreSQL schema ``frontier`` of a database."""

    def __init__(self, url: str, *, buckets: int = BUCKETS, makes: bool = True) -> None:
        _prepare(url, buckets, makes=makes)
        self._buckets, places = _look(url)
        settings = _SETTINGS if places is None else {**_SETTINGS, **DISTRIBUTED}
        self._database = Database(url, settings=settings, patience=SERVICE_PATIENCE)
        self._attendance = None if places is None else Attendance(places, partial(self._look_at, places))
        self._own = threading.local()  # the session of a batch

    def read(self, work: Callable[[PostgresSession], T]) -> T:
        session = self._batch_of_thread
        if session is not None:
            return work(session)

        def attempt() -> T:
            with self._database.asking() as connection:
                return work(self._session(connection))

        return self._without_the_missing(attempt)

    def write(self, work: Callable[[PostgresSession], T]) -> T:
        session = self._batch_of_thread
        if session is not None:
            return work(session)
        return self._without_the_missing(lambda: self._database.run(lambda connection: work(self._session(connection))))

    def _without_the_missing(self, attempt: Callable[[], T]) -> T:
        """What the attempt brings, begun again without each server that turns out not to answer."""
        if (attendance := self._attendance) is None:
            return attempt()
        for _ in set(attendance.places.servers):
            try:
                return attempt()
            except ServerAway as error:
                attendance.note(error)
        return attempt()

    @contextmanager
    def batch(self) -> Iterator[None]:
        if self.in_batch:
            yield
            return
        try:
            with self._database.writing() as connection:
                self._own.session = self._session(connection)
                try:
                    yield
                finally:
                    self._own.session = None
        except ServerAway as error:
            if self._attendance is not None:
                self._attendance.note(error)
            raise

    def _session(self, connection: Connection) -> PostgresSession:
        if self._attendance is None:
            return PostgresSession(connection, self._buckets)
        return DistributedSession(connection, self._buckets, self._attendance)

    def _look_at(self, places: Places, place: int) -> None:
        here = one_of("site", places.together[place])
        self._database.look(lambda connection: connection.execute(f"SELECT id FROM site WHERE true {here} LIMIT 1"))

    def servers_away(self) -> list[str]:
        return [] if self._attendance is None else self._attendance.away()

    def tolerant(self) -> AbstractContextManager[object]:
        return nullcontext()  # a server takes no text that is none

    @property
    def in_batch(self) -> bool:
        return self._batch_of_thread is not None

    @property
    def _batch_of_thread(self) -> PostgresSession | None:
        found: PostgresSession | None = getattr(self._own, "session", None)
        return found

    def lead(self) -> bool:
        return self._database.hold_alone(Lock.SINKS)

    def close(self) -> None:
        self._database.close()


def _prepare(url: str, buckets: int, *, makes: bool) -> None:
    """Makes or updates the tables, on a connection that looks where the other tables of afresh are."""
    database = Database(url, pool=1)
    try:
        with database.asking() as connection:
            migrations: dict[int, Migration] = dict(load_migrations(_PACKAGE, "migrations/postgresql"))
            migrations[7] = partial(_to_buckets, script=str(migrations[7]))
            prepare_schema(
                connection,
                _PACKAGE,
                SCHEMA,
                VERSION,
                script="schema_postgresql.sql",
                migrations=migrations,
                pieces={"buckets": str(buckets)},
                absent=None if makes else NoFrontier(hide_password(url)),
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


def _look(url: str) -> tuple[int, Places | None]:
    """How many buckets there are, and where; None: all on one server."""
    database = Database(url, pool=1, settings={"search_path": SCHEMA})
    try:
        with database.asking() as connection:
            buckets = find_buckets(lambda text: connection.execute(text.encode()).fetchone(), database.name)
            return buckets, find_places(connection, LAYOUT, buckets)
    finally:
        database.close()
