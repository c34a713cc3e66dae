"""The part of the SQLite store that keeps query feeds: every method one transaction."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from afresh.base.records.queries import KeptQuery, Matched, NewQuery, Offered, Published, QueryState
from afresh.store.session import Database
from afresh.store.sql import query_feeds

_NEWEST = 2**63 - 1


class QueriesStore:
    """Implements ``base.records.queries.QueryStore`` over the database of the class it is part of."""

    _database: Database

    def query_state(self) -> QueryState:
        with self._database.reading() as connection:
            return query_feeds.state(connection)

    def put_query(self, new: NewQuery, found: Matched, *, expected: QueryState, cursor: int, now: float) -> int | None:
        with self._database.writing() as connection:
            if query_feeds.state(connection) != expected:
                return None
            return query_feeds.put(connection, new, found, cursor, now)

    def drop_query(self, name: str) -> None:
        with self._database.writing() as connection:
            query_feeds.drop(connection, name)

    def query(self, name: str) -> KeptQuery:
        with self._database.reading() as connection:
            return query_feeds.get(connection, name)

    def list_queries(self, *, after: str = "", limit: int = 100) -> list[KeptQuery]:
        with self._database.reading() as connection:
            return query_feeds.page(connection, after=after, limit=limit)

    def query_versions(self) -> Mapping[int, int]:
        with self._database.reading() as connection:
            return {row["id"]: row["version"] for row in connection.execute(query_feeds.SQL["query_versions"])}

    def queries_by_id(self, numbers: Sequence[int]) -> list[KeptQuery]:
        with self._database.reading() as connection:
            return query_feeds.by_id(connection, numbers)

    def query_graph(self) -> Mapping[str, tuple[str, ...]]:
        graph: dict[str, list[str]] = defaultdict(list)
        with self._database.reading() as connection:
            for row in connection.execute(query_feeds.SQL["query_edges"]):
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
        values = {"after": after, "until": _NEWEST if until is None else until, "limit": limit}
        values |= {} if resource is None else {"resource": resource}
        with self._database.reading() as connection:
            return [query_feeds.to_offered(row) for row in connection.execute(query_feeds.SQL[name], values)]

    def record_matches(self, found: Matched, *, expected: QueryState, cursor: int, now: float) -> bool:
        with self._database.writing() as connection:
            if query_feeds.state(connection) != expected:
                return False
            query_feeds.record(connection, found, cursor, now)
            return True

    def published(self, query: int, *, first: int, last: int) -> list[Published]:
        values = {"query": query, "first": first, "last": last}
        with self._database.reading() as connection:
            found = connection.execute(query_feeds.SQL["published"], values)
            return [query_feeds.to_published(row) for row in found]

    def published_count(self, query: int, *, first: int, last: int) -> int:
        values = {"query": query, "first": first, "last": last}
        with self._database.reading() as connection:
            return int(connection.execute(query_feeds.SQL["published_count"], values).fetchone()[0])

    def has_sources(self, selector: str) -> bool:
        with self._database.reading() as connection:
            return query_feeds.has_sources(connection, selector)
