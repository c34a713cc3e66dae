"""What the text of a statement says about tables, read by patterns: enough to see what it locks and joins."""

import re
from collections.abc import Container

#: A table as it is read or written, with the name it has there.
_TABLE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO|USING|TRUNCATE|COPY)\s+(\w+)\b(?:\s+AS\s+(\w+))?", re.IGNORECASE)
_LOCKS = re.compile(r"\{skip_locked\}|\{lock_sites\}|\bFOR\s+(?:NO KEY\s+)?UPDATE\b", re.IGNORECASE)
_INSERT = re.compile(r"\b(?:INSERT INTO|COPY) (\w+)\s*\(([^)]*)\)")
_UPSERT = re.compile(r"INSERT INTO (\w+) \((\w+)[^;]*ON CONFLICT(?: \(([^)]*)\))?")


def tables_in(text: str, among: Container[str]) -> list[tuple[str, str]]:
    """Those of some tables that it touches, each with its name in the text.

    >>> tables_in("SELECT 1 FROM page AS one JOIN site ON true", {"page", "site"})
    [('page', 'one'), ('site', 'site')]
    """
    return [(table, name or table) for table, name in _TABLE.findall(text) if table in among]


def locks_rows(text: str) -> bool:
    return _LOCKS.search(text) is not None


def upsert_in(text: str) -> tuple[str, str, str] | None:
    """Table, first column, and the key that a conflict is resolved by ('': any) of an insert that may meet a row."""
    found = _UPSERT.search(text)
    return (found[1], found[2], found[3] or "") if found else None


def inserts_in(text: str) -> list[tuple[str, str]]:
    """Tables that rows are put into, each with the columns that are named.

    >>> inserts_in("INSERT INTO a (b, c) SELECT 1, 2")
    [('a', 'b, c')]
    """
    return _INSERT.findall(text)
