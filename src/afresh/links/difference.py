"""What is told of the difference of two versions of a page: what went and came, with a little of what stands around."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from afresh.base.difference import Mark, Row, compare
from afresh.base.page_text import PageText


class Change(StrEnum):
    """What happened to a piece of text."""

    KEPT = "kept"  # perhaps at another place
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text and what happened to it."""

    change: Change
    text: str


def diff_pages(old: PageText, new: PageText, *, context: int = 1) -> tuple[Piece, ...]:
    """What was removed and added, with so many kept pieces on either side; long pages are cut.

    >>> [str(piece.change) for piece in diff_pages(PageText(pieces=("a", "b")), PageText(pieces=("a", "c")))]
    ['kept', 'removed', 'added']
    """
    found: list[Piece] = []
    for _, rows in groupby(
        compare(old.pieces, new.pieces).rows, key=lambda row: row.mark in (Mark.ADDED, Mark.REMOVED)
    ):
        block = sorted(rows, key=lambda row: row.mark is Mark.ADDED)  # what went is read before what came
        found += [piece for row in block for piece in _pieces(row)]
    news = [at for at, piece in enumerate(found) if piece.change is not Change.KEPT]
    shown = {near for at in news for near in range(at - context, at + context + 1)}
    return tuple(piece for at, piece in enumerate(found) if at in shown)


def _pieces(row: Row) -> Iterator[Piece]:
    """A line of which some words differ is told in both forms."""
    if row.mark in (Mark.SAME, Mark.MOVED):
        yield Piece(Change.KEPT, row.new)
        return
    if row.old:
        yield Piece(Change.REMOVED, row.old)
    if row.new:
        yield Piece(Change.ADDED, row.new)
