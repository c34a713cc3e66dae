"""The database as the store uses it: many workers at once, or one operator alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from afresh.store.postgres.connection import SERVICE_PATIENCE, Connection, Database, prepare_schema
from afresh.store.postgres.locks import Lock, begin

VERSION = 10
T = TypeVar("T")
#: All our statements go from a few given rows to others by an index. The planner, which does not know how few they
#: are, nor how much a table has grown since it last looked (a fresh import), would now and then read a whole table.
_SETTINGS = {"enable_seqscan": "off", "enable_mergejoin": "off", "enable_hashjoin": "off"}


class StoreDatabase(Database):
    """A database with the store's tables and a lock that everybody shares who leases, records or adds.

    What else writes (an operator's change, a query, a move to another site) has the lock, and so the store, to itself
    for the few milliseconds it takes: it may read, decide and write as in SQLite, where there is one writer anyway.
    """

    def __init__(self, url: str, *, shared: bool = False) -> None:
        super().__init__(url, shared=shared, settings=_SETTINGS, patience=SERVICE_PATIENCE if shared else None)
        try:
            with self.asking() as connection:
                prepare_schema(connection, "afresh.store.postgres", "store", VERSION)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction without others beside it."""
        with self._translated(), self._borrowed() as connection, _transaction(connection, shared=False):
            yield connection

    def working(self, work: Callable[[Connection], T]) -> T:
        """Work in a write transaction beside those of others.

        Begun again if PostgreSQL gave another one preference, or if the connection was lost. In the latter case it may
        have been committed already, so the work has to be such that doing it twice is harmless, as leasing, recording,
        releasing and adding are.
        """

        def attempt() -> T:
            with self._borrowed() as connection, _transaction(connection, shared=True):
                return work(connection)

        return self.patiently(attempt)


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
