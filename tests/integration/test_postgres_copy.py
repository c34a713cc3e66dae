"""A SQLite store moved to PostgreSQL: everything arrives, numbers go on, and nothing is half done."""

from pathlib import Path

import pytest

from afresh.base.errors import StoreBusy, StoreError, UsageError
from afresh.base.models import Kind
from afresh.base.records.history import Document
from afresh.base.records.queries import Matched, NewQuery, NewSource
from afresh.base.records.watches import Only, Watch
from afresh.engine.edit_resource import change
from afresh.pages.comparing import compare_pages, compare_pictures
from afresh.store import open_store
from afresh.store.postgres import copying
from tests.fakes.watched import DAY, WatchedPages, picture, told
from tests.laws.store_material import NOW, comparable, entry, feeds, report, take


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A store with something in most tables."""
    path = tmp_path / "old.db"
    store = open_store(str(path))
    store.add(feeds(30, each=3), now=NOW)
    leases = take(store)
    done = [
        report(lease, entries=(entry(f"e{lease.id}\t\\N ä"), entry(f"f{lease.id}"))) if lease.id % 2 else report(lease)
        for lease in leases[:-3]
    ]
    body = bytes(range(256))
    first = done[0].resource.id
    done[0] = report(leases[0], document=Document(resource=first, at=NOW, why="news", headers="a: b", body=body))
    store.record(done)
    new = NewQuery(name="q", title="", text="t", sources=(NewSource("all", "ALL"),))
    store.queries.put_query(
        new, Matched(seen={"all": 3}, passed={}), expected=store.queries.query_state(), cursor=5, now=NOW
    )
    store.put_setting("price", "12.5")
    store.set_site_delay("quiet.example", 60.0)
    store.remove([store.get("http://site29.example/2").id])
    store.close()
    return path


def test_everything_arrives_and_numbers_go_on(source: Path, postgres: str) -> None:
    seen: dict[str, int] = {}
    compared = copying.copy_store(source, postgres, progress=seen.__setitem__)
    assert all(item.is_equal for item in compared)
    assert seen["resource"] == 89
    old, new = open_store(str(source)), open_store(postgres)
    assert [comparable(one) for one in new.iterate()] == [comparable(one) for one in old.iterate()]
    assert new.entries(limit=1000) == old.entries(limit=1000)
    assert new.visits(limit=1000) == old.visits(limit=1000)
    assert new.documents() == old.documents()
    assert new.list_sites(limit=100) == old.list_sites(limit=100)
    assert new.queries.query("q") == old.queries.query("q")
    ignored = {"database_bytes": 0.0}
    assert {**new.stats(now=NOW), **ignored} == {**old.stats(now=NOW), **ignored}
    # Both go on alike: the same leases under the same numbers, the same number for the next resource and entry.
    for store in (old, new):
        store.add(feeds(31), now=NOW)
    later = NOW + 10_000
    pairs = list(zip(take(old, later), take(new, later), strict=True))
    assert [(a.id, a.resource.id) for a, _ in pairs] == [(b.id, b.resource.id) for _, b in pairs]
    for store, lease in ((old, pairs[0][0]), (new, pairs[0][1])):
        assert store.record([report(lease, later, entries=(entry("next"),))]) == [True]
    assert new.entries(limit=1000)[-1].seq == old.entries(limit=1000)[-1].seq
    assert new.count() == old.count() == 90
    for store in (old, new):
        store.close()


def _shop(number: int, price: int) -> str:
    prose = "".join(f"<p>{number} {line * 7919 % 104_729} of the lamps</p>" for line in range(200))
    return f"<p>Price: {price} €</p>{prose}"


def test_watched_pages_arrive_with_versions_differences_and_pictures(tmp_path: Path, postgres: str) -> None:
    source = tmp_path / "pages.db"
    old = open_store(str(source))
    pages = WatchedPages(old)
    numbers = [pages.add(f"http://page{place}.example/", tags=("shop",)) for place in range(3)]
    for visit in range(4):
        for number in numbers:
            pages.visit(number, _shop(number, 10 + visit), picture=picture(60 * visit))
    pages.watch(numbers[0], Watch(css=("p",), only=Only.NUMBERS))
    old.watches.put_watch("tag:shop", Watch(ignore=("x+",)))
    change(old, numbers[1], {"kind": Kind.LINK}, now=pages.now)
    old.close()
    assert all(item.is_equal for item in copying.copy_store(source, postgres))
    old, new = open_store(str(source)), open_store(postgres)
    packed = {number: [one.stored for one in new.links.versions(number)] for number in numbers}
    assert all(10 * min(sizes) < max(sizes) for sizes in packed.values())  # on each other, as they were
    assert new.watches.watches() == old.watches.watches() != {}
    for number in numbers:
        versions = old.links.versions(number)
        assert new.links.versions(number) == versions
        assert new.links.link(number).state == old.links.link(number).state
        assert new.watches.page_memory(number) == old.watches.page_memory(number) is not None
        for version in versions:
            assert new.links.version_body(version.id) == old.links.version_body(version.id)
            assert new.watches.picture(version.id) == old.watches.picture(version.id) is not None
        assert compare_pages(new, number).difference == compare_pages(old, number).difference
        assert compare_pictures(new, number) == compare_pictures(old, number)
    old.close()
    # and go on being watched: the next change is told, its version packed on one that was copied
    pages.now += DAY
    later = WatchedPages(new)
    later.now = pages.now
    assert told(later.visit(numbers[2], _shop(numbers[2], 20))) == ["Price: 13 → 20 €"]
    assert new.links.versions(numbers[2])[0].stored < max(packed[numbers[2]]) / 10
    new.close()


def test_a_difference_is_found(source: Path, postgres: str) -> None:
    copying.copy_store(source, postgres)
    store = open_store(postgres)
    store.update(1, title="changed")
    store.close()
    wrong = [item.table for item in copying.verify_stores(source, postgres) if not item.is_equal]
    assert wrong == ["resource"]


def test_a_target_with_rows_is_refused(source: Path, postgres: str) -> None:
    store = open_store(postgres)
    store.put_setting("x", "y")
    store.close()
    with pytest.raises(UsageError, match="setting has rows"):
        copying.copy_store(source, postgres)


def test_a_failure_leaves_the_target_empty(source: Path, postgres: str) -> None:
    def fail(table: str, rows: int) -> None:
        if table == "entry":
            raise StoreError("the cable was pulled")

    with pytest.raises(StoreError, match="cable"):
        copying.copy_store(source, postgres, progress=fail)
    store = open_store(postgres)
    assert store.count() == 0
    assert store.list_sites() == []
    store.add(feeds(1), now=NOW)
    assert (store.count(), store.stats(now=NOW)["sites"]) == (1, 1)
    store.close()


def test_a_running_daemon_is_respected_on_either_side(source: Path, postgres: str) -> None:
    for url in (str(source), postgres):
        daemon = open_store(url, exclusive=True)
        with pytest.raises(StoreBusy):
            copying.copy_store(source, postgres)
        daemon.close()
    assert all(item.is_equal for item in copying.copy_store(source, postgres))


def test_a_source_that_is_not_there_is_not_made(tmp_path: Path, postgres: str) -> None:
    with pytest.raises(UsageError, match="no store"):
        copying.copy_store(tmp_path / "none.db", postgres)
    assert list(tmp_path.iterdir()) == []
