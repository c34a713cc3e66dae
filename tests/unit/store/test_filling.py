"""Many resources at once in an SQLite file: its indexes are made anew behind them, and nobody sees it without."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.errors import StoreError
from afresh.store import open_store
from tests.laws.store_material import NOW, feeds

MANY = 1_500
_INDEXES = "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name"


def told(path: Path, statement: str) -> Sequence[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_indexes_are_there_afterwards_and_know_every_resource(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(open_store(str(path))) as store:
        indexes = told(path, _INDEXES)
        new = feeds(2 * MANY)
        assert all(item.is_new for item in store.add(new[:MANY], now=NOW))
        assert [item.is_new for item in store.add(new, now=NOW)] == [False] * MANY + [True] * MANY
    assert told(path, _INDEXES) == indexes
    assert told(path, "PRAGMA integrity_check") == [("ok",)]  # each index has what its table has


def test_of_an_import_that_fails_nothing_is_left_and_no_index_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    with closing(open_store(str(path))) as store:
        indexes = told(path, _INDEXES)
        monkeypatch.setattr("afresh.store.sql.resources.count_resources", _fail)
        with pytest.raises(StoreError):
            store.add(feeds(MANY), now=NOW)
        assert store.count() == 0
    assert told(path, _INDEXES) == indexes


def _fail(*_: object, **__: object) -> None:
    raise sqlite3.OperationalError("disk I/O error")


def test_a_reader_meanwhile_sees_the_store_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(open_store(str(path))) as store:
        store.add(feeds(3), now=NOW)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM resource").fetchone() == (3,)
        store.add(feeds(MANY), now=NOW)
        assert reader.execute("SELECT count(*) FROM resource INDEXED BY resource_by_title").fetchone() == (3,)
        reader.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM resource INDEXED BY resource_by_title").fetchone() == (MANY,)
        reader.close()
