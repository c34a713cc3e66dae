"""Applying reports: visit, resource, entries, site, totals and kept documents in one transaction."""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afresh.base.errors import ModelError
from afresh.base.models import Entry, Report, Resource, Result, Status
from afresh.store.buckets import bucket_in
from afresh.store.locks import Lock
from afresh.store.sql import rows
from afresh.store.sql.counting import count_resources
from afresh.store.sql.moving import move
from afresh.store.sql.resources import ensure_sites, url_is_taken
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import NEWEST

if TYPE_CHECKING:
    from afresh.store.session import Record, Session

ALL_TIME = -1  # the row of `activity` that sums over everything
_COLUMNS = (*(str(result) for result in Result), "entries", "delayed", "delay", "missed", "bytes")
_WISHES = ("rule", "pinned", "shortest", "longest", "weight")  # what an operator may change of a plan
_SITE_FAILED = frozenset({Result.UNREACHABLE, Result.HTTP_ERROR, Result.THROTTLED})
_NOBODY_TO_BLAME = frozenset({Result.OFFLINE, Result.REFUSED})


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """How much is kept for study: documents, and their compressed bytes."""

    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Written:
    """A report that is applied: what was leased, and site, bucket and status of the resource from now on."""

    report: Report
    lease: Record
    site: int
    bucket: int
    status: str


class MovesResource(Exception):
    """A report wants to move a resource, and others are at work beside: to be recorded again without them."""


def record(
    connection: Session, reports: Sequence[Report], limits: DocumentLimits, *, may_move: bool = True
) -> list[bool]:
    """Applies those whose lease is still open; says for each whether it was.

    Without ``may_move`` nothing is applied and ``MovesResource`` is raised if one of them would move its resource.
    """
    leases = connection.execute(SQL["open_leases"], {"leases": as_set(report.lease for report in reports)})
    held = {row["lease"]: row for row in leases}
    applied: list[bool] = []
    written: list[Written] = []
    sites: list[Mapping[str, object]] = []
    for report in reports:
        lease = held.pop(report.lease, None)  # a second report of the same lease in one batch finds nothing
        applied.append(lease is not None and lease["resource_id"] == report.resource.id == report.visit.resource)
        if lease is None:
            continue
        sites.append(_site_row(report, lease["site_id"]))
        if not applied[-1]:
            continue
        site = lease["site_id"]
        if (rows.clean(report.resource.url), rows.clean(report.resource.site)) != (lease["url"], lease["site"]):
            if not may_move:
                raise MovesResource
            site = _move(connection, report, lease)
        written.append(Written(report, lease, site, bucket_in(site), _status(report, lease)))
    _write(connection, written)
    _recount(connection, written)
    # After the resources: a site's place in the queue follows from theirs. A resource that was removed while it
    # was out has no visit to record, but its site was asked all the same.
    _record_domains(connection, written)
    connection.executemany(SQL["record_site"], sites)
    moved = [one.site for one in written if one.site != one.lease["site_id"]]
    if moved:
        connection.execute(SQL["refresh_ready"], {"sites": as_set(moved)})
    _keep_documents(connection, written, limits)
    return applied


def _record_domains(connection: Session, written: Sequence[Written]) -> None:
    """What visits say of signals, turns and links; who keeps it is loaded when one says something."""
    # The page that is called is of the site that was asked, wherever the visited one went.
    called = [
        (bucket_in(one.lease["site_id"]), *one.report.pace.called)
        for one in written
        if one.report.pace.called is not None
    ]
    checks = [(one.bucket, one.report.link) for one in written if one.report.link is not None]
    if called or any(one.report.heard for one in written):
        from afresh.store.sql import pages  # noqa: PLC0415 (visits of feeds say nothing of pages)

        pages.learn(connection, [(one.report, one.lease["site_id"]) for one in written])
        pages.call(connection, called)
    shown = [(one.bucket, one.report.page) for one in written if one.report.page is not None]
    if shown:
        from afresh.store.sql import watches  # noqa: PLC0415 (only visits of pages show one)

        watches.record(connection, shown)
    if checks:
        from afresh.store.sql import links  # noqa: PLC0415 (only visits of links check one)

        for bucket, check in checks:
            links.record_one(connection, bucket, check)
        for one in written:
            if one.report.parts:
                links.follow_page(connection, one.report, one.site)


def _status(report: Report, lease: Record) -> str:
    """What becomes of a resource: the operator's pause stays, and only an end is news."""
    was = str(lease["status"])
    is_over = report.resource.status is not Status.ACTIVE and was != Status.PAUSED
    return str(report.resource.status) if is_over else was


def _recount(connection: Session, written: Sequence[Written]) -> None:
    """Counts the few resources that are of another status or site now."""
    changed = [one for one in written if (one.site, one.status) != (one.lease["site_id"], one.lease["status"])]
    if changed:
        came = [(one.site, one.lease["kind"], one.status) for one in changed]
        went = [(one.lease["site_id"], one.lease["kind"], one.lease["status"]) for one in changed]
        count_resources(connection, came=came, went=went)


