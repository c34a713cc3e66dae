"""What a feed is worth to those who read it."""

from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import Kind
from afresh.base.records.notices import NewNotice, Topic
from afresh.base.settings import Settings
from afresh.base.settings.sections import PredictSettings, RefreshSettings
from afresh.engine.kinds import make_kinds
from afresh.feeds.weights import Worth
from tests.unit.feeds.queries.test_query_feeds import World

UNREAD = 0.2


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "store.db")


def worth_of(world: World, resource: int) -> float:
    return Worth(world.store, UNREAD).of(world.store.get(resource))


def test_without_readers_it_is_the_own_weight(world: World) -> None:
    assert [worth_of(world, number) for number in (1, 2)] == [1.0, 5.0]


def test_a_reader_counts_by_its_weight_and_what_it_lets_through(world: World) -> None:
    world.publish(1, "solar one", "wind", "rain")
    world.make('CREATE FEED s WEIGHT 3 FROM "http://a.example/feed" WHERE TITLE CONTAINS "solar"')
    kept = world.store.queries.query("s")
    assert (kept.seen, kept.matched) == (3, 1)
    assert worth_of(world, 1) == pytest.approx(UNREAD + 3 * 2 / 4)
    assert worth_of(world, 2) == pytest.approx(5 * UNREAD)  # nobody reads it
    [reader] = Worth(world.store, UNREAD).readers(world.store.get(1))
    assert str(reader) == "query feed s reads 50% of its entries, each worth 3"


def test_readers_of_readers_count(world: World) -> None:
    world.make('CREATE FEED all-of-it FROM FOLDER "news"')
    world.make("CREATE FEED best WEIGHT 4 AS RETURN FEED all-of-it")
    assert worth_of(world, 1) == pytest.approx(UNREAD + 1 + 4)
    world.store.notices.add_notice(
        NewNotice(topic=Topic.QUERY, subject="best", target="https://hook.example/"), cursor=0.0, now=world.now
    )
    world.store.notices.add_notice(
        NewNotice(topic=Topic.TAG, subject="x", target="https://hook.example/"), cursor=0.0, now=world.now
    )
    assert worth_of(world, 1) == pytest.approx(UNREAD + (1 + 4 + 1) + 1)


@pytest.mark.parametrize(("topic", "subject"), [(Topic.ENTRIES, ""), (Topic.FOLDER, "news")])
def test_a_notice_of_all_entries_or_a_folder_is_a_reader(world: World, topic: Topic, subject: str) -> None:
    new = NewNotice(topic=topic, subject=subject, target="https://hook.example/")
    world.store.notices.add_notice(new, cursor=0.0, now=world.now)
    assert worth_of(world, 1) == pytest.approx(UNREAD + 1)


def test_what_is_read_is_visited_sooner_and_says_by_whom(world: World) -> None:
    """The daemon's own plan: the rule sees the worth, and ``why`` names the readers."""
    world.publish(1, *(f"solar {n}" for n in range(5)))
    world.publish(2, *(f"wind {n}" for n in range(5)))
    world.store.update(2, weight=1.0)
    settings = Settings(predict=PredictSettings(rule="priced"), refresh=RefreshSettings(unread=UNREAD))

    def explained(resource: int) -> tuple[float, tuple[str, ...]]:
        kind = make_kinds(settings, store=world.store, price=lambda _: 1_000.0)[Kind.FEED]
        told = kind.explain(replace(world.store.get(resource), reason=""), now=world.now, site=None, signals={})
        return told.numbers.get("worth", 1.0), told.readers

    assert [explained(number) for number in (1, 2)] == [(1.0, ()), (1.0, ())]
    world.make('CREATE FEED s WEIGHT 5 FROM "http://a.example/feed"')
    (read, readers), (unread, nobody) = explained(1), explained(2)
    assert (read, unread) == pytest.approx((UNREAD + 5, UNREAD))
    assert readers == ("query feed s reads 100% of its entries, each worth 5",)
    assert nobody == ()


@pytest.mark.parametrize("weight", ["0", "1001"])
def test_a_weight_has_bounds(world: World, weight: str) -> None:
    with pytest.raises(Exception, match="WEIGHT"):
        world.make(f"CREATE FEED s WEIGHT {weight} AS RETURN ALL")
