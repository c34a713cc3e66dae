"""Relevance feedback and trained profiles on a real store."""

from pathlib import Path

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.base.protocols import Store
from afresh.base.settings.sections import PredictSettings
from afresh.feeds.kind import FeedKind
from afresh.feeds.profiles import Profiles
from afresh.feeds.relevance import note_relevance, share_of
from afresh.feeds.rules import hints, load
from afresh.store import open_store
from tests.fakes.fake_web import rss
from tests.unit.engine.test_loop import Running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    running = Running(tmp_path)
    running.add("https://a.example/feed", "https://b.example/feed")
    now = running.clock.now()
    dates = {name: now - 3600.0 * age for age, name in enumerate("dcba", start=1)}
    for host in "ab":
        running.web.document(f"https://{host}.example/feed", rss("d", "c", "b", "a", dates=dates))
    running.run(until=20)
    running.store.close()
    return open_store(str(tmp_path / "loop.db"))


def test_feeds_are_weighed_by_the_share_of_relevant_entries(store: Store) -> None:
    mine = [item.seq for item in store.entries(limit=100, resource=1)]
    noted = note_relevance(store, {mine[0]: True, mine[1]: False, mine[2]: False})
    assert [(item.resource, item.relevant, item.judged) for item in noted] == [(1, 1, 3)]
    assert store.get(1).weight == pytest.approx(share_of(1, 3)) == pytest.approx(0.4)
    assert store.get(2).weight == 1.0
    note_relevance(store, {mine[3]: True})
    assert store.get(1).weight == pytest.approx(share_of(2, 4)), "counts are kept, the base weight is not compounded"
    store.close()


def test_unknown_entries_are_refused_and_nothing_changes(store: Store) -> None:
    with pytest.raises(UsageError, match="999"):
        note_relevance(store, {1: True, 999: False})
    assert store.get(1).weight == 1.0
    store.close()


def test_profiles_are_trained_from_stored_entries_and_again_after_a_while(store: Store) -> None:
    rule = load("indhist:theta=0.5")
    now = 1_000_000.0
    profiles = Profiles(store, period=1000.0)
    first = profiles.profile(1, rule, now)
    assert first is not None
    assert np.count_nonzero(first) == 4, "four entries in four different hours"
    assert profiles.profile(1, rule, now + 500.0) is first
    assert profiles.profile(1, rule, now + 1500.0) is not first
    assert profiles.profile(1, load("mavsync"), now) is None
    store.close()


def test_a_trained_rule_plans_in_the_daemon(store: Store) -> None:
    feeds = FeedKind(PredictSettings(rule="indhist:theta=0.5"), profiles=lambda: Profiles(store))
    resource = store.get(1)
    row = feeds.hints(resource, feeds.rule(resource), 1_000_100.0, missed=False)
    assert len(row) == hints.PROFILE + 24
    told = feeds.explain(resource, now=1_000_100.0)
    assert told.numbers["rate_per_day"] > 0
    store.close()
    bare = FeedKind(PredictSettings(rule="indhist"))
    assert len(bare.hints(resource, bare.rule(resource), 0.0, missed=False)) == hints.PROFILE + 24
