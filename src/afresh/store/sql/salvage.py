"""Rows that cannot be read as they are: what is wrong with them, and what can still be shown of them.

A database outlives programs, disks and people with an SQL prompt. One damaged row must never keep the others from being
visited: it becomes a resource with the status "damaged" that says why, and whose other columns are as they were.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from afresh.base.models import Kind, Resource, Result, Status
from afresh.store.damaged import ADVICE, UNREADABLE, DamagedText, Part, Values, damage_of, mended, optional, reason
from afresh.store.sql import rows

if TYPE_CHECKING:
    from afresh.store.session import Record

T = TypeVar("T")
log = logging.getLogger("afresh.store")

#: Columns of a resource that can be damaged without their type being wrong, which no database lets happen.
PARTS: Mapping[str, Part] = {
    "kind": Part(Kind, str(Kind.FEED)),
    "status": Part(Status, str(Status.ACTIVE)),
    "last_result": Part(optional(Result), None),
    "tags": Part(rows.unpack_strings, "[]"),
    "facts": Part(rows.unpack_facts, ""),
    "state": Part(rows.unpack_floats, b""),
    "window": Part(rows.unpack_window, b""),
    "announced": Part(rows.unpack_announced, ""),
    "repaired": Part(rows.unpack_words, ""),
    "rule": Part(optional(str), None),
    "pattern": Part(str, ""),
    "state_of": Part(str, ""),
    "etag": Part(str, ""),
    "last_modified": Part(str, ""),
    "moving_target": Part(str, ""),
}


def to_resource(row: Record) -> Resource:
    """The resource of a row; one that is damaged says so and has neutral values where nothing can be read."""
    try:
        if not (DamagedText.is_seen and has_damaged_text(row)):
            return rows.to_resource(row)
    except UNREADABLE:
        pass
    wrong = damage_of(row, PARTS)
    values = {name: row[name] for name in row.keys()}  # noqa: SIM118 (a Row iterates values)
    values |= {name: mended(name, values[name], PARTS) for name in wrong}
    return replace(rows.to_resource(Values(values)), status=Status.DAMAGED, error=reason(wrong))


def readable(found: Iterable[Record], make: Callable[[Record], T]) -> Iterator[T]:
    """What rows are made into; one that cannot be read is left out with a line in the log, and keeps nobody else."""
    for row in found:
        try:
            made = make(row)
        except UNREADABLE as error:
            log.error("a row is left out, it cannot be read (%s); %s", error, ADVICE)
        else:
            yield made


def salvaged_strings(text: str) -> tuple[str, ...]:
    """A list of words; none where it is damaged."""
    try:
        return rows.unpack_strings(text)
    except UNREADABLE:
        return ()


def has_damaged_text(row: Record) -> bool:
    return any(type(value) is DamagedText for value in row)
