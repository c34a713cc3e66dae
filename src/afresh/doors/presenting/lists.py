"""Lists of views, as answers have them: ``items``, and ``next`` where there may be more behind them."""

from dataclasses import dataclass, make_dataclass
from typing import Any, Generic, TypeVar, cast

from afresh.doors.presenting.fields import NextName, NextNumber

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(Generic[T]):
    """A whole list."""

    items: tuple[T, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPage(Items[T]):
    """A part of a list that is in the order of numbers."""

    next: NextNumber


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPage(Items[T]):
    """A part of a list that is in the order of names."""

    next: NextName


def list_of(view: type[T], name: str, words: str) -> type[Items[T]]:
    """The class of lists of such views; name and words are what the OpenAPI document says of it.

    >>> from afresh.doors.presenting.sites import SiteView
    >>> list_of(SiteView, "Sites", "Some sites.")(items=())
    Sites(items=())
    """
    return cast("type[Items[T]]", _made(view, name, words))


def numbered_page_of(view: type[T], name: str, words: str) -> type[NumberedPage[T]]:
    """The same for parts of a list by number."""
    return cast("type[NumberedPage[T]]", _made(view, name, words, next=NextNumber))


def named_page_of(view: type[T], name: str, words: str) -> type[NamedPage[T]]:
    """The same for parts of a list by name."""
    return cast("type[NamedPage[T]]", _made(view, name, words, next=NextName))


def _made(view: Any, name: str, words: str, **more: Any) -> type:
    fields = {"items": tuple[view, ...], **more}
    return make_dataclass(name, fields.items(), namespace={"__doc__": words}, frozen=True, slots=True, kw_only=True)
