"""Query feeds in SQLite: each function one step of a transaction that the caller holds."""

from collections.abc import Mapping, Sequence

from afresh.base.errors import QueryNotFound, UsageError
from afresh.base.records.queries import (
    KeptQuery,
    Match,
    Matched,
    NewQuery,
    Offered,
    Published,
    QuerySource,
    QueryState,
)
from afresh.store.named_sql import parse_named, read_sql
from afresh.store.session import Record, Session
from afresh.store.sql import rows
from afresh.store.sql.statements import as_set

SQL = parse_named(read_sql("afresh.store.sql", "query_feeds.sql"))
ITSELF = 0  # the number a new query has in what it starts with


def state(connection: Session) -> QueryState:
    generation, cursor, has_queries = connection.execute(SQL["query_state"]).fetchone()
    return QueryState(generation, cursor, bool(has_queries))


def put(connection: Session, new: NewQuery, found: Matched, cursor: int, now: float) -> int:
    """Makes or replaces a query, with the entries it starts with."""
    known = connection.execute(SQL["query_by_name"], {"name": new.name}).fetchone()
    if known is not None and not new.replace:
        raise UsageError(f"there is a query feed {new.name} already; drop it first, or write CREATE OR REPLACE FEED")
    is_first = not state(connection).has_queries
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
    take(connection, [(number, match) for match in found.matches], now)
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


def take(connection: Session, matches: Sequence[tuple[int, Match]], now: float) -> None:
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


def record(connection: Session, found: Matched, cursor: int, now: float) -> None:
    """Takes entries, counts what was offered and what passed, and moves on."""
    take(connection, [(match.query, match) for match in found.matches], now)
    connection.executemany(
        SQL["count_seen"], [{"selector": rows.clean(name), "count": count} for name, count in found.seen.items()]
    )
    connection.executemany(
        SQL["count_matched"],
        [{"query": query, "branch": branch, "count": count} for (query, branch), count in found.passed.items()],
    )
    connection.execute(SQL["set_cursor"], {"cursor": cursor})


def drop(connection: Session, name: str) -> None:
    known = _row(connection, name)
    readers = [row[0] for row in connection.execute(SQL["readers_of_query"], {"id": known["id"]})]
    if readers:
        raise UsageError(f"query feed {name} is a source of {', '.join(readers)}; drop these first")
    connection.execute(SQL["next_generation"])
    connection.execute(SQL["forget_sources"], {"id": known["id"]})
    connection.execute(SQL["drop_query"], {"id": known["id"]})
    connection.execute(SQL["prune_seen"])


def get(connection: Session, name: str) -> KeptQuery:
    return _with_sources(connection, [_row(connection, name)])[0]


def page(connection: Session, *, after: str, limit: int) -> list[KeptQuery]:
    found = connection.execute(SQL["queries_after"], {"after": rows.clean(after), "limit": limit}).fetchall()
    return _with_sources(connection, found)


def by_id(connection: Session, numbers: Sequence[int]) -> list[KeptQuery]:
    return _with_sources(connection, connection.execute(SQL["queries_by_id"], {"ids": as_set(numbers)}).fetchall())


def _row(connection: Session, name: str) -> Record:
    found: Record | None = connection.execute(SQL["query_by_name"], {"name": rows.clean(name)}).fetchone()
    if found is None:
        raise QueryNotFound(name)
    return found


def _with_sources(connection: Session, found: Sequence[Record]) -> list[KeptQuery]:
    sources: dict[int, list[QuerySource]] = {row["id"]: [] for row in found}
    for row in connection.execute(SQL["sources_of_queries"], {"ids": as_set(sources)}):
        made = QuerySource(selector=row["selector"], label=row["label"], seen=row["seen"], matched=row["matched"])
        sources[row["query_id"]].append(made)
    return [
        KeptQuery(
            id=row["id"],
            name=row["name"],
            title=row["title"],
            text=row["text"],
            version=row["version"],
            created=row["created"],
            modified=row["modified"],
            places=row["places"],
            sources=tuple(sources[row["id"]]),
        )
        for row in found
    ]


def to_offered(row: Record) -> Offered:
    return Offered(
        stored=rows.to_entry(row),
        folder=row["folder"],
        tags=rows.unpack_strings(row["tags"]),
        weight=row["weight"],
        source_title=row["source_title"],
    )


def to_published(row: Record) -> Published:
    return Published(place=row["place"], score=row["score"], taken=row["taken"], offered=to_offered(row))


def has_sources(connection: Session, selector: str) -> bool:
    """Whether a folder or a tag is used by any resource; every other selector was resolved by its maker."""
    kind, _, value = selector.partition(":")
    if kind not in ("folder", "tag"):
        return True
    return bool(connection.execute(SQL[f"{kind}_is_used"], {kind: rows.clean(value)}).fetchone()[0])
