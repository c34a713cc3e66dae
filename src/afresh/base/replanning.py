"""When a resource is due after its operator has changed an interval or a weight; counted from its last visit on."""

import math
from collections.abc import Mapping

from afresh.base.models import Bounds, Kind, Resource
from afresh.base.visits import own_bounds


def replanned(before: Resource, wishes: Mapping[str, object]) -> float:
    """The time of the next visit with these wishes (pinned, shortest, longest, weight); others change nothing.

    An interval holds at once, not only from the next visit on. A weight so many times as high brings that visit
    forward as an optimal plan would, whose intervals go with the root of the cost (``engine/demand.py``). A lower
    one waits for it: what was promised is not taken back. The visit itself plans anew, within the settings' bounds.
    """
    visited, pinned, weight = before.last_visit, wishes.get("pinned"), wishes.get("weight")
    if visited is None:
        return before.due
    if isinstance(pinned, float):
        return visited + pinned
    if before.kind is Kind.LINK or not math.isfinite(before.due):  # a link's standing says when it is checked
        return before.due
    wait = planned = before.due - visited
    is_well = before.last_result is not None and before.last_result.is_success
    if isinstance(weight, float) and weight > before.weight > 0.0 and is_well and before.pinned is None:
        least = own_bounds(before, Bounds()).shortest
        wait = max(min(wait, least), wait * math.sqrt(before.weight / weight))
    wait = _within(wait, wishes)
    return before.due if wait == planned else visited + wait


def _within(wait: float, wishes: Mapping[str, object]) -> float:
    """Held to the bounds that are wished for."""
    shortest, longest = wishes.get("shortest"), wishes.get("longest")
    if isinstance(shortest, float):
        wait = max(wait, shortest)
    return min(wait, longest) if isinstance(longest, float) else wait
