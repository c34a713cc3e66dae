"""A frontier of an earlier version is brought up to date, with what is in it; a newer one is refused.

``frontier/sqlite_2.sql`` and ``frontier/postgresql_1.sql`` were written by the versions of those numbers: two sites of
three pages, one of them visited and blocked, the other leased by the fetcher ``one``.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from afresh.base.errors import SchemaMismatch
from afresh.base.records.frontier import PageReport, SiteReport, Standing
from afresh.store.frontier import open_frontier
from tests.fakes.postgres import postgres
from tests.laws.frontier_material import NOW, seeds, take, urls, wrong_sums

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


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    open_frontier(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SchemaMismatch, match="schema 99"):
        open_frontier(path)
