"""When a resource is due after its operator has changed an interval or a weight; counted from its last visit on."""

import math
from collections.abc import Mapping

from afresh.base.models import Bounds, Kind, Resource
from afresh.base.visits import own_bounds

_SAME = 1.001  # times an interval is the same one


def replanned(before: Resource, wishes: Mapping[str, object]) -> float:
    """The time of the next visit with these wishes (pinned, shortest, longest, weight); others change nothing.

    An interval holds at once, not only from the next visit on, and so does taking one back: the visit is when its rule
    had planned it, or at once where that is not known any more. A weight so many times as high brings that visit
    forward as an optimal plan would, whose intervals go with the root of the cost (``engine/demand.py``). A lower
    one waits for it: what was promised is not taken back; but ``interval_wished`` remembers it, so that the old weight
    brings nothing forward. The visit itself plans anew, within the settings' bounds.
    """
    visited, pinned, weight = before.last_visit, wishes.get("pinned"), wishes.get("weight")
    if visited is None:
        return before.due
    if isinstance(pinned, float):
        return visited + pinned
    if not math.isfinite(before.due):
        return before.due
    wait = planned = before.due - visited
    is_free = before.pinned is None or "pinned" in wishes
    if _is_taken_back(before, wishes, wait):
        wait = _by_rule(before)
    elif before.kind is Kind.LINK:  # its standing says when it is checked
        return before.due
    is_well = before.last_result is not None and before.last_result.is_success
    if isinstance(weight, float) and weight > before.weight > 0.0 and is_well and is_free:
        least = own_bounds(before, Bounds()).shortest
        sooner = (_plan(before) or wait) * math.sqrt(before.weight / weight)
        wait = max(min(wait, least), min(wait, sooner))
    wait = _within(wait, {"shortest": before.shortest, **wishes} if is_free else wishes)
    return before.due if wait == planned else visited + wait


def interval_wished(before: Resource, wishes: Mapping[str, object]) -> float | None:
    """The interval that its last visit would have planned with these wishes; None: the same, or not known."""
    weight, planned = wishes.get("weight"), _plan(before)
    if not planned or not isinstance(weight, float) or weight == before.weight or min(weight, before.weight) <= 0.0:
        return None
    return planned * math.sqrt(before.weight / weight)


def _plan(before: Resource) -> float:
    """What a feed's rule had planned; 0: not known. Pages have turns, which go by weights themselves."""
    return _by_rule(before) if before.kind is Kind.FEED else 0.0


def _is_taken_back(before: Resource, wishes: Mapping[str, object], wait: float) -> bool:
    """Whether the next visit is where it is for a pin, or a shortest interval, that holds no more."""
    if "pinned" in wishes and before.pinned is not None:
        return True
    shortest = before.shortest
    if before.pinned is not None or shortest is None or "shortest" not in wishes or wait > _SAME * shortest:
        return False
    wished = wishes["shortest"]
    return wished is None or (isinstance(wished, float) and wished < shortest)


def _by_rule(before: Resource) -> float:
    """Seconds from the last visit to the next as they were planned, unless that was by the same wish; 0: not known."""
    planned = before.last_interval
    is_well = before.last_result is not None and before.last_result.is_success
    if planned is None or not is_well or any(_is_near(planned, one) for one in (before.pinned, before.shortest)):
        return 0.0
    return planned


def _is_near(interval: float, wish: float | None) -> bool:
    return wish is not None and wish / _SAME <= interval <= wish * _SAME


def _within(wait: float, wishes: Mapping[str, object]) -> float:
    """Held to the bounds that are wished for."""
    shortest, longest = wishes.get("shortest"), wishes.get("longest")
    if isinstance(shortest, float):
        wait = max(wait, shortest)
    return min(wait, longest) if isinstance(longest, float) else wait
