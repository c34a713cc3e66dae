"""Where two pictures of a page differ, and the picture of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.records.watches import TALLEST
from afresh.pages.changes.picturing import Patch, Pixels, differing_rows, picture_difference

WIDTH = 50


def page(*lines: int) -> Pixels:
    """Lines of ten rows, each like no other but one of the same number, between rows of white; 0: no line."""
    rows = [np.full((5, WIDTH, 3), 255, dtype=np.uint8)]
    for number in filter(None, lines):
        drawn = np.random.default_rng(number).integers(0, 200, (10, WIDTH, 3), dtype=np.uint8)
        rows += [drawn, rows[0]]
    return np.concatenate(rows)


def test_the_same_page_has_no_difference() -> None:
    assert differing_rows(page(1, 2, 3), page(1, 2, 3)) == []
    assert picture_difference(page(1), page(1)).shape[1] == 2 * WIDTH + 16


@pytest.mark.parametrize(
    ("old", "new", "patches"),
    [
        ((1, 2, 3), (1, 9, 3), [Patch(range(20, 30), range(20, 30))]),
        ((1, 2, 3), (1, 2, 9, 3), [Patch(range(35, 35), range(35, 50))]),
        ((1, 2, 3), (1, 3), [Patch(range(20, 35), range(20, 20))]),
        ((1, 2, 3), (9, 1, 2, 3), [Patch(range(5, 5), range(5, 20))]),
        ((1, 2, 3, 4, 5), (9, 2, 3, 4, 8), [Patch(range(5, 15), range(5, 15)), Patch(range(65, 75), range(65, 75))]),
        ((1, 2), (7, 8), [Patch(range(5, 30), range(5, 30))]),
    ],
    ids=["changed", "added", "removed", "added on top", "two", "all"],
)
def test_what_is_pushed_down_is_no_difference(old: tuple[int, ...], new: tuple[int, ...], patches: list[Patch]) -> None:
    assert differing_rows(page(*old), page(*new)) == patches


def test_what_falls_off_the_end_of_the_picture_is_no_difference() -> None:
    long = page(*range(1, 500))
    assert differing_rows(long[:TALLEST], page(999, *range(1, 500))[:TALLEST]) == [Patch(range(5, 5), range(5, 20))]


def test_more_or_less_of_nothing_is_no_difference() -> None:
    nothing = np.full((40, WIDTH, 3), 255, dtype=np.uint8)
    assert differing_rows(np.concatenate([page(1, 2), nothing]), page(1, 2)) == []
    assert differing_rows(page(1), np.concatenate([nothing, page(1), nothing])) == []


def test_changes_are_marked_on_both_sides_and_the_rest_is_folded() -> None:
    old = page(*range(1, 60))
    new = page(*range(1, 30), 99, *range(31, 60))
    shown = picture_difference(old, new)
    assert len(shown) < 200 < len(new)
    reds, greens = ((shown == colour).all(axis=2) for colour in ((190, 30, 30), (20, 120, 50)))
    assert reds.any()
    assert greens.any()
    assert not reds[:, WIDTH:].any()
    assert not greens[:, :WIDTH].any()


def test_sides_of_other_widths_are_compared() -> None:
    assert picture_difference(page(1), page(1)[:, :40]).shape[1] == 2 * WIDTH + 16


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), max_size=30))
def test_what_is_between_the_patches_is_the_same(old: list[int], new: list[int]) -> None:
    """Rows that are often there, and in any order: patches ascend, and around them both pictures agree."""
    left, right = (np.full((len(rows) + 1, 2, 3), 200, dtype=np.uint8) for rows in (old, new))
    for side, rows in ((left, old), (right, new)):
        side[:, 0] = np.array([*rows, 4])[:, None]
    at_old = at_new = 0
    for patch in [*differing_rows(left, right), Patch(range(len(left), 0), range(len(right), 0))]:
        same = patch.old.start - at_old
        assert same == patch.new.start - at_new >= 0
        assert (left[at_old : at_old + same] == right[at_new : at_new + same]).all()
        at_old, at_new = patch.old.stop, patch.new.stop
    assert picture_difference(left, right).shape[1] == 20
