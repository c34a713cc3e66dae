"""A frontier's buckets: numbers tell them, other counts work as well, and a count that does not fit is refused."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.errors import SchemaMismatch
from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import site_of
from afresh.base.records.frontier_store import FrontierStore
from afresh.store.buckets import BUCKETS
from afresh.store.frontier import open_frontier
from tests.fakes.postgres import drop_database, postgres_url
from tests.laws.frontier_material import NOW, account, give_back, seeds, take, urls, wrong_sums

Run = Callable[[str], list[tuple[object, ...]]]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/frontier.db"
        return
    made = postgres_url()
    yield made
    drop_database(made)


def run(url: str, statement: str) -> list[tuple[object, ...]]:
    """A statement behind the store's back."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
            return connection.execute(statement).fetchall()
    import psycopg

    with psycopg.connect(url, autocommit=True, options="-c search_path=frontier") as server:
        answer = server.execute(statement.encode())
        return answer.fetchall() if answer.description else []


def made(url: str, **options: int) -> FrontierStore:
    store = open_frontier(url, links=True, **options)  # type: ignore[arg-type]
    store.register(account("one"))
    store.add(seeds(40, 3), now=NOW)
    return store


@pytest.mark.parametrize("buckets", [1, 7, BUCKETS, 1_000])
def test_numbers_tell_the_bucket_of_the_name(url: str, buckets: int) -> None:
    with closing(made(url, buckets=buckets)) as store:
        lists = take(store, now=NOW)
        assert len(urls(lists)) == 120
        give_back(store, lists, now=NOW + 1.0, revisit_after=10.0)
        assert len(urls(take(store, now=NOW + 1_000.0))) == 120
        assert not wrong_sums(store)
    sites = run(url, "SELECT name, id, bucket FROM site")
    assert len(sites) == 40
    for name, number, bucket in sites:
        assert isinstance(number, int)
        assert bucket == number % buckets == bucket_of(str(name), buckets)
    for table in ("page", "address"):
        for number, site, bucket in run(url, f"SELECT id, site, bucket FROM {table}"):
            assert isinstance(number, int)
            assert site == site_of(number)
            assert bucket == site_of(number) % buckets


def test_the_count_is_the_databases(url: str) -> None:
    """Whoever opens it with another one works with its own: numbers are not made for two counts."""
    made(url, buckets=7).close()
    with closing(open_frontier(url, buckets=9)) as store:
        assert store.add(seeds(60, 3), now=NOW).sites == 20
        assert store.get_setting("buckets") == "7"
    assert {number % 7 == bucket for number, bucket in run(url, "SELECT id, bucket FROM site")} == {True}  # type: ignore[operator]


@pytest.mark.parametrize("said", ["8", "0", "many", "", "-64", "99999"])
def test_a_count_that_does_not_fit_is_refused(url: str, said: str) -> None:
    made(url, buckets=7).close()
    run(url, f"UPDATE setting SET value = '{said}' WHERE key = 'buckets'")
    with pytest.raises(SchemaMismatch, match="buckets"):
        open_frontier(url)


def test_a_frontier_without_a_count_is_refused(url: str) -> None:
    made(url).close()
    run(url, "DELETE FROM setting WHERE key = 'buckets'")
    with pytest.raises(SchemaMismatch, match="says nothing"):
        open_frontier(url)
