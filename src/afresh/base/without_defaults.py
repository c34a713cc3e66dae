"""Records that are stored as what is not usual of them: JSON of the fields whose values are not the defaults."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from afresh.base.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def unusual(record: DataclassInstance) -> dict[str, Any]:
    """What is not as usual, by name."""
    return {one.name: value for one in fields(record) if (value := getattr(record, one.name)) != one.default}


def as_text(record: DataclassInstance) -> str:
    """As it is stored."""
    return msgspec.json.encode(unusual(record)).decode()


def from_text(kind: type[T], text: str, what: str) -> T:
    """What ``as_text`` made; raises UsageError, which says ``what`` it is not."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        raise UsageError(f"not a description of {what}: {error}") from error
