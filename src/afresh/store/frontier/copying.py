"""A frontier copied from SQLite into an empty PostgreSQL database, by the steps of ``store.postgres.copying``.

Numbers stay what they are: of sites and pages, which tell their bucket, of lists that are out, and of results that
sinks have not taken yet. Nobody may serve either of them meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from afresh.base.errors import StoreBusy, UsageError
from afresh.store.buckets import find_buckets
from afresh.store.frontier.postgresql import SCHEMA, PostgresDatabase
from afresh.store.frontier.sqlite import SqliteDatabase
from afresh.store.postgres.citus import check_alone
from afresh.store.postgres.connection import Database
from afresh.store.postgres.copying import (
    Copying,
    Table,
    check_columns,
    check_source,
    last_numbers,
    set_sequence,
    table_names,
)

if TYPE_CHECKING:
    from afresh.store.postgres.connection import Connection

#: Columns that SQLite alone needs.
_OWN = {"page": {"big", "spare"}, "total": {"lease"}}
#: What a new frontier has already, or PostgreSQL keeps for itself (``results``: the last number that was given).
_WITHOUT = {
    "crawl": "id <> 1",
    "setting": "key NOT IN ('buckets', 'results')",
    "last_site": "n > 0",
    "total": "sites + urls + visits > 0",
}
_MADE = ("last_site", "total")  # with a row for each bucket
_BIG_PAGES = Table("big_page", ("bucket", "site", "id", "due"), origin="(SELECT * FROM page WHERE big = 1)")


@contextmanager
def _both(source: Path, target: str) -> Iterator[tuple[sqlite3.Connection, Connection]]:
    """A picture of the source and a transaction on the target, with nobody else on either."""
    check_source(source)
    with (
        closing(SqliteDatabase(source, exclusive=True)) as old,
        old.picture() as read,
        closing(Database(target, pool=1, settings={"search_path": SCHEMA})) as new,
    ):
        with new.asking() as connection:
            _check_alone(connection, new.name)
        buckets = _buckets(read, str(source))
        PostgresDatabase(target, buckets=buckets).close()  # makes the tables
        with new.writing() as write:
            if (there := _buckets(write, new.name)) != buckets:
                words = f"{new.name} was made for {there} buckets, {source} has {buckets}"
                raise UsageError(f"{words}; name a database without a frontier")
            yield read, write


def _check_alone(connection: Connection, name: str) -> None:
    try:
        check_alone(connection, name)
    except StoreBusy:
        connection.execute("SELECT pg_sleep(0.5)")  # a server takes its time to see that somebody has gone
        check_alone(connection, name)


def _buckets(connection: sqlite3.Connection | Connection, where: str) -> int:
    return find_buckets(lambda text: connection.execute(text).fetchone(), where)


def _tables(read: sqlite3.Connection, write: Connection) -> list[Table]:
    tables = [
        Table(name, _columns(read, name), which=_WITHOUT.get(name, "true"), replaced=name in _MADE)
        for name in table_names(read)
    ]
    for table in tables:
        check_columns(write, table)
    return [*tables, _BIG_PAGES]


def _columns(read: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """With those that are computed here and kept there: bucket and site."""
    names = [row[1] for row in read.execute(f"PRAGMA table_xinfo({name})")]
    return tuple(column for column in names if column not in _OWN.get(name, ()))


def _finish(read: sqlite3.Connection, write: Connection) -> None:
    """Numbers go on where they were, and every bucket has its rows."""
    for name in _MADE:
        write.execute(
            f"INSERT INTO {name} (bucket) SELECT bucket FROM"
            " generate_series(0, (SELECT value::integer FROM setting WHERE key = 'buckets') - 1) AS made (bucket)"
            " ON CONFLICT DO NOTHING"
        )
    set_sequence(write, "lease_number", read.execute("SELECT sum(lease) FROM total").fetchone()[0] or 0)
    if results := last_numbers(read).get("result", 0):
        write.execute("INSERT INTO setting (key, value) VALUES ('results', %s)", (str(results),))


copying = Copying(_both, _tables, _finish)
copy_store, verify_stores = copying.copy_store, copying.verify_stores
