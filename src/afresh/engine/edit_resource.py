"""Change: what an operator decides about a resource, one or many, from whatever door."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from afresh.base.errors import UsageError
from afresh.base.models import Resource, Status
from afresh.base.settings import Settings
from afresh.engine import accepted_values as values

if TYPE_CHECKING:
    from afresh.base.protocols import Store


MOST_ASKED = 1_000  # resources that a person asks for at once and waits for


class Action(StrEnum):
    """What can be done to many resources at once."""

    PAUSE = "pause"
    RESUME = "resume"
    VISIT = "visit"  # due now; politeness still holds
    TAG = "tag"
    UNTAG = "untag"
    MOVE = "move"  # to another folder
    REMOVE = "remove"


def change(
    store: Store,
    number: int,
    wanted: Mapping[str, Any],
    *,
    now: float,
    at_once: bool = False,
    settings: Settings | None = None,
) -> Resource:
    """The resource with these values; None goes back to the settings' value.

    They are: kind (page or link), title, folder, tags, weight, rule, pinned, shortest, longest, standard, paused.
    With another kind or rule, or when visits begin again, it is due at once; an interval or a higher weight counts
    from the last visit on (``base.replanning``). ``settings``: whose bounds hold where it has none; None: the defaults.
    """
    resource = store.get(number)
    changes = {name: value for name, value in wanted.items() if name != "paused"}
    values.check(changes)
    if "shortest" in changes or "longest" in changes:
        values.check_bounds(
            changes.get("shortest", resource.shortest),
            changes.get("longest", resource.longest),
            kind=changes.get("kind", resource.kind),
            settings=settings or Settings(),
        )
    if "paused" in wanted:
        changes["status"] = Status.PAUSED if wanted["paused"] else Status.ACTIVE
    is_other = changes.get("rule") is not None or changes.get("kind", resource.kind) != resource.kind
    if at_once or is_other or wanted.get("paused") is False:
        changes["due"] = min(now, resource.due)
    changed = store.update(number, **changes) if changes else resource
    if at_once:
        visit_now(store, [number], now=now)
    return changed


def visit_now(store: Store, numbers: Sequence[int], *, now: float, seen: float = math.inf) -> None:
    """A person wants these visited: they take the next requests, as their sites and the budget allow.

    So many that nobody waits for a single one of them are due, and take their turns.
    """
    store.bring_forward(numbers, now=now, seen=seen, is_asked_for=len(numbers) <= MOST_ASKED)


def change_one_of_many(
    store: Store, resource: Resource, action: Action, *, tag: str | None, folder: str | None = None, now: float
) -> bool:
    """Does this to one of many; whether that changed anything."""
    if action is Action.VISIT:
        if resource.status is Status.ACTIVE:
            change(store, resource.id, {}, now=now, at_once=True)
        return resource.status is Status.ACTIVE
    changes = _changes(resource, action, tag or "", folder or "", now)
    if changes:
        store.update(resource.id, **changes)
    return bool(changes)


def check_action(action: Action, tag: str | None, folder: str | None = None) -> None:
    """Raises UsageError for an action that lacks its tag or folder, or has an unusable tag."""
    if action is Action.MOVE and folder is None:
        raise UsageError(f"{action} needs a folder")
    if action in (Action.TAG, Action.UNTAG) and tag is None:
        raise UsageError(f"{action} needs a tag")
    if tag is not None:
        values.check_tag(tag)


def _changes(resource: Resource, action: Action, tag: str, folder: str, now: float) -> dict[str, object]:
    tags = tuple(resource.tags)
    match action:
        case Action.PAUSE if resource.status is not Status.PAUSED:
            return {"status": Status.PAUSED}
        case Action.RESUME if resource.status is not Status.ACTIVE:
            return {"status": Status.ACTIVE, "due": min(now, resource.due)}
        case Action.TAG if tag not in tags:
            values.check({"tags": (*tags, tag)})
            return {"tags": (*tags, tag)}
        case Action.UNTAG if tag in tags:
            return {"tags": tuple(known for known in tags if known != tag)}
        case Action.MOVE if folder != resource.folder:
            values.check({"folder": folder})
            return {"folder": folder}
    return {}
