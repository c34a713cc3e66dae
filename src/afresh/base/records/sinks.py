"""Sinks: places outside to which lines leave, and what is remembered of how far each of them is."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from afresh.base.errors import AfreshError

SINKS = "sinks"  # the setting of a store that names those that are written to, as JSON
DOCUMENTS = "documents"  # the stream of raw answers; every other is a store's main one
TAKEN_DOCUMENTS = "sinks/documents"  # the setting that says how far all sinks are that want them


class SinkAway(AfreshError):
    """A sink did not take what it was given, for a reason that may pass: it is tried again later."""


class Line(NamedTuple):
    """One thing that leaves: an entry, a result of a fetcher, a document."""

    number: int  # in its stream; only grows
    key: str  # the same whenever the line is sent again, and no other line's
    data: Mapping[str, Any]  # what JSON can say, ``key`` included
    body: bytes = b""  # of a document


class Column(NamedTuple):
    """What a stream says of one field of its lines, for sinks that want to know beforehand."""

    name: str
    kind: str  # text, whole, real, flag, time (ISO 8601), texts; json: anything else


class Stream(Protocol):
    """Lines of a store in one ascending sequence."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> Sequence[Column]: ...

    def read(self, *, after: int, limit: int) -> list[Line]:
        """Those that follow a number, ascending; none is ever added before one that was read."""
        ...

    def passed(self, number: int | None) -> None:
        """Every sink has taken all lines up to this one; None: there is no sink any more."""
        ...


class Sink(Protocol):
    """Somewhere that lines are written to. Another package adds one by an entry point of ``afresh.sinks``."""

    stream: ClassVar[str]  # the stream it wants; '': the main one of the store
    most: int  # lines of one call of ``write``
    patience: float  # seconds that it would rather wait for so many

    async def open(self, mark: str) -> int:
        """Makes ready to write, also after a failure; ``mark`` is what the keys of this store begin with.

        The number of the last line of this store that it holds for certain, with all before; 0: none, or it cannot
        tell. SinkAway if it cannot be reached.
        """
        ...

    async def write(self, lines: Sequence[Line]) -> None:
        """Returns when all of them will outlive a crash of either side; SinkAway if that is not sure."""
        ...

    async def close(self) -> None:
        """Harmless when repeated."""
        ...


class CursorStore(Protocol):
    """What both stores keep for whoever has something to remember."""

    def get_setting(self, key: str) -> str | None: ...

    def put_setting(self, key: str, value: str) -> None: ...
