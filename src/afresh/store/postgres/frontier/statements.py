"""The named statements of the frontier in PostgreSQL, and the common orders and partitions in its words."""

import re
from typing import Any

import psycopg
from psycopg.rows import TupleRow, tuple_row

from afresh.base.records.frontier import Partition, SiteOrder
from afresh.store.frontier.orders import SITE_RANKS, partition_clause
from afresh.store.named_sql import parse_named, read_sql

_NAMED = re.compile(r"(?<!:):([a-z]\w*)")

Cursor = psycopg.Cursor[TupleRow]

#: Plain texts: these are none of the statements that ``store.postgres.statements`` looks up by name.
SQL = {
    name: "".join(text) for name, text in parse_named(read_sql("afresh.store.postgres.frontier", "queries.sql")).items()
}


def cursor_of(connection: "psycopg.Connection[Any]") -> Cursor:
    """A cursor that gives tuples, in the binary format: numbers need no parsing."""
    return connection.cursor(binary=True, row_factory=tuple_row)


def in_our_words(text: str) -> str:
    """SQL with named values as the driver takes them.

    >>> in_our_words("hash % :count = :index")
    'hash %% %(count)s = %(index)s'
    """
    return _NAMED.sub(r"%(\1)s", text.replace("%", "%%"))


def rank_of(order: SiteOrder) -> str:
    """What sites are ranked by."""
    return in_our_words(SITE_RANKS[order]).replace("%(now)s", "%(now)s::float8")


def partition_of(partition: Partition) -> tuple[str, dict[str, int | str]]:
    """A condition on sites to append, and its values."""
    clause, values = partition_clause(partition)
    return in_our_words(clause), values
