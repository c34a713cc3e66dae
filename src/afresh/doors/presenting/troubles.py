"""What does not work with afresh itself, as it is shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from afresh.base.passwords import hide_password
from afresh.base.troubles import Trouble
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.times import iso


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubleView:
    """Something of afresh itself that does not work."""

    what: Annotated[str, About("store, clock, network, descriptors, or the name of a companion.", "store")]
    why: Annotated[str, About("", "the disk is full: afresh.db cannot grow; free some space")]
    since: Time | None
    times: Annotated[int, About("How often it was met with.")]


def view_troubles(troubles: Iterable[Trouble]) -> tuple[TroubleView, ...]:
    return tuple(
        TroubleView(what=one.what, why=hide_password(one.why), since=iso(one.since), times=one.times)
        for one in troubles
    )
