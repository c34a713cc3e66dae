"""What leaves for sinks: the entries and documents of a daemon, the results of a frontier, as lines."""

from collections.abc import Sequence
from types import NoneType
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from afresh.base.protocols import Store
from afresh.base.records.frontier_store import FrontierStore
from afresh.base.records.history import KeptDocument
from afresh.base.records.sinks import DOCUMENTS, TAKEN_DOCUMENTS, Column, Line, Stream
from afresh.doors.presenting.entries import EntryView, entry_fields
from afresh.doors.presenting.results import ResultView, result_fields
from afresh.doors.presenting.times import iso
from afresh.sinks.cursors import key_of, store_mark

S = TypeVar("S", Store, FrontierStore)

ENTRIES, RESULTS = "entries", "results"
_KINDS = {str: "text", int: "whole", float: "real", bool: "flag", tuple[str, ...]: "texts"}
_TIMES = frozenset(("published", "published_raw", "updated", "found", "fetched", "reported"))


def columns_of(view: type) -> tuple[Column, ...]:
    """The columns of lines that show a view.

    >>> [column.kind for column in columns_of(ResultView) if column.name in ("url", "reported", "links", "changed")]
    ['text', 'time', 'flag', 'texts']
    """
    return tuple(Column(name, _kind(name, hint)) for name, hint in get_type_hints(view).items())


def _kind(name: str, hint: Any) -> str:
    if name in _TIMES:
        return "time"
    [only, *others] = [part for part in get_args(hint) if part is not NoneType] or [hint]
    return "json" if others and hint not in _KINDS else _KINDS.get(hint if hint in _KINDS else only, "json")


class _Marked(Generic[S]):
    """Lines whose keys begin with the mark of their store."""

    def __init__(self, store: S) -> None:
        self._store: S = store
        self._mark = store_mark(store)

    def _line(self, number: int, data: dict[str, Any], body: bytes = b"") -> Line:
        key = key_of(self._mark, number)
        return Line(number, key, {"key": key, **data}, body)


class EntryStream(_Marked[Store]):
    """New entries, as ``afresh entries`` shows them."""

    name = ENTRIES
    columns = columns_of(EntryView)

    def read(self, *, after: int, limit: int) -> list[Line]:
        return [self._line(entry.seq, entry_fields(entry)) for entry in self._store.entries(after=after, limit=limit)]

    def passed(self, number: int | None) -> None:
        """The store keeps entries anyway."""


class DocumentStream(_Marked[Store]):
    """Raw answers that the store keeps: unparsable ones, and with keep.archive_news those that brought news."""

    name = DOCUMENTS
    columns = tuple(Column(name, "text") for name in ("url", "at", "why", "headers"))

    def read(self, *, after: int, limit: int) -> list[Line]:
        found = self._store.documents_after(after, limit=limit)
        return [self._line(kept.number, _told(kept), kept.document.body) for kept in found]

    def passed(self, number: int | None) -> None:
        self._store.put_setting(TAKEN_DOCUMENTS, "" if number is None else str(number))


class ResultStream(_Marked[FrontierStore]):
    """What fetchers reported."""

    name = RESULTS
    columns = columns_of(ResultView)

    def read(self, *, after: int, limit: int) -> list[Line]:
        found = self._store.results(after=after, limit=limit)
        return [self._line(result.number, result_fields(result)) for result in found]

    def passed(self, number: int | None) -> None:
        self._store.forget_results(taken=number)


def _told(kept: KeptDocument) -> dict[str, Any]:
    document = kept.document
    return {"url": kept.url, "at": iso(document.at), "why": document.why, "headers": document.headers}


def daemon_streams(store: Store) -> Sequence[Stream]:
    return EntryStream(store), DocumentStream(store)
