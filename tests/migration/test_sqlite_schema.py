"""An old database, brought forward, equals a new one."""

import re
import sqlite3
from pathlib import Path

import pytest

from afresh.base.errors import SchemaMismatch, StoreBusy
from afresh.store import open_store
from afresh.store.named_sql import split_statements
from afresh.store.sqlite import schema
from afresh.store.sqlite.lockfile import LockFile
from tests.laws.store_material import NOW, feeds

FROZEN = Path(__file__).with_name("schema_v1.sql")


def make_version_1(path: Path) -> None:
    connection = sqlite3.connect(path)
    for statement in split_statements(FROZEN.read_text(encoding="utf-8")):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()


def describe(path: Path) -> dict[str, object]:
    """Tables by their columns and keys, everything else by its text without layout."""
    connection = sqlite3.connect(path)
    found: dict[str, object] = {"version": connection.execute("PRAGMA user_version").fetchone()}
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
        if kind == "table":
            columns = connection.execute(f"PRAGMA table_xinfo({name})").fetchall()
            found[name] = (columns, connection.execute(f"PRAGMA foreign_key_list({name})").fetchall())
        else:
            found[name] = re.sub(r"\s+", " ", sql or "")
    connection.close()
    return found


def test_migrations_lead_from_version_1_to_the_schema(tmp_path: Path) -> None:
    make_version_1(tmp_path / "old.db")
    open_store(str(tmp_path / "old.db")).close()
    open_store(str(tmp_path / "new.db")).close()
    assert describe(tmp_path / "old.db") == describe(tmp_path / "new.db")


def test_an_old_database_goes_on_counting(tmp_path: Path) -> None:
    """What its triggers counted is where the statements go on."""
    path = tmp_path / "old.db"
    make_version_1(path)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO site (id, name) VALUES (1, 'site0.example'), (2, 'site1.example')")
    connection.execute(
        "INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, url)"
        " VALUES (1, 1, 1, 'feed', 'active', 0, 0, 1, 'http://old.example/1'),"
        " (2, 2, 2, 'feed', 'active', 0, 0, 1, 'http://old.example/2')"
    )
    connection.commit()
    connection.close()
    store = open_store(str(path))
    assert [one.id for one in store.add(feeds(3), now=NOW)] == [3, 4, 5]
    assert store.remove([1]) == 1
    totals = store.stats(now=NOW)
    assert (totals["resources"], totals["resources_feed_active"], totals["sites"]) == (4.0, 4.0, 3.0)
    assert [site.resources for site in store.list_sites()] == [1, 2, 1]
    store.close()


def test_versions_of_an_old_database_are_counted_by_page(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    make_version_1(path)
    connection = sqlite3.connect(path, isolation_level=None)
    before = {number: text for number, text in schema.load_migrations().items() if number < 20}
    schema.prepare_schema(connection, path, version=19, migrations=before)
    connection.execute("INSERT INTO site (id, name) VALUES (1, 'site0.example')")
    connection.execute(
        "INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, url)"
        " VALUES (1, 1, 1, 'page', 'active', 0, 0, 1, 'http://old.example/1'),"
        " (2, 1, 2, 'page', 'active', 0, 0, 1, 'http://old.example/2')"
    )
    connection.executemany(
        "INSERT INTO snapshot (id, resource_id, at, last_seen, origin, url, title, content_type, mark, size, stored,"
        " body) VALUES (?, ?, ?, 0, 'check', '', '', '', x'00', 0, 0, x'00')",
        [(3, 1, 10.0), (4, 2, 20.0), (7, 1, 30.0), (8, 1, 30.0), (9, None, 40.0)],
    )
    schema.prepare_schema(connection, path, version=20)
    found = connection.execute("SELECT id, number FROM snapshot ORDER BY id").fetchall()
    assert [tuple(row) for row in found] == [(3, 1), (4, 1), (7, 2), (8, 3), (9, 0)]
    connection.close()


def test_there_is_a_migration_for_every_version() -> None:
    assert sorted(schema.load_migrations()) == list(range(2, schema.VERSION + 1))


def test_a_migration_is_applied_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    make_version_1(path)
    before = describe(path)
    connection = sqlite3.connect(path, isolation_level=None)
    steps = {2: "ALTER TABLE site ADD COLUMN extra TEXT;", 3: "ALTER TABLE nowhere ADD COLUMN x TEXT;"}
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        schema.prepare_schema(connection, path, version=3, migrations=steps)
    assert describe(path) == before
    schema.prepare_schema(connection, path, version=2, migrations=steps)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == 2
    assert "extra" in [row[1] for row in connection.execute("PRAGMA table_info(site)")]
    connection.close()


def test_a_missing_migration_is_named(tmp_path: Path) -> None:
    make_version_1(tmp_path / "old.db")
    connection = sqlite3.connect(tmp_path / "old.db", isolation_level=None)
    with pytest.raises(SchemaMismatch, match=r"old\.db has schema 1, which this afresh cannot bring to 2"):
        schema.prepare_schema(connection, tmp_path / "old.db", version=2, migrations={})
    connection.close()


def test_a_running_daemon_keeps_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.db"
    make_version_1(path)
    daemon = LockFile(path)
    daemon.acquire()
    monkeypatch.setattr("afresh.store.sqlite.connection.schema_version_is_old", lambda connection, path: True)
    with pytest.raises(StoreBusy):
        open_store(str(path))
    daemon.release()
    open_store(str(path)).close()
