"""One damaged row of a frontier, in both databases: set aside and shown, all others go on, and a doctor mends it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.records.frontier import PageResult, Standing
from afresh.base.records.frontier_store import FrontierStore, Reported
from afresh.base.records.queues import Put, QueueRequest
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_stores import empty_frontier
from tests.laws.frontier_material import NOW, account, fetched, give_back, hosts, seeds, take, urls, wrong_sums

BAD_TEXT = b"caf\xe9"
#: table, column, what stands in it, and which database can hold that: a server has types, a file no NaN
DAMAGES: dict[str, tuple[str, str, object, str]] = {
    "a due time that is none": ("page", "due", "soon", "sqlite"),
    "a visit that was at no time": ("page", "visited", "once", "sqlite"),
    "failures in words": ("page", "failures", "many", "sqlite"),
    "a content that is no text": ("page", "content", BAD_TEXT, "sqlite"),
    "an address that is no text": ("address", "url", b"http://s1.example/\xe9", "sqlite"),
    "an etag that is no text": ("address", "etag", BAD_TEXT, "sqlite"),
    "a rank that is none": ("address", "pagerank", float("nan"), "postgres"),
    "a delay in words": ("site", "delay", "long", "sqlite"),
    "a delay that is no number": ("site", "delay", float("nan"), "postgres"),
    "a name that is no text": ("site", "name", b"s1\xff.example", "sqlite"),
    "an address of a site that is no text": ("site", "ipv4", BAD_TEXT, "sqlite"),
}
LOST = {"an address that is no text", "a name that is no text"}
SECOND = "(SELECT id FROM site WHERE name = 's1.example')"
POSSIBLE = [(kind, name) for name, (_, _, _, kind) in DAMAGES.items()]


class Spoilt:
    """A frontier of three sites with two pages, and a way to spoil it behind its back."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.url = empty_frontier(kind, folder)
        self.store: FrontierStore = open_frontier(self.url)
        self.store.add(seeds(3, 2), now=NOW)
        self.store.register(account("one"))

    def run(self, statement: str, *values: object) -> None:
        if self.url.startswith("sqlite"):
            with closing(sqlite3.connect(self.url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
                connection.execute(statement, values)
        else:
            import psycopg

            with psycopg.connect(self.url, autocommit=True, options="-c search_path=frontier") as server:
                server.execute(statement.replace("?", "%s"), values)  # type: ignore[call-overload]

    def spoil(self, table: str, column: str, value: object) -> None:
        """A row of the second site."""
        key = (
            f"id = (SELECT min(id) FROM page WHERE site = {SECOND})"
            if table in ("page", "address")
            else f"id = {SECOND}"
        )
        put = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
        self.run(f"UPDATE {table} SET {column} = {put} WHERE {key}", value)


@pytest.fixture
def spoilt(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Spoilt]:
    made = Spoilt(request.param, tmp_path)
    yield made
    made.store.close()


@pytest.mark.parametrize(("spoilt", "name"), POSSIBLE, indirect=["spoilt"])
def test_one_row_keeps_nobody_else(spoilt: Spoilt, name: str) -> None:
    table, column, value, _ = DAMAGES[name]
    spoilt.spoil(table, column, value)
    store = spoilt.store
    [told] = store.find_damage()
    assert column in told.columns
    assert told.can_be_mended is (name not in LOST)
    assert store.repair_damage() == [told]
    left = store.find_damage()
    assert left == ([told] if name in LOST else [])
    assert store.stats().set_aside == len(left)
    given = take(store, now=NOW)
    give_back(store, given, now=NOW + 1.0, revisit_after=0.0)
    assert len(urls(given)) == {"address": 5, "site": 4}[table] if name in LOST else 6
    assert not wrong_sums(store)


@pytest.mark.parametrize(("spoilt", "name"), POSSIBLE, indirect=["spoilt"])
def test_it_is_set_aside_when_it_is_met_with(spoilt: Spoilt, name: str) -> None:
    table, column, value, _ = DAMAGES[name]
    spoilt.spoil(table, column, value)
    store = spoilt.store
    for at in (NOW, NOW + 1_000.0):
        given = take(store, now=at)
        assert {"s0.example", "s2.example"} <= set(hosts(given))
        give_back(store, given, now=at + 1.0, revisit_after=0.0)


@pytest.mark.parametrize("spoilt", ["sqlite"], indirect=True)
def test_what_was_set_aside_is_handed_out_when_it_is_mended(spoilt: Spoilt) -> None:
    spoilt.spoil("page", "due", "soon")
    store = spoilt.store
    given = take(store, now=NOW)
    assert len(urls(given)) == 5
    give_back(store, given, now=NOW + 1.0, revisit_after=1e6)
    assert not take(store, now=NOW + 1_000.0)
    assert store.stats().set_aside == 1
    assert [item.name for item in store.repair_damage()] == [item for item in _all_urls() if item not in urls(given)]
    assert len(urls(take(store, now=NOW + 1_000.0))) == 1


def _all_urls() -> list[str]:
    return [seed.url for seed in seeds(3, 2)]


@pytest.mark.parametrize("spoilt", ["sqlite", "postgres"], indirect=True)
def test_a_list_that_cannot_be_read_is_forgotten_and_its_pages_are_due(spoilt: Spoilt) -> None:
    store = spoilt.store
    given = take(store, now=NOW)
    spoilt.run(f"UPDATE lease SET pages = ? WHERE site = {SECOND}", b"\x01\x02\x03")
    receipt = give_back(store, given, now=NOW + 1.0, revisit_after=1e6)
    assert sorted(receipt.standings) == sorted([Standing.ACCEPTED, Standing.UNKNOWN, Standing.ACCEPTED])
    assert not wrong_sums(store)
    assert hosts(take(store, now=NOW + 1_000.0)) == ["s1.example"]


@pytest.mark.parametrize("spoilt", ["sqlite", "postgres"], indirect=True)
def test_what_a_client_keeps_with_a_page_can_be_damaged(spoilt: Spoilt) -> None:
    store = spoilt.store
    put = Put(url="http://m.example/", key="m.example", metadata='{"depth": ["1"]}')
    store.put("DEFAULT", [put], now=NOW)
    spoilt.run("UPDATE page_metadata SET metadata = '{'")
    [told] = store.find_damage()
    assert (told.name, list(told.columns)) == ("http://m.example/", ["metadata"])
    store.repair_damage()
    assert not store.find_damage()
    assert not wrong_sums(store)
    kept = store.stored_url("DEFAULT", "m.example", "http://m.example/")
    assert kept is not None
    assert kept.metadata == "{}"


@pytest.mark.parametrize("spoilt", ["sqlite"], indirect=True)
def test_what_a_client_keeps_that_is_no_text_keeps_nobody(spoilt: Spoilt) -> None:
    store = spoilt.store
    puts = [Put(url=f"http://m{n}.example/", key=f"m{n}.example", metadata='{"a": ["b"]}') for n in range(2)]
    store.put("DEFAULT", puts, now=NOW)
    spoilt.run(
        "UPDATE page_metadata SET metadata = CAST(? AS TEXT) WHERE id = (SELECT min(id) FROM page_metadata)", BAD_TEXT
    )
    served = store.serve(QueueRequest(), now=NOW)
    assert {one.url for one in served} == {*_all_urls(), "http://m1.example/"}


@pytest.mark.parametrize("spoilt", ["sqlite"], indirect=True)
def test_a_depth_that_cannot_be_read_is_forgotten(spoilt: Spoilt) -> None:
    store = spoilt.store

    def visit(now: float) -> None:
        sites = [fetched(one, links=["http://d.example/"]) for one in take(store, now=now)]
        store.report_many([Reported("one", sites)], now=now, revisit_after=1.0, depth=1)

    visit(NOW)
    spoilt.run("UPDATE page_depth SET depth = 'far'")
    assert [(told.table, list(told.columns)) for told in store.find_damage()] == [("depth", ["depth"])]
    visit(NOW + 1_000.0)
    assert not store.find_damage()
    assert not wrong_sums(store)


@pytest.mark.parametrize("spoilt", ["sqlite", "postgres"], indirect=True)
def test_a_receipt_that_cannot_be_read_is_forgotten(spoilt: Spoilt) -> None:
    store = spoilt.store
    given = take(store, now=NOW)
    give_back(store, given, now=NOW + 1.0, key="k")
    spoilt.run("UPDATE receipt SET answer = 'nonsense'")
    receipt = give_back(store, given, now=NOW + 2.0, key="k")
    assert set(receipt.standings) == {Standing.UNKNOWN}
    assert not wrong_sums(store)


@pytest.mark.parametrize("spoilt", ["sqlite", "postgres"], indirect=True)
def test_a_reason_that_cannot_be_read_is_forgotten(spoilt: Spoilt) -> None:
    store = spoilt.store
    give_back(store, take(store, now=NOW), now=NOW, result=PageResult.ERROR, why="HTTP 500")
    spoilt.run(f"UPDATE failure SET result = 'nonsense' WHERE site = {SECOND}")
    assert {page.site for page in store.failures(limit=9)} == {"s0.example", "s2.example"}
    assert [site.failure is None for site in store.sites()] == [False, True, False]
    assert not store.find_damage()
    assert not wrong_sums(store)


@pytest.mark.parametrize("spoilt", ["sqlite"], indirect=True)
def test_a_fetcher_whose_name_cannot_be_read_works_on(spoilt: Spoilt) -> None:
    spoilt.run("UPDATE fetcher SET location = CAST(? AS TEXT)", BAD_TEXT)
    assert [one.location for one in spoilt.store.fetchers()] == ["caf\ufffd"]
    assert len(urls(take(spoilt.store, now=NOW))) == 6


@pytest.mark.parametrize("spoilt", ["sqlite", "postgres"], indirect=True)
def test_an_order_nobody_knows_is_none(spoilt: Spoilt) -> None:
    spoilt.store.put_setting("site_order", "by taste")
    assert len(urls(take(spoilt.store, now=NOW))) == 6


@pytest.mark.parametrize("spoilt", ["sqlite"], indirect=True)
def test_a_block_of_a_site_outlasts_its_damage(spoilt: Spoilt) -> None:
    store = spoilt.store
    store.block("s1.example", NOW + 500.0, now=NOW)
    spoilt.spoil("site", "delay", "long")
    store.repair_damage()
    assert "s1.example" not in hosts(take(store, now=NOW + 499.0))
    assert hosts(take(store, now=NOW + 501.0)) == ["s1.example"]


@pytest.mark.parametrize("spoilt", ["sqlite", "postgres"], indirect=True)
def test_a_mistake_of_the_caller_is_no_damage(spoilt: Spoilt) -> None:
    before = spoilt.store.sites()
    with pytest.raises(ValueError, match="by taste"):
        spoilt.store.set_site_order("by taste")
    assert spoilt.store.sites() == before
