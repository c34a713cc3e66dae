"""The named statements of this backend, read once."""

from collections.abc import Iterable

import orjson

from afresh.store.named_sql import parse_named, read_sql

SQL = parse_named(read_sql("afresh.store.sql", "queries.sql"))


def as_set(values: Iterable[int | str]) -> str:
    """Values as the JSON array that ``json_each`` turns into a table: one statement for any number of them."""
    return orjson.dumps(list(values)).decode()
