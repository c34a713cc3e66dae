"""The rules of today's readers and crawlers, case by case of their description."""

import math

import numpy as np
import pytest

from afresh.base.calendar import DAY, HOUR, MINUTE
from afresh.base.models import Bounds
from afresh.feeds.rules import hints as slots
from afresh.feeds.rules import load

WIDE = Bounds(shortest=1.0, longest=1_000 * DAY, standard=HOUR)
NOW = 1_000 * DAY


def wait(
    spec: str, ages: list[float], *, new: int = 0, state: np.ndarray | None = None, u: float = 0.0, **hints: float
) -> float:
    """Seconds until the next poll; ages of the window's entries in seconds."""
    rule = load(spec, WIDE)
    row = np.zeros(rule.state_size) if state is None else state
    known = slots.row(np.zeros(rule.profile_size), **hints)
    window = np.array(sorted(NOW - age for age in ages))
    return float(type(rule).step(rule.params(), row, NOW, window, new, known, u)) - NOW


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("miniflux_round_robin", 3_600.0),
        ("freshrss", 3_600.0),
        ("tiny_tiny_rss", 1_800.0),
        ("feedbin", 900.0),
        ("rss_guard", 900.0),
    ],
)
def test_constant(name: str, seconds: float) -> None:
    assert wait(name, [DAY, HOUR]) == seconds


class TestMiniflux:
    def test_weekly_count(self) -> None:
        # 15 entries over 7 days less a bit: gap 0.5 d, 14 a week
        assert wait("miniflux", [0.0], count_7d=15, oldest_7d=NOW - 7 * DAY) == 12 * HOUR

    @pytest.mark.parametrize(("count", "oldest"), [(0, math.nan), (1, NOW), (4, NOW)])
    def test_no_gap_is_a_day(self, count: int, oldest: float) -> None:
        assert wait("miniflux", [0.0], count_7d=count, oldest_7d=oldest) == DAY

    def test_busy_feeds_stop_at_five_minutes(self) -> None:
        assert wait("miniflux", [0.0], count_7d=2_001, oldest_7d=NOW - 2_000.0) == 300.0

    @pytest.mark.parametrize("hint", ["ttl", "max_age", "retry_after"])
    def test_the_server_can_raise_but_not_beyond_a_day(self, hint: str) -> None:
        known = {"count_7d": 2_001, "oldest_7d": NOW - 2_000.0}
        assert wait("miniflux", [0.0], **known, **{hint: 7_000.0}) == 7_000.0
        assert wait("miniflux", [0.0], **known, **{hint: 7 * DAY}) == DAY

    def test_tick(self) -> None:
        assert wait("miniflux:tick=1h", [0.0], count_7d=2_001, oldest_7d=NOW - 2_000.0) == HOUR


@pytest.mark.parametrize(
    ("ages", "seconds"),
    [
        ([], 4 * HOUR),
        ([31 * DAY], 4 * HOUR),
        ([15 * DAY], 2 * HOUR),
        ([8 * DAY], HOUR),
        ([DAY], 4 * HOUR),  # one entry has no gap
        ([1 * HOUR, 1.5 * HOUR], 15 * MINUTE),
        ([0.0, 60.0], 5 * MINUTE),
        ([0.0, 5 * DAY], HOUR),
    ],
)
def test_commafeed(ages: list[float], seconds: float) -> None:
    assert wait("commafeed", ages) == pytest.approx(seconds)


def test_commafeed_cache_validity_raises() -> None:
    assert wait("commafeed", [0.0, 60.0], max_age=2 * HOUR) == 2 * HOUR
    assert wait("commafeed", [0.0, 60.0], max_age=2 * DAY) == 4 * HOUR


