"""What the frontier asks of a database: one transaction that runs named statements, whatever the dialect."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, TypeVar

T = TypeVar("T")

Row = tuple[Any, ...]
Values = Mapping[str, Any]
NONE: Final[Values] = {}
ALL: Final = 1 << 62  # as a limit: none


class Session(Protocol):
    """A transaction. Statements are called by name; ``pieces`` fill their braces."""

    random: str  # a number from 0 to 1, as SQL
    part: int  # the row of totals that this session counts in
    buckets: int  # that sites are divided into
    away: frozenset[int]  # buckets on servers that do not answer: whatever names one raises ``ServerAway``

    def rows(self, name: str, values: Values = NONE, /, **pieces: str) -> list[Row]:
        """What a statement finds."""
        ...

    def pick(self, name: str, values: Values, /, **pieces: str) -> list[Row]:
        """Sites in the order of a statement, of all buckets, locked; without those that somebody else has locked."""
        ...

    def run(self, name: str, values: Values = NONE, /, **pieces: str) -> int:
        """Runs a statement; answers how many rows it changed."""
        ...

    def run_many(self, name: str, rows: Sequence[Row]) -> int:
        """Runs a statement for many rows, by place; answers how many rows it changed."""
        ...

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        """Inserts rows in the quickest way."""
        ...

    def insert_new(self, name: str, rows: Sequence[Row]) -> list[Row]:
        """Inserts rows unless they are there; answers with those that were not."""
        ...

    def rows_of_each(self, name: str, keys: Sequence[int], limit: int) -> list[list[Row]]:
        """What a statement finds for each of some keys, at most so many each."""
        ...

    def revisit(self, rows: Sequence[tuple[float, float | None, int]]) -> None:
        """Runs ``revisit_pages``, in the quickest way, for due, visited and page."""
        ...

    def revisit_alike(self, due: float, visited: float | None, pages: Sequence[int]) -> None:
        """The same for different pages that were visited at one time."""
        ...

    def take_numbers(self, name: str, count: int) -> Sequence[int]:
        """New numbers that nobody else gets."""
        ...

    def together(self) -> AbstractContextManager[object]:
        """Within, no statement waits for the one before; what they answer is not to be asked for."""
        ...

    def as_set(self, values: Iterable[int] | Iterable[str]) -> str:
        """A set of numbers or of texts, to be bound as one value."""
        ...


class Database(Protocol):
    """Transactions."""

    def read(self, work: Callable[[Session], T]) -> T: ...

    def write(self, work: Callable[[Session], T]) -> T:
        """Work in a transaction, or as part of this thread's batch; begun again where the database asks for that."""
        ...

    def batch(self) -> AbstractContextManager[object]:
        """All work of this thread within is one transaction."""
        ...

    def tolerant(self) -> AbstractContextManager[object]:
        """Within, text that is none is read as ``DamagedText``."""
        ...

    @property
    def in_batch(self) -> bool:
        """Whether this thread is within a batch."""
        ...

    def servers_away(self) -> list[str]:
        """Servers that do not answer, in words."""
        ...

    def lead(self) -> bool:
        """Whether this process carries results to sinks: of all on a database one, as long as it lives."""
        ...

    def close(self) -> None: ...
