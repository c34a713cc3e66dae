"""The rule that a feed is visited by."""

from afresh.base.models import Bounds, Kind
from afresh.base.settings import Settings
from afresh.base.settings.sections import RefreshSettings
from afresh.engine.kinds import make_kinds
from afresh.feeds.kind import FeedKind, rule_of
from afresh.feeds.rules import values_of

BOUNDS = Bounds()


def test_the_daemons_fairness_holds_for_rules_that_know_it_and_name_none() -> None:
    assert values_of(rule_of("priced", BOUNDS, 0.9))["fairness"] == 0.9
    assert values_of(rule_of("priced:fairness=0.1", BOUNDS, 0.9))["fairness"] == 0.1
    assert values_of(rule_of("priced", BOUNDS))["fairness"] == 0.4
    assert "fairness" not in values_of(rule_of("mavsync", BOUNDS, 0.9))


def test_the_setting_reaches_the_feeds() -> None:
    feeds = make_kinds(Settings(refresh=RefreshSettings(fairness=0.9)))[Kind.FEED]
    assert isinstance(feeds, FeedKind)
    assert feeds.fairness == 0.9
