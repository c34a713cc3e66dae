"""The store in one PostgreSQL database: what several processes do at once; all else is as in SQLite."""

from collections.abc import Sequence
from functools import partial

from afresh.base.errors import ModelError
from afresh.base.models import Lease, NewResource, Report
from afresh.base.protocols import Added
from afresh.store.postgres import leasing
from afresh.store.postgres.connection import Connection
from afresh.store.postgres.database import StoreDatabase
from afresh.store.postgres.locks import Lock, take_lock
from afresh.store.sql import catalogue, recording
from afresh.store.sql import leasing as common_leasing
from afresh.store.sql.store import SqlStore

_AT_ONCE = 5_000  # resources added in one transaction


class PostgresStore(SqlStore):
    """Implements ``base.protocols.Store``.

    Any number of processes, on any number of machines, may lease, record and add at once. ``shared`` says that this one
    is a daemon; whoever changes the tables keeps away while there is one. Keeps at most ``keep_documents`` raw answers
    of ``keep_document_bytes`` together, compressed.
    """

    def __init__(
        self,
        url: str,
        *,
        shared: bool = False,
        keep_documents: int = 200,
        keep_document_bytes: int = 64 * 1024 * 1024,
    ) -> None:
        self._limits = recording.DocumentLimits(keep_documents, keep_document_bytes)
        self._database = self._workers = StoreDatabase(url, shared=shared)

    def add(self, resources: Sequence[NewResource], *, now: float) -> list[Added]:
        """Adds what is not known yet; a long list in several transactions, so that others get their turn in between."""
        catalogue.check_addable(resources)
        added: list[Added] = []
        for start in range(0, len(resources), _AT_ONCE):
            added += self._workers.working(partial(_add, resources[start : start + _AT_ONCE], now))
        return added

    def lease(self, *, holder: str, now: float, until: float, limit: int, early: float = 0.0) -> list[Lease]:
        if not until > now:
            raise ModelError(f"a lease until {until} has expired at {now}")
        ready = self.next_ready()
        if limit < 1 or ready is None or ready > now + early:
            return []
        return self._workers.working(
            lambda connection: leasing.lease(connection, holder=holder, now=now, until=until, limit=limit, early=early)
        )

    def release(self, leases: Sequence[int], *, now: float) -> None:  # noqa: ARG002 - time plays no part here
        self._workers.working(lambda connection: common_leasing.release(connection, leases))

    def record(self, reports: Sequence[Report]) -> list[bool]:
        if not reports:
            return []
        try:
            return self._workers.working(
                lambda connection: recording.record(connection, reports, self._limits, may_move=False)
            )
        except recording.MovesResource:
            return super().record(reports)

    def next_ready(self) -> float | None:
        def ask() -> float | None:
            with self._workers.asking() as connection:
                return common_leasing.next_ready(connection)

        return self._workers.patiently(ask)


def _add(resources: Sequence[NewResource], now: float, connection: Connection) -> list[Added]:
    take_lock(connection, Lock.ADDING)
    return catalogue.add(connection, resources, now)
