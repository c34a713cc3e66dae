"""The daemons that share a store, and the buckets they draw from."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING

from afresh.base.models import Resource
from afresh.base.records.daemons import STOPPED, DaemonRecord, Draw, Drawn
from afresh.base.troubles import Trouble
from afresh.store.sql import rows
from afresh.store.sql.reading import read_row
from afresh.store.sql.salvage import to_resource
from afresh.store.sql.statements import SQL
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record, Session

_FORGOTTEN = 3600.0  # seconds: what a daemon asked for in its last hour counts as long


class Daemons(StorePart):
    """Implements ``base.store_parts.DaemonStore``."""

    @property
    def is_shared(self) -> bool:
        return self._database.is_shared

    def lead(self) -> bool:
        return self._database.lead()

    def servers_away(self) -> list[str]:
        return self._database.away()

    def beat(self, daemon: DaemonRecord) -> None:
        self._database.working(partial(_beat, daemon=daemon, is_shared=self.is_shared))

    def leave(self, name: str, *, now: float) -> None:
        left = {"name": rows.clean(name), "now": now, "status": STOPPED}
        self._database.working(lambda session: session.execute(SQL["leave"], left))

    def list_daemons(self) -> list[DaemonRecord]:
        known = self._read("list_daemons", {}, _daemon)
        if all(one.status == STOPPED for one in known) or self._database.is_served() is not False:
            return known
        return [replace(one, is_gone=one.status != STOPPED) for one in known]

    def clock(self) -> float:
        [now] = self._read("clock", {}, lambda row: float(row["now"]))
        return now

    def draw(self, draws: Sequence[Draw], *, now: float) -> list[Drawn]:
        return self._database.working(partial(_draw, draws=draws, now=now))

    def visited_since(self, after: float, *, limit: int) -> list[Resource]:
        return self._read("visited_since", {"after": after, "limit": limit}, to_resource)


def _beat(session: Session, daemon: DaemonRecord, *, is_shared: bool) -> None:
    name, troubles = rows.clean(daemon.name), rows.clean(json.dumps([asdict(one) for one in daemon.troubles]))
    session.execute(SQL["beat"], {**asdict(daemon), "name": name, "troubles": troubles})
    if daemon.leads_since is not None:
        session.execute(SQL["follow_leader"], {"name": name})
        earlier = -math.inf if is_shared else daemon.since  # who has a store for itself comes after them all
        session.execute(SQL["forget_daemons"], {"before": max(earlier, daemon.seen - _FORGOTTEN)})


def _daemon(row: Record) -> DaemonRecord:
    return read_row(DaemonRecord, row, troubles=_troubles(row["troubles"]), is_gone=False)


def _troubles(text: str) -> tuple[Trouble, ...]:
    """Those of a daemon; none where another version wrote what this one does not understand."""
    try:
        return tuple(Trouble(**one) for one in json.loads(text))
    except (ValueError, TypeError):
        return ()


def _draw(session: Session, draws: Sequence[Draw], now: float) -> list[Drawn]:
    """One bucket after the other, by name, so that nobody waits in a circle."""
    drawn: dict[str, Drawn] = {}
    for draw in sorted(draws, key=lambda one: one.name):
        filled = {"name": draw.name, "now": now, "rate": draw.rate, "size": draw.size}
        tokens = float(session.execute(SQL["fill_allowance"], filled).fetchone()[0]) - draw.owed
        granted = max(0.0, min(draw.wanted, math.floor(tokens)))
        session.execute(SQL["spend_allowance"], {"name": draw.name, "spent": draw.owed + granted})
        drawn[draw.name] = Drawn(granted, tokens - granted)
    return [drawn[draw.name] for draw in draws]
