"""Rows that answer to the name and to the number of a column, as SQLite's do, so that both stores read them alike."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from psycopg import Cursor


class Record(tuple[Any, ...]):
    """A row. Of two columns with one name the first is meant."""

    __slots__ = ()
    names: tuple[str, ...] = ()  # each kind of row has its own, see _kind
    places: dict[str, int] = {}  # noqa: RUF012 (as above)

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.places[key] if isinstance(key, str) else key)

    def keys(self) -> list[str]:
        return list(self.names)


@lru_cache(maxsize=1024)
def _kind(names: tuple[str, ...]) -> type[Record]:
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    return type("Record", (Record,), {"__slots__": (), "names": names, "places": places})


def records(cursor: Cursor[Any]) -> Callable[[Sequence[Any]], Record]:
    """A row factory of the driver."""
    return _kind(tuple(column.name for column in cursor.description or ()))
