"""The text of each named statement in PostgreSQL's words.

Most statements say the same in both databases, written once in the files of ``store.sql``; here they only get the
driver's placeholders and arrays. Those that say it differently (locks, partitions, upserts) stand in the ``.sql`` files
of this package under the same name.
"""

import re
from functools import cache
from importlib.resources import files

from afresh.store.named_sql import Statement, parse_named

_PACKAGE = "afresh.store.postgres"
_OURS = re.compile(r"(?!frontier)\w+\.sql")  # the frontier has a store of its own, with its own names
_PIECES = re.compile(r"('(?:[^']|'')*')")  # literals stay as they are
_SET = re.compile(r"SELECT value FROM json_each\(:(\w+)\)")
_IN_SET = re.compile(rf"\b(NOT )?IN \(({_SET.pattern})\)")
_COLUMN = re.compile(r"json_each\(([a-z_.]+)\)")
_OF_ENTRY = "JOIN resource ON resource.id = entry.resource_id"
_NULL_VALUE = re.compile(r"(?<![:\w]):([a-z_]\w*) IS (NOT )?NULL\b")
_FLAG = re.compile(r"%\((\w+)__is_null\)s")
_EXTREME = re.compile(r"\b(max|min)\(")
_NAMED = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_WORDS = (
    (re.compile(r" LIKE "), " ILIKE "),  # SQLite's LIKE does not tell A from a
    (re.compile(r"\binstr\("), "strpos("),
    (re.compile(r"\b9e999\b"), "float8 'Infinity'"),
    (re.compile(r"LIMIT -1 OFFSET"), "OFFSET"),
)
_TEXT_SETS = frozenset({"names", "kinds"})  # a set of anything else holds numbers


@cache
def own_statements() -> dict[str, Statement]:
    """What this package says in its own words, by name."""
    found: dict[str, Statement] = {}
    for item in sorted(files(_PACKAGE).iterdir(), key=lambda item: item.name):
        if _OURS.fullmatch(item.name) and "-- name:" in (text := item.read_text(encoding="utf-8")):
            found |= parse_named(text)
    return found


@cache
def resolved(statement: Statement) -> str:
    """The statement for PostgreSQL: its own text of that name, or the common one with our placeholders."""
    return str(own_statements().get(statement.name) or translate(statement))


@cache
def flags(text: str) -> tuple[str, ...]:
    """The values of which a resolved statement wants to know whether they are there."""
    return tuple(set(_FLAG.findall(text)))


def translate(sql: str) -> str:
    """Common SQL with the driver's placeholders; sets arrive as JSON arrays here too.

    >>> translate("SELECT 'a:b%' WHERE x = :x AND id IN (SELECT value FROM json_each(:ids))")
    "SELECT 'a:b%%' WHERE x = %(x)s AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(%(ids)s::jsonb)::bigint))"
    """
    pieces = _PIECES.split(_scalars(sql.replace("%", "%%")))
    return "".join(piece if piece.startswith("'") else _placeholders(piece) for piece in pieces)


def _scalars(sql: str) -> str:
    """Max and min of two numbers under names that are not those of the aggregates.

    >>> _scalars("max(a, min(b, f(c, d))) + max(e)")
    'larger(a, smaller(b, f(c, d))) + max(e)'
    """
    made = sql
    for found in reversed(list(_EXTREME.finditer(sql))):
        depth, commas, place = 1, 0, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(made[place], 0)
            commas += made[place] == "," and depth == 1
            place += 1
        if commas == 1:
            made = f"{made[: found.start()]}{'larger' if found[1] == 'max' else 'smaller'}({made[found.end() :]}"
    return made


def _placeholders(sql: str) -> str:
    # As an array a set can be looked up in an index; as a subquery PostgreSQL would guess how long it is.
    sql = _IN_SET.sub(lambda found: f"{'<> ALL' if found[1] else '= ANY'} (ARRAY({found[2]}))", sql)
    sql = _SET.sub(lambda found: _elements(found[1]), sql)
    sql = _COLUMN.sub(r"jsonb_array_elements_text(\1::jsonb) AS json_each (value)", sql)
    sql = sql.replace(_OF_ENTRY, f"{_OF_ENTRY} AND resource.site_id = entry.site_id")  # one partition, not all
    # A value that is only asked whether it is there has no type that PostgreSQL could know: it becomes a yes or no.
    sql = _NULL_VALUE.sub(lambda found: f"{'NOT ' if found[2] else ''}:{found[1]}__is_null", sql)
    for theirs, ours in _WORDS:
        sql = theirs.sub(ours, sql)
    return _NAMED.sub(r"%(\1)s", sql).replace("?", "%s")


def _elements(name: str) -> str:
    return f"SELECT jsonb_array_elements_text(:{name}::jsonb)" + ("" if name in _TEXT_SETS else "::bigint")
