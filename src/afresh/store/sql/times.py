"""Times that a wrong clock wrote are found and brought back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from afresh.base.timekeeping import SKEW, SeenTimes, TimeBounds
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Session


class Times(StorePart):
    """Implements ``base.store_parts.TimeStore``."""

    def seen_times(self) -> SeenTimes:
        with self._database.reading() as session:
            names = ("latest_visit", "latest_added", "latest_due", "latest_ready", "last_recorded")
            return SeenTimes(*(_only(session, name) for name in names))

    def unfinished_pauses(self, *, since: float) -> list[tuple[str, float]]:
        with self._database.reading() as session:
            found = session.execute(SQL["unfinished_pauses"], {"since": since}).fetchall()
            return [(str(row[0]), float(row[1])) for row in found]

    def pull_back(self, *, now: float, bounds: TimeBounds) -> int:
        with self._database.writing() as session:
            return _pull_back(session, now, bounds)


def _only(session: Session, statement: str) -> float | None:
    row = session.execute(SQL[statement]).fetchone()
    return None if row is None or row[0] is None else float(row[0])


def _pull_back(session: Session, now: float, bounds: TimeBounds) -> int:
    given: dict[str, object] = {"now": now, "late": now + SKEW, "longest": bounds.longest}
    values = given | {
        "pause": bounds.pause,
        "delay": bounds.delay,
        "lease": bounds.lease,
        "interval": bounds.interval,
    }
    sites = _changed(session, "pull_back_sites", values)
    homes = _changed(session, "pull_back_visited", given)
    for kind, interval in bounds.intervals.items():
        planned = given | {"kind": kind, "interval": interval, "trouble": bounds.trouble}
        homes += _changed(session, "pull_back_due", planned)
    session.execute(SQL["refresh_ready"], {"sites": as_set({*sites, *homes})})
    session.execute(SQL["pull_back_deliveries"], given | {"delivery": bounds.delivery})
    session.execute(SQL["pull_back_subscriptions"], given)
    session.execute(SQL["forget_coming_minutes"], {"minute": int((now + SKEW) // 60)})
    return len(sites) + len(homes)


def _changed(session: Session, statement: str, values: Mapping[str, object]) -> list[int]:
    return [int(row[0]) for row in session.execute(SQL[statement], values).fetchall()]
