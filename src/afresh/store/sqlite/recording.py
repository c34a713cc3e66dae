"""Applying reports: visit, resource, entries, site, totals and kept documents in one transaction."""

import math
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from afresh.core.models import Entry, Report, Result
from afresh.errors import ModelError
from afresh.store.sqlite import rows
from afresh.store.sqlite.catalogue import ensure_sites, url_is_taken
from afresh.store.sqlite.statements import SQL, as_set

ALL_TIME = -1  # the row of `activity` that sums over everything
_COLUMNS = (*(str(result) for result in Result), "entries", "delayed", "delay", "missed", "bytes")
_SITE_FAILED = frozenset({Result.UNREACHABLE, Result.HTTP_ERROR, Result.THROTTLED})
_NOBODY_TO_BLAME = frozenset({Result.OFFLINE, Result.REFUSED})


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """How much is kept for study: documents, and their compressed bytes."""

    count: int
    bytes: int


def record(connection: sqlite3.Connection, reports: Sequence[Report], limits: DocumentLimits) -> list[bool]:
    """Applies those whose lease is still open; says for each whether it was."""
    leases = connection.execute(SQL["open_leases"], {"leases": as_set(report.lease for report in reports)})
    held = {row["lease"]: row for row in leases}
    applied: list[bool] = []
    accepted: list[tuple[Report, sqlite3.Row]] = []
    sites: list[Mapping[str, object]] = []
    for report in reports:
        lease = held.pop(report.lease, None)  # a second report of the same lease in one batch finds nothing
        if lease is not None:
            sites.append(_site_row(report, lease["site_id"]))
        known = lease is not None and lease["resource_id"] == report.resource.id == report.visit.resource
        applied.append(known)
        if lease is not None and known:
            accepted.append((report, lease))
    moved = [number for report, lease in accepted for number in _move(connection, report, lease)]
    _write(connection, [report for report, _ in accepted])
    # After the resources: a site's place in the queue follows from theirs. A resource that was removed while it
    # was out has no visit to record, but its site was asked all the same.
    connection.executemany(SQL["record_site"], sites)
    if moved:
        connection.execute(SQL["refresh_ready"], {"ids": as_set(moved)})
    _keep_documents(connection, [report for report, _ in accepted], limits)
    return applied


def _write(connection: sqlite3.Connection, reports: Sequence[Report]) -> None:
    connection.executemany(SQL["record_resource"], [rows.from_resource(report.resource) for report in reports])
    connection.executemany(SQL["record_visit"], [rows.from_visit(report.visit) for report in reports])
    entries = [rows.distinct(report.entries) for report in reports]
    connection.executemany(
        SQL["record_entry"],
        [
            rows.from_entry(report.resource.id, entry)
            for report, found in zip(reports, entries, strict=True)
            for entry in found
        ],
    )
    connection.executemany(SQL["record_activity"], _activity(reports, entries))


def _site_row(report: Report, site_id: int) -> Mapping[str, object]:
    if not math.isfinite(report.next_allowed):
        raise ModelError(f"{report.resource.url}: the site's next request is not a time")
    result = report.visit.result
    return {
        "id": site_id,
        "next_allowed": float(report.next_allowed),
        "retry_after": rows.finite(report.retry_after),
        "requests": int(result is not Result.OFFLINE),
        "failed": None if result in _NOBODY_TO_BLAME else int(result in _SITE_FAILED),
    }


def _move(connection: sqlite3.Connection, report: Report, lease: sqlite3.Row) -> list[int]:
    """Follows a resource to its new URL and site unless that URL is watched already; the site it came to, if any."""
    url, site = rows.clean(report.resource.url), rows.clean(report.resource.site)
    if (url, site) == (lease["url"], lease["site"]):
        return []
    if url != lease["url"] and url_is_taken(connection, url):
        return []
    number = ensure_sites(connection, [site])[site]
    connection.execute(
        SQL["move_resource"], {"id": report.resource.id, "url": url, "url_key": rows.url_key(url), "site_id": number}
    )
    if number == lease["site_id"]:
        return []
    connection.execute(SQL["hold_back_site"], {"id": number, "next_allowed": float(report.next_allowed)})
    return [number]


def _activity(reports: Sequence[Report], entries: Sequence[Sequence[Entry]]) -> list[Mapping[str, float]]:
    """What the visits add to the totals: by minute, and to those of all time."""
    sums: dict[int, dict[str, float]] = defaultdict(lambda: dict.fromkeys(_COLUMNS, 0))
    for report, found in zip(reports, entries, strict=True):
        visit = report.visit
        delays = [max(0.0, entry.found - entry.published) for entry in found if not entry.initial]
        for minute in (max(0, int(visit.finished // 60)), ALL_TIME):
            total = sums[minute]
            total[visit.result] += 1
            total["entries"] += len(found)
            total["delayed"] += len(delays)
            total["delay"] += rows.finite(math.fsum(delays)) or 0.0
            total["missed"] += int(visit.missed)
            total["bytes"] += int(visit.bytes)
    return [{"minute": minute, **total} for minute, total in sums.items()]


def _keep_documents(connection: sqlite3.Connection, reports: Sequence[Report], limits: DocumentLimits) -> None:
    kept = []
    for report in reports:
        document = report.document
        if document is not None and limits.count > 0:
            body = zlib.compress(document.body, 6)
            if len(body) <= limits.bytes:
                headers = rows.clean(document.headers)
                kept.append((document.resource, document.at, document.why, len(body), headers, body))
    if kept:
        connection.executemany(SQL["record_document"], kept)
        connection.execute(SQL["trim_documents"], {"count": limits.count, "bytes": limits.bytes})
