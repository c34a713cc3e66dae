"""The queue: which sites are ready, who has them, what their visits brought, and when the next will be."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from afresh.base.errors import ModelError
from afresh.base.models import Lease, Report, Status
from afresh.store.sql import rows
from afresh.store.sql.counting import count_resources
from afresh.store.sql.noun import Noun
from afresh.store.sql.recording import DocumentLimits, MovesResource, record
from afresh.store.sql.salvage import to_resource
from afresh.store.sql.statements import SQL, as_set

if TYPE_CHECKING:
    from afresh.store.session import Database, Record, Session

log = logging.getLogger("afresh.store")

_EVER = 1e300  # later than any visit


class Leases(Noun):
    """Hands out work and takes reports of it. Keeps raw answers within ``limits``."""

    def __init__(self, database: Database, limits: DocumentLimits) -> None:
        super().__init__(database)
        self._limits = limits

    def lease(
        self, *, holder: str, now: float, until: float, limit: int, only: Sequence[int] | None = None
    ) -> list[Lease]:
        if not until > now:
            raise ModelError(f"a lease until {until} has expired at {now}")
        if limit < 1:
            return []
        if only is not None:
            chosen = partial(_lease, holder=holder, now=now, until=until, limit=limit, only=as_set(only))
            return self._database.working(chosen)
        ready = self.next_ready()
        if ready is None or ready > now:  # asked often and mostly in vain: no write lock for that
            return []
        return self._database.working(partial(_lease, holder=holder, now=now, until=until, limit=limit))

    def bring_forward(self, resources: Sequence[int], *, now: float, seen: float = math.inf) -> None:
        self._database.working(partial(_bring_forward, ids=as_set(resources), now=now, seen=min(seen, _EVER)))

    def renew(self, leases: Sequence[int], *, until: float) -> None:
        self._database.working(partial(_renew, leases=leases, until=until))

    def release(self, leases: Sequence[int], *, now: float) -> None:  # noqa: ARG002 - time plays no part here
        self._database.working(partial(_release, leases=leases))

    def record(self, reports: Sequence[Report]) -> list[bool]:
        """Applies reports.

        What the operator changed while a resource was out stays changed: of the operator's columns only ``due`` is
        taken from the report, ``title`` where there was none, and ``status`` where the visit ended it.
        """
        if not reports:
            return []
        work = partial(record, reports=reports, limits=self._limits)
        try:
            return self._database.working(partial(work, may_move=False))
        except MovesResource:
            with self._database.writing() as connection:
                return work(connection)

    def next_ready(self) -> float | None:
        return self._database.look(_next_ready)


def _next_ready(connection: Session) -> float | None:
    found = connection.execute(SQL["next_ready"]).fetchone()
    return None if found is None or math.isinf(found[0]) else float(found[0])


def _lease(
    connection: Session, *, holder: str, now: float, until: float, limit: int, only: str | None = None
) -> list[Lease]:
    """Reserves ready sites, the longest ready first: O(log n) each, for the queue and for the pages of a site.

    Numbers only ever grow, so a late report of an expired lease can be told from its successor.
    """
    whose = {} if only is None else {"ids": only}
    pick = SQL["pick_sites" if only is None else "pick_sites_of"]
    ready = [row["id"] for row in connection.execute(pick, {"now": now, "limit": limit, **whose})]
    if not ready:
        return []
    sites = as_set(ready)
    if only is None:
        picked = connection.execute(SQL["pick_resources"], {"now": now, "sites": sites})
    else:
        picked = connection.execute(SQL["pick_chosen"], {"ids": only, "sites": sites})
    found = {row["site_id"]: row for row in picked}
    given = [found[site] for site in ready if site in found]
    numbers = take_numbers(connection, len(given))
    name = rows.clean(holder)
    connection.executemany(
        SQL["lease_site"],
        [
            {"lease": number, "resource_id": row["id"], "holder": name, "until": until, "site_id": row["site_id"]}
            for number, row in zip(numbers, given, strict=True)
        ],
    )
    leases = [_to_lease(number, row, until=until) for number, row in zip(numbers, given, strict=True)]
    damaged = [lease for lease in leases if lease.resource.status is Status.DAMAGED]
    if damaged:
        _set_aside(connection, damaged, {row["id"]: row for row in given})
    return [lease for lease in leases if lease.resource.status is not Status.DAMAGED]


def _set_aside(connection: Session, leases: Sequence[Lease], rows_of: Mapping[int, Record]) -> None:
    """Resources that cannot be read are no longer handed out; their sites are free for the others."""
    for lease in leases:
        log.error("set aside, not visited: %s", lease.resource.error, extra={"url": lease.resource.url})
    wrong = [{"id": lease.resource.id, "error": rows.clean(lease.resource.error)} for lease in leases]
    connection.executemany(SQL["set_aside"], wrong)
    found = [rows_of[lease.resource.id] for lease in leases]
    was = [(row["site_id"], str(row["kind"]), str(row["status"])) for row in found]
    now = [(site, kind, Status.DAMAGED) for site, kind, _ in was]
    count_resources(connection, came=now, went=was)
    _release(connection, [lease.id for lease in leases])


def _to_lease(number: int, row: Record, *, until: float) -> Lease:
    return Lease(
        id=number,
        site=row["site"],
        until=until,
        resource=to_resource(row),
        pause=row["pause"],
        is_shared=row["resources"] > 1,
    )


def _bring_forward(connection: Session, ids: str, now: float, seen: float) -> None:
    connection.execute(SQL["bring_forward"], {"ids": ids, "now": now, "seen": seen})
    connection.execute(SQL["bring_pages_forward"], {"ids": ids, "seen": seen})
    connection.execute(SQL["bring_turns_forward"], {"ids": ids, "now": now, "seen": seen})
    sites = as_set(row[0] for row in connection.execute(SQL["sites_of_resources"], {"ids": ids}).fetchall())
    connection.execute(SQL["refresh_ready"], {"ids": sites})


def take_numbers(connection: Session, count: int) -> Sequence[int]:
    """Lease numbers that nobody had before. A sequence says each of them, a counter the last."""
    said = [int(row[0]) for row in connection.execute(SQL["take_lease_numbers"], {"count": count})]
    return said if len(said) == count else range(said[-1] - count + 1, said[-1] + 1)


def _renew(connection: Session, leases: Sequence[int], until: float) -> None:
    held = [row["id"] for row in connection.execute(SQL["sites_by_lease"], {"leases": as_set(leases)})]
    if held:
        connection.execute(SQL["renew_sites"], {"ids": as_set(held), "until": until})


def _release(connection: Session, leases: Sequence[int]) -> None:
    """Frees the sites of leases that are still open; the others are none of the caller's business any more."""
    held = [row["id"] for row in connection.execute(SQL["sites_by_lease"], {"leases": as_set(leases)})]
    connection.execute(SQL["free_sites"], {"ids": as_set(held)})
    connection.execute(SQL["refresh_ready"], {"ids": as_set(held)})
