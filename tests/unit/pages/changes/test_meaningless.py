"""Differences that say nothing are told from those that do."""

from datetime import UTC, datetime

import pytest

from afresh.base.difference import compare
from afresh.pages.changes.meaningless import is_passing, says_nothing_new

NOW = datetime(2026, 11, 11, 9, 30, tzinfo=UTC).timestamp()


def passes(old: str, new: str) -> bool:
    [row] = compare([old], [new]).news
    return is_passing(row, now=NOW)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Today is Tuesday, 10 November 2026", "Today is Wednesday, 11 November 2026"),
        ("Stand: 09.11.2026, 10:15 Uhr", "Stand: 11.11.2026, 09:00 Uhr"),
        ("served 2026-11-10T08:00:00Z", "served 2026-11-11T09:29:59Z"),
        ("Updated November 10, 2026 at 3:15 pm", "Updated November 11, 2026 at 9:05 am"),
        ("11/9/2026", "11/12/2026"),  # tomorrow, in the east
        ("2026年11月10日", "2026年11月11日"),
        ("posted 5 minutes ago", "posted 2 hours ago"),
        ("vor 3 Tagen", "vor einem Tag"),
        ("il y a 2 heures", "il y a 3 heures"),
        ("It is 10:15", "It is 11:45"),
        ("session 3f9a8c7b6d5e4f3a2b1c", "session 0a1b2c3d4e5f60718293"),
    ],
)
def test_what_passes(old: str, new: str) -> None:
    assert passes(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Deadline: 2026-12-01", "Deadline: 2026-12-24"),  # a date, but not today's
        ("Concert on 2026-11-20", "Concert on 2026-11-05"),  # on the eleventh of the eleventh, too
        ("Concert on 01.11.2027", "Concert on 11.11.2027"),
        ("Price: 10.00 €", "Price: 12.00 €"),
        ("5 minutes of fame", "6 minutes of fame"),
        ("version 1.2", "version 1.3"),
        ("Today is 10 November 2026: open", "Today is 11 November 2026: closed"),
    ],
)
def test_what_counts(old: str, new: str) -> None:
    assert not passes(old, new)


def test_a_question_about_cookies_passes_when_it_comes_and_goes() -> None:
    for old, new in ((["a"], ["a", "We use cookies."]), (["a", "Ihre DSGVO-Einstellungen"], ["a"])):
        assert all(is_passing(row, now=NOW) for row in compare(old, new).news)
    [row] = compare(["a"], ["a", "Cookieless at last"]).news
    assert not is_passing(row, now=NOW)


def test_the_same_words_in_other_lines_say_nothing_new() -> None:
    assert says_nothing_new(compare(["alpha beta", "x"], ["x", "beta", "alpha"]).news)
    assert not says_nothing_new(compare(["alpha beta"], ["1", "2", "3"]).news)
    assert says_nothing_new(compare(["moves", "a", "b"], ["a", "b", "moves"]).news)
    assert not says_nothing_new(compare(["on sale"], ["on sale now"]).news)
