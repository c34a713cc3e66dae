"""What visits found: entries in their sequence, the log, answers kept for study."""

from __future__ import annotations

import zlib
from operator import itemgetter
from typing import TYPE_CHECKING

from afresh.base.models import Visit
from afresh.store.sql import rows
from afresh.store.sql.store_part import NEWEST, StorePart

if TYPE_CHECKING:
    from afresh.base.records.history import Document, KeptDocument, StoredEntry
    from afresh.store.session import Record


class Feeds(StorePart):
    """Entries, visits and documents; all of them, or those of one resource."""

    def entries(
        self, *, after: int = 0, limit: int = 100, resource: int | None = None, newest_first: bool = False
    ) -> list[StoredEntry]:
        name = ("entries_after" if resource is None else "entries_of_resource") + ("_newest" if newest_first else "")
        values = {"after": after, "limit": limit, "resource": resource}
        return self._read(name, values, rows.to_entry, ordered=resource is None)

    def entry_counts(self, resource: int, since: float) -> tuple[int, float | None]:
        found = self._read("entry_counts", {"resource": resource, "since": since}, lambda row: (row[0], row[1]))
        return max(found, key=itemgetter(0))  # of several places one has all of them

    def visits(
        self, *, resource: int | None = None, before: int | None = None, limit: int = 100
    ) -> list[tuple[int, Visit]]:
        name = "visits" if resource is None else "visits_of_resource"
        values = {"before": NEWEST if before is None else before, "limit": limit, "resource": resource}
        return self._read(name, values, lambda row: (row["id"], rows.to_visit(row)))

    def documents_after(self, after: int, *, limit: int = 100) -> list[KeptDocument]:
        return self._read("documents_after", {"after": after, "limit": limit}, _to_kept_document, ordered=True)

    def documents(self, *, resource: int | None = None, limit: int = 100) -> list[Document]:
        name = "documents" if resource is None else "documents_of_resource"
        return self._read(name, {"limit": limit, "resource": resource}, _to_document)


def _to_kept_document(row: Record) -> KeptDocument:
    from afresh.base.records.history import KeptDocument  # noqa: PLC0415 (for who carries them elsewhere)

    return KeptDocument(row["id"], row["url"], _to_document(row))


def _to_document(row: Record) -> Document:
    return rows.to_document(row, zlib.decompress(row["body"]))
