"""What conditions mean."""

import re

import pytest

from afresh.feeds.queries.evaluate import Scorer, compile_condition
from afresh.feeds.queries.item import Item
from afresh.feeds.queries.model import And, Comparison, Condition, Contains, Dated, Equals, Field, Matches, Not, Or

ITEM = Item(
    title="Solar power for Łódź",
    content="The sun, in winter.\nSolar cells; 東京都の冬",
    categories=("Energy", "Clean  Tech"),
    author="Ann Lee",
    link="https://example.org/Blog/17",
    published=1_000.0,
    found=1_600.0,
)


def holds(condition: Condition | None) -> bool:
    return compile_condition(condition, lambda pattern: lambda text: re.search(pattern, text) is not None)(ITEM)


@pytest.mark.parametrize(
    ("field", "words", "expected"),
    [
        (Field.ITEM, ("solar", "power"), True),
        (Field.ITEM, ("sola",), False),  # whole words
        (Field.ITEM, ("power", "solar"), False),
        (Field.ITEM, ("łódź", "the"), False),  # the last word of the title and the first of the content
        (Field.TITLE, ("cells",), False),
        (Field.CONTENT, ("winter", "solar"), True),
        (Field.CONTENT, ("東", "京"), True),
        (Field.CONTENT, ("京", "東"), False),
        (Field.CATEGORY, ("clean", "tech"), True),
        (Field.CATEGORY, ("energy", "clean"), False),  # two categories
        (Field.AUTHOR, ("lee",), True),
        (Field.LINK, ("blog", "17"), True),
    ],
)
def test_contains(field: Field, words: tuple[str, ...], expected: bool) -> None:
    assert holds(Contains(field, words)) is expected


def test_equals_compares_wholes() -> None:
    assert holds(Equals(Field.CATEGORY, "clean tech"))
    assert not holds(Equals(Field.CATEGORY, "clean"))
    assert holds(Equals(Field.AUTHOR, "ann lee"))
    assert holds(Equals(Field.TITLE, "solar power for łódź"))


def test_matches_searches_each_text() -> None:
    assert holds(Matches(Field.CATEGORY, "^Clean"))
    assert not holds(Matches(Field.TITLE, "cells"))


@pytest.mark.parametrize(
    ("comparison", "start", "end", "expected"),
    [
        (Comparison.BEFORE, 1000, 1100, False),
        (Comparison.BEFORE, 1001, 1100, True),
        (Comparison.UNTIL, 900, 1001, True),
        (Comparison.UNTIL, 900, 1000, False),
        (Comparison.WITHIN, 1000, 1001, True),
        (Comparison.WITHIN, 999, 1000, False),
        (Comparison.SINCE, 1000, 1100, True),
        (Comparison.SINCE, 1001, 1100, False),
        (Comparison.AFTER, 900, 1000, True),
        (Comparison.AFTER, 900, 1001, False),
    ],
)
def test_dates(comparison: Comparison, start: float, end: float, expected: bool) -> None:
    assert holds(Dated(comparison, start, end)) is expected
    assert holds(Dated(comparison, start - ITEM.found, end - ITEM.found, relative=True)) is expected


def test_and_or_not() -> None:
    yes, no = Contains(Field.ITEM, ("solar",)), Contains(Field.ITEM, ("lunar",))
    assert [holds(And((yes, part))) for part in (yes, no)] == [True, False]
    assert [holds(Or((no, part))) for part in (yes, no)] == [True, False]
    assert [holds(Not(part)) for part in (yes, no)] == [False, True]
    assert holds(None)


def test_score_counts_what_was_wanted_and_the_title_twice() -> None:
    def score(condition: Condition | None, weight: float = 1.0) -> float:
        return Scorer(condition, lambda pattern: lambda text: re.search(pattern, text) is not None).score(ITEM, weight)

    solar, winter, lunar = (Contains(Field.ITEM, (word,)) for word in ("solar", "winter", "lunar"))
    assert score(winter) == 1
    assert score(solar) == 2
    assert score(Or((solar, winter, lunar))) == 3
    assert score(And((winter, Not(solar)))) == 1
    assert score(None, weight=2.5) == 2.5
    assert score(solar, weight=3.0) == 6
