"""The named statements of the frontier as one of the databases reads them (``statements.sql``)."""

import re
from collections.abc import Mapping

from afresh.store.named_sql import parse_named, read_sql

_DATABASE = re.compile(r"-- in (SQLite|PostgreSQL):( nothing\b)?")
_VALUE = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_NOTHING = ";"


def load_statements(database: str, **locks: str) -> Mapping[str, str]:
    """The statements by name, '' where a database needs none; ``locks`` are its words for the braces of that name."""
    script = read_sql("afresh.store.frontier", "statements.sql")
    for name, words in locks.items():
        script = script.replace(f" {{{name}}}", f" {words}" if words else "")
    named = parse_named(text_for(database, script))
    return {name: "" if text == _NOTHING else str(text) for name, text in named.items()}


def text_for(database: str, script: str) -> str:
    """The script without what is written for the other database.

    >>> text_for("SQLite", "-- name: one\\n-- in SQLite:\\nSELECT 1;\\n-- in PostgreSQL:\\nSELECT 2;")
    '-- name: one\\nSELECT 1;'
    """
    lines = []
    is_meant = True
    for line in script.splitlines():
        head = _DATABASE.match(line)
        if head is None:
            is_meant = is_meant or line.startswith("-- name:")
            if is_meant:
                lines.append(line)
        else:
            is_meant = head[1] == database
            if is_meant and head[2]:
                lines.append(_NOTHING)
    return "\n".join(lines)


def for_psycopg(sql: str) -> str:
    """A statement with its values as the driver writes them.

    >>> for_psycopg("SELECT :a::text FROM site WHERE hash % :count = ?")
    'SELECT %(a)s::text FROM site WHERE hash %% %(count)s = %s'
    """
    return _VALUE.sub(r"%(\1)s", sql.replace("%", "%%")).replace("?", "%s")
