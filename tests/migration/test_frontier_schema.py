"""A frontier of an earlier version is brought up to date, with what is in it; a newer one is refused.

``frontier/sqlite_2.sql`` and ``frontier/postgresql_1.sql`` were written by the versions of those numbers: two sites of
three pages, one of them visited and blocked, the other leased by the fetcher ``one``. ``sqlite_6.sql`` and
``postgresql_5.sql``, from before sites were numbered by bucket, have in addition links, a report's key ``k1``, and a
crawl ``MORE`` with something kept with a page and a page that is locked.
"""

import sqlite3
from collections.abc import Callable
from itertools import product
from pathlib import Path

import psycopg
import pytest

from afresh.base.errors import SchemaMismatch
from afresh.base.page_numbers import page_hash
from afresh.base.records.frontier import PageReport, PageResult, SiteReport, Standing
from afresh.store.frontier import open_frontier
from tests.fakes.postgres import drop_database, postgres, postgres_url
from tests.laws.frontier_material import NOW, give_back, seeds, take, urls, wrong_sums

__all__ = ["postgres"]

FOLDER = Path(__file__).parent / "frontier"
APPLICATION_ID = 0x61667266


def sqlite_2(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript((FOLDER / "sqlite_2.sql").read_text())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 2")
    connection.close()


def sqlite_1(path: Path) -> None:
    """As it was before pages had room to grow."""
    sqlite_2(path)
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE page DROP COLUMN spare")
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def postgresql_1(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((FOLDER / "postgresql_1.sql").read_bytes())
        connection.execute("CREATE TABLE afresh_schema (name text PRIMARY KEY, version integer NOT NULL)")
        connection.execute("INSERT INTO afresh_schema VALUES ('frontier', 1)")


def sqlite_6(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript((FOLDER / "sqlite_6.sql").read_text())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 6")
    connection.close()


def postgresql_5(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((FOLDER / "postgresql_5.sql").read_bytes())
        connection.execute("CREATE TABLE afresh_schema (name text PRIMARY KEY, version integer NOT NULL)")
        connection.execute("INSERT INTO afresh_schema VALUES ('frontier', 5)")


def keeps_what_hangs_on_numbers(url: str) -> None:
    """Sites are numbered anew: lists, links, keys, locks and what is kept with pages follow them."""
    store = open_frontier(url, links=True)
    found = store.stats()
    assert (found.sites, found.urls, found.visited, found.leased_sites, found.visits, found.edges) == (3, 8, 3, 1, 3, 6)
    assert wrong_sums(store) == {}
    assert list(store.site_edges()) == [("s0.example", "s1.example", 6)]
    visited = [PageReport(seed.url) for seed in seeds(2, 3) if seed.site == "s0.example"]
    again = SiteReport(lease=1, name="s0.example", pages=visited)
    assert store.report("one", [again], key="k1", now=NOW + 2.0, revisit_after=1_000.0).repeated
    # As a fetcher has it that was given the list before: with the numbers that list and pages had then.
    leased = [seed.url for seed in seeds(2, 3) if seed.site == "s1.example"]
    old = [PageReport(one, number=(2 << 36) | page_hash(one)) for one in leased]
    receipt = store.report(
        "one", [SiteReport(lease=2, name="s1.example", pages=old)], key="", now=NOW + 3.0, revisit_after=1_000.0
    )
    assert (receipt.standings, receipt.visited) == ((Standing.ACCEPTED,), 3)
    stored = store.stored_urls("MORE", limit=10).urls
    assert {one.url: one.metadata for one in stored} == {"http://q.example/1": '{"a":["b"]}', "http://q.example/2": ""}
    assert store.queue_stats("MORE", now=NOW).locked == 1
    assert store.add(seeds(9, 3), now=NOW).sites == 7
    assert wrong_sums(store) == {}
    store.close()


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_numbers_by_bucket(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if backend == "sqlite":
        sqlite_6(tmp_path / "frontier.db")
        keeps_what_hangs_on_numbers(str(tmp_path / "frontier.db"))
    else:
        url: str = request.getfixturevalue("postgres")
        postgresql_5(url)
        keeps_what_hangs_on_numbers(url)


def goes_on(url: str) -> None:
    """All that was there is there, and the work goes on where it was."""
    for _ in range(2):  # the second time there is nothing to do
        store = open_frontier(url, links=True)
        found = store.stats()
        assert (found.sites, found.urls, found.visited, found.leased_sites) == (2, 6, 3, 1)
        assert [account.uuid for account in store.fetchers()] == ["one", "two"]
        assert store.get_setting("k") == "v"
        assert wrong_sums(store) == {}
        store.close()
    store = open_frontier(url, links=True)
    pages = [page for page in seeds(2, 3) if page.site == "s1.example"]
    leased = store.site("s1.example")
    assert leased is not None
    assert leased.leased_until is not None
    assert leased.leased_by == "one"
    assert store.add(pages, now=NOW).known == 3
    assert len(urls(take(store, now=NOW + 2_000.0))) == 6  # what was leased has expired
    assert wrong_sums(store) == {}
    store.close()


def reports_an_old_list(url: str) -> None:
    """A list that an earlier version has handed out is taken back."""
    store = open_frontier(url, links=True)
    pages = [PageReport(seed.url) for seed in seeds(2, 3) if seed.site == "s1.example"]
    report = SiteReport(lease=0, name="s1.example", pages=pages)
    receipt = store.report("one", [report], key="", now=NOW + 1.0, revisit_after=1_000.0)
    assert receipt.standings == (Standing.ACCEPTED,)
    assert receipt.visited == 3
    assert wrong_sums(store) == {}
    store.close()


@pytest.mark.parametrize("written", [sqlite_1, sqlite_2])
@pytest.mark.parametrize("check", [goes_on, reports_an_old_list])
def test_an_old_file_goes_on(written: Callable[[Path], None], check: Callable[[str], None], tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    written(path)
    check(str(path))


@pytest.mark.parametrize("check", [goes_on, reports_an_old_list])
def test_an_old_database_goes_on(check: Callable[[str], None], postgres: str) -> None:
    postgresql_1(postgres)
    check(postgres)


def test_new_and_updated_tables_are_the_same(tmp_path: Path) -> None:
    sqlite_1(tmp_path / "old.db")
    columns = []
    for name in ("old.db", "new.db"):
        open_frontier(tmp_path / name).close()
        connection = sqlite3.connect(tmp_path / name)
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns.append(
            {table: {row[1:4] for row in connection.execute(f"PRAGMA table_xinfo({table})")} for table in tables}
        )
        connection.close()
    assert columns[0] == columns[1]


def described(url: str) -> set[tuple[object, ...]]:
    """Columns, keys and indexes of PostgreSQL's tables."""
    with psycopg.connect(url) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default, is_identity,"
            " collation_name FROM information_schema.columns WHERE table_schema = 'frontier'"
        ).fetchall()
        indexes = connection.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = 'frontier'").fetchall()
        parts = connection.execute(
            "SELECT relname, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), reloptions::text FROM pg_class"
            " WHERE relnamespace = 'frontier'::regnamespace"
        ).fetchall()
    return {*columns, *indexes, *parts}


def test_new_and_updated_tables_of_postgresql_are_the_same(postgres: str) -> None:
    postgresql_1(postgres)
    open_frontier(postgres).close()
    new = postgres_url()
    open_frontier(new).close()
    assert described(postgres) == described(new)
    drop_database(new)


def test_a_file_of_other_buckets_keeps_them(tmp_path: Path) -> None:
    """Reasons of failures came with version 9, where a file could have another number of buckets."""
    path = tmp_path / "frontier.db"
    store = open_frontier(path, buckets=16)
    store.add(seeds(2, 3), now=NOW)
    store.close()
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE failure")
    connection.execute("ALTER TABLE site DROP COLUMN trouble")
    forget_standings(connection)
    connection.execute("PRAGMA user_version = 8")
    connection.close()
    store = open_frontier(path)
    give_back(store, take(store), now=NOW, result=PageResult.ERROR)
    assert len(store.failures(limit=9)) == 6
    assert all(site.failure for site in store.sites())
    store.close()


def forget_standings(connection: sqlite3.Connection) -> None:
    """As before version 10, and without depths, as before version 11."""
    connection.execute("DROP TABLE page_depth")
    for table, column in product(("site", "total"), ("well", "failed", "left_out")):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


def test_how_pages_stand_is_counted_in_an_older_file(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    store = open_frontier(path)
    store.add(seeds(4, 3), now=NOW)
    results = (PageResult.FETCHED, PageResult.NOT_FOUND, PageResult.EXCLUDED)
    for given, result in zip(take(store), results, strict=False):
        give_back(store, [given], now=NOW, result=result)
    told = store.stats()
    assert (told.visited_well, told.failed, told.left_out, told.waiting) == (3, 3, 3, 3)
    store.close()
    connection = sqlite3.connect(path)
    forget_standings(connection)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    store = open_frontier(path)
    assert not any(store.recount().values())
    assert store.stats() == told
    store.close()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    open_frontier(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SchemaMismatch, match="schema 99"):
        open_frontier(path)
