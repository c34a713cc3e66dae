"""The order within a site: the place a page takes after a visit, and when the next page's turn is (MERGE, spec §3.3).

A page of frequency f on a site whose pages are visited F times a second together comes again after F/f turns, so its
place is the one it had plus F/f. The site ticks every 1/F seconds, or as fast as politeness lets it, and serves the
smallest place. Places are never set back to the time of a visit; ticks that were missed are not made up for.
"""

from dataclasses import dataclass

from afresh.base.models import Resource, Site
from afresh.base.records.pages import Pace, SiteState

_NOBODY = SiteState()


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a page stands after a visit, and what that does to its site."""

    turn: float | None
    frequency: float
    pace: Pace


def seat(resource: Resource, site: Site | None, *, frequency: float, now: float, u: float) -> Seat:
    """The next place of a page that shall be visited ``frequency`` times a second; 0: none, it goes by due time.

    ``resource`` is as it was leased. ``u``, uniform in [0, 1), spreads pages that are seen for the first time over
    their first interval: equal phases would come in bursts.
    """
    state = site.state if site is not None else _NOBODY
    was_turn = resource.turn is not None
    together = max(state.frequency + frequency - resource.frequency, frequency)
    next_turn = None
    if was_turn:
        scheduled = now if state.next_turn is None else state.next_turn
        next_turn = max(scheduled + 1.0 / together, now) if together > 0.0 else None
    elif frequency > 0.0 and state.next_turn is None:
        next_turn = now + u / together
    added = frequency - resource.frequency
    pace = Pace(added=added, served=resource.turn, next_turn=next_turn, own_price=state.price if frequency else 0.0)
    if frequency <= 0.0:
        return Seat(None, 0.0, pace)
    start = state.turn if resource.turn is None else resource.turn
    steps = together / frequency
    return Seat(start + (steps if was_turn else u * steps), frequency, pace)
