"""Both stores have the same tables: what one keeps the other keeps too."""

import sqlite3
from pathlib import Path

import psycopg
import pytest

from afresh.store import open_store
from afresh.store.postgres.copying import BUCKET_OF
from afresh.store.postgres.database import VERSION
from afresh.store.postgres.schema import load_migrations
from afresh.store.sql.statements import SQL
from tests.fakes.stores import postgres_store
from tests.laws.store_material import NOW, feeds

__all__ = ["postgres_store"]

FROZEN = Path(__file__).with_name("postgres_schema_v1.sql")

Columns = dict[str, tuple[str, bool]]
TYPES = {"bigint": "INTEGER", "double precision": "REAL", "text": "TEXT", "bytea": "BLOB"}


@pytest.fixture
def sqlite(tmp_path: Path) -> sqlite3.Connection:
    open_store(str(tmp_path / "store.db")).close()
    return sqlite3.connect(tmp_path / "store.db")


def sqlite_tables(connection: sqlite3.Connection) -> dict[str, Columns]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    return {
        name: {row[1]: (row[2], bool(row[3] or row[5])) for row in connection.execute(f"PRAGMA table_info({name})")}
        for (name,) in names.fetchall()
    }


def postgres_tables(url: str) -> dict[str, Columns]:
    tables: dict[str, Columns] = {}
    with psycopg.connect(url) as connection:
        for table, column, kind, required in connection.execute(
            "SELECT relname, attname, format_type(atttypid, NULL), attnotnull FROM pg_attribute"
            " JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace"
            " AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND relname <> 'afresh_schema'"
        ):
            tables.setdefault(table, {})[column] = (TYPES[kind], required)
    return tables


def test_both_stores_have_the_same_tables_and_columns(sqlite: sqlite3.Connection, postgres_store: str) -> None:
    theirs = sqlite_tables(sqlite)
    for table in BUCKET_OF:
        theirs[table]["bucket"] = ("INTEGER", True)
    assert postgres_tables(postgres_store) == theirs


def test_what_points_to_a_resource_or_an_entry_goes_with_it(sqlite: sqlite3.Connection) -> None:
    """Statements do in PostgreSQL what foreign keys do in SQLite; none may be forgotten."""
    of_resource = ("remove_resources", "untake_entries_of", "forget_watches_of", "forget_sources_of")
    of_resource = (*of_resource, "forget_former_addresses_of")
    removing = {"resource": [of_resource], "entry": [of_resource, ("untake_entries",)]}
    for table in sqlite_tables(sqlite):
        for _, _, target, column, _, _, on_delete, _ in sqlite.execute(f"PRAGMA foreign_key_list({table})"):
            for names in removing.get(target, ()):
                verb = f"DELETE FROM {table} " if on_delete == "CASCADE" else f"UPDATE {table} SET {column} = NULL"
                assert any(verb in SQL[name].postgres for name in names), f"{table}.{column} points to {target}"


def describe(url: str) -> dict[str, list[tuple[object, ...]]]:
    """Everything that scripts make, by kind."""
    of_us = "relnamespace = 'public'::regnamespace"
    with psycopg.connect(url) as connection:
        return {
            kind: sorted(connection.execute(question.encode()).fetchall())
            for kind, question in {
                "columns": "SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, attcollation::text,"
                " coalesce(pg_get_expr(adbin, adrelid), '') FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
                f" LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE {of_us} AND attnum > 0",
                "relations": f"SELECT relname, relkind::text, relispartition FROM pg_class WHERE {of_us}",
                "indexes": "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
                "constraints": "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
                " WHERE connamespace = 'public'::regnamespace",
                "functions": "SELECT proname, pg_get_function_arguments(oid), prosrc, provolatile::text FROM pg_proc"
                " WHERE pronamespace = 'public'::regnamespace",
                "triggers": "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal",
                "views": "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'",
                "versions": "SELECT name, version FROM afresh_schema",
            }.items()
        }


def make_version_1(url: str) -> None:
    """An old database in which something was recorded, counted by the triggers it had."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(FROZEN.read_bytes())
        connection.execute("CREATE TABLE afresh_schema (name text PRIMARY KEY, version integer NOT NULL)")
        connection.execute("INSERT INTO afresh_schema VALUES ('store', 1)")
        connection.execute("INSERT INTO site (name) SELECT 'site' || n || '.example' FROM generate_series(0, 1) AS n")
        connection.execute(
            "INSERT INTO resource (id, site_id, url_key, kind, due, added, weight, url)"
            " SELECT n, 1 + n % 2, n, 'feed', 0, 0, 1, 'http://old.example/' || n FROM generate_series(1, 3) AS n"
        )
        connection.execute(
            "INSERT INTO entry (resource_id, uid, published, found, initial, after_gap, date_source, native_id, title,"
            " link, author, categories, summary, content, site_id)"
            " VALUES (1, '', 1, 1, 0, 0, '', '', 'old', '', '', '[]', '', '', 2)"
        )


def test_an_old_database_becomes_a_new_one_and_goes_on_counting(postgres: str, postgres_store: str) -> None:
    make_version_1(postgres)
    store = open_store(postgres)
    assert describe(postgres) == describe(postgres_store)
    assert [found.entry.parsed.title for found in store.entries()] == ["old"]
    assert [one.id for one in store.add(feeds(3), now=NOW)] == [4, 5, 6]
    assert store.remove([1]) == 1
    totals = store.stats(now=NOW)
    assert (totals["resources"], totals["sites"]) == (5.0, 3.0)
    assert [site.resources for site in store.list_sites()] == [2, 2, 1]
    assert store.entries() == []
    store.close()


def test_there_is_a_migration_for_every_version() -> None:
    assert sorted(load_migrations("afresh.store.postgres")) == list(range(2, VERSION + 1))
