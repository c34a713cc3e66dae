"""The database as the store uses it: many workers at once, or one operator alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from psycopg.rows import tuple_row

from afresh.base.hashing import bucket_of
from afresh.store.buckets import BUCKETS, OneServer, check_buckets
from afresh.store.postgres.bucket_places import SETTINGS, Places, find_places
from afresh.store.postgres.citus import current_schema, has_extension
from afresh.store.postgres.connection import SERVICE_PATIENCE, Connection, Database, prepare_schema
from afresh.store.postgres.layout import layout
from afresh.store.postgres.locks import Lock, begin
from afresh.store.postgres.schema import Migration, load_migrations

VERSION = 16
_PACKAGE = "afresh.store.postgres"
_TO_BUCKETS = 11  # the version with them
T = TypeVar("T")
#: All our statements go from a few given rows to others by an index. The planner, which does not know how few they
#: are, nor how much a table has grown since it last looked (a fresh import), would now and then read a whole table,
#: start processes to share the work, or compile what runs for a millisecond.
_SETTINGS = {
    "enable_seqscan": "off",
    "enable_mergejoin": "off",
    "enable_hashjoin": "off",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}


class StoreDatabase(OneServer, Database):
    """A database with the store's tables and a lock that everybody shares who leases, records or adds.

    What else writes (an operator's change, a query, a move to another site) has the lock, and so the store, to itself
    for the few milliseconds it takes: it may read, decide and write as in SQLite, where there is one writer anyway.
    """

    def __init__(self, url: str, *, shared: bool = False) -> None:
        super().__init__(url, shared=shared, settings=_SETTINGS, patience=SERVICE_PATIENCE if shared else None)
        try:
            with self.asking() as connection:
                _prepare(connection)
                check_buckets(lambda text: connection.execute(text.encode()).fetchone(), self.name)
                self.places = self._find_places(connection)
        except BaseException:
            self.close()
            raise

    def _find_places(self, connection: Connection) -> Places | None:
        """Where the buckets are; None: all on this server. Connections of several servers are set up for it."""
        if not has_extension(connection):
            return None
        places = find_places(connection, layout(current_schema(connection)), BUCKETS)
        if places is not None:
            self.set_up_for(connection, SETTINGS)
        return places

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction without others beside it."""
        with self._translated(), self._borrowed() as connection, _transaction(connection, shared=False):
            yield connection

    def working(self, work: Callable[[Connection], T], _place: int | None = None) -> T:
        """Work in a write transaction beside those of others.

        Begun again if PostgreSQL gave another one preference, or if the connection was lost. In the latter case it may
        have been committed already, so the work has to be such that doing it twice is harmless, as leasing, recording,
        releasing and adding are.
        """

        def attempt() -> T:
            with self._borrowed() as connection, _transaction(connection, shared=True):
                return work(connection)

        return self.patiently(attempt)


def _prepare(connection: Connection) -> None:
    """Makes or updates the tables."""
    migrations: dict[int, Migration] = dict(load_migrations(_PACKAGE))
    migrations[_TO_BUCKETS] = partial(_to_buckets, script=str(migrations[_TO_BUCKETS]))
    prepare_schema(connection, _PACKAGE, "store", VERSION, migrations=migrations, pieces={"buckets": str(BUCKETS)})


def _to_buckets(connection: Any, *, script: str) -> None:
    """The step to buckets; those of sites are said beforehand, for no function of the server knows them."""
    sites = connection.cursor(row_factory=tuple_row).execute("SELECT id, name FROM site").fetchall()
    connection.execute("CREATE TEMP TABLE renumbered (old bigint PRIMARY KEY, bucket bigint NOT NULL)")
    with connection.cursor() as cursor, cursor.copy("COPY renumbered (old, bucket) FROM STDIN") as copy:
        for number, name in sites:
            copy.write_row((number, bucket_of(name, BUCKETS)))
    # Whole tables are written anew here: what is right for a few rows would read one of them for each row of another.
    for setting in ("enable_seqscan", "enable_hashjoin", "enable_mergejoin"):
        connection.execute(f"SET LOCAL {setting} = on")
    connection.execute("ANALYZE renumbered")
    connection.execute(script.encode())


@contextmanager
def _transaction(connection: Connection, *, shared: bool) -> Iterator[None]:
    begin(connection, Lock.WRITING, shared=shared)
    try:
        yield
    except BaseException:
        if not connection.closed:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
