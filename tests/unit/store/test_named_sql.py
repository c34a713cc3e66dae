"""Statements live in .sql files under a name, with a description."""

import re
import sqlite3
from importlib.resources import files

import pytest

from afresh.store.named_sql import parse_named, read_sql, split_statements
from afresh.store.sql.statements import SQL


def test_statements_are_found_by_name() -> None:
    text = "-- name: a\n-- One.\nSELECT 1; -- so\n\n-- A heading ---\n\n-- name: b\n-- Two.\nSELECT\n  2;\n"
    assert dict(parse_named(text)) == {"a": "SELECT 1;", "b": "SELECT\n  2;"}


@pytest.mark.parametrize(
    "text", ["-- name: a\nSELECT 1;\n", "-- name: a\n-- x\nSELECT 1;\n-- name: a\n-- y\nSELECT 2;\n"]
)
def test_a_statement_without_description_or_with_a_taken_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="statement"):
        parse_named(text)


def test_a_trigger_is_one_statement() -> None:
    script = (
        "CREATE TABLE t (x); -- a table\nCREATE TRIGGER g AFTER INSERT ON t BEGIN\n  SELECT 1;\n  SELECT 2;\nEND;\n"
    )
    assert len(list(split_statements(script))) == 2
    with pytest.raises(ValueError, match="without an end"):
        list(split_statements("SELECT 1"))


def test_every_statement_fits_the_schema_and_is_used() -> None:
    connection = sqlite3.connect(":memory:")
    for statement in split_statements(read_sql("afresh.store.sqlite", "schema.sql")):
        connection.execute(statement)
    code = "".join(item.read_text() for item in files("afresh.store.sql").iterdir() if item.name.endswith(".py"))
    for name, statement in SQL.items():
        named = set(re.findall(r":(\w+)", statement))
        values: object = dict.fromkeys(named, 1) if named else (1,) * statement.count("?")
        connection.execute(f"EXPLAIN {statement}", values)  # type: ignore[arg-type]
        base = name.removesuffix("_newest")
        assert f'"{base}"' in code, f"{name} is used nowhere"
    connection.close()


@pytest.mark.parametrize("name", ["next_ready", "pick", "open_leases", "backlog", "failing", "leased", "known_urls"])
def test_hot_statements_walk_an_index(name: str) -> None:
    connection = sqlite3.connect(":memory:")
    for statement in split_statements(read_sql("afresh.store.sqlite", "schema.sql")):
        connection.execute(statement)
    values = dict.fromkeys(re.findall(r":(\w+)", SQL[name]), 1)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {SQL[name]}", values)]
    connection.close()
    assert not [step for step in plan if re.match(r"SCAN (?!json_each|\(subquery)", step) and "INDEX" not in step], plan
    assert not [step for step in plan if "TEMP B-TREE" in step], plan
