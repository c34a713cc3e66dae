"""What the parts of a store have in common: each keeps one kind of thing, every method is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from afresh.store.sql.salvage import readable
from afresh.store.sql.statements import SQL

if TYPE_CHECKING:
    from afresh.store.session import Answer, Database, Record, Session

T = TypeVar("T")

NEWEST = 2**63 - 1  # no number comes after it
_PRUNE = 5_000  # rows deleted a transaction: others get their turn in between


class StorePart:
    """A part of a store over a database that knows the named statements."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _read(
        self, statement: str, values: Mapping[str, object], make: Callable[[Record], T], *, ordered: bool = False
    ) -> list[T]:
        """What the rows of one statement are made into; ``ordered`` for readers of a sequence."""
        with self._database.reading(ordered=ordered) as session:
            return list(readable(session.execute(SQL[statement], values), make))

    def _first(self, statement: str, values: Mapping[str, object], make: Callable[[Record], T]) -> T | None:
        """What the first row is made into; None: there is none."""
        return next(iter(self._read(statement, values, make)), None)

    def _write(self, statement: str, values: Mapping[str, object]) -> int:
        """How many rows one statement changed."""
        with self._database.writing() as session:
            return session.execute(SQL[statement], values).rowcount

    def _prune(self, statement: str, before: float, follow: Callable[[Session, Answer], int] | None = None) -> int:
        """How many rows went; many short transactions, not one long one.

        ``follow`` does what follows from what the statement took, and says how many rows that were.
        """
        removed, count = 0, _PRUNE
        while count == _PRUNE:
            with self._database.writing() as session:
                gone = session.execute(SQL[statement], {"before": before, "limit": _PRUNE})
                count = gone.rowcount if follow is None else follow(session, gone)
            removed += count
        return removed
