"""Two versions compared: nothing is lost, as little as possible differs, and it says so in a moment."""

import random
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from afresh.base.difference import MAX_LINES, Difference, Mark, Row, compare, words_of

_LINES = st.lists(st.sampled_from(["a", "b", "c", "one two", "one three", "Price: 10 €", "Price: 12 €"]), max_size=9)
_TEXT = st.text(alphabet="ab 1.9é€\t", max_size=30)


def common(old: list[str], new: list[str]) -> int:
    """Length of the longest common subsequence, by the table everybody knows."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, left in enumerate(old):
        for j, right in enumerate(new):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def told(old: list[str], new: list[str]) -> list[tuple[str, str, str]]:
    return [(row.mark.value, row.old, row.new) for row in compare(old, new).news]


def only(difference: Difference) -> Row:
    [row] = difference.news
    return row


@given(_LINES, _LINES)
def test_as_many_lines_stay_as_can(old: list[str], new: list[str]) -> None:
    assert sum(row.mark is Mark.SAME for row in compare(old, new).rows) == common(old, new)


@given(_LINES, _LINES)
def test_rows_put_together_are_both_versions(old: list[str], new: list[str]) -> None:
    rows = compare(old, new).rows
    assert [row.new for row in rows if row.mark is not Mark.REMOVED] == new
    moved = [row.new for row in rows if row.mark is Mark.MOVED]
    kept = [row.old for row in rows if row.mark not in (Mark.ADDED, Mark.MOVED)]
    assert sorted(kept + moved) == sorted(old)
    stays = iter(old)
    assert all(line in stays for line in kept)  # in their order


@given(_LINES)
def test_nothing_differs_from_itself(lines: list[str]) -> None:
    assert compare(lines, lines).news == ()


@given(_TEXT, _TEXT)
@example(" ", "\t")
@example("a 1", "a\t2")
def test_words_put_together_are_both_forms(old: str, new: str) -> None:
    for row in compare([old], [new]).rows:
        if row.mark is Mark.CHANGED:
            assert "".join(words.text for words in row.words if words.mark is not Mark.ADDED) == old
            assert "".join(words.text for words in row.words if words.mark is not Mark.REMOVED) == new


def test_words_that_differ_side_by_side_are_told_together() -> None:
    row = only(compare(["we meet on the first of May"], ["we meet on the last of June"]))
    assert [(words.mark.value, words.text) for words in row.words if words.mark is not Mark.SAME] == [
        ("removed", "first"),
        ("added", "last"),
        ("removed", "May"),
        ("added", "June"),
    ]
    row = only(compare(["the big red house of ours"], ["the small blue house of ours"]))
    assert [words.text for words in row.words] == ["the ", "big red", "small blue", " house of ours"]


def test_a_price_is_one_word_and_a_number() -> None:
    row = only(compare(["Price: 1,299.00 €"], ["Price: 1,199.50 €"]))
    assert [words.text for words in row.words if words.is_number] == ["1,299.00", "1,199.50"]
    assert row.has_numbers
    assert not only(compare(["on 3 red things"], ["on 3 blue things"])).has_numbers
    assert only(compare([], ["3 things"])).has_numbers


@pytest.mark.parametrize(("old", "new"), [("12", "3,456"), ("10:30", "11:45"), ("★★", "★★★★")])
def test_of_numbers_alone_nothing_can_be_said_so_they_are_forms_of_one_line(old: str, new: str) -> None:
    assert only(compare([old], [new])).mark is Mark.CHANGED


def test_another_line_is_no_form_of_the_one_that_went() -> None:
    assert told(["alpha beta gamma"], ["1 2 3 4 5 6 7 8"]) == [
        ("removed", "alpha beta gamma", ""),
        ("added", "", "1 2 3 4 5 6 7 8"),
    ]


def test_a_block_that_stands_elsewhere_has_moved() -> None:
    head, block, tail = ["one", "two", "three"], ["what moves", "and this"], ["four", "five"]
    assert told([*block, *head, *tail], [*head, *block, *tail]) == [
        ("moved", "what moves", "what moves"),
        ("moved", "and this", "and this"),
    ]


def test_a_line_that_came_twice_and_went_once_has_moved_once() -> None:
    marks = [mark for mark, _, _ in told(["x", "a", "b", "c"], ["a", "x", "b", "c", "x"])]
    assert sorted(marks) == ["added", "moved"]


def test_how_many_words_differ() -> None:
    difference = compare(["a stays", "two went"], ["a stays here now", "quite another matter of words"])
    assert difference.words(Mark.ADDED) == 2 + 5
    assert difference.words(Mark.REMOVED) == 2
    assert words_of("It costs 3.50 €, or so_") == ["It", "costs", "3.50", "or", "so_"]


def test_a_line_longer_than_a_book_is_compared_as_a_whole() -> None:
    old = "word " * 3_000
    row = only(compare([old], [old + "more"]))
    assert [words.mark for words in row.words] == [Mark.REMOVED, Mark.ADDED]


def test_huge_pages_take_a_moment() -> None:
    draw = random.Random(1)
    old = [f"line {draw.randint(0, 10**9)} of {draw.randint(0, 99)}" for _ in range(MAX_LINES)]
    new = [f"line {draw.randint(0, 10**9)} of {draw.randint(0, 99)}" for _ in range(MAX_LINES)]
    started = time.process_time()
    assert len(compare(old, new).news) >= MAX_LINES  # nothing stays
    compare(old, [line for place, line in enumerate(old) if place % 3] + new[:100])
    assert len(compare(old, [*old, *new]).rows) == MAX_LINES  # the rest is not compared
    assert time.process_time() - started < 60.0  # a second or so; without bounds minutes


def test_what_went_stands_before_what_came_in_its_place() -> None:
    old = ["Lamp", "Price: 10 €", "Only a few are left.", "Open from nine to five", "End"]
    new = ["Lamp", "Price: 12 €", "A free bulb!", "Open from ten to five", "End"]
    assert [mark for mark, *_ in told(old, new)] == ["changed", "removed", "added", "changed"]
