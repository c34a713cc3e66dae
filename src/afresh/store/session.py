"""What the common code of both stores asks of a database: sessions that run named statements, and rows.

``sqlite3.Connection`` is such a session by nature; PostgreSQL's is made into one (``store.postgres.connection``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from enum import IntEnum
from typing import Any, ClassVar, Protocol, TypeVar

T = TypeVar("T")


class Lock(IntEnum):
    """What may happen only one at a time, among all processes on a database.

    Order, so that nobody waits in a circle: WRITING, ADDING, rows of ``site`` by number, rows of ``resource``, ENTRIES.
    """

    SCHEMA = 1  # making or changing tables
    DAEMON = 2  # shared by running daemons; alone for whoever must not have one beside
    ADDING = 3  # new resources and sites: a URL is unique over all partitions, which no index can promise
    ENTRIES = 4  # numbers of entries: they become visible in their order
    WRITING = 5  # shared by leasing, recording and adding; alone for everything else, which so has no rivals


class Record(Protocol):
    """A row, by the name or the number of a column."""

    def __getitem__(self, key: Any, /) -> Any: ...

    def keys(self) -> list[str]: ...

    def __iter__(self) -> Iterator[Any]: ...


class DamagedText(str):
    """Text as far as it can be read of bytes that are none; only a file can hold such, a server refuses them."""

    __slots__ = ()
    is_seen: ClassVar[bool] = False  # whether there ever was one: spares looking at every column of every row

    @classmethod
    def of(cls, text: bytes) -> "str":
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


class Answer(Protocol):
    """What a statement brought."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Session(Protocol):
    """A transaction that runs statements; values are bound by name or by place, sets arrive as JSON arrays."""

    def execute(self, sql: str, values: Any = ..., /) -> Answer: ...

    def executemany(self, sql: str, rows: Iterable[Any], /) -> object: ...

    def hold(self, lock: Lock, /) -> None:
        """Waits for the lock; it lasts until the transaction ends."""
        ...


class Database(Protocol):
    """Transactions of a store."""

    def reading(self) -> AbstractContextManager[Session]:
        """One consistent picture, waits for nobody."""
        ...

    def writing(self) -> AbstractContextManager[Session]:
        """Committed at the end, rolled back on any exception; nobody else writes meanwhile."""
        ...

    def working(self, work: Callable[[Session], T], /) -> T:
        """Work in a write transaction beside those of others; where it was lost or lost a conflict, done once more."""
        ...

    def look(self, work: Callable[[Session], T], /) -> T:
        """One statement that only reads: a picture by itself, the cheapest there is."""
        ...

    def close(self) -> None: ...
