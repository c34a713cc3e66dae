"""Which strategy, estimator and target hold for a feed."""

from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.records.refreshing import KEY, Choice, from_text, to_text
from afresh.base.settings import Settings
from afresh.base.settings.sections import RefreshSettings
from afresh.engine.kinds import make_kinds
from afresh.feeds.strategy_choices import Choices
from tests.unit.feeds.queries.test_query_feeds import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "store.db")


def say(world: World, **said: Choice) -> Choices:
    world.store.put_setting(KEY, to_text({name.replace("_", ":", 1): one for name, one in said.items()}))
    return Choices(world.store, Choice(strategy="priced", estimator="hybrid"))


def test_the_nearest_scope_goes_first(world: World) -> None:
    feed = replace(world.store.get(1), folder="news/local", tags=("x",))
    world.make('CREATE FEED q AS RETURN "http://a.example/feed"')
    said = {
        "folder_news": Choice(strategy="uniform", estimator="single", mean_delay=60.0),
        "folder_news/local": Choice(strategy="only_tau"),
        "tag_x": Choice(estimator="periodic"),
    }
    chosen = say(world, **said).of(feed)
    assert (chosen.strategy, chosen.choice.estimator, chosen.choice.mean_delay) == ("only_tau", "periodic", 60.0)
    assert chosen.by == {"strategy": "folder:news/local", "estimator": "tag:x", "mean_delay": "folder:news"}
    chosen = say(world, **said, query_q=Choice(strategy="2steps")).of(feed)
    assert (chosen.strategy, chosen.by["strategy"]) == ("2steps", "query:q")
    chosen = say(world, **said, query_q=Choice(strategy="2steps"), feed_1=Choice(strategy="only_sat")).of(feed)
    assert chosen.strategy == "only_sat"
    other = replace(world.store.get(2), folder="")
    assert say(world, **said).of(other).strategy == "priced"


def test_a_query_feed_over_others_reaches_their_sources(world: World) -> None:
    world.make('CREATE FEED inner AS RETURN "http://a.example/feed"')
    world.make("CREATE FEED outer AS RETURN FEED inner")
    assert say(world, query_outer=Choice(strategy="2steps")).of(world.store.get(1)).strategy == "2steps"
    assert say(world, query_outer=Choice(strategy="2steps")).of(world.store.get(2)).strategy == "priced"


def test_an_own_rule_or_interval_stays(world: World) -> None:
    settings = Settings(refresh=RefreshSettings(strategy="2steps"))
    kinds = make_kinds(settings, store=world.store)
    feed = replace(world.store.get(1), last_ok=1.0)
    assert kinds.is_governed(feed)
    assert kinds.member(feed) is not None
    for own in (replace(feed, rule="mavsync"), replace(feed, pinned=60.0)):
        assert not kinds.is_governed(own)
        assert kinds.member(own) is None
    world.store.put_setting(KEY, to_text({"feed:1": Choice(strategy="uniform")}))
    kinds = make_kinds(settings, store=world.store)
    found = kinds.member(replace(feed, rule="mavsync"))
    assert found is not None
    assert found[0] == ("feeds", "uniform", "hybrid")


def test_what_is_damaged_says_nothing() -> None:
    assert from_text('{"feed:1": {"strategy": 3, "mean_delay": "soon"}}') == {}
    assert from_text("[") == {}
