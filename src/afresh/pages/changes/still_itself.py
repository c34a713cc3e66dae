"""Whether a page is still the page, by how much of its own text is there: menus are most lines of many sites."""

from collections.abc import Collection, Sequence


def is_itself(old: Sequence[str], new: Sequence[str], *, own: Collection[str] | None = None) -> bool:
    """Whether half of the text is still there; lines of the new page that are not its ``own`` say nothing.

    Letters are counted, not lines or words: a menu has many short lines, and some scripts have no blanks.

    >>> old, new = ("Opening hours", "Contact", "Lamps are sold here."), ("Opening hours", "Contact", "Log in.")
    >>> is_itself(old, new), is_itself(old, new, own=("Log in.",))
    (True, False)
    """
    there = frozenset(new)
    frame = frozenset() if own is None else there.difference(own)
    text = frozenset(old) - frame
    return 2 * _letters(text & there) >= _letters(text)


def _letters(lines: Collection[str]) -> int:
    return sum(map(len, lines))
