"""Which resources a command is about: those named, or all of a folder or with a tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.engine.searching import not_there
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.base.models import Resource, ResourceFilter
    from afresh.base.protocols import Store


def chosen(store: Store, keys: Sequence[str], where: ResourceFilter) -> list[Resource]:
    """Each once, in the order it was named; without names all that the filter finds. UsageError: there is none."""
    if keys:
        return [store.get(number) for number in dict.fromkeys(find_one(store, key) for key in keys)]
    if found := list(store.iterate(where)):
        return found
    why = not_there(store, folder=where.folder, tag=where.tag)
    raise UsageError(why or "nothing of that is watched; `afresh list` shows what is")
