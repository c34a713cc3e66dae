"""How far each sink is, kept in the store: a cursor a sink, and the names of those that there are."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from afresh.base.errors import NotFound
from afresh.base.records.sinks import SINKS, CursorStore

_MARK = "sinks/store"  # the setting that tells this store from others


class SinkNotFound(NotFound):
    """No sink of that name."""

    words = "nothing is written to {}; `afresh sink list` shows where to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a sink stands."""

    name: str  # its address without passwords
    stream: str
    after: int = 0  # the number of the last line that it holds
    lines: int = 0  # taken so far
    at: float = 0.0  # when the last was; 0: none was


def store_mark(store: CursorStore) -> str:
    """A short name that no other store has: the beginning of every key."""
    mark = store.get_setting(_MARK)
    if not mark:
        mark = uuid4().hex[:12]
        store.put_setting(_MARK, mark)
    return mark


def key_of(mark: str, number: int) -> str:
    """
    >>> key_of("5f00c0ffee00", 7)
    '5f00c0ffee00-7'
    """
    return f"{mark}-{number}"


def number_of(mark: str, key: str) -> int:
    """The number of a line of this store; 0: it is another one's.

    >>> number_of("5f00c0ffee00", "5f00c0ffee00-7"), number_of("5f00c0ffee00", "0ther-7"), number_of("a", "")
    (7, 0, 0)
    """
    whose, _, number = key.rpartition("-")
    return int(number) if whose == mark and number.isdecimal() else 0


def names(store: CursorStore) -> tuple[str, ...]:
    """Of all sinks that somebody has begun to write to and not forgotten."""
    return tuple(json.loads(store.get_setting(SINKS) or "[]"))


def begin(store: CursorStore, name: str, stream: str) -> Cursor:
    """The cursor of a sink, made if there is none: from then on nothing is thrown away that it has not taken."""
    known = names(store)
    if name not in known:
        move(store, Cursor(name=name, stream=stream))
        store.put_setting(SINKS, json.dumps([*known, name]))
    return cursor(store, name)


def cursor(store: CursorStore, name: str) -> Cursor:
    text = store.get_setting(_key(name))
    if not text or name not in names(store):
        raise SinkNotFound(name)
    return Cursor(name=name, **json.loads(text))


def move(store: CursorStore, cursor: Cursor) -> None:
    told = {"stream": cursor.stream, "after": cursor.after, "lines": cursor.lines, "at": cursor.at}
    store.put_setting(_key(cursor.name), json.dumps(told))


def forget(store: CursorStore, name: str) -> None:
    """What waits for it need not be kept any more; if it is written to again, it begins anew."""
    known = names(store)
    if name not in known:
        raise SinkNotFound(name)
    store.put_setting(SINKS, json.dumps([other for other in known if other != name]))
    store.put_setting(_key(name), "")


def all_cursors(store: CursorStore) -> list[Cursor]:
    return [cursor(store, name) for name in names(store)]


def slowest(cursors: Sequence[Cursor], stream: str) -> int:
    """The number up to which every sink of a stream has taken all lines; 0: none was taken by all."""
    return min((found.after for found in cursors if found.stream == stream), default=0)


def _key(name: str) -> str:
    return f"sink/{name}"
