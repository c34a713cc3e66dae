"""When a visit comes after its operator has changed, or taken back, an interval or a weight."""

from dataclasses import replace

import pytest

from afresh.base.models import Kind, Resource, Result
from afresh.base.replanning import replanned

VISITED = 1_000_000.0
HOUR, DAY = 3_600.0, 86_400.0
FEED = Resource(
    id=1,
    url="https://a.example/feed",
    site="a.example",
    kind=Kind.FEED,
    added=0.0,
    due=VISITED + HOUR,
    last_visit=VISITED,
    last_ok=VISITED,
    last_interval=HOUR,
    last_result=Result.NEW,
)


@pytest.mark.parametrize("kind", [Kind.FEED, Kind.PAGE, Kind.LINK])
def test_a_pin_that_is_taken_back_leaves_the_plan_of_the_rule(kind: Kind) -> None:
    feed = replace(FEED, kind=kind)
    pinned = replace(feed, pinned=DAY, due=replanned(feed, {"pinned": DAY}))
    assert pinned.due == VISITED + DAY
    assert replanned(pinned, {"pinned": None}) == VISITED + HOUR


def test_a_shortest_interval_that_is_taken_back_does_the_same() -> None:
    held = replace(FEED, shortest=DAY, due=replanned(FEED, {"shortest": DAY}))
    assert held.due == VISITED + DAY
    assert replanned(held, {"shortest": None}) == VISITED + HOUR
    assert replanned(held, {"shortest": 2 * HOUR}) == VISITED + 2 * HOUR
    assert replanned(held, {"shortest": 2 * DAY}) == VISITED + 2 * DAY


def test_where_the_last_visit_was_planned_by_the_wish_it_comes_at_once() -> None:
    pinned = replace(FEED, pinned=DAY, last_interval=DAY, due=VISITED + DAY)
    assert replanned(pinned, {"pinned": None}) == VISITED
    held = replace(FEED, shortest=DAY, last_interval=DAY, due=VISITED + DAY)
    assert replanned(held, {"shortest": None}) == VISITED
    assert replanned(held, {"shortest": HOUR}) == VISITED + HOUR


def test_a_pin_that_is_taken_back_and_a_weight_go_together() -> None:
    pinned = replace(FEED, pinned=DAY, due=VISITED + DAY)
    assert replanned(pinned, {"pinned": None, "weight": 4.0}) == VISITED + HOUR / 2
    assert replanned(replace(pinned, shortest=2 * HOUR), {"pinned": None}) == VISITED + 2 * HOUR, "that one still holds"


def test_after_a_failure_nothing_is_known_of_the_plan() -> None:
    pinned = replace(FEED, pinned=DAY, last_result=Result.UNREACHABLE, due=VISITED + DAY)
    assert replanned(pinned, {"pinned": None}) == VISITED


def test_what_was_no_wish_takes_nothing_back() -> None:
    assert replanned(FEED, {"pinned": None}) == FEED.due
    assert replanned(FEED, {"shortest": None}) == FEED.due
    later = replace(FEED, shortest=60.0)  # planned well beyond it
    assert replanned(later, {"shortest": None}) == FEED.due
