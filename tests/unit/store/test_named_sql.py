"""Statements live in .sql files under a name, with a description."""

import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from afresh.store.named_sql import parse_named, split_statements
from afresh.store.sql.statements import SQL
from afresh.store.sqlite.connection import Database


def test_statements_are_found_by_name() -> None:
    text = "-- name: a\n-- One.\nSELECT 1; -- so\n\n-- A heading ---\n\n-- name: b\n-- Two.\nSELECT\n  2;\n"
    assert dict(parse_named(text)) == {"a": "SELECT 1;", "b": "SELECT\n  2;"}


def test_postgresql_has_the_common_text_or_its_own() -> None:
    texts = (
        "-- name: a\n-- One.\nSELECT 1;",
        "-- name: a/postgres (arrays)\n-- 2.\nSELECT 2;",
        "-- name: b\n-- B.\nSELECT 3;",
    )
    found = parse_named("\n\n".join(texts))
    assert (found["a"], found["a"].postgres, found["a"].many) == ("SELECT 1;", "SELECT 2;", "arrays")
    assert (found["b"], found["b"].postgres, found["b"].many) == ("SELECT 3;", "SELECT 3;", "")


@pytest.mark.parametrize(
    "text",
    [
        "-- name: a\nSELECT 1;\n",
        "-- name: a\n-- x\nSELECT 1;\n-- name: a\n-- y\nSELECT 2;\n",
        "-- name: a/postgres\n-- x\nSELECT 1;\n",
        "-- name: a/mysql\n-- x\nSELECT 1;\n",
    ],
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


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    database = Database(tmp_path / "store.db")
    with database.reading() as found:
        yield found
    database.close()


def test_every_statement_fits_the_schema_and_is_used(connection: sqlite3.Connection) -> None:
    there = list(files("afresh.store.sql").iterdir())
    code = "".join(item.read_text() for item in there if item.name.endswith(".py"))
    for item in there:
        for name in parse_named(item.read_text()) if item.name.endswith(".sql") else ():
            statement = SQL[name]
            named = set(re.findall(r":(\w+)", statement))
            places = max(map(int, re.findall(r"\?(\d+)", statement)), default=statement.count("?"))
            values: object = dict.fromkeys(named, 1) if named else (1,) * places
            connection.execute(f"EXPLAIN {statement}", values)  # type: ignore[arg-type]
            base = name.removesuffix("_newest")
            assert f'"{base}"' in code or base in MADE_UP, f"{name} is used nowhere"


#: Names that the code puts together.
MADE_UP = {"folder_is_used", "tag_is_used"}
HOT = ["next_ready", "pick_sites", "pick_resources", "open_leases", "backlog", "failing", "leased", "known_urls"]


@pytest.mark.parametrize("name", HOT)
def test_hot_statements_walk_an_index(name: str, connection: sqlite3.Connection) -> None:
    values = dict.fromkeys(re.findall(r":(\w+)", SQL[name]), 1)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {SQL[name]}", values)]
    assert not [step for step in plan if re.match(r"SCAN (?!json_each|\(subquery)", step) and "INDEX" not in step], plan
    assert not [step for step in plan if "TEMP B-TREE" in step], plan
