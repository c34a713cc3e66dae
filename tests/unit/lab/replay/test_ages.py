"""Delay by the age of our knowledge."""

import math

import numpy as np
import pytest

from afresh.feeds.rules import load
from afresh.lab.replay import Period, Trace
from afresh.lab.replay.ages import by_age

HOUR, DAY = 3_600.0, 86_400.0


def a_trace(times: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Trace:
    return Trace(
        name="one", feed_ids=np.array([1]), offsets=np.array([0, len(times)]), times=times, windows=np.array([50])
    )


def test_entries_belong_to_the_span_they_were_published_in_whenever_they_were_found() -> None:
    """Polled every two hours from 0 h on; the first poll shows what was there before and is not counted."""
    times = HOUR * np.array([-1.0, 0.75, 1.5, 23.5, 24.5, 24.0 * 6, 24.0 * 8 + 1])
    found = by_age(a_trace(times), load("fix:interval=2h"), None, period=Period(0.0, 2 * DAY, 10 * DAY))
    assert [age.span for age in found] == ["hour", "day", "week", "month"]
    assert [age.found for age in found] == [1, 2, 2, 1]
    assert [age.polls for age in found] == [0, 12, 72, 36]
    delays = [age.delay_entries / HOUR for age in found]
    assert delays == pytest.approx([1.25, 0.5, 0.75, 1.0])
    assert [age.delay_feeds for age in found] == [age.delay_entries for age in found]


def test_a_span_in_which_nothing_came_has_no_delay() -> None:
    found = by_age(a_trace(np.array([-5.0, 30 * HOUR])), load("mavsync"), None, period=Period(0.0, DAY, 2 * DAY))
    assert [age.found for age in found] == [0, 0, 1]
    assert math.isnan(found[0].delay_entries)


def test_a_priced_rule_spends_what_the_reference_spends_in_the_training_part() -> None:
    rng = np.random.default_rng(3)
    times = np.sort(rng.uniform(0.0, 60 * DAY, 600))
    period = Period(10 * DAY, 38 * DAY, 60 * DAY)
    ours, reference = (
        by_age(a_trace(times), load(rule), load("mavsync"), period=period) for rule in ("sqrt", "mavsync")
    )
    made, allowed = (sum(age.polls for age in found[:-1]) for found in (ours, reference))
    assert made == pytest.approx(allowed, rel=0.03)
