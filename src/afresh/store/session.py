"""What the common code of both stores asks of a database: sessions that run named statements, and rows.

``sqlite3.Connection`` is such a session by nature; PostgreSQL's is made into one (``store.postgres.connection``).
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol


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


class Database(Protocol):
    """Transactions of a store."""

    def reading(self) -> AbstractContextManager[Session]:
        """One consistent picture, waits for nobody."""
        ...

    def writing(self) -> AbstractContextManager[Session]:
        """Committed at the end, rolled back on any exception; nobody else writes meanwhile."""
        ...

    def close(self) -> None: ...
