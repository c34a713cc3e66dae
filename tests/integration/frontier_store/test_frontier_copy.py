"""A frontier moved from SQLite to PostgreSQL: all it has learnt arrives, numbers go on, nothing is half done."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.errors import StoreBusy, StoreError, UsageError
from afresh.base.records.frontier import PageResult, Seed
from afresh.base.records.frontier_store import Reported
from afresh.doors.cli.main import run
from afresh.store.frontier import copying, open_frontier
from tests.laws.frontier_material import NOW, account, fetched, give_back, host, seeds, take, url, wrong_sums

BIG = 5  # pages from which on a site's are kept by due time


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A frontier with something in every table."""
    path = tmp_path / "frontier.db"
    with closing(open_frontier(str(path), links=True, big=BIG, buckets=16)) as store:
        store.add(seeds(6, 4), now=NOW)
        store.add([Seed(url(0, page), host(0)) for page in range(4, 20)], now=NOW)
        store.add([Seed("http://elsewhere.example/ä?x=\\N", "elsewhere.example")], now=NOW, crawl="another")
        for name in ("one", "two"):
            store.register(account(name))
        first, second, third, fourth, *_ = take(store, now=NOW, sites=5, pages=3)
        links = (url(5, 9), url(0, 0))
        give_back(store, [first], now=NOW + 1, key="a", etag='"x"', content_hash="c1", links=links)
        give_back(store, [second], now=NOW + 1, result=PageResult.ERROR, why="HTTP 503\t", http=503)
        timed = fetched(third)._replace(crawl_delay=7.0, round_trip=0.25)
        for key, report in (("b", timed), ("c", fetched(fourth))):
            store.report_many([Reported("one", [report], key)], now=NOW + 1, revisit_after=None, keep=True)
        taken = store.results(after=0, limit=1)
        store.forget_results(taken=taken[-1].number)
        store.put_setting("frontier.settings", '{"fqdn_amount": 7}')
    return path


def test_everything_arrives_and_numbers_go_on(source: Path, postgres: str) -> None:
    seen: dict[str, int] = {}
    compared = copying.copy_store(source, postgres, progress=seen.__setitem__)
    assert all(item.is_equal for item in compared)
    filled = {
        "crawl",
        "site",
        "page",
        "address",
        "big_page",
        "failure",
        "lease",
        "fetcher",
        "receipt",
        "result",
        "edge",
    }
    assert {name for name, rows in seen.items() if rows} >= {*filled, "round_trip", "setting", "last_site", "total"}
    with closing(open_frontier(str(source), links=True)) as old, closing(open_frontier(postgres, links=True)) as new:
        assert wrong_sums(new) == wrong_sums(old) == {}
        assert new.stats() == old.stats()
        assert new.fetchers() == old.fetchers()
        assert new.find_damage() == []
        # Both go on alike: a late list of the old one is taken, the next one has the next number, so has the next site.
        for store in (old, new):
            store.add(seeds(7, 5), now=NOW)
        both = [take(store, "two", now=NOW + 1_000, sites=50, pages=50) for store in (old, new)]
        assert sorted(both[0], key=lambda one: one.name) == sorted(both[1], key=lambda one: one.name)
        for store, lists in zip((old, new), both, strict=True):
            reports = [Reported("two", [fetched(one) for one in lists], "d")]
            store.report_many(reports, now=NOW + 1_001, revisit_after=9.0, keep=True)
        assert new.results(after=0, limit=1_000)[-1].number == old.results(after=0, limit=1_000)[-1].number
        assert wrong_sums(new) == {}


def test_a_difference_is_found(source: Path, postgres: str) -> None:
    copying.copy_store(source, postgres)
    with closing(open_frontier(postgres)) as store:
        store.block(host(1), NOW + 9, now=NOW)
    assert [item.table for item in copying.verify_stores(source, postgres) if not item.is_equal] == ["site"]


def test_a_target_with_rows_or_other_buckets_is_refused(source: Path, postgres: str) -> None:
    with closing(open_frontier(postgres, buckets=8)) as store:
        store.stats()  # as one that is served does all the time
        with pytest.raises(StoreBusy, match="afresh serve"):
            copying.copy_store(source, postgres)
        store.add(seeds(1, 1), now=NOW)
    with pytest.raises(UsageError, match="made for 8 buckets"):
        copying.copy_store(source, postgres)
    copied = source.with_name("eight.db")
    with closing(open_frontier(str(copied), buckets=8)) as store:
        store.add(seeds(1, 1), now=NOW)
    with pytest.raises(UsageError, match="has rows"):
        copying.copy_store(copied, postgres)


def test_a_failure_leaves_the_target_empty(source: Path, postgres: str) -> None:
    def fail(table: str, rows: int) -> None:
        if table == "total":
            raise StoreError("the cable was pulled")

    with pytest.raises(StoreError, match="cable"):
        copying.copy_store(source, postgres, progress=fail)
    assert all(item.is_equal for item in copying.copy_store(source, postgres))


def test_a_frontier_that_is_served_is_not_copied(source: Path, postgres: str) -> None:
    with closing(open_frontier(str(source), exclusive=True)), pytest.raises(StoreBusy):
        copying.copy_store(source, postgres)


def test_the_command_knows_a_frontier_by_its_file(
    source: Path, postgres: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("copy", "verify"):
        assert run(["store", command, str(source), postgres, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["equal"]
    with closing(sqlite3.connect(source)) as connection, connection:
        connection.execute("UPDATE page SET looks = looks + 1")
    assert run(["store", "verify", str(source), postgres]) == 1
    assert "DIFFERENT" in capsys.readouterr().out
