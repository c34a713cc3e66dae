"""Query feeds as a use case: made whole or not at all, nothing lost in a crash, pages that stay."""

from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import NewResource
from afresh.base.protocols import Store
from afresh.base.records.queries import QueryNotFound
from afresh.feeds.queries import creating
from afresh.feeds.queries.creating import create, drop
from afresh.feeds.queries.matching import Matcher, identity_of
from afresh.feeds.queries.publishing import find_leaf, read_leaf
from afresh.parse.render_feed import FeedPage
from afresh.store import open_store
from tests.laws.store_material import NOW, entry, report, take


class World:
    """A store with two feeds, and time that goes on with every entry."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store: Store = open_store(str(path))
        new = [
            NewResource(url="http://a.example/feed", site="a.example", folder="news/local", tags=("x",), due=0.0),
            NewResource(url="http://b.example/feed", site="b.example", weight=5.0, due=0.0),
        ]
        self.store.add(new, now=NOW)
        self.now = NOW
        self.matcher = Matcher(self.store.queries, now=lambda: self.now)

    def publish(self, resource: int, *titles: str, **parsed: object) -> None:
        self.now += 100
        leases = take(self.store, self.now)
        [lease] = [lease for lease in leases if lease.resource.id == resource]
        self.store.release([other.id for other in leases if other is not lease], now=self.now)
        made = [entry(title, published=self.now, found=self.now) for title in titles]
        made = [replace(item, parsed=replace(item.parsed, **parsed)) for item in made]  # type: ignore[arg-type]
        assert self.store.record([report(lease, self.now, due=0.0, entries=tuple(made))]) == [True]

    def make(self, text: str, **options: bool) -> None:
        create(self.store, text, now=self.now, **options)

    def page(self, name: str, number: int | None = None) -> FeedPage:
        leaf = find_leaf(self.store, name, number)
        return read_leaf(self.store, leaf, lambda page: f"u{page or ''}")

    def titles(self, name: str, number: int | None = None) -> list[str]:
        return [item.title for item in self.page(name, number).items]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "store.db")


def test_a_query_starts_with_what_is_known_and_goes_on(world: World) -> None:
    world.publish(1, "solar one", "wind")
    world.publish(2, "solar two")
    world.make('CREATE FEED s AS RETURN ALL WHERE TITLE CONTAINS "solar"')
    assert world.titles("s") == ["solar two", "solar one"]
    world.publish(1, "solar three", "rain")
    assert world.matcher.catch_up() == 1
    assert world.matcher.catch_up() == 0
    assert world.titles("s") == ["solar three", "solar two", "solar one"]
    kept = world.store.queries.query("s")
    assert (kept.seen, kept.matched, kept.selectivity) == (5, 3, 0.6)


@pytest.mark.parametrize("source", ["ALL", 'FOLDER "news"', 'TAG "x"'])
def test_it_starts_with_what_is_known_of_its_source_however_much_others_have_published(
    world: World, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr(creating, "BACKLOG", 2)
    world.publish(1, "solar one", "wind")
    world.publish(2, "a", "b", "c", "d", "e")
    world.make(f'CREATE FEED s AS RETURN {source} WHERE TITLE CONTAINS "solar"')
    assert world.titles("s") == ["solar one"]


def test_entries_keep_their_own_ids_where_these_are_theirs_alone(world: World) -> None:
    world.make("CREATE FEED s AS RETURN ALL")
    world.publish(1, "one", native_id="tag:a.example,2026:1")
    world.publish(1, "two", "three", native_id="https://a.example/")  # as some feeds do: one id for all
    world.publish(2, "four", native_id="4")
    world.publish(2, "five", native_id="tag:a.example,2026:1")  # of another source, and not the same entry
    world.matcher.catch_up()
    ids = {item.title: (item.id, item.own_id) for item in world.page("s").items}
    assert ids["one"] == ("tag:a.example,2026:1",) * 2
    assert all(ids[title][0].startswith("urn:uuid:") for title in ("two", "three", "four", "five"))
    assert len({known for known, _ in ids.values()}) == 5
    assert ids["four"][1] == "4"


def test_filters_belong_to_their_sources(world: World) -> None:
    world.make('CREATE FEED f AS RETURN 1 AS $a | "http://b.example/feed" AS $b WHERE $a[TITLE CONTAINS "cat"]')
    world.publish(1, "cat a", "dog a")
    world.publish(2, "cat b", "dog b")
    world.matcher.catch_up()
    assert sorted(world.titles("f")) == ["cat a", "cat b", "dog b"]
    assert [(s.seen, s.matched) for s in world.store.queries.query("f").sources] == [(2, 1), (2, 2)]


def test_a_resource_that_comes_into_a_folder_is_read_from_then_on(world: World) -> None:
    world.make('CREATE FEED f AS RETURN FOLDER "news" | TAG "x"')
    world.publish(1, "one")
    world.publish(2, "two")
    world.matcher.catch_up()
    assert world.titles("f") == ["one"]
    for changes, title in (({"folder": "news"}, "three"), ({"folder": ""}, "four"), ({"tags": ("x",)}, "five")):
        world.store.update(2, **changes)
        world.publish(2, title)
        world.matcher.catch_up()
    assert world.titles("f") == ["five", "three", "one"]


def test_a_crash_between_recording_and_matching_loses_nothing(world: World) -> None:
    world.make("CREATE FEED f AS RETURN ALL")
    world.publish(1, "one")
    world.matcher.catch_up()
    world.publish(1, "two", "three")  # recorded, and then the power goes
    world.store.close()
    world.store = open_store(str(world.path))
    again = Matcher(world.store.queries, now=lambda: world.now)
    assert again.catch_up() == 2
    assert sorted(world.titles("f")) == ["one", "three", "two"]


def test_a_query_made_elsewhere_is_noticed(world: World) -> None:
    world.make("CREATE FEED f AS RETURN 1")
    world.publish(1, "one")
    world.matcher.catch_up()
    other = open_store(str(world.path))
    create(other, "CREATE FEED g AS RETURN 2", now=world.now)
    create(other, 'CREATE FEED f AS RETURN 1 WHERE TITLE CONTAINS "cat"', now=world.now, replace=True)
    other.close()
    world.publish(1, "two", "cat")
    world.publish(2, "three")
    world.matcher.catch_up()
    assert (world.titles("g"), world.titles("f")) == (["three"], ["cat", "one"])
    drop(world.store, "g")
    world.publish(2, "four")
    assert world.matcher.catch_up() == 0


def test_what_was_matched_too_late_is_matched_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.make("CREATE FEED f AS RETURN ALL")
    world.publish(1, "one")
    matched = world.matcher.match

    def slow(entries: object) -> object:
        monkeypatch.setattr(world.matcher, "match", matched)
        world.make("CREATE FEED g AS RETURN ALL")  # while the other one was thinking
        return matched(entries)  # type: ignore[arg-type]

    monkeypatch.setattr(world.matcher, "match", slow)
    world.matcher.catch_up()
    assert (world.titles("f"), world.titles("g")) == (["one"], ["one"])


def test_chains_follow_and_circles_are_refused(world: World) -> None:
    world.publish(1, "cat one", "dog")
    world.make('CREATE FEED a AS RETURN ALL WHERE TITLE CONTAINS "cat"')
    world.make('CREATE FEED b AS RETURN FEED a WHERE NOT TITLE CONTAINS "one"')
    world.make("CREATE FEED c AS RETURN FEED b | FEED a")
    world.publish(2, "cat two", "bird")
    world.matcher.catch_up()
    assert (world.titles("b"), world.titles("c")) == (["cat two"], ["cat two", "cat one"])
    before = world.store.queries.list_queries()
    for text in ("CREATE FEED d AS RETURN FEED d", "CREATE OR REPLACE FEED a AS RETURN FEED c | 1"):
        with pytest.raises(UsageError, match="is a circle") as caught:
            world.make(text)
    assert "a → c → " in str(caught.value)
    with pytest.raises(UsageError, match="is a source of b, c"):
        drop(world.store, "a")
    assert world.store.queries.list_queries() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('CREATE FEED x AS RETURN 1 | "http://c.example/feed"', "unknown source: not watched: http://c.example/feed"),
        ("CREATE FEED x AS RETURN 1 | 77", "unknown source: not watched: 77"),
        ('CREATE FEED x AS RETURN 1 | FOLDER "new"', 'nothing is in folder "new"; folders are: '),
        ('CREATE FEED x AS RETURN 1 | TAG "y"', 'nothing is tagged "y"'),
        ("CREATE FEED x AS RETURN 1 | FEED y", "unknown source: no query feed is called y"),
        ('CREATE FEED x AS RETURN 1 | "not a url"', "unknown source: 'not a url'"),
        ("CREATE FEED f AS RETURN ALL", "there is a query feed f already"),
    ],
)
def test_a_wrong_query_makes_nothing(world: World, text: str, message: str) -> None:
    world.make("CREATE FEED f AS RETURN 1")
    before = (world.store.queries.list_queries(), world.store.queries.query_state())
    with pytest.raises(UsageError) as caught:
        world.make(text)
    assert message in str(caught.value)
    with pytest.raises(ParseError):
        world.make(text + " LIMIT 0")
    assert (world.store.queries.list_queries(), world.store.queries.query_state()) == before


def test_the_same_entry_of_two_sources_is_published_once(world: World) -> None:
    world.make("CREATE FEED f AS RETURN ALL")
    world.publish(1, "same")
    world.publish(2, "same", "other")
    world.publish(1, "same")
    world.matcher.catch_up()
    assert sorted(world.titles("f")) == ["other", "same"]


def test_an_identity_survives_being_subscribed_to(world: World) -> None:
    world.make("CREATE FEED f AS RETURN ALL")
    world.publish(1, "one", native_id="tag:a.example,2026:1")
    world.matcher.catch_up()
    [item] = world.page("f").items
    # A circle over HTTP: another afresh reads this feed, and this one reads the other's. It comes to rest.
    world.publish(2, "one", native_id=item.id, link="http://elsewhere.example/")
    world.matcher.catch_up()
    assert len(world.titles("f")) == 1
    assert identity_of(world.store.queries.offered(resource=2)[0]) == identity_of(
        world.store.queries.offered(resource=1)[0]
    )


def test_pages_never_shift(world: World) -> None:
    world.make("CREATE FEED f AS RETURN ALL LIMIT 3")
    for number in range(1, 8):
        world.publish(1, f"e{number}")
        world.matcher.catch_up()
        current = world.page("f")
        assert current.items[0].title == f"e{number}"
        assert len(current.items) == min(number, 3)
        assert current.older_url == ("" if number <= 3 else "u1" if number <= 6 else "u2")
        if number >= 3:
            assert world.titles("f", 1) == ["e3", "e2", "e1"]
    second = world.page("f", 2)
    assert [item.title for item in second.items] == ["e6", "e5", "e4"]
    assert (second.older_url, second.newer_url, second.current_url, second.is_archive) == ("u1", "", "u", True)
    assert world.page("f", 1).newer_url == "u2"
    with pytest.raises(QueryNotFound):
        world.page("f", 3)


def test_order_by_date_source_and_score(world: World) -> None:
    world.store.update(1, title="Zebra")
    world.store.update(2, title="ant")
    for name, order in (("d", "DATE ASC"), ("s", "SOURCE"), ("r", "SCORE"), ("l", "SCORE ASC")):
        world.make(f'CREATE FEED {name} AS RETURN ALL WHERE ITEM CONTAINS "cat" OR ITEM CONTAINS "x" ORDER BY {order}')
    world.publish(1, "cat x")  # two conditions, twice in the title: 4
    world.publish(1, "other", content="a <b>cat</b>")  # 1
    world.publish(2, "cat")  # 2, weight 5
    world.matcher.catch_up()
    assert world.titles("d") == ["cat x", "other", "cat"]
    assert world.titles("s") == ["cat", "cat x", "other"]
    assert world.titles("r") == ["cat", "cat x", "other"]
    assert world.titles("l") == ["other", "cat x", "cat"]


def test_stamps_change_exactly_when_pages_do(world: World) -> None:
    world.make("CREATE FEED f AS RETURN 1 LIMIT 2")

    def stamps() -> tuple[str, str]:
        return find_leaf(world.store, "f").stamp, find_leaf(world.store, "f", 1).stamp

    world.publish(1, "one", "two")
    world.matcher.catch_up()
    first = stamps()
    world.publish(2, "not for us")
    world.matcher.catch_up()
    assert stamps() == first
    world.publish(1, "three")
    world.matcher.catch_up()
    second = stamps()
    assert second[0] != first[0]
    assert second[1] == first[1]
    world.store.prune(0.0, NOW + 150)  # the first two are forgotten
    assert stamps()[1] != second[1]
    drop(world.store, "f")
    world.now += 1
    world.make("CREATE FEED f AS RETURN 1 LIMIT 2")
    assert find_leaf(world.store, "f").stamp not in (first[0], second[0])


def test_a_query_that_can_no_longer_be_read_stands_still(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.make("CREATE FEED f AS RETURN 1")
    world.make("CREATE FEED g AS RETURN 1 LIMIT 9")
    understood = Matcher._put.__globals__["parse_query"]

    def forgetful(text: str) -> object:
        if "LIMIT 9" in text:
            raise ParseError("an older language")
        return understood(text)

    monkeypatch.setattr("afresh.feeds.queries.matching.parse_query", forgetful)
    world.publish(1, "one")
    assert world.matcher.catch_up() == 1
    assert (world.titles("f"), world.titles("g")) == (["one"], [])
