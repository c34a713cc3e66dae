"""What is read of a damaged database: text that is none, columns that cannot be read, rows mended in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from afresh.base.errors import StoreError

if TYPE_CHECKING:
    from afresh.store.session import Record

ADVICE = "`afresh doctor --repair` mends it"
UNREADABLE = (ValueError, TypeError, LookupError, msgspec.MsgspecError)


class UnreadableText(StoreError):
    """Bytes of a text that are none."""


class DamagedText(str):
    """Text as far as it can be read of bytes that are none; only a file can hold such, a server refuses them."""

    __slots__ = ()
    is_seen: ClassVar[bool] = False  # whether there ever was one: spares looking at every column of every row

    @classmethod
    def of(cls, text: bytes) -> str:
        try:
            return text.decode()
        except UnicodeDecodeError:
            DamagedText.is_seen = True
            return cls(text.decode("utf-8", "replace"))


class Values:
    """A row made by hand."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, key: str, /) -> Any:
        return self._values[key]

    def keys(self) -> list[str]:
        return list(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values.values())


@dataclass(frozen=True, slots=True)
class Part:
    """How a column is read, and what stands in it where it cannot be."""

    read: Callable[[Any], object]
    neutral: object


def optional(read: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda value: None if value is None else read(value)


def damage_of(row: Record, parts: Mapping[str, Part]) -> dict[str, str]:
    """What is wrong with each column that cannot be read."""
    wrong: dict[str, str] = {}
    for name in row.keys():  # noqa: SIM118 (a Row iterates values)
        value = row[name]
        if type(value) is DamagedText:
            wrong[name] = "is no text (invalid UTF-8)"
        elif name in parts:
            try:
                parts[name].read(value)
            except UNREADABLE as error:
                wrong[name] = f"cannot be read ({str(error)[:80]})"
    return wrong


def mended(name: str, value: object, parts: Mapping[str, Part]) -> object:
    """What stands in a damaged column from now on: the neutral value, or of words what is left of them."""
    return parts[name].neutral if name in parts else str(value)


def reason(wrong: Mapping[str, str]) -> str:
    return f"damaged: {', '.join(f'{name} {why}' for name, why in wrong.items())}; {ADVICE}"
