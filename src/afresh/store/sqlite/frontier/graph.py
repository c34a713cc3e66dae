"""The link graph and what is computed from it elsewhere: PageRank, homes, round trips, mirrors."""

import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import orjson

from afresh.base.page_numbers import site_of
from afresh.store.frontier.links import changes, distinct_edges
from afresh.store.sqlite.frontier.connection import Database
from afresh.store.sqlite.frontier.statements import SQL, as_set

_CHUNK = 50_000


def add_links(connection: sqlite3.Connection, links: Iterable[tuple[int, Sequence[int]]]) -> set[int]:
    """Notes the links of visited pages and passes their cash on; answers which sites changed."""
    edges = distinct_edges(links)
    if not edges:
        return set()
    cash = dict(connection.execute(SQL["cash"], (as_set({source for source, _ in edges}),)).fetchall())
    new = connection.execute(SQL["add_edges"], (orjson.dumps(edges).decode(),)).fetchall()
    pages, sites = changes(edges, cash, new)
    connection.executemany(SQL["link_page"], pages)
    connection.executemany(SQL["link_site"], sites)
    connection.execute(SQL["count_edges"], (len(new),))
    return {change.site for change in sites}


def edges(database: Database) -> Iterator[tuple[int, int]]:
    """All links, a chunk at a time, so that nobody waits for the last."""
    last = (-1, -1)
    while True:
        with database.reading() as connection:
            rows = connection.execute(SQL["edges_after"], (*last, _CHUNK)).fetchall()
        yield from rows
        if len(rows) < _CHUNK:
            return
        last = rows[-1]


def put_pageranks(connection: sqlite3.Connection, scores: Iterable[tuple[int, float]]) -> None:
    touched: set[int] = set()
    values = []
    for number, score in scores:
        touched.add(site_of(number))
        values.append((float(score), int(number)))
    values.sort(key=lambda pair: pair[1])
    connection.executemany("UPDATE address SET pagerank = ? WHERE id = ?", values)
    connection.executemany(SQL["resum_pagerank"], [(site, site, site) for site in touched])


def site_edges(connection: sqlite3.Connection) -> list[tuple[int, int, int]]:
    return connection.execute(SQL["site_edges"]).fetchall()


def put_homes(connection: sqlite3.Connection, homes: Iterable[tuple[str, str]]) -> None:
    connection.executemany("UPDATE site SET home = ? WHERE fqdn = ?", [(home, fqdn) for fqdn, home in homes])


def round_trips(connection: sqlite3.Connection, since: float) -> list[tuple[str, str, float]]:
    """Medians by site and fetcher."""
    measured: dict[tuple[str, str], list[float]] = defaultdict(list)
    for fqdn, fetcher, seconds in connection.execute(SQL["round_trips"], (since,)):
        measured[fqdn, fetcher].append(seconds)
    return [(fqdn, fetcher, statistics.median(values)) for (fqdn, fetcher), values in sorted(measured.items())]


def mirrors(connection: sqlite3.Connection, limit: int) -> list[tuple[str, str, int]]:
    return connection.execute(SQL["mirrors"], (limit,)).fetchall()
