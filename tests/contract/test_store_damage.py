"""One damaged row, in both databases: it is set aside and shown, the others go on, and a doctor mends it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from afresh.base.models import ResourceFilter, Status
from afresh.base.protocols import Store
from afresh.base.records.links import LinkFilter
from afresh.base.records.notices import NewNotice, Topic
from afresh.store import open_store
from tests.fakes.stores import BACKENDS, reuse
from tests.laws.store_material import NOW, entry, feeds, report, take

#: column, what stands in it, whether only a file can hold that
DAMAGES: dict[str, tuple[str, object, bool]] = {
    "facts that are no JSON": ("facts", '{"ttl": 12', False),
    "facts of the wrong kind": ("facts", '["ttl"]', False),
    "facts with words for numbers": ("facts", '{"ttl": "often"}', False),
    "a state cut off": ("state", b"\x01\x02\x03", False),
    "a window cut off": ("window", b"\x00" * 27, False),
    "tags that are no JSON": ("tags", "daily, weekly", False),
    "tags that are no list": ("tags", '{"a": 1}', False),
    "tags that are no words": ("tags", "[1, 2]", False),
    "a kind nobody knows": ("kind", "gopher", False),
    "a result nobody knows": ("last_result", "delicious", False),
    "announcements of nothing": ("announced", "[", False),
    "a title that is no text": ("title", b"caf\xe9", True),
    "facts that are no text": ("facts", b'{"title": "caf\xe9"}', True),
    "tags that are no text": ("tags", b'["caf\xe9"]', True),
    "a folder that is no text": ("folder", b"\xff\xfe", True),
    "an error that is no text": ("error", b"\xc3\x28", True),
}
#: A server takes no text that is none.
POSSIBLE = [
    (backend, damage)
    for backend in BACKENDS
    for damage, (_, _, needs_file) in DAMAGES.items()
    if backend == "sqlite" or not needs_file
]
BROKEN = "http://site1.example/0"


class Damaged:
    """A store with three feeds, and a way to spoil what is in it behind its back."""

    def __init__(self, url: str) -> None:
        self.url = url
        with_store = open_store(url)
        with_store.add(feeds(3), now=NOW)
        with_store.close()

    def run(self, statement: str, *values: object) -> None:
        if self.url.startswith("sqlite"):
            connection: Any = sqlite3.connect(self.url.removeprefix("sqlite:///"))
        else:
            import psycopg

            connection = psycopg.connect(self.url)
            statement = statement.replace("?", "%s")
        with closing(connection):
            connection.execute(statement, values)
            connection.commit()

    def spoil(self, column: str, value: object, *, is_text: bool) -> None:
        column = f'"{column}"'
        given = "CAST(? AS TEXT)" if is_text else "?"
        self.run(f"UPDATE resource SET {column} = {given} WHERE url = '{BROKEN}'", value)


@pytest.fixture(params=BACKENDS)
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Damaged]:
    url = BACKENDS[request.param](tmp_path)
    yield Damaged(url)
    if request.param == "postgres":
        reuse(url)


@pytest.fixture
def spoilt(damaged: Damaged, damage: str) -> Damaged:
    column, value, is_text = DAMAGES[damage]
    damaged.spoil(column, value, is_text=is_text)
    return damaged


def reopened(damaged: Damaged, look: Callable[[Store], Any]) -> Any:
    store = open_store(damaged.url)
    try:
        return look(store)
    finally:
        store.close()


@pytest.mark.parametrize(("damaged", "damage"), POSSIBLE, indirect=["damaged"])
def test_a_damaged_resource_is_set_aside_and_shown_and_the_others_go_on(spoilt: Damaged, damage: str) -> None:
    def first(store: Store) -> None:
        leases = take(store)
        assert sorted(lease.site for lease in leases) == ["site0.example", "site2.example"]
        assert store.record([report(lease, entries=(entry("a"),)) for lease in leases]) == [True, True]

    reopened(spoilt, first)

    def again(store: Store) -> None:
        assert sorted(lease.site for lease in take(store, NOW + 1e6)) == ["site0.example", "site2.example"]
        shown = store.get(BROKEN)
        assert shown.status is Status.DAMAGED
        assert DAMAGES[damage][0] in shown.error
        assert "doctor --repair" in shown.error
        assert len(store.list_resources()) == 3
        assert [item.url for item in store.list_resources(ResourceFilter(status=Status.DAMAGED))] == [BROKEN]
        stats = store.stats(now=NOW)
        assert (stats["resources_damaged"], stats["resources_active"], stats["resources"]) == (1, 2, 3)
        assert store.count(ResourceFilter(status=Status.DAMAGED)) == 1
        assert store.site("site1.example").leased_by == ""  # type: ignore[union-attr]
        assert len(store.entries(after=0, limit=10)) == 2
        assert store.list_resources(ResourceFilter(tag="x")) == []

    reopened(spoilt, again)


def test_damaged_tags_are_none_and_the_others_are_found(damaged: Damaged) -> None:
    damaged.run("UPDATE resource SET tags = ? WHERE url <> ?", '["caf\u00e9", "x"]', BROKEN)
    for text in ('["x" "y"', '{"x": ["x"]}', '["x", 1]', '["\\ud800", "x"]'):
        damaged.spoil("tags", text, is_text=False)
        found = reopened(damaged, lambda store: store.list_resources(ResourceFilter(tag="x")))
        assert len([one for one in found if one.url != BROKEN]) == 2, text


@pytest.mark.parametrize(("damaged", "damage"), POSSIBLE, indirect=["damaged"])
@pytest.mark.parametrize("is_noticed", [False, True])
def test_a_doctor_tells_and_mends(spoilt: Damaged, damage: str, is_noticed: bool) -> None:
    if is_noticed:
        reopened(spoilt, lambda store: store.release([lease.id for lease in take(store)], now=NOW))
    column = DAMAGES[damage][0]

    def look(store: Store) -> None:
        found = [item for item in store.damage.find_damage() if item.table == "resource"]
        assert [(item.name, bool({column, "status"} & {*item.columns})) for item in found] == [(BROKEN, True)]
        assert store.damage.find_damage(), "telling changes nothing"
        told = store.damage.repair_damage()
        assert [item.name for item in told if item.table == "resource"] == [BROKEN]
        assert all(item.can_be_mended for item in told)
        assert store.damage.find_damage() == []
        assert len(take(store, NOW + 100)) == 3
        mended = store.get(BROKEN)
        assert (mended.status, mended.error) == (Status.ACTIVE, "")
        assert store.stats(now=NOW)["resources_active"] == store.stats(now=NOW)["resources_feed"] == 3

    reopened(spoilt, look)


def test_a_status_nobody_knows_is_told_and_mended(damaged: Damaged) -> None:
    damaged.spoil("status", "asleep", is_text=False)

    def look(store: Store) -> None:
        assert len(take(store)) == 2
        assert store.get(BROKEN).status is Status.DAMAGED
        store.damage.repair_damage()
        assert store.get(BROKEN).status is Status.ACTIVE
        assert store.damage.find_damage() == []

    reopened(damaged, look)


@pytest.mark.parametrize("damaged", ["sqlite"], indirect=True)
def test_an_address_that_is_lost_is_told_and_not_made_up(damaged: Damaged) -> None:
    damaged.run(f"UPDATE resource SET url = CAST(? AS TEXT) WHERE url = '{BROKEN}'", b"http://caf\xe9/")

    def look(store: Store) -> None:
        assert len(take(store)) == 2
        for found in (store.damage.find_damage(), store.damage.repair_damage(), store.damage.find_damage()):
            [item] = [item for item in found if item.table == "resource"]
            assert not item.can_be_mended
        assert store.list_resources(ResourceFilter(status=Status.DAMAGED))

    reopened(damaged, look)


def test_totals_that_do_not_add_up_are_counted_anew(damaged: Damaged) -> None:
    damaged.run("UPDATE tally SET value = 7 WHERE name = 'resources/feed/active'")

    def look(store: Store) -> None:
        [found] = store.damage.find_damage()
        assert found.columns == {"resources/feed/active": "says 7, there are 3"}
        store.damage.repair_damage()
        assert store.count(ResourceFilter(status=Status.ACTIVE)) == 3
        assert store.damage.find_damage() == []

    reopened(damaged, look)


def test_damaged_rows_of_sites_links_and_notices_keep_nobody_else(damaged: Damaged) -> None:
    def fill(store: Store) -> None:
        for number in range(2):
            store.notices.add_notice(
                NewNotice(topic=Topic.FAILING, target=f"http://n{number}.example/"), cursor=0.0, now=NOW
            )

    reopened(damaged, fill)
    damaged.run("UPDATE site SET state = ? WHERE name = 'site1.example'", b"\x01")
    damaged.run("UPDATE notice SET topic = 'weather' WHERE target = 'http://n0.example/'")

    def look(store: Store) -> None:
        assert store.site("site1.example") is not None
        assert len(take(store)) == 3
        assert [notice.target for notice in store.notices.list_notices()] == ["http://n1.example/"]
        assert store.links.list_links(LinkFilter()) == []
        told = {item.table: item.can_be_mended for item in store.damage.repair_damage()}
        assert told == {"site": True, "notice": False}
        assert [item.table for item in store.damage.find_damage()] == ["notice"]

    reopened(damaged, look)
