"""A record is its row: the columns of the same names, in the types of its fields."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from types import NoneType, SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

if TYPE_CHECKING:
    from afresh.store.session import Record

R = TypeVar("R")


def read_row(kind: Callable[..., R], row: Record | Mapping[str, Any], /, **told: object) -> R:
    """Each field as told here, else the column of its name; words become enumerations again, 0 and 1 truth values."""
    plain, converted = _plan(kind, tuple(told))
    values: dict[str, Any] = {name: row[name] for name in plain}
    for name, convert in converted:
        value = row[name]
        values[name] = None if value is None else convert(value)
    return kind(**values, **told)


@cache
def _plan(kind: Any, told: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, Callable[[Any], Any]], ...]]:
    columns = SimpleNamespace(
        __annotations__={field.name: field.type for field in fields(kind) if field.name not in told}
    )
    hints = get_type_hints(columns, vars(sys.modules[kind.__module__]))  # of these alone: the others need not be loaded
    conversions = {name: _conversion(hint) for name, hint in hints.items()}
    return (
        tuple(name for name, convert in conversions.items() if convert is None),
        tuple((name, convert) for name, convert in conversions.items() if convert is not None),
    )


def _conversion(hint: Any) -> Callable[[Any], Any] | None:
    (only, *more) = [part for part in get_args(hint) if part is not NoneType] or [hint]
    is_converted = not more and isinstance(only, type) and (only is bool or issubclass(only, Enum))
    return only if is_converted else None
