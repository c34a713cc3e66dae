"""Query feeds: their sources, what they took, how far entries were matched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.base.records.queries import (
    KeptQuery,
    Match,
    Matched,
    NewQuery,
    Offered,
    Published,
    QueryNotFound,
    QuerySource,
    QueryState,
)
from afresh.store.sql import filters, rows
from afresh.store.sql.reading import read_row
from afresh.store.sql.salvage import salvaged_strings
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import NEWEST, StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record, Session

ITSELF = 0  # the number a new query has in what it starts with


class Queries(StorePart):
    """Implements ``base.store_parts.QueryStore``."""

    def query_state(self) -> QueryState:
        with self._database.reading() as connection:
            return _state(connection)

    def put_query(self, new: NewQuery, found: Matched, *, expected: QueryState, cursor: int, now: float) -> int | None:
        with self._database.writing() as connection:
            if _state(connection) != expected:
                return None
            return _put(connection, new, found, cursor, now)

    def drop_query(self, name: str) -> None:
        with self._database.writing() as connection:
            _drop(connection, name)

    def query(self, name: str) -> KeptQuery:
        with self._database.reading() as connection:
            return _get(connection, name)

    def list_queries(self, *, after: str = "", limit: int = 100) -> list[KeptQuery]:
        with self._database.reading() as connection:
            return _page(connection, after=after, limit=limit)

    def query_versions(self) -> Mapping[int, int]:
        with self._database.reading() as connection:
            return {row["id"]: row["version"] for row in connection.execute(SQL["query_versions"])}

    def queries_by_id(self, numbers: Sequence[int]) -> list[KeptQuery]:
        with self._database.reading() as connection:
            return _by_id(connection, numbers)

    def query_graph(self) -> Mapping[str, tuple[str, ...]]:
        graph: dict[str, list[str]] = defaultdict(list)
        with self._database.reading() as connection:
            for row in connection.execute(SQL["query_edges"]):
                graph[row["reader"]].append(row["read"])
        return {name: tuple(read) for name, read in graph.items()}

    def offered(
        self,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int = 100,
        resource: int | None = None,
        newest_first: bool = False,
    ) -> list[Offered]:
        name = ("offered" if resource is None else "offered_of_resource") + ("_newest" if newest_first else "")
        values = {"after": after, "until": NEWEST if until is None else until, "limit": limit, "resource": resource}
        return self._read(name, values, to_offered, ordered=resource is None)

    def record_matches(self, found: Matched, *, expected: QueryState, cursor: int, now: float) -> bool:
        with self._database.writing() as connection:
            if _state(connection) != expected:
                return False
            _record(connection, found, cursor, now)
            return True

    def published(self, query: int, *, first: int, last: int) -> list[Published]:
        values = {"query": query, "first": first, "last": last}
        return self._read("published", values, _to_published)

    def published_count(self, query: int, *, first: int, last: int) -> int:
        values = {"query": query, "first": first, "last": last}
        with self._database.reading() as connection:
            return int(connection.execute(SQL["published_count"], values).fetchone()[0])

    def taken(self, query: int) -> dict[int, int]:
        return dict(self._read("taken_by_resource", {"query": query}, lambda row: (int(row[0]), int(row[1]))))

    def shared_ids(self, ids: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
        if not ids:
            return set()
        values = {"resources": as_set({number for number, _ in ids}), "ids": as_set({name for _, name in ids})}
        return {pair for pair in self._read("shared_ids", values, lambda row: (row[0], row[1])) if pair in ids}

    def has_sources(self, selector: str) -> bool:
        with self._database.reading() as connection:
            return _has_sources(connection, selector)


def _state(connection: Session) -> QueryState:
    generation, cursor, has_queries = connection.execute(SQL["query_state"]).fetchone()
    return QueryState(generation, cursor, bool(has_queries))


def _put(connection: Session, new: NewQuery, found: Matched, cursor: int, now: float) -> int:
    """Makes or replaces a query, with the entries it starts with."""
    known = connection.execute(SQL["query_by_name"], {"name": new.name}).fetchone()
    if known is not None and not new.replace:
        raise UsageError(f"there is a query feed {new.name} already; drop it first, or write CREATE OR REPLACE FEED")
    is_first = not _state(connection).has_queries
    version = connection.execute(SQL["next_generation"]).fetchone()[0]
    values: dict[str, object] = {"name": new.name, "title": rows.clean(new.title), "text": rows.clean(new.text)}
    values |= {"version": version, "now": now}
    if known is None:
        number = int(connection.execute(SQL["add_query"], values).fetchone()[0])
    else:
        number = int(known["id"])
        connection.execute(SQL["replace_query"], {**values, "id": number})
        connection.execute(SQL["forget_sources"], {"id": number})
    connection.executemany(SQL["add_source"], _source_rows(new, found, number))
    if is_first:
        # Nobody moves the cursor while there is no query: it starts where the maker of the first one has looked to.
        connection.execute(SQL["set_cursor"], {"cursor": cursor})
    _take(connection, [(number, match) for match in found.matches], now)
    return number


def _source_rows(new: NewQuery, found: Matched, number: int) -> list[Mapping[str, object]]:
    return [
        {
            "query_id": number,
            "branch": branch,
            "selector": rows.clean(source.selector),
            "label": rows.clean(source.label),
            "resource_id": source.resource,
            "source_query_id": source.query,
            "seen_backlog": found.seen.get(source.selector, 0),
            "matched": found.passed.get((ITSELF, branch), 0),
        }
        for branch, source in enumerate(new.sources)
    ]


def _take(connection: Session, matches: Sequence[tuple[int, Match]], now: float) -> None:
    """Gives entries their places, each once a query; set by set, since one entry may reach thousands of feeds."""
    if not matches:
        return
    queries = as_set({query for query, _ in matches})
    places = dict(connection.execute(SQL["places_of_queries"], {"ids": queries}).fetchall())
    there = {row[0] for row in connection.execute(SQL["entries_there"], {"seqs": as_set({m.seq for _, m in matches})})}
    taken = _taken(connection, matches)
    rows_made: list[tuple[object, ...]] = []
    grown: set[int] = set()
    for query, match in matches:
        key = (query, match.identity.hex())
        if key in taken or query not in places or match.seq not in there:
            continue
        taken.add(key)
        grown.add(query)
        places[query] += 1
        rows_made.append((query, places[query], match.seq, match.identity, match.score, now))
    connection.executemany(SQL["take_entry"], rows_made)
    connection.executemany(
        SQL["set_places"], [{"query": query, "places": places[query], "now": now} for query in grown]
    )


def _taken(connection: Session, matches: Sequence[tuple[int, Match]]) -> set[tuple[int, str]]:
    # Hexadecimal compared in SQL would miss the index; SQLite before 3.41 cannot turn it back into bytes.
    found = set()
    for query, match in matches:
        values = {"query": query, "identity": match.identity}
        if connection.execute(SQL["is_taken"], values).fetchone():
            found.add((query, match.identity.hex()))
    return found


def _record(connection: Session, found: Matched, cursor: int, now: float) -> None:
    """Takes entries, counts what was offered and what passed, and moves on."""
    _take(connection, [(match.query, match) for match in found.matches], now)
    connection.executemany(
        SQL["count_seen"], [{"selector": rows.clean(name), "count": count} for name, count in found.seen.items()]
    )
    connection.executemany(
        SQL["count_matched"],
        [{"query": query, "branch": branch, "count": count} for (query, branch), count in found.passed.items()],
    )
    connection.execute(SQL["set_cursor"], {"cursor": cursor})


def _drop(connection: Session, name: str) -> None:
    known = _row(connection, name)
    readers = [row[0] for row in connection.execute(SQL["readers_of_query"], {"id": known["id"]})]
    if readers:
        raise UsageError(f"query feed {name} is a source of {', '.join(readers)}; drop these first")
    connection.execute(SQL["next_generation"])
    connection.execute(SQL["forget_sources"], {"id": known["id"]})
    connection.execute(SQL["drop_query"], {"id": known["id"]})
    connection.execute(SQL["prune_seen"])


def _get(connection: Session, name: str) -> KeptQuery:
    return _with_sources(connection, [_row(connection, name)])[0]


def _page(connection: Session, *, after: str, limit: int) -> list[KeptQuery]:
    found = connection.execute(SQL["queries_after"], {"after": rows.clean(after), "limit": limit}).fetchall()
    return _with_sources(connection, found)


def _by_id(connection: Session, numbers: Sequence[int]) -> list[KeptQuery]:
    return _with_sources(connection, connection.execute(SQL["queries_by_id"], {"ids": as_set(numbers)}).fetchall())


def _row(connection: Session, name: str) -> Record:
    found: Record | None = connection.execute(SQL["query_by_name"], {"name": rows.clean(name)}).fetchone()
    if found is None:
        raise QueryNotFound(name)
    return found


def _with_sources(connection: Session, found: Sequence[Record]) -> list[KeptQuery]:
    sources: dict[int, list[QuerySource]] = {row["id"]: [] for row in found}
    for row in connection.execute(SQL["sources_of_queries"], {"ids": as_set(sources)}):
        made = read_row(QuerySource, row)
        sources[row["query_id"]].append(made)
    return [read_row(KeptQuery, row, sources=tuple(sources[row["id"]])) for row in found]


def to_offered(row: Record) -> Offered:
    return read_row(Offered, row, stored=rows.to_entry(row), tags=salvaged_strings(row["tags"]))


def _to_published(row: Record) -> Published:
    return read_row(Published, row, offered=to_offered(row))


def _has_sources(connection: Session, selector: str) -> bool:
    """Whether a folder or a tag is used by any resource; every other selector was resolved by its maker."""
    kind, _, value = selector.partition(":")
    if kind not in ("folder", "tag"):
        return True
    values = filters.tag_values(value) if kind == "tag" else {"folder": rows.clean(value)}
    return bool(connection.execute(SQL[f"{kind}_is_used"], values).fetchone()[0])
