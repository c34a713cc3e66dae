"""A change in words: headlines, messages of bounded length, and a difference that other programs can apply."""

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from afresh.base.difference import MAX_LINES, compare
from afresh.pages.changes.wording import as_html, as_lines, as_text, headline, unified

_LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "one two", "one three", ""]), max_size=30)


def applied(patch: str, old: list[str]) -> list[str]:
    """What a unified difference makes of a text, read by the book."""
    new: list[str] = []
    at = 0
    for line in patch.split("\n")[2:-1]:
        if head := re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", line):
            start, count, came, _ = map(int, head.groups())
            until = start - 1 if count else start
            new += old[at:until]
            at = until
            assert len(new) == came - 1 or not int(head[4])
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            assert old[at] == line[1:]
            new += [old[at]] if line.startswith(" ") else []
            at += 1
    return new + old[at:]


@given(_LINES, _LINES)
def test_a_unified_difference_applied_to_the_old_text_gives_the_new_one(old: list[str], new: list[str]) -> None:
    patch = unified(old, new)
    assert applied(patch, old) == new if patch else old == new


def test_what_moved_is_taken_away_where_it_stood() -> None:
    old, new = ["moves", *"abcdefgh"], [*"abcdefgh", "moves"]
    patch = unified(old, new, before="then", now="later")
    assert patch.startswith("--- then\n+++ later\n@@ -1,4 +1,3 @@\n-moves\n a\n")
    assert applied(patch, old) == new


def test_many_hunks_of_a_huge_page() -> None:
    draw = random.Random(3)
    old = [str(draw.random()) for _ in range(MAX_LINES)]
    new = [line if place % 8 else f"not {line}" for place, line in enumerate(old)]
    assert applied(unified(old, new), old) == new


def test_a_single_price_is_the_headline() -> None:
    assert headline(compare(["Price: 10.00 €"], ["Price: 12.50 €"]).news) == "Price: 10.00 → 12.50 €"
    assert headline(compare(["on sale"], ["on sale now"]).news) == "on sale now"


def test_other_changes_are_counted() -> None:
    news = compare(["a", "x moves", "b", "c", "gone away"], ["a", "b", "x moves", "c", "1234567", "89"]).news
    assert headline(news) == "2 lines added, 1 line removed, 1 line moved"
    assert headline(()) == "nothing differs"
    long = compare(["word " * 40], ["word " * 40 + "more"]).news
    assert headline(long) == "1 line changed"


def test_lines_have_signs() -> None:
    news = compare(["moves", "a", "b", "c", "Price: 1"], ["a", "b", "moves", "c", "Price: 2"]).news
    assert list(as_lines(news)) == ["~ moves", "- Price: 1", "+ Price: 2"]


def test_messages_are_no_longer_than_wanted() -> None:
    news = compare([], [f"line {number}" for number in range(100)]).news
    text = as_text(news, most=100)
    assert len(text) < 130
    assert text.endswith("+ line 10\n… and 89 more lines\n")
    assert as_text(news, most=10_000).count("\n") == 100
    assert as_html(news, most=200).endswith("</p><p>…</p>")


def test_what_a_page_says_is_no_markup_of_ours() -> None:
    assert as_html(compare(["<b> 1"], ["<b> 2"]).news) == "<p>&lt;b&gt; <del>1</del> <ins>2</ins></p>"
    assert as_html(compare([], ["<script>"]).news) == "<p><ins>&lt;script&gt;</ins></p>"
