"""What the common code of both stores asks of a database: sessions that run named statements, and rows.

``sqlite3.Connection`` is such a session by nature; PostgreSQL's is made into one (``store.postgres.connection``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from afresh.store.locks import Lock

T = TypeVar("T")


class Record(Protocol):
    """A row, by the name or the number of a column."""

    def __getitem__(self, key: Any, /) -> Any: ...

    def keys(self) -> list[str]: ...

    def __iter__(self) -> Iterator[Any]: ...


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

    is_shared: bool  # whether several daemons may work on it

    def lead(self) -> bool:
        """Whether this daemon is the one that decides for all; it is from now on if nobody was."""
        ...

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
