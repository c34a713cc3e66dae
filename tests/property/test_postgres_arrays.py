"""Arrays arrive in PostgreSQL as they were sent, whatever they hold."""

import math
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.store.postgres.arrays import array, arrays
from tests.fakes.postgres import postgres_server

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("text", TEXT),
        ("float8", st.floats(allow_nan=False)),
        ("bigint", st.integers(-(2**63), 2**63 - 1)),
        ("bytea", st.binary()),
    ],
)
def test_an_array_arrives_as_it_was_sent(kind: str, values: st.SearchStrategy[Any]) -> None:
    with psycopg.connect(postgres_server(), autocommit=True) as connection:

        @settings(max_examples=60, deadline=None, database=None)
        @given(st.lists(st.one_of(st.none(), values), min_size=1))
        def check(sent: list[Any]) -> None:
            row = connection.execute(f"SELECT %s::{kind}[]".encode(), (array(sent),)).fetchone()
            assert row is not None
            assert row[0] == sent

        check()


def test_rows_become_columns_by_name_or_by_place() -> None:
    assert arrays([{"a": 1, "b": None}, {"a": 2, "b": "x"}]) == {"a": "{1,2}", "b": '{NULL,"x"}'}
    assert arrays([(1.5, b"\x01"), (math.inf, None)]) == ["{1.5,inf}", '{"\\\\x01",NULL}']
