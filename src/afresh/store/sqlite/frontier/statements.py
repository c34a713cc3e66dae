"""The named statements of the frontier, and sets as SQLite takes them."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import orjson

from afresh.store.named_sql import parse_named, read_sql

_ROWS = 50  # a statement; more are no quicker

SQL = parse_named(read_sql("afresh.store.sqlite.frontier", "queries.sql"))


def as_set(values: Iterable[int] | Iterable[str]) -> str:
    """Values as the JSON array that ``json_each`` turns into a table: one statement for any number of them."""
    return orjson.dumps(list(values)).decode()


def insert_rows(connection: sqlite3.Connection, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Many rows a statement: binding values to one long statement is quicker than starting a short one for each."""
    if not rows:
        return
    row = f"({', '.join('?' * len(rows[0]))})"
    whole = len(rows) - len(rows) % _ROWS
    if whole:
        statement = SQL[name].format(rows=", ".join([row] * _ROWS))
        for start in range(0, whole, _ROWS):
            connection.execute(statement, tuple(chain.from_iterable(rows[start : start + _ROWS])))
    connection.executemany(SQL[name].format(rows=row), rows[whole:])
