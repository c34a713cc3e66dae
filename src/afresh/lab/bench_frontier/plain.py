"""The same work in plain SQLite, without HTTP, orders, politeness or keys: the speed of light on this machine.

Imports URLs, picks sites that are ready with ten due pages each, leases them, reports them: what a careful programmer
writes in an hour, with every batch one transaction.
"""

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from afresh.lab.bench_frontier.material import Material
from afresh.lab.bench_frontier.options import BenchOptions

_IMPORT_BATCH = 25_000
_SCHEMA = """
CREATE TABLE site (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, ready REAL NOT NULL, until REAL);
CREATE INDEX site_ready ON site (ready);
CREATE TABLE page (id INTEGER PRIMARY KEY, site INTEGER NOT NULL, url TEXT NOT NULL, due REAL NOT NULL, visited REAL);
CREATE INDEX page_due ON page (site, due);
"""


class Plain(NamedTuple):
    """URLs a second, and a second of the processor: others may be at work on the machine."""

    imported: float
    imported_cpu: float
    crawled: float
    crawled_cpu: float


def measure_plain(options: BenchOptions) -> Plain:
    """How quickly it is imported, and leased and reported."""
    with tempfile.TemporaryDirectory(prefix="afresh-plain-", ignore_cleanup_errors=True) as folder:
        connection = sqlite3.connect(Path(folder) / "plain.db", isolation_level=None)
        try:
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "cache_size = -524288"):
                connection.execute(f"PRAGMA {pragma}")
            connection.executescript(_SCHEMA)
            imported = _rates(lambda: _import(connection, Material(options).all_urls(_IMPORT_BATCH)))
            crawled = _rates(lambda: _crawl(connection, options, options.plain_seconds))
        finally:
            connection.close()
    return Plain(*imported, *crawled)


def _rates(work: Callable[[], int]) -> tuple[float, float]:
    """URLs a second, and a second of the processor."""
    began, used = time.perf_counter(), time.process_time()
    count = work()
    return count / (time.perf_counter() - began), count / (time.process_time() - used)


def _import(connection: sqlite3.Connection, batches: Iterable[list[str]]) -> int:
    known: dict[str, int] = {}
    count = 0
    for batch in batches:
        count += len(batch)
        hosts = [url.split("/", 3)[2] for url in batch]
        new = [host for host in dict.fromkeys(hosts) if host not in known]
        known.update(zip(new, range(len(known) + 1, len(known) + 1 + len(new)), strict=True))
        with connection:
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO site (id, name, ready) VALUES (?, ?, 0)", [(known[h], h) for h in new])
            connection.executemany(
                "INSERT INTO page (site, url, due) VALUES (?, ?, 0)",
                [(known[host], url) for host, url in zip(hosts, batch, strict=True)],
            )
    return count


def _crawl(connection: sqlite3.Connection, options: BenchOptions, seconds: float) -> int:
    began = time.perf_counter()
    count = 0
    while time.perf_counter() - began < seconds:
        leased = _lease(connection, options, time.time())
        if not leased:
            time.sleep(0.001)
        count += _report(connection, leased, options, time.time())
    return count


def _lease(connection: sqlite3.Connection, options: BenchOptions, now: float) -> dict[int, list[tuple[int, str]]]:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        sites = connection.execute(
            "SELECT id FROM site WHERE ready <= ? ORDER BY ready LIMIT ?", (now, options.sites_per_list)
        ).fetchall()
        pages = "SELECT id, url FROM page WHERE site = ? AND due <= ? ORDER BY due LIMIT ?"
        leased = {site: connection.execute(pages, (site, now, options.urls_per_site)).fetchall() for (site,) in sites}
        until = now + options.reservation
        connection.executemany(
            "UPDATE site SET ready = ?, until = ? WHERE id = ?", [(until, until, site) for site in leased]
        )
    return leased


def _report(
    connection: sqlite3.Connection, leased: dict[int, list[tuple[int, str]]], options: BenchOptions, now: float
) -> int:
    visited = [(now + options.revisit_after, now, page) for pages in leased.values() for page, _ in pages]
    free = [(now + len(pages) * options.delay, site) for site, pages in leased.items()]
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("UPDATE page SET due = ?, visited = ? WHERE id = ?", visited)
        connection.executemany("UPDATE site SET ready = ? WHERE id = ?", free)
    return len(visited)
