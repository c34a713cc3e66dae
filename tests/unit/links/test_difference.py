"""Readable differences."""

from afresh.base.page_text import PageText
from afresh.links.difference import Change, Piece, diff_pages


def test_what_changed_with_a_little_around_it() -> None:
    old, new = PageText(pieces=tuple("abcdefgh")), PageText(pieces=tuple("abcdXfgh"))
    assert diff_pages(old, new) == (
        Piece(Change.KEPT, "d"),
        Piece(Change.REMOVED, "e"),
        Piece(Change.ADDED, "X"),
        Piece(Change.KEPT, "f"),
    )


def test_equal_pages_have_no_difference() -> None:
    assert diff_pages(PageText(pieces=("a",)), PageText(pieces=("a",))) == ()


def test_a_line_of_which_some_words_differ_is_told_in_both_forms() -> None:
    old = PageText(pieces=("The ferry leaves at nine.", "Bring coats."))
    new = PageText(pieces=("The ferry leaves at ten.", "Bring coats."))
    assert diff_pages(old, new) == (
        Piece(Change.REMOVED, "The ferry leaves at nine."),
        Piece(Change.ADDED, "The ferry leaves at ten."),
        Piece(Change.KEPT, "Bring coats."),
    )


def test_what_stands_elsewhere_now_was_neither_removed_nor_added() -> None:
    old, new = PageText(pieces=tuple("abcdef")), PageText(pieces=tuple("bcdefa"))
    assert diff_pages(old, new) == ()
