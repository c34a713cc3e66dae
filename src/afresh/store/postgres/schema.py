"""Which version of the tables is here? Makes new ones, brings old ones up to date, refuses what it does not know.

Parts of afresh keep their tables side by side in one database; each has a name, a version and a script of its own, and
numbered migrations. The table ``afresh_schema`` says what is there.
"""

import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from afresh.base.errors import SchemaMismatch, StoreBusy, StoreError
from afresh.store.named_sql import read_sql
from afresh.store.postgres.locks import Lock, take_lock, try_lock

OLDEST_SERVER = 150_000  # 15: foreign keys follow a row to another partition
NOTHING: Mapping[str, str] = MappingProxyType({})
_MIGRATION = re.compile(r"(\d{4})_\w+\.sql")

Connection = psycopg.Connection[Any]
Migration = str | Callable[[Connection], None]


def prepare_schema(
    connection: Connection,
    package: str,
    name: str,
    version: int,
    *,
    script: str = "schema.sql",
    migrations: Mapping[int, Migration] | None = None,
    pieces: Mapping[str, str] = NOTHING,
    absent: Exception | None = None,
) -> None:
    """Makes the tables called ``name``, or applies what is missing; all of it or nothing, one process at a time.

    ``script`` in ``package`` makes version ``version`` from nothing; ``migrations`` are scripts, or functions,
    by the version they lead to (default: ``load_migrations(package)``); ``pieces`` stand in the script in braces.
    ``absent``: what is raised where there are no tables, None: they are made.
    """
    _check_server(connection)
    found = _found(connection, name, version)
    if found is None and absent is not None:
        raise absent
    if found == version:
        return
    with connection.transaction():
        take_lock(connection, Lock.SCHEMA)
        found = _found(connection, name, version)  # asked again: another process may have been quicker
        if found == version:
            return
        connection.execute("CREATE TABLE IF NOT EXISTS afresh_schema (name text PRIMARY KEY, version integer NOT NULL)")
        if found is None:
            # Without values the driver sends the whole script at once, in this transaction.
            made = read_sql(package, script)
            for piece, text in pieces.items():
                made = made.replace(f"{{{piece}}}", text)
            connection.execute(made.encode())
        else:
            _migrate(connection, name, found, version, load_migrations(package) if migrations is None else migrations)
        connection.execute(
            "INSERT INTO afresh_schema (name, version) VALUES (%s, %s)"
            " ON CONFLICT (name) DO UPDATE SET version = excluded.version",
            (name, version),
        )


def found_parts(connection: Connection) -> set[str]:
    """The names of the tables that are there."""
    cursor = connection.cursor(row_factory=tuple_row)
    if cursor.execute("SELECT to_regclass('afresh_schema') IS NULL").fetchone() == (True,):
        return set()
    return {name for (name,) in cursor.execute("SELECT name FROM afresh_schema").fetchall()}


def load_migrations(package: str, folder: str = "migrations") -> Mapping[int, str]:
    """The scripts of a package by the version they lead to."""
    there = files(package).joinpath(folder)
    found = ((_MIGRATION.fullmatch(item.name), item) for item in there.iterdir()) if there.is_dir() else ()
    return {int(match[1]): item.read_text(encoding="utf-8") for match, item in found if match}


def _migrate(connection: Connection, name: str, found: int, version: int, migrations: Mapping[int, Migration]) -> None:
    if not try_lock(connection, Lock.DAEMON):
        raise StoreBusy(
            f"the tables ({name}) are of schema {found}, and a daemon is using them; stop it, then try again"
        )
    for step in range(found + 1, version + 1):
        if step not in migrations:
            raise SchemaMismatch(
                f"the tables ({name}) have schema {found}, which this afresh cannot bring to {version}"
            )
        migration = migrations[step]
        if isinstance(migration, str):
            connection.execute(migration.encode())
        else:
            migration(connection)


def _found(connection: Connection, name: str, version: int) -> int | None:
    """The version that is there, None: no tables yet; raises ``SchemaMismatch`` for one too new."""
    cursor = connection.cursor(row_factory=tuple_row)
    if cursor.execute("SELECT to_regclass('afresh_schema') IS NULL").fetchone() == (True,):
        return None
    row = cursor.execute("SELECT version FROM afresh_schema WHERE name = %s", (name,)).fetchone()
    if row is None:
        return None
    if row[0] > version:
        raise SchemaMismatch(
            f"the tables ({name}) were made by a newer afresh (schema {row[0]}, this one knows {version});"
            " upgrade afresh"
        )
    return int(row[0])


def _check_server(connection: Connection) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        found = connection.info.server_version // 10_000
        raise StoreError(f"this is PostgreSQL {found}; afresh needs {OLDEST_SERVER // 10_000} or newer")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise SchemaMismatch(f"the database is encoded in {encoding}; make one with `createdb --encoding=UTF8`")
