"""Totals for the status page and /metrics, from counters and short index ranges: no table is scanned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from afresh.base.models import Kind, Result, Status
from afresh.base.records.explained import DueRound
from afresh.store.sql.counting import count_up
from afresh.store.sql.recording import ALL_TIME
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.base.records.history import Activity
    from afresh.store.session import Answer, Record, Session

_HOUR = 60  # minutes
_DAY = 24 * _HOUR


class Totals(StorePart):
    """Totals, what is forgotten, and what the daemon remembers between runs."""

    def stats(self, *, now: float) -> Mapping[str, float]:
        with self._database.reading() as connection:
            return _stats(connection, now)

    def due_round(self, *, now: float, delay: float) -> DueRound:
        found = self._first("due_round", {"now": now, "delay": float(delay)}, _to_round)
        return found or DueRound()

    def activity(self, *, since: float, until: float, step: int) -> list[Activity]:
        with self._database.reading() as connection:
            return _activity_steps(connection, since=since, until=until, step=step)

    def prune(self, visits_before: float, entries_before: float | None = None) -> int:
        """Forgets old visits and, if asked, old entries; how many rows. Many short transactions, not one long one."""
        removed = self._prune("prune_visits", visits_before)
        if entries_before is not None:
            removed += self._prune("prune_entries", entries_before, _untake)
        with self._database.writing() as connection:
            connection.execute(SQL["prune_activity"])
            gone = connection.execute(SQL["prune_sites"], {"before": visits_before}).rowcount
            count_up(connection, {"sites": -gone})
        return removed

    def in_use(self) -> frozenset[str]:
        return frozenset(self._read("parts_in_use", {}, lambda row: str(row[0])))

    def get_setting(self, key: str) -> str | None:
        return self._first("get_setting", {"key": key}, lambda row: str(row[0]))

    def put_setting(self, key: str, value: str) -> None:
        self._write("put_setting", {"key": key, "value": value})


def _to_round(row: Record) -> DueRound:
    return DueRound(visits=int(row["visits"]), robots=int(row["robots"]), busiest=float(row["busiest"]))


def _untake(connection: Session, gone: Answer) -> int:
    """Entries that went lose their places in query feeds."""
    seqs = [row["seq"] for row in gone.fetchall()]
    connection.execute(SQL["untake_entries"], {"seqs": as_set(seqs)})
    return len(seqs)


def _stats(connection: Session, now: float) -> Mapping[str, float]:
    """All totals; those that are means or shares of nothing are left out."""
    minute = int(now // 60)
    totals = _resources(connection)
    totals |= _queue(connection, now)
    totals |= _activity(connection, ALL_TIME, ALL_TIME, "total")
    totals |= _activity(connection, max(0, minute - _HOUR + 1), minute, "last_hour")
    totals |= _activity(connection, max(0, minute - _DAY + 1), minute, "last_day")
    totals["database_bytes"] = connection.execute(SQL["database_size"]).fetchone()[0]
    return totals


def _resources(connection: Session) -> dict[str, float]:
    totals: dict[str, float] = defaultdict(float)
    totals["resources"] = totals["sites"] = 0.0
    totals |= {f"resources_{group}": 0.0 for group in (*Kind, *Status)}
    for name, value in connection.execute(SQL["tallies"]):
        if name == "sites":
            totals["sites"] = float(value)
        elif name.startswith("resources/"):
            _, kind, status = name.split("/")
            for key in ("resources", f"resources_{kind}", f"resources_{status}", f"resources_{kind}_{status}"):
                totals[key] += float(value)
    return dict(totals)


def _queue(connection: Session, now: float) -> dict[str, float]:
    due, first = connection.execute(SQL["backlog"], {"now": now}).fetchone()
    return {
        "due_now": float(due),
        "overdue_seconds": 0.0 if first is None else now - first,
        "failing": float(connection.execute(SQL["failing"]).fetchone()[0]),
        "sites_failing": float(connection.execute(SQL["sites_failing"]).fetchone()[0]),
        "leased": float(connection.execute(SQL["leased"], {"now": now}).fetchone()[0]),
    }


def _activity(connection: Session, first: int, last: int, suffix: str) -> dict[str, float]:
    row = connection.execute(SQL["activity_between"], {"first": first, "last": last}).fetchone()
    visits = float(sum(row[result] for result in Result))
    totals = {f"visits_{result}_{suffix}": float(row[result]) for result in Result}
    totals[f"visits_{suffix}"] = visits
    for name in ("entries", "delayed", "missed", "bytes"):
        totals[f"{name}_{suffix}"] = float(row[name])
    if row["delayed"]:
        totals[f"mean_delay_seconds_{suffix}"] = row["delay"] / row["delayed"]
    if visits:
        totals[f"not_modified_share_{suffix}"] = row[Result.NOT_MODIFIED] / visits
    return totals


def _activity_steps(connection: Session, *, since: float, until: float, step: int) -> list[Activity]:
    """What happened, step by step; minutes are kept for two days."""
    from afresh.base.records.history import Activity  # noqa: PLC0415 (only for who looks back)

    values = {"first": max(0, int(since // 60)), "last": int(until // 60), "step": step}
    return [
        Activity(
            start=60.0 * row["minute"],
            visits=row["visits"],
            errors=row["errors"],
            entries=row["entries"],
            missed=row["missed"],
            bytes=row["bytes"],
            mean_delay=row["delay"] / row["delayed"] if row["delayed"] else None,
        )
        for row in connection.execute(SQL["activity_steps"], values)
    ]
