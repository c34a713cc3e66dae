"""Looking for entries, from the newest or from a number on, among at most so many: no answer takes long."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from afresh.base.records.searching import EntryFilter, EntryNotFound, FoundEntries
from afresh.base.search_words import words_sought
from afresh.store.named_sql import Statement
from afresh.store.sql import filters
from afresh.store.sql.queries import to_offered
from afresh.store.sql.salvage import readable, salvaged_strings
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import NEWEST, StorePart
from afresh.store.sql.words import roughly_having

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afresh.base.models import Kind
    from afresh.base.records.queries import Offered
    from afresh.store.session import Session

_ANY = EntryFilter()
_SLACK = 1_000  # entries that may have been recorded later than others that were found after them
_WORDS = ("title", "link", "author", "categories", "summary", "content")
_READ = 2_000  # entries whose text is read for one answer: a word may stand in the mark-up of all of them
_AT_ONCE = 100


class Search(StorePart):
    """Implements ``base.store_parts.SearchStore``."""

    def entries(
        self, where: EntryFilter = _ANY, *, before: int | None = None, limit: int = 50, look_at: int = 10_000
    ) -> FoundEntries:
        with self._database.reading() as connection:
            way = _Way(NEWEST if before is None else before, is_forward=False)
            return _entries(connection, where, way, limit, look_at)

    def entries_after(
        self, after: int, where: EntryFilter = _ANY, *, limit: int = 50, look_at: int = 10_000
    ) -> FoundEntries:
        with self._database.reading(ordered=True) as connection:
            return _entries(connection, where, _Way(after, is_forward=True), limit, look_at)

    def entry(self, seq: int) -> Offered:
        found = self._first("entry_by_seq", {"seq": seq}, to_offered)
        if found is None:
            raise EntryNotFound(seq)
        return found

    def takers(self, seq: int) -> list[str]:
        return self._read("takers_of_entry", {"seq": seq}, lambda row: str(row[0]))

    def tags(self, kind: Kind | None = None) -> Mapping[str, int]:
        counts: Counter[str] = Counter()
        values = {"kind": None if kind is None else str(kind)}
        for tags, count in self._read("tags", values, lambda row: (salvaged_strings(row[0]), int(row[1]))):
            counts.update(dict.fromkeys(tags, count))
        return dict(sorted(counts.items()))

    def folders(self, kind: Kind | None = None) -> Mapping[str, int]:
        values = {"kind": None if kind is None else str(kind)}
        return dict(self._read("folders", values, lambda row: (str(row[0]), int(row[1]))))


class _Way(NamedTuple):
    """From where entries are looked at, and whether towards newer ones or older ones."""

    start: int
    is_forward: bool

    @property
    def beyond(self) -> str:
        return ">" if self.is_forward else "<"

    @property
    def order(self) -> str:
        return "ASC" if self.is_forward else "DESC"

    @property
    def farthest(self) -> str:
        return "max" if self.is_forward else "min"


def _entries(connection: Session, where: EntryFilter, way: _Way, limit: int, look_at: int) -> FoundEntries:
    near, values = _near(where, way, look_at)
    words = words_sought(where.text)
    if where.published is not None:
        candidates = _candidates(connection, where, way, (near, values), _READ)
        return FoundEntries(items=tuple(islice(_having(connection, candidates, words), limit)))
    # Where many match, the newest few candidates are enough; all of them are looked for only where they are not.
    for most in (min(2 * limit, _READ), _READ) if words else (limit,):
        candidates = _candidates(connection, where, way, (near, values), most)
        items = tuple(islice(_having(connection, candidates, words), limit))
        if len(items) == limit:
            return FoundEntries(items=items, next=items[-1].stored.seq)
        if len(candidates) < most:
            break
    else:
        return FoundEntries(items=items, next=candidates[-1], is_cut=True)
    reach = Statement.called("", f"SELECT count(*), {way.farthest}(seq) FROM ({near}) AS near")
    looked_at, last = connection.execute(reach, values).fetchone()
    is_cut = looked_at >= look_at
    # Forward, newer ones may come at any time: what was looked at need not be looked at again.
    follows = way.start if last is None else last
    return FoundEntries(items=items, next=follows if is_cut or way.is_forward else None, is_cut=is_cut)


def _candidates(
    connection: Session, where: EntryFilter, way: _Way, looked_at: tuple[str, dict[str, object]], limit: int
) -> list[int]:
    """The numbers of the first entries that match as far as the database can tell."""
    near, values = looked_at

    def build(small: str) -> tuple[str, dict[str, object]]:
        condition, more = _condition(where, small)
        order = f"seq {way.order}" if where.published is None else "published DESC, seq DESC"
        sql = f"SELECT seq FROM ({near}) AS near WHERE {condition} ORDER BY {order} LIMIT :limit"
        return sql, {**values, **more, "limit": limit}

    return [row[0] for row in connection.execute(*filters.in_both(build))]


def _having(connection: Session, numbers: Sequence[int], words: Sequence[str]) -> Iterator[Offered]:
    """Those that have the words where a reader sees them; read a few at a time, for the first may be enough."""
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        found = readable(connection.execute(SQL["entries_by_seq"], {"ids": as_set(some)}), to_offered)
        by_number = {offered.stored.seq: offered for offered in found}
        for offered in (by_number[number] for number in some if number in by_number):
            if not words or _is_seen(offered, words):
                yield offered


def _is_seen(offered: Offered, words: Sequence[str]) -> bool:
    from afresh.parse.entry_words import entry_has  # noqa: PLC0415 (few commands look for words)

    return entry_has(offered.stored.entry.parsed, words)


def _near(where: EntryFilter, way: _Way, look_at: int) -> tuple[str, dict[str, object]]:
    """The entries that are looked at, in their order: what an index finds of the filter."""
    pieces = [f"seq {way.beyond} :start"]
    values: dict[str, object] = {"start": way.start, "look_at": look_at}
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
    if since := [one for one in (where.since, where.published) if one is not None]:  # published first, then found
        first = f"(SELECT seq FROM entry WHERE found >= :since ORDER BY found LIMIT 1), {NEWEST}"
        pieces.append(f"seq >= coalesce({first}) - {_SLACK}")
        values["since"] = max(since)
    columns = "seq, found, published, folder, tags" + (", " + ", ".join(_WORDS) if where.text else "")
    condition = " AND ".join(pieces)
    return f"SELECT {columns} FROM offered_entry WHERE {condition} ORDER BY seq {way.order} LIMIT :look_at", values


def _condition(where: EntryFilter, small: str) -> tuple[str, dict[str, object]]:
    pieces: list[str] = []
    values: dict[str, object] = {}
    if where.since is not None:
        pieces.append("found >= :since")
    if where.until is not None:
        pieces.append("found < :until")
    if where.published is not None:
        pieces.append("published >= :published")
        values["published"] = where.published
    if where.folder is not None:
        pieces.append(filters.within_folder("folder"))
        values["folder"] = filters.folder_value(where.folder)
    if where.tag is not None:
        pieces.append("instr(tags, :quoted) > 0 AND has_tag(tags, :tag)")
        values |= filters.tag_values(where.tag)
    if where.text:
        rough, named = roughly_having(words_sought(where.text), _WORDS, small)
        pieces.append(rough)
        values |= named
    return " AND ".join(pieces) or "true", values
