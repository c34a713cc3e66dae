"""The named statements of the frontier, and sets as SQLite takes them."""

from collections.abc import Iterable

import orjson

from afresh.store.named_sql import parse_named, read_sql

SQL = parse_named(read_sql("afresh.store.sqlite.frontier", "queries.sql"))


def as_set(values: Iterable[int] | Iterable[str]) -> str:
    """Values as the JSON array that ``json_each`` turns into a table: one statement for any number of them."""
    return orjson.dumps(list(values)).decode()
