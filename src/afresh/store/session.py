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
Item = TypeVar("Item")


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

    @property
    def slot(self) -> int:
        """The bucket in which this session counts what is only ever summed."""
        ...

    def execute(self, sql: str, values: Any = ..., /) -> Answer: ...

    def executemany(self, sql: str, rows: Iterable[Any], /) -> object: ...

    def hold(self, lock: Lock, /) -> None:
        """Waits for the lock; it lasts until the transaction ends."""
        ...

    def filling(self, table: str, rows: int, /) -> AbstractContextManager[None]:
        """While so many rows come into a table: the database may do for all of them at once what it does for each."""
        ...


class Database(Protocol):
    """Transactions of a store."""

    is_shared: bool  # whether several daemons may work on it
    is_divided: bool  # whether its buckets are in several places

    def lead(self) -> bool:
        """Whether this daemon is the one that decides for all; it is from now on if nobody was."""
        ...

    def is_served(self) -> bool | None:
        """Whether a daemon has it now; None: only the daemons' own words tell."""
        ...

    def reading(self, *, ordered: bool = False) -> AbstractContextManager[Session]:
        """One consistent picture, waits for nobody.

        ``ordered`` is for readers of a sequence, who go on from the last number they saw: a number is there before any
        later one is. On several servers that takes a lock.
        """
        ...

    def writing(self) -> AbstractContextManager[Session]:
        """Committed at the end, rolled back on any exception; nobody else writes meanwhile."""
        ...

    def working(self, work: Callable[[Session], T], place: int | None = None, /) -> T:
        """Work in a write transaction beside those of others; where it was lost or lost a conflict, done once more.

        All of it belongs to one ``place``, as ``parted`` names it; None: to any.
        """
        ...

    def look(self, work: Callable[[Session], T], /) -> T:
        """One statement that only reads: a picture by itself, the cheapest there is."""
        ...

    def each(self, work: Callable[[Session], T], /) -> list[T]:
        """What a question brings at each place whose server answers; raises ``ServerAway`` if none does."""
        ...

    def parted(self, items: Iterable[Item], bucket: Callable[[Item], int], /) -> list[tuple[int | None, list[Item]]]:
        """Things by the place of their bucket: what is on one server can be written in one transaction."""
        ...

    def away(self) -> list[str]:
        """Servers that do not answer, and which buckets wait for them, in words."""
        ...

    def close(self) -> None: ...
