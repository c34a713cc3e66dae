"""The store over a database that knows the named statements: every method one transaction, the work beside it."""

import zlib
from collections.abc import Iterator, Mapping, Sequence

from afresh.base.errors import ModelError, UsageError
from afresh.base.models import (
    Activity,
    Document,
    Lease,
    NewResource,
    Report,
    Resource,
    Site,
    StoredEntry,
    Visit,
)
from afresh.base.protocols import Added, ResourceFilter
from afresh.store.session import Database
from afresh.store.sql import catalogue, filters, leasing, recording, rows, totals
from afresh.store.sql.learning_store import LearningStore
from afresh.store.sql.links_store import LinksStore
from afresh.store.sql.notices_store import NoticesStore
from afresh.store.sql.push_store import PushStore
from afresh.store.sql.queries_store import QueriesStore
from afresh.store.sql.revisits_store import RevisitsStore
from afresh.store.sql.site_turns_store import SiteTurnsStore
from afresh.store.sql.statements import SQL

_EVERYTHING = ResourceFilter()
_PAGE = 1_000  # resources read at a time while iterating
_PRUNE = 5_000  # rows deleted a transaction: others get their turn in between
_NEWEST = 2**63 - 1


class SqlStore(LinksStore, LearningStore, QueriesStore, RevisitsStore, NoticesStore, PushStore, SiteTurnsStore):
    """``base.protocols.Store`` over a database that knows the named statements."""

    _database: Database
    _limits: recording.DocumentLimits

    def close(self) -> None:
        self._database.close()

    # --- resources ---

    def add(self, resources: Sequence[NewResource], *, now: float) -> list[Added]:
        with self._database.writing() as connection:
            return catalogue.add(connection, resources, now)

    def get(self, key: int | str) -> Resource:
        with self._database.reading() as connection:
            return catalogue.get(connection, key)

    def list_resources(
        self, where: ResourceFilter = _EVERYTHING, *, after: int = 0, limit: int = 100, order: str = "id"
    ) -> list[Resource]:
        """A page behind resource number ``after`` in any order: id, due, url, title, last_visit (latest first)."""
        with self._database.reading() as connection:
            return catalogue.page(connection, where, after=after, limit=limit, order=order)

    def count(self, where: ResourceFilter = _EVERYTHING) -> int:
        with self._database.reading() as connection:
            return catalogue.count(connection, where)

    def iterate(self, where: ResourceFilter = _EVERYTHING) -> Iterator[Resource]:
        """All of them by number, in pages: no transaction stays open while the caller thinks."""
        after = 0
        while page := self.list_resources(where, after=after, limit=_PAGE):
            yield from page
            after = page[-1].id

    def update(self, resource: int, **changes: object) -> Resource:
        with self._database.writing() as connection:
            return catalogue.update(connection, resource, changes)

    def remove(self, resources: Sequence[int]) -> int:
        with self._database.writing() as connection:
            return catalogue.remove(connection, resources)

    # --- work ---

    def lease(self, *, holder: str, now: float, until: float, limit: int, early: float = 0.0) -> list[Lease]:
        if not until > now:
            raise ModelError(f"a lease until {until} has expired at {now}")
        ready = self.next_ready()
        if limit < 1 or ready is None or ready > now + early:  # asked often and mostly in vain: no write lock for that
            return []
        with self._database.writing() as connection:
            return leasing.lease(connection, holder=holder, now=now, until=until, limit=limit, early=early)

    def release(self, leases: Sequence[int], *, now: float) -> None:  # noqa: ARG002 - time plays no part here
        with self._database.writing() as connection:
            leasing.release(connection, leases)

    def record(self, reports: Sequence[Report]) -> list[bool]:
        """Applies reports.

        What the operator changed while a resource was out stays changed: of the operator's columns only ``due`` is
        taken from the report, ``title`` where there was none, and ``status`` where the visit ended it.
        """
        if not reports:
            return []
        with self._database.writing() as connection:
            return recording.record(connection, reports, self._limits)

    def next_ready(self) -> float | None:
        with self._database.reading() as connection:
            return leasing.next_ready(connection)

    # --- sites ---

    def site(self, name: str) -> Site | None:
        with self._database.reading() as connection:
            row = connection.execute(SQL["site_by_name"], {"name": rows.clean(name)}).fetchone()
            return None if row is None else rows.to_site(row)

    def list_sites(self, *, after: str = "", limit: int = 100, text: str = "", failing: bool = False) -> list[Site]:
        name = "failing_sites_like" if failing else "sites_like" if text else "sites_after"
        values = {"after": rows.clean(after), "limit": limit}
        if name != "sites_after":
            values["text"] = filters.like(text)
        with self._database.reading() as connection:
            return [rows.to_site(row) for row in connection.execute(SQL[name], values)]

    def set_site_delay(self, name: str, delay: float | None) -> None:
        if delay is not None and (rows.finite(delay) is None or delay < 0):
            raise UsageError(f"a delay between requests cannot be {delay}; give seconds, 0 or more")
        with self._database.writing() as connection:
            connection.execute(SQL["set_site_delay"], {"name": rows.clean(name), "delay": rows.finite(delay)})

    # --- what was found ---

    def entries(
        self, *, after: int = 0, limit: int = 100, resource: int | None = None, newest_first: bool = False
    ) -> list[StoredEntry]:
        name = ("entries_after" if resource is None else "entries_of_resource") + ("_newest" if newest_first else "")
        values = {"after": after, "limit": limit} | ({} if resource is None else {"resource": resource})
        with self._database.reading() as connection:
            return [rows.to_entry(row) for row in connection.execute(SQL[name], values)]

    def entry_counts(self, resource: int, since: float) -> tuple[int, float | None]:
        with self._database.reading() as connection:
            count, oldest = connection.execute(SQL["entry_counts"], {"resource": resource, "since": since}).fetchone()
            return count, oldest

    def visits(
        self, *, resource: int | None = None, before: int | None = None, limit: int = 100
    ) -> list[tuple[int, Visit]]:
        name = "visits" if resource is None else "visits_of_resource"
        values = {"before": _NEWEST if before is None else before, "limit": limit}
        values |= {} if resource is None else {"resource": resource}
        with self._database.reading() as connection:
            return [(row["id"], rows.to_visit(row)) for row in connection.execute(SQL[name], values)]

    def documents(self, *, resource: int | None = None, limit: int = 100) -> list[Document]:
        name = "documents" if resource is None else "documents_of_resource"
        values = {"limit": limit} | ({} if resource is None else {"resource": resource})
        with self._database.reading() as connection:
            found = connection.execute(SQL[name], values)
            return [rows.to_document(row, zlib.decompress(row["body"])) for row in found]

    # --- housekeeping ---

    def stats(self, *, now: float) -> Mapping[str, float]:
        with self._database.reading() as connection:
            return totals.stats(connection, now)

    def activity(self, *, since: float, until: float, step: int) -> list[Activity]:
        with self._database.reading() as connection:
            return totals.activity(connection, since=since, until=until, step=step)

    def prune(self, visits_before: float, entries_before: float | None = None) -> int:
        """Forgets old visits and, if asked, old entries; how many rows. Many short transactions, not one long one."""
        removed = self._prune("prune_visits", visits_before)
        if entries_before is not None:
            removed += self._prune("prune_entries", entries_before)
        with self._database.writing() as connection:
            connection.execute(SQL["prune_activity"])
            connection.execute(SQL["prune_sites"], {"before": visits_before})
        return removed

    def _prune(self, statement: str, before: float) -> int:
        removed = 0
        while True:
            with self._database.writing() as connection:
                rowcount = connection.execute(SQL[statement], {"before": before, "limit": _PRUNE}).rowcount
            removed += rowcount
            if rowcount < _PRUNE:
                return removed

    def get_setting(self, key: str) -> str | None:
        with self._database.reading() as connection:
            found = connection.execute(SQL["get_setting"], {"key": key}).fetchone()
            return None if found is None else str(found[0])

    def put_setting(self, key: str, value: str) -> None:
        with self._database.writing() as connection:
            connection.execute(SQL["put_setting"], {"key": key, "value": value})
