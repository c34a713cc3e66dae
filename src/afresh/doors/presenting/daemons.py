"""The daemons that share a store: who is there, who leads, and how much of the work each does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from afresh.base.records.daemons import SILENT, DaemonRecord, spokesman
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import iso
from afresh.doors.presenting.troubles import TroubleView, view_troubles


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonView:
    """One daemon, as it last said."""

    name: Annotated[str, About("Machine and process.", "host:4711")]
    since: Time | None
    seen: Annotated[Time | None, About("When it last said that it is there.")]
    requests: Annotated[int, About("In the hour before.")]
    share: Annotated[float | None, About("Of the requests of all daemons; null: none was made.")]
    leads_since: Annotated[Time | None, About("Of the one that decides for all; null: it follows.")]
    status: Annotated[
        str,
        About("ok, degraded, failing, stopped, or silent: it was killed, or cannot write to the store.", "ok"),
    ]
    troubles: Annotated[tuple[TroubleView, ...], About("What does not work there, the oldest first.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallView:
    """The worst that a daemon last said of itself in the store."""

    at: Time | None
    status: str
    is_silent: bool  # it should have said something since: killed, or unable to write
    troubles: tuple[TroubleView, ...]


DaemonsView = list_of(
    DaemonView,
    "DaemonsView",
    "All daemons of the store, the leader first; one that is gone is forgotten after an hour.",
)


def view_daemons(found: Sequence[DaemonRecord], now: float) -> tuple[DaemonView, ...]:
    total = sum(one.requests for one in found)
    return tuple(
        shown(
            DaemonView,
            one,
            share=one.requests / total if total else None,
            status=one.standing(now),
            troubles=view_troubles(one.troubles),
        )
        for one in found
    )


def view_overall(found: Sequence[DaemonRecord], now: float) -> OverallView | None:
    """What those that share a store say of themselves, in one word; None: none has said anything yet."""
    speaker = spokesman(found, now)
    if speaker is None:
        return None
    status = speaker.standing(now)
    return OverallView(
        at=iso(speaker.seen), status=status, is_silent=status == SILENT, troubles=view_troubles(speaker.troubles)
    )
