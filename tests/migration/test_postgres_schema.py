"""Both stores have the same tables: what one keeps the other keeps too."""

import re
import sqlite3
from importlib.resources import files
from pathlib import Path

import psycopg
import pytest

from afresh.store import open_store
from afresh.store.postgres.copying import _EXTRA
from afresh.store.postgres.database import VERSION
from afresh.store.postgres.schema import load_migrations
from tests.fakes.stores import postgres_store

__all__ = ["postgres_store"]

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
    for table, (column, _) in _EXTRA.items():
        theirs[table][column] = ("INTEGER", True)
    assert postgres_tables(postgres_store) == theirs


def test_what_points_to_a_resource_or_an_entry_goes_with_it(sqlite: sqlite3.Connection) -> None:
    """Triggers do in PostgreSQL what foreign keys do in SQLite; none may be forgotten."""
    script = files("afresh.store.postgres").joinpath("schema.sql").read_text(encoding="utf-8")
    bodies = {
        "resource": re.search(r"FUNCTION resources_removed.*?END \$\$;", script, re.DOTALL),
        "entry": re.search(r"FUNCTION entries_removed.*?END \$\$;", script, re.DOTALL),
    }
    for table in sqlite_tables(sqlite):
        for _, _, target, column, _, _, on_delete, _ in sqlite.execute(f"PRAGMA foreign_key_list({table})"):
            if body := bodies.get(target):
                verb = f"DELETE FROM {table} " if on_delete == "CASCADE" else f"UPDATE {table} SET {column} = NULL"
                assert verb in body[0], f"{table}.{column} points to {target}"


def test_there_is_a_migration_for_every_version() -> None:
    assert sorted(load_migrations("afresh.store.postgres")) == list(range(2, VERSION + 1))
