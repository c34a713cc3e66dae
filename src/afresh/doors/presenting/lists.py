"""A list of views, as an answer has it: all of them under ``items``."""

from dataclasses import dataclass, make_dataclass
from typing import Generic, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(Generic[T]):
    """What every list has."""

    items: tuple[T, ...]


def list_of(view: type[T], name: str, words: str) -> type[Items[T]]:
    """The class of lists of such views; name and words are what the OpenAPI document says of it.

    >>> from afresh.doors.presenting.sites import SiteView
    >>> list_of(SiteView, "Sites", "Some sites.")(items=())
    Sites(items=())
    """
    fields, about = [("items", tuple[view, ...])], {"__doc__": words}  # type: ignore[valid-type]
    return cast("type[Items[T]]", make_dataclass(name, fields, namespace=about, frozen=True, slots=True, kw_only=True))