def _write(connection: Session, written: Sequence[Written]) -> None:
    connection.executemany(
        SQL["record_resource"],
        [
            {
                **rows.from_resource(_as_wished_since(one), status=one.status, bucket=one.bucket),
                "started": one.report.visit.started,
            }
            for one in written
        ],
    )
    connection.executemany(SQL["record_visit"], [rows.from_visit(one.bucket, one.report.visit) for one in written])
    entries = [rows.distinct(one.report.entries) for one in written]
    if any(entries):
        connection.hold(Lock.ENTRIES)  # until the end: a reader never sees a number before a smaller one
    connection.executemany(
        SQL["record_entry"],
        [
            rows.from_entry(one.bucket, one.report.resource.id, entry)
            for one, found in zip(written, entries, strict=True)
            for entry in found
        ],
    )
    for one in written:
        for entry in one.report.revised:
            connection.execute(SQL["revise_entry"], rows.from_revised(one.bucket, one.report.resource.id, entry))
    activity = _activity([one.report for one in written], entries, connection.slot)
    connection.executemany(SQL["record_activity"], activity)


def _as_wished_since(one: Written) -> Resource:
    """The resource as its visit left it, planned anew if its operator wished for another interval meanwhile."""
    resource, lease = one.report.resource, one.lease
    wishes = {name: lease[name] for name in _WISHES if lease[name] != getattr(resource, name)}
    if not wishes:
        return resource
    from afresh.base.replanning import interval_wished, replanned  # noqa: PLC0415 (hardly a visit meets one)

    due = replanned(resource, wishes) if wishes.get("rule") is None else resource.last_visit or resource.due
    kept = replace(resource, last_interval=interval_wished(resource, wishes) or resource.last_interval)
    return kept if due == resource.due else replace(kept, due=due, turn=None, frequency=0.0)


def _site_row(report: Report, site_id: int) -> Mapping[str, object]:
    if not math.isfinite(report.next_allowed):
        raise ModelError(f"{report.resource.url}: the site's next request is not a time")
    result, pace = report.visit.result, report.pace
    return {
        "id": site_id,
        "next_allowed": float(report.next_allowed),
        "retry_after": rows.finite(report.retry_after),
        "requests": int(result is not Result.OFFLINE),
        "failed": None if result in _NOBODY_TO_BLAME or report.visit.was_kept_back else int(result in _SITE_FAILED),
        "robots_read": int(report.robots_read),
        "crawl_delay": rows.finite(report.crawl_delay),
        "took": max(0.0, report.visit.finished - report.visit.started) if result.is_success else None,
        "added": rows.finite(pace.added) or 0.0,
        "turn_at": rows.finite(pace.at),
        "next_turn": rows.finite(pace.next_turn),
        "speed": rows.finite(pace.speed),
        "state": None if pace.state is None else rows.pack_floats(pace.state),
    }


def _move(connection: Session, report: Report, lease: Record) -> int:
    """Follows a resource to its new URL and site unless that URL is watched already; the number of its site now."""
    home = int(lease["site_id"])
    url, site = rows.clean(report.resource.url), rows.clean(report.resource.site)
    if url != lease["url"] and url_is_taken(connection, url):
        return home
    number = ensure_sites(connection, [site])[site]
    move(connection, report.resource.id, url, old=home, new=number)
    if number != home:
        connection.execute(SQL["hold_back_site"], {"id": number, "next_allowed": float(report.next_allowed)})
    return number


def _activity(reports: Sequence[Report], entries: Sequence[Sequence[Entry]], bucket: int) -> list[Mapping[str, float]]:
    """What the visits add to the totals: by minute, and to those of all time. One that was kept back is none yet."""
    sums: dict[int, dict[str, float]] = defaultdict(lambda: dict.fromkeys(_COLUMNS, 0))
    for report, found in zip(reports, entries, strict=True):
        visit = report.visit
        delays = [delay for entry in found if (delay := entry.delay) is not None]
        for minute in (max(0, int(visit.finished // 60)), ALL_TIME):
            total = sums[minute]
            total[visit.result] += not visit.was_kept_back
            total["entries"] += len(found)
            total["delayed"] += len(delays)
            total["delay"] += rows.finite(math.fsum(delays)) or 0.0
            total["missed"] += round(rows.finite(report.lost) or 0.0)
            total["bytes"] += int(visit.bytes)
    return [{"bucket": bucket, "minute": minute, **total} for minute, total in sums.items()]


def _keep_documents(connection: Session, written: Sequence[Written], limits: DocumentLimits) -> None:
    kept = []
    for one in written:
        document = one.report.document
        if document is not None and limits.count > 0:
            body = zlib.compress(document.body, 6)
            if len(body) <= limits.bytes:
                headers = rows.clean(document.headers)
                kept.append((one.bucket, document.resource, document.at, document.why, len(body), headers, body))
    if kept:
        connection.hold(Lock.ENTRIES)  # documents become visible in their order, too
        connection.executemany(SQL["record_document"], kept)
        sinks = connection.execute(SQL["get_setting"], {"key": "sinks/documents"}).fetchone()
        untaken = int(sinks[0]) if sinks and sinks[0] else NEWEST
        limited = {"count": limits.count, "bytes": limits.bytes, "untaken": untaken}
        connection.execute(SQL["trim_documents"], limited)
