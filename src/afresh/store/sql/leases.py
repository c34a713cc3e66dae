"""The queue: which sites are ready, who has them, what their visits brought, and when the next will be."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from afresh.base.errors import ModelError, ServerAway
from afresh.base.models import Lease, Report, Status
from afresh.store.buckets import bucket_in, with_bucket
from afresh.store.sql import rows
from afresh.store.sql.counting import count_resources
from afresh.store.sql.recording import DocumentLimits, MovesResource, record
from afresh.store.sql.resource_sites import find_homes, located, sites_of
from afresh.store.sql.salvage import to_resource
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Database, Record, Session

log = logging.getLogger("afresh.store")

_EVER = 1e300  # later than any visit
_UNHEARD = 30.0  # seconds that a site may have asked for, by an answer that nobody was left to hear


class Leases(StorePart):
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
        work = partial(_lease, holder=holder, now=now, until=until)
        if only is not None:
            return self._database.working(partial(work, limit=limit, only=only))
        ready = self.next_ready()
        if ready is None or ready > now:  # asked often and mostly in vain: no write lock for that
            return []
        leases: list[Lease] = []
        for place, share in self._shares(now, limit):
            with suppress(ServerAway):  # the others go on
                leases += self._database.working(partial(work, limit=share), place)
        return leases

    def _shares(self, now: float, limit: int) -> list[tuple[int | None, int]]:
        """How many sites are to be leased at which place: as many as it has of those that are ready longest of all.

        That is read without locks. Which they are is found out where they are locked: others may have been quicker.
        """
        if not self._database.is_divided:
            return [(None, limit)]
        values = {"now": now, "limit": limit}
        first = [row for found in self._database.each(partial(_asked_for, values=values)) for row in found]
        found = self._database.each(lambda session: session.execute(SQL["ready_sites"], values).fetchall())
        since = {row["id"]: row["ready"] for some in found for row in some}
        since |= {row["site_id"]: row["since"] - _EVER for row in first}
        ready = sorted((ready, site) for site, ready in since.items())[:limit]
        return [(place, len(some)) for place, some in self._database.parted(ready, lambda one: bucket_in(one[1]))]

    def bring_forward(
        self, resources: Sequence[int], *, now: float, seen: float = math.inf, is_asked_for: bool = False
    ) -> None:
        work = partial(_bring_forward, resources=resources, now=now, seen=min(seen, _EVER), is_asked_for=is_asked_for)
        self._database.working(work)

    def refused(self, *, after: int = 0, limit: int = 1_000) -> list[tuple[int, str]]:
        with self._database.reading() as connection:
            rows = connection.execute(SQL["refused_resources"], {"after": after, "limit": limit})
            return sorted((row["id"], row["error"]) for row in rows)[:limit]

    def renew(self, leases: Sequence[int], *, until: float) -> None:
        for place, some in self._database.parted(leases, bucket_in):
            with suppress(ServerAway):  # nobody else can take them there
                self._database.working(partial(_renew, leases=some, until=until), place)

    def release(self, leases: Sequence[int], *, now: float) -> None:  # noqa: ARG002 - time plays no part here
        for place, some in self._database.parted(leases, bucket_in):
            with suppress(ServerAway):  # they end by themselves
                self._database.working(partial(_release, leases=some), place)

    def take_back(self, *, now: float, delay: float) -> None:
        if not self._database.is_shared:  # else they may be of others, who are there
            self._database.working(partial(_take_back, now=now, delay=delay))

    def record(self, reports: Sequence[Report]) -> list[bool | None]:
        """Applies reports.

        What the operator changed while a resource was out stays changed: of the operator's columns only ``due`` is
        taken from the report, ``title`` where there was none, and ``status`` where the visit ended it.
        """
        applied: dict[int, bool] = {}
        parts = self._database.parted(range(len(reports)), lambda at: bucket_in(reports[at].lease)) if reports else []
        for place, some in parts:
            with suppress(ServerAway):  # the others go on
                applied |= zip(some, self._record([reports[at] for at in some], place), strict=True)
        return [applied.get(at) for at in range(len(reports))]

    def _record(self, reports: Sequence[Report], place: int | None) -> list[bool]:
        work = partial(record, reports=reports, limits=self._limits)
        try:
            return self._database.working(partial(work, may_move=False), place)
        except MovesResource:
            with self._database.writing() as connection:
                return work(connection)

    def next_ready(self) -> float | None:
        return min((ready for ready in self._database.each(_next_ready) if ready is not None), default=None)


def _next_ready(connection: Session) -> float | None:
    found = connection.execute(SQL["next_ready"]).fetchone()
    return None if found is None or math.isinf(found[0]) else float(found[0])


def _lease(
    connection: Session,
    *,
    holder: str,
    now: float,
    until: float,
    limit: int,
    only: Sequence[int] | None = None,
) -> list[Lease]:
    """Reserves ready sites, those first for which somebody waits, then the longest ready: O(log n) each, for the queue
    and for the pages of a site."""
    values: dict[str, object] = {"now": now, "limit": limit}
    if only is not None:
        sites = {home.site for home in find_homes(connection, only) if home.is_active}
        return _hand_out(connection, _pick_chosen(connection, values, sites, only), holder=holder, until=until)
    asked = _asked_for(connection, values)
    chosen = _pick_chosen(connection, values, {row["site_id"] for row in asked}, [row["id"] for row in asked])
    leases = _hand_out(connection, chosen, holder=holder, until=until)
    due = _pick_due(connection, {**values, "limit": limit - len(leases)})
    return leases + _hand_out(connection, due, holder=holder, until=until)


def _asked_for(connection: Session, values: Mapping[str, object]) -> Sequence[Record]:
    return connection.execute(SQL["pick_asked"], values).fetchall()


def _pick_due(connection: Session, values: Mapping[str, object]) -> list[Record]:
    """What is due at the sites that are ready longest."""
    ready = [row["id"] for row in connection.execute(SQL["pick_sites"], values)]
    if not ready:
        return []
    picked = connection.execute(SQL["pick_resources"], {"now": values["now"], "sites": as_set(ready)})
    return _in_order(ready, picked)


def _pick_chosen(
    connection: Session, values: Mapping[str, object], sites: set[int], only: Sequence[int]
) -> list[Record]:
    """Of these resources one for each of these sites that may be asked, due or not."""
    if not sites:
        return []
    ready = [row["id"] for row in connection.execute(SQL["pick_sites_of"], {**values, "sites": as_set(sites)})]
    picked = connection.execute(SQL["pick_chosen"], {"ids": as_set(only), "sites": as_set(ready)}) if ready else ()
    return _in_order(ready, picked)


def _in_order(sites: Sequence[int], picked: Iterable[Record]) -> list[Record]:
    found = {row["site_id"]: row for row in picked}
    return [found[site] for site in sites if site in found]


def _hand_out(connection: Session, given: Sequence[Record], *, holder: str, until: float) -> list[Lease]:
    """Leases of these. Numbers only ever grow, so a late report of an expired one can be told from its successor."""
    if not given:
        return []
    numbers = take_numbers(connection, [row["site_id"] for row in given])
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
    wrong = [
        {"bucket": bucket_in(lease.id), "id": lease.resource.id, "error": rows.clean(lease.resource.error)}
        for lease in leases
    ]
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


def _bring_forward(
    connection: Session, resources: Sequence[int], now: float, seen: float, *, is_asked_for: bool
) -> None:
    homes = find_homes(connection, resources)
    values = {"located": located(homes), "now": now, "seen": seen}
    for name in ("bring_forward", "bring_pages_forward", "bring_turns_forward"):
        connection.execute(SQL[name], values)
    if is_asked_for:
        connection.execute(SQL["ask_for"], values)
    connection.execute(SQL["refresh_ready"], {"sites": sites_of(homes)})


def take_numbers(connection: Session, sites: Sequence[int]) -> list[int]:
    """Numbers that no lease had before, for each of these sites one that tells its bucket.

    A sequence says each of them, a counter the last.
    """
    count = len(sites)
    said: Sequence[int] = [
        int(row[0]) for row in connection.execute(SQL["take_lease_numbers"], {"count": count}).fetchall()
    ]
    if len(said) != count:
        said = range(said[-1] - count + 1, said[-1] + 1)
    return [with_bucket(n, bucket_in(site)) for n, site in zip(said, sites, strict=True)]


def _renew(connection: Session, leases: Sequence[int], until: float) -> None:
    held = [row["id"] for row in connection.execute(SQL["sites_by_lease"], {"leases": as_set(leases)})]
    if held:
        connection.execute(SQL["renew_sites"], {"sites": as_set(held), "until": until})


def _release(connection: Session, leases: Sequence[int]) -> None:
    """Frees the sites of leases that are still open; the others are none of the caller's business any more."""
    held = as_set([row["id"] for row in connection.execute(SQL["sites_by_lease"], {"leases": as_set(leases)})])
    connection.execute(SQL["free_sites"], {"sites": held})
    connection.execute(SQL["refresh_ready"], {"sites": held})


def _take_back(connection: Session, now: float, delay: float) -> None:
    found = connection.execute(SQL["take_back"], {"now": now, "delay": delay, "rest": _UNHEARD}).fetchall()
    connection.execute(SQL["refresh_ready"], {"sites": as_set(row["id"] for row in found)})
