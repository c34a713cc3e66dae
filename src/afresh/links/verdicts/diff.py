"""A readable difference of two page versions, text node by text node."""

import difflib
from dataclasses import dataclass
from enum import StrEnum

from afresh.base.page_text import PageText

MAX_PIECES = 2_000


class Change(StrEnum):
    """What happened to a piece of text."""

    KEPT = "kept"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text and what happened to it."""

    change: Change
    text: str


def diff_pages(old: PageText, new: PageText, *, context: int = 1) -> tuple[Piece, ...]:
    """What was removed and added, with a little of what was kept around it; long pages are cut.

    >>> [str(p.change) for p in diff_pages(PageText(pieces=("a", "b")), PageText(pieces=("a", "c")))]
    ['kept', 'removed', 'added']
    """
    a, b = old.pieces[:MAX_PIECES], new.pieces[:MAX_PIECES]
    found: list[Piece] = []
    for group in difflib.SequenceMatcher(None, a, b, autojunk=True).get_grouped_opcodes(context):
        for operation, i, j, k, m in group:
            if operation == "equal":
                found.extend(Piece(Change.KEPT, text) for text in a[i:j])
            else:
                found.extend(Piece(Change.REMOVED, text) for text in a[i:j])
                found.extend(Piece(Change.ADDED, text) for text in b[k:m])
    return tuple(found)
