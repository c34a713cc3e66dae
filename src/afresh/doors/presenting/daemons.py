"""The daemons that share a store: who is there, who leads, and how much of the work each does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from afresh.base.records.daemons import DaemonRecord
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.showing import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonView:
    """One daemon, as it last said."""

    name: Annotated[str, About("Machine and process.", "host:4711")]
    since: Time | None
    seen: Annotated[Time | None, About("When it last said that it is there.")]
    requests: Annotated[int, About("In the hour before.")]
    share: Annotated[float | None, About("Of the requests of all daemons; null: none was made.")]
    leads_since: Annotated[Time | None, About("Of the one that decides for all; null: it follows.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonsView:
    """All daemons of the store, the leader first; one that is gone is forgotten after an hour."""

    items: tuple[DaemonView, ...]


def view_daemons(found: Sequence[DaemonRecord]) -> tuple[DaemonView, ...]:
    total = sum(one.requests for one in found)
    return tuple(shown(DaemonView, one, share=one.requests / total if total else None) for one in found)
