"""The named statements of the store in PostgreSQL's words."""

import re
from importlib.resources import files

import psycopg
import pytest

from afresh.store.buckets import BUCKETS
from afresh.store.named_sql import Statement, numbered, parse_named
from tests.fakes.stores import postgres_store

__all__ = ["postgres_store"]

FLOAT8 = psycopg.adapters.types["float8"].oid


@pytest.mark.parametrize(
    ("written", "sent", "names"),
    [
        ("a = :a AND b = :b OR c = :a", "a = $1 AND b = $2 OR c = $1", ("a", "b")),
        ("VALUES (?, ?::text[])", "VALUES ($1, $2::text[])", ()),
        ("t = 'it''s :no value?' AND \"o:n\" = :x::jsonb", "t = 'it''s :no value?' AND \"o:n\" = $1::jsonb", ("x",)),
        ("x % 2 = 1 AND y LIKE 'q:%'", "x % 2 = 1 AND y LIKE 'q:%'", ()),
    ],
)  # fmt: skip
def test_only_values_are_written_otherwise(written: str, sent: str, names: tuple[str, ...]) -> None:
    ready = numbered(written)
    assert (ready.text, ready.names) == (sent, names)


def test_values_come_in_the_order_of_their_numbers() -> None:
    assert numbered("b = :b AND a = :a").values({"a": 1, "b": 2, "more": 3}) == (2, 1)
    assert numbered("VALUES (?, ?)").values((1, 2)) == (1, 2)
    assert numbered("SELECT 1").values(None) == ()


def statements() -> dict[str, Statement]:
    """All of them; a name is used once."""
    found: dict[str, Statement] = {}
    for item in files("afresh.store.sql").iterdir():
        if item.name.endswith(".sql"):
            here = parse_named(item.read_text(encoding="utf-8"))
            assert not found.keys() & here.keys()
            found |= here
    return found


def test_a_text_of_its_own_says_something_else() -> None:
    """One that became the same as the common text is not needed any more."""
    texts = "".join(i.read_text("utf-8") for i in files("afresh.store.sql").iterdir() if i.name.endswith(".sql"))
    own = set(re.findall(r"-- name: (\w+)/postgres", texts))
    assert own == {name for name, statement in statements().items() if statement.postgres != str(statement)}


def test_every_statement_is_understood_by_postgresql(postgres_store: str) -> None:
    """Also those that no test happens to run: tables, columns, functions and types are looked up."""
    complaints = {}
    with psycopg.connect(postgres_store, autocommit=True) as connection:
        for name, raw in statements().items():
            statement = raw.in_buckets(BUCKETS)
            if statement.many == "copy":
                continue
            ready = numbered(statement.postgres)
            types = [FLOAT8 if value == "now" else 0 for value in ready.names]
            answer = connection.pgconn.prepare(b"", ready.text.encode(), types)
            if answer.status != psycopg.pq.ExecStatus.COMMAND_OK:
                complaints[name] = answer.error_message.decode()
    assert complaints == {}