@pytest.mark.parametrize(
    ("spec", "count", "age", "minutes"),
    [
        ("newsblur", 30, 0.0, 45.0),
        ("newsblur:subscribers=2", 30, 0.0, 15.0),
        ("newsblur:subscribers=10", 60, 0.0, 6.0),
        ("newsblur", 24, 0.0, 72.0),
        ("newsblur", 3, 0.0, 240.0),
        ("newsblur:subscribers=3", 15, 0.0, 30.0),
        ("newsblur", 0, 40 * DAY, 240.0),
        ("newsblur:subscribers=0", 0, 45 * DAY, 2_160.0),
        ("newsblur:subscribers=0", 0, 400 * DAY, 2_880.0),
        ("newsblur:websub=yes", 30, 0.0, 240.0),
    ],
)
def test_newsblur(spec: str, count: int, age: float, minutes: float) -> None:
    assert wait(spec, [age], count_30d=count) == pytest.approx(minutes * MINUTE)
    assert wait(spec, [age], count_30d=count, u=1.0) == pytest.approx(1.25 * minutes * MINUTE)


def test_newsblur_jitter_of_short_intervals() -> None:
    # 29.7 of 30 stories: 3.6 minutes, doubled at most
    assert wait("newsblur", [0.0], count_30d=29.7, u=1.0) == pytest.approx(2 * 3.6 * MINUTE)


@pytest.mark.parametrize(
    ("count", "oldest", "seconds"), [(0, 0.0, DAY), (10, 5 * DAY, 12 * HOUR), (100, DAY, HOUR), (1, 29 * DAY, DAY)]
)
def test_freshrss_autottl(count: int, oldest: float, seconds: float) -> None:
    assert wait("freshrss_autottl", [0.0], count_30d=count, oldest_30d=NOW - oldest) == seconds


def test_reader_meets_the_full_hour() -> None:
    rule = load("reader", WIDE)
    at = NOW + 1_000.0
    due = type(rule).step(rule.params(), np.zeros(0), at, np.zeros(0), 0, slots.row(), 0.0)
    assert due == NOW + HOUR
    assert wait("reader", [], u=1.0) == HOUR + 0.25 * HOUR


def test_nutch() -> None:
    state = np.zeros(2)
    assert wait("nutch", [0.0], new=1, state=state) == pytest.approx(0.8 * HOUR)
    state[:] = [HOUR, NOW - 3 * HOUR]
    # unchanged for 3 h: 1.4 h is less than the silence, which becomes the interval; 30 % of it are taken off
    assert wait("nutch", [3 * HOUR], state=state) == pytest.approx(3 * HOUR - 0.9 * HOUR)
    assert state[0] == 3 * HOUR


@pytest.mark.parametrize(
    ("name", "new", "before", "after"),
    [
        ("stormcrawler", 1, 5 * HOUR, 3 * HOUR),
        ("stormcrawler", 0, 4 * HOUR, 6 * HOUR),
        ("stormcrawler", 0, 13 * DAY, 14 * DAY),
        ("news_crawl", 1, 6.5 * HOUR, 5.5 * HOUR),
        ("news_crawl", 0, 80 * DAY, 90 * DAY),
        ("stormcrawler", 1, 0.0, DAY),
        ("news_crawl", 1, 0.0, 1.5 * HOUR),
    ],
)
def test_storm(name: str, new: int, before: float, after: float) -> None:
    assert wait(name, [0.0], new=new, state=np.array([before])) == pytest.approx(after)


def test_palladian_sums_minutes_up_to_one() -> None:
    rule = load("palladian_postrate", WIDE)
    # on ten days one entry at 00:30 and on every other day one at 01:00
    times = np.concatenate(
        [NOW + DAY * np.arange(-10.0, 0.0) + 30 * MINUTE, NOW + DAY * np.arange(-10.0, 0.0, 2) + HOUR]
    )
    profile = rule.train(times, 0.0, NOW + 30 * MINUTE)  # type: ignore[attr-defined]
    hints = slots.row(profile)
    first = type(rule).step(rule.params(), np.zeros(0), NOW, np.zeros(0), 0, hints, 0.0)
    assert first == NOW + 30 * MINUTE
    second = type(rule).step(rule.params(), np.zeros(0), first, np.zeros(0), 0, hints, 0.0)
    assert second == first + DAY  # a half at 01:00, and a whole at the next 00:30
