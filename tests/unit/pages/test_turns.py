"""The order within a site: MERGE's places and ticks, and how they bear failures, jumps of the clock and odd numbers."""

import math
from dataclasses import replace

import pytest

from afresh.base.models import Kind, Resource, Site
from afresh.base.records.pages import SiteState
from afresh.pages.turns import seat

NOW = 1_000_000.0


def page(**more: object) -> Resource:
    return replace(Resource(id=1, url="http://a.example/", site="a.example", kind=Kind.PAGE), **more)  # type: ignore[arg-type]


def site(**more: float | None) -> Site:
    return Site(name="a.example", state=SiteState(**more))  # type: ignore[arg-type]


def test_a_page_comes_again_after_as_many_turns_as_its_share_says() -> None:
    made = seat(page(turn=10.0, frequency=0.1), site(frequency=1.0, next_turn=NOW), frequency=0.1, now=NOW, u=0.3)
    assert (made.turn, made.frequency) == (20.0, 0.1)
    assert made.pace.next_turn == NOW + 1.0
    assert (made.pace.added, made.pace.served) == (0.0, 10.0)


def test_a_change_of_all_frequencies_alike_changes_no_place() -> None:
    slow = seat(page(turn=10.0, frequency=0.1), site(frequency=1.0, next_turn=NOW), frequency=0.1, now=NOW, u=0.3)
    fast = seat(page(turn=10.0, frequency=0.2), site(frequency=2.0, next_turn=NOW), frequency=0.2, now=NOW, u=0.3)
    assert slow.turn == fast.turn


def test_the_only_page_of_a_site_ticks_at_its_own_frequency() -> None:
    first = seat(page(), site(), frequency=0.01, now=NOW, u=0.5)
    assert first.turn == 0.5, "a random phase"
    assert first.pace.next_turn == NOW + 50.0
    known = page(turn=0.5, frequency=0.01)
    again = seat(known, site(frequency=0.01, turn=0.5, next_turn=NOW + 50), frequency=0.01, now=NOW + 50, u=0.9)
    assert again.pace.next_turn == NOW + 150.0
    assert again.turn == 1.5


def test_ticks_keep_their_pace_but_are_not_made_up_for() -> None:
    known = page(turn=1.0, frequency=0.1)
    late = seat(known, site(frequency=0.1, next_turn=NOW - 3.0), frequency=0.1, now=NOW, u=0.0)
    assert late.pace.next_turn == NOW + 7.0, "a little lateness is not lost for ever"
    asleep = seat(known, site(frequency=0.1, next_turn=NOW - 86_400.0), frequency=0.1, now=NOW, u=0.0)
    assert asleep.pace.next_turn == NOW, "a day's worth of ticks is"


def test_a_failed_visit_uses_up_its_tick_and_loses_its_place() -> None:
    made = seat(page(turn=5.0, frequency=0.1), site(frequency=0.2, next_turn=NOW), frequency=0.0, now=NOW, u=0.0)
    assert (made.turn, made.frequency) == (None, 0.0)
    assert made.pace.added == -0.1
    assert made.pace.next_turn == NOW + 10.0


def test_without_pages_there_is_no_tick() -> None:
    made = seat(page(), None, frequency=0.0, now=NOW, u=0.5)
    assert (made.turn, made.pace.next_turn, made.pace.added) == (None, None, 0.0)


@pytest.mark.parametrize("frequency", [1e-9, 1.0, 1e6])
def test_places_are_finite_whatever_the_site_remembers(frequency: float) -> None:
    for remembered in (0.0, 1e-12, 1e9):
        made = seat(page(turn=1e12, frequency=5.0), site(frequency=remembered), frequency=frequency, now=NOW, u=0.99)
        assert made.turn is not None
        assert math.isfinite(made.turn)
        assert made.turn >= 1e12
        assert made.pace.next_turn is not None
        assert math.isfinite(made.pace.next_turn)
