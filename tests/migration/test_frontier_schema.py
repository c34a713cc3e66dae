"""A frontier file of an earlier version is brought up to date, with what is in it; a newer one is refused."""

import sqlite3
from pathlib import Path

import pytest

from afresh.base.errors import SchemaMismatch
from afresh.store.sqlite.frontier import SqliteFrontier
from tests.laws.frontier_material import NOW, account, give_back, seeds, take, urls


def written_by_version_1(path: Path) -> None:
    """As it was before pages had room to grow."""
    store = SqliteFrontier(path)
    store.add(seeds(2, 3), now=NOW)
    store.register(account("one"))
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE page DROP COLUMN spare")
        connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_an_old_file_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    written_by_version_1(path)
    for _ in range(2):  # the second time there is nothing to do
        store = SqliteFrontier(path)
        assert store.stats().urls == 6
        store.close()
    store = SqliteFrontier(path)
    lists = take(store)
    assert len(urls(lists)) == 6
    assert give_back(store, lists).visited == 6
    store.close()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    SqliteFrontier(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SchemaMismatch, match="schema 99"):
        SqliteFrontier(path)
