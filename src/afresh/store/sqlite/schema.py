"""Whose database is this, and of which version? Makes a new one, brings an old one up to date, refuses others."""

import re
import sqlite3
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from afresh.base.errors import SchemaMismatch
from afresh.base.hashing import bucket_of
from afresh.store.buckets import BUCKETS
from afresh.store.named_sql import read_sql, split_statements

APPLICATION_ID = 0x61667273  # "afrs", in the file's header: `file(1)` shows it
FRONTIER_ID = 0x61667266  # "afrf": a frontier's
VERSION = 21
_PACKAGE = "afresh.store.sqlite"
_MIGRATION = re.compile(r"(\d{4})_\w+\.sql")


def load_migrations(package: str = _PACKAGE, folder: str = "migrations") -> Mapping[int, str]:
    """The scripts by the version they lead to."""
    there = files(package).joinpath(folder)
    found = ((_MIGRATION.fullmatch(item.name), item) for item in there.iterdir())
    return {int(match[1]): item.read_text(encoding="utf-8") for match, item in found if match}


def schema_version_is_old(connection: sqlite3.Connection, path: Path, *, version: int = VERSION) -> bool:
    """Whether migrations are needed; raises ``SchemaMismatch`` for a database that is not ours or too new."""
    application, found, objects = _identity(connection)
    if application == 0 and found == 0 and objects == 0:
        return False  # new
    if application == FRONTIER_ID:
        raise SchemaMismatch(
            f"{path} is a frontier (`afresh serve`), not a store of `afresh run`: `afresh frontier` looks into it "
            "while it is served, and `afresh lab trace from-results` makes a history of what its sink `ndjson:FOLDER` "
            "wrote"
        )
    if application != APPLICATION_ID:
        raise SchemaMismatch(f"{path} is a database of another program; choose another file")
    if found > version:
        raise SchemaMismatch(
            f"{path} was made by a newer afresh (schema {found}, this one knows {version}); upgrade afresh"
        )
    return found < version


def prepare_schema(
    connection: sqlite3.Connection,
    path: Path,
    *,
    version: int = VERSION,
    migrations: Mapping[int, str] | None = None,
) -> None:
    """Makes the tables of a new database, or applies what is missing to an old one; all of it or nothing."""
    if not schema_version_is_old(connection, path, version=version) and _identity(connection)[0]:
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        # Asked again: another process may have been quicker.
        application, found, _ = _identity(connection)
        if application == 0:
            _create(connection, version)
        else:
            _migrate(connection, path, found, version, load_migrations() if migrations is None else migrations)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _create(connection: sqlite3.Connection, version: int) -> None:
    for statement in split_statements(read_sql(_PACKAGE, "schema.sql").replace("{buckets}", str(BUCKETS))):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")


def _migrate(
    connection: sqlite3.Connection, path: Path, found: int, version: int, migrations: Mapping[int, str]
) -> None:
    connection.create_function("bucket_of", 1, lambda name: bucket_of(str(name), BUCKETS), deterministic=True)
    for step in range(found + 1, version + 1):
        if step not in migrations:
            raise SchemaMismatch(f"{path} has schema {found}, which this afresh cannot bring to {version}")
        for statement in split_statements(migrations[step]):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version}")


def _identity(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Application id, schema version and number of tables, all of one moment: another process may be making them."""
    is_ours = not connection.in_transaction
    if is_ours:
        connection.execute("BEGIN")
    try:
        objects = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        found = connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        if is_ours:
            connection.execute("ROLLBACK")
    return int(application), int(found), int(objects)
