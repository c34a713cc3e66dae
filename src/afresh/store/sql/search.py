"""Looking for entries, the newest first, among at most so many: no index of words, and no answer that takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.records.searching import EntryFilter, EntryNotFound, FoundEntries
from afresh.store.named_sql import Statement
from afresh.store.sql import filters, rows
from afresh.store.sql.noun import NEWEST, Noun
from afresh.store.sql.queries import to_offered
from afresh.store.sql.salvage import readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afresh.base.models import Kind
    from afresh.base.records.queries import Offered
    from afresh.store.session import Session

_ANY = EntryFilter()
_SLACK = 1_000  # entries that may have been recorded later than others that were found after them
_WORDS = ("title", "link", "author", "categories", "summary", "content")


class Search(Noun):
    """Implements ``base.store_parts.SearchStore``."""

    def entries(
        self, where: EntryFilter = _ANY, *, before: int | None = None, limit: int = 50, look_at: int = 10_000
    ) -> FoundEntries:
        with self._database.reading() as connection:
            return _entries(connection, where, NEWEST if before is None else before, limit, look_at)

    def entry(self, seq: int) -> Offered:
        found = self._first("entry_by_seq", {"seq": seq}, to_offered)
        if found is None:
            raise EntryNotFound(seq)
        return found

    def takers(self, seq: int) -> list[str]:
        return self._read("takers_of_entry", {"seq": seq}, lambda row: str(row[0]))

    def folders(self, kind: Kind | None = None) -> Mapping[str, int]:
        values = {"kind": None if kind is None else str(kind)}
        return dict(self._read("folders", values, lambda row: (str(row[0]), int(row[1]))))


def _entries(connection: Session, where: EntryFilter, before: int, limit: int, look_at: int) -> FoundEntries:
    near, values = _near(where, before, look_at)
    values["limit"] = limit

    def build(small: str) -> tuple[str, dict[str, object]]:
        condition, more = _condition(where, small)
        sql = (
            f"SELECT * FROM offered_entry WHERE seq IN (SELECT seq FROM ({near}) AS near WHERE {condition} "
            "ORDER BY seq DESC LIMIT :limit) ORDER BY seq DESC"
        )
        return sql, values | more

    items = tuple(readable(connection.execute(*filters.in_both(build)), to_offered))
    if len(items) == limit:
        return FoundEntries(items=items, next=items[-1].stored.seq)
    oldest = Statement.called("", f"SELECT count(*), min(seq) FROM ({near}) AS near")
    looked_at, last = connection.execute(oldest, values).fetchone()
    is_cut = looked_at >= look_at
    return FoundEntries(items=items, next=last if is_cut else None, is_cut=is_cut)


def _near(where: EntryFilter, before: int, look_at: int) -> tuple[str, dict[str, object]]:
    """The entries that are looked at, newest first: what an index finds of the filter."""
    pieces = ["seq < :before"]
    values: dict[str, object] = {"before": before, "look_at": look_at}
    if where.resource is not None:
        pieces.append("resource_id = :resource")
        values["resource"] = where.resource
    if where.query is not None:
        pieces.append("seq IN (SELECT seq FROM query_entry WHERE query_id = :query)")
        values["query"] = where.query
    if where.until is not None:  # numbers grow with the time of finding, but for what was recorded together
        pieces.append(
            f"seq <= coalesce((SELECT seq FROM entry WHERE found < :until ORDER BY found DESC LIMIT 1), 0) + {_SLACK}"
        )
        values["until"] = where.until
    if where.since is not None:
        first = f"(SELECT seq FROM entry WHERE found >= :since ORDER BY found LIMIT 1), {NEWEST}"
        pieces.append(f"seq >= coalesce({first}) - {_SLACK}")
        values["since"] = where.since
    columns = "seq, found, folder, tags" + (", " + ", ".join(_WORDS) if where.text else "")
    condition = " AND ".join(pieces)
    return f"SELECT {columns} FROM offered_entry WHERE {condition} ORDER BY seq DESC LIMIT :look_at", values


def _condition(where: EntryFilter, small: str) -> tuple[str, dict[str, object]]:
    pieces: list[str] = []
    values: dict[str, object] = {}
    if where.since is not None:
        pieces.append("found >= :since")
    if where.until is not None:
        pieces.append("found < :until")
    if where.folder is not None:
        pieces.append("(folder = :folder OR substr(folder, 1, length(:folder) + 1) = :folder || '/')")
        values["folder"] = rows.clean(where.folder)
    if where.tag is not None:
        pieces.append("instr(tags, :quoted) > 0 AND has_tag(tags, :tag)")
        values |= filters.tag_values(where.tag)
    if where.text:
        pieces.append("(" + " OR ".join(filters.contains(name, small) for name in _WORDS) + ")")
        values["like"] = filters.like_value(where.text)
    return " AND ".join(pieces) or "true", values
