"""A view takes the fields of the same names, in the form its types ask for."""

from dataclasses import dataclass
from math import inf
from typing import Annotated

import pytest

from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.showing import following, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    number: int
    made: float | None
    wait: float | None
    tags: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    number: int
    town: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingView:
    number: int
    town: Annotated[str | None, About("Where.")]
    made: Time | None
    wait: Annotated[float | None, About("Seconds.")]
    tags: tuple[str, ...]
    label: str


def test_times_numbers_and_lists_take_the_form_of_the_field() -> None:
    view = shown(ThingView, Thing(number=7, made=0.25, wait=inf, tags=["a"]), Place(number=8, town="Graz"), label="x")
    expected = ThingView(
        number=7, town="Graz", made="1970-01-01T00:00:00.250Z", wait=None, tags=("a",), label="x"
    )  # the first that has a field gives it
    assert view == expected


def test_what_is_told_goes_first() -> None:
    thing, place = Thing(number=7, made=None, wait=1.0, tags=[]), Place(number=8, town="Graz")
    assert shown(ThingView, thing, place, number=9, label="").number == 9


def test_a_field_that_nobody_has_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="label"):
        shown(ThingView, Thing(number=7, made=None, wait=1.0, tags=[]), Place(number=8, town="Graz"))


def test_only_a_full_page_has_a_following_one() -> None:
    places = [Place(number=1, town="Graz"), Place(number=2, town="Wien")]
    assert following(places, 2, "number") == 2
    assert following(places, 3, "number") is None
    assert following([], 3) is None
