"""Readable differences."""

from afresh.base.page_text import PageText
from afresh.links.verdicts.diff import Change, Piece, diff_pages


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
