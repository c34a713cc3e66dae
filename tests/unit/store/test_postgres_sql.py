"""The statements of the PostgreSQL store, and how those it shares are put into its words."""

import itertools
import re
from importlib.resources import files

import psycopg
import pytest

from afresh.store.named_sql import Statement, parse_named
from afresh.store.postgres.statements import own_statements, resolved, translate
from tests.fakes.stores import postgres_store

__all__ = ["postgres_store"]


@pytest.mark.parametrize(
    ("common", "ours"),
    [
        ("a = :a AND b = ?", "a = %(a)s AND b = %s"),
        ("x % 2 = 1 AND y LIKE 'q:%'", "x %% 2 = 1 AND y ILIKE 'q:%%'"),
        ("t = 'it''s :not a value'", "t = 'it''s :not a value'"),
        ("n NOT IN (SELECT value FROM json_each(:kinds))",
         "n <> ALL (ARRAY(SELECT jsonb_array_elements_text(%(kinds)s::jsonb)))"),
        ("max(:now, due - :s) > max(b)", "larger(%(now)s, due - %(s)s) > max(b)"),
        ("min(coalesce(a, 9e999), f(b, c))", "smaller(coalesce(a, float8 'Infinity'), f(b, c))"),
        ("(:a IS NULL OR x = :a) AND b IS NULL", "(%(a__is_null)s OR x = %(a)s) AND b IS NULL"),
        ("instr(a, :b) LIMIT -1 OFFSET :n", "strpos(a, %(b)s) OFFSET %(n)s"),
    ],
)  # fmt: skip
def test_common_sql_gets_our_words(common: str, ours: str) -> None:
    assert translate(common) == ours


def test_a_statement_of_our_own_stands_before_the_common_one() -> None:
    assert "pg_database_size" in resolved(Statement.called("database_size", "SELECT 1"))
    assert resolved(Statement.called("", "SELECT :x")) == "SELECT %(x)s"


def test_names_are_used_once_among_the_common_files() -> None:
    """A statement is found by its name alone."""
    names: list[str] = []
    for item in files("afresh.store.sql").iterdir():
        if item.name.endswith(".sql"):
            names += parse_named(item.read_text(encoding="utf-8"))
    assert sorted(names) == sorted(set(names))


#: What the common code never asks for: leasing in PostgreSQL is its own.
ONLY_HERE = {"pick_sites", "pick_resources", "lease_sites", "leased_resources"}


def test_every_statement_here_has_its_like_there() -> None:
    """One that was renamed or dropped in the common files would be left over here, unused."""
    assert set(own_statements()) - set(common_statements()) == ONLY_HERE


#: Statements of SQLite's own way of leasing.
ONLY_THERE = {"pick", "take_lease_numbers", "lease_site"}


def common_statements() -> dict[str, Statement]:
    found: dict[str, Statement] = {}
    for item in files("afresh.store.sql").iterdir():
        if item.name.endswith(".sql"):
            found |= parse_named(item.read_text(encoding="utf-8"))
    return {name: statement for name, statement in found.items() if name not in ONLY_THERE}


def test_every_statement_is_understood_by_postgresql(postgres_store: str) -> None:
    """Also those that no test happens to run: tables, columns, functions and types are looked up."""
    complaints = {}
    with psycopg.connect(postgres_store, autocommit=True) as connection:
        for name, statement in {**common_statements(), **own_statements()}.items():
            text, types = numbered(resolved(statement))
            if text.startswith("COPY"):
                continue
            answer = connection.pgconn.prepare(b"", text.encode(), types)
            if answer.status != psycopg.pq.ExecStatus.COMMAND_OK:
                complaints[name] = answer.error_message.decode()
    assert complaints == {}


FLOAT8 = psycopg.adapters.types["float8"].oid


def numbered(text: str) -> tuple[str, list[int]]:
    """A statement with the placeholders that the driver makes of its own, and the types of times, which it tells."""
    names: dict[str, int] = {}
    text = re.sub(r"%\((\w+)\)s", lambda found: f"${names.setdefault(found[1], len(names) + 1)}", text)
    places = itertools.count(1)
    text = re.sub(r"%s", lambda _: f"${next(places)}", text).replace("%%", "%")
    return text, [FLOAT8 if name in ("now", "early") else 0 for name in names]
