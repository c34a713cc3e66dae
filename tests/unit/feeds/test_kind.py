"""The rule that a feed is visited by."""

from email.utils import formatdate

import numpy as np
import pytest

from afresh.base.models import Bounds, Kind, Lease, Resource, Window
from afresh.base.settings import Settings
from afresh.base.settings.sections import RefreshSettings
from afresh.base.visits import Answer
from afresh.engine.kinds import make_kinds
from afresh.engine.outcomes import plain_finding
from afresh.feeds.kind import FeedKind, rule_of
from afresh.feeds.rules import values_of
from tests.fakes.watched import fetched

BOUNDS = Bounds()


def test_the_daemons_fairness_holds_for_rules_that_know_it_and_name_none() -> None:
    assert values_of(rule_of("priced", BOUNDS, 0.9))["fairness"] == 0.9
    assert values_of(rule_of("priced:fairness=0.1", BOUNDS, 0.9))["fairness"] == 0.1
    assert values_of(rule_of("priced", BOUNDS))["fairness"] == 0.4
    assert "fairness" not in values_of(rule_of("mavsync", BOUNDS, 0.9))


@pytest.mark.parametrize(("dated", "lost"), [(True, 40.0), (False, 1.0)])
def test_what_was_lost_between_two_windows_is_estimated(dated: bool, lost: float) -> None:
    """Ten minutes without a look, and a window of the last ten seconds with one entry a second."""
    feeds, now = make_kinds(Settings())[Kind.FEED], 1_760_000_600.0
    items = [f"<item><guid>{n}</guid>{_date(now - 10 + n) if dated else ''}</item>" for n in range(10)]
    body = f"<rss version='2.0'><channel><title>t</title>{''.join(items)}</channel></rss>".encode()
    window = Window((b"old",), np.array([now - 50.0]))
    before = Resource(id=1, url="http://a.example/", site="a.example", kind=Kind.FEED, window=window, last_ok=now - 50)
    lease = Lease(id=1, resource=before, site="a.example", until=now + 60)
    outcome = fetched(before.url, body, now, "application/rss+xml")
    finding = feeds.judge(Answer(lease=lease, outcome=outcome, site=None), plain_finding(outcome))
    assert (finding.missed, finding.lost) == (True, lost)


def _date(moment: float) -> str:
    return f"<pubDate>{formatdate(moment)}</pubDate>"


def test_the_setting_reaches_the_feeds() -> None:
    feeds = make_kinds(Settings(refresh=RefreshSettings(fairness=0.9)))[Kind.FEED]
    assert isinstance(feeds, FeedKind)
    assert feeds.fairness == 0.9
