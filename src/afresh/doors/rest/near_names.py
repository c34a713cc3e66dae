"""A name that means nothing: which one was meant, or which there are."""

from collections.abc import Collection
from difflib import get_close_matches

_LONGEST = 60  # signs of a name that are said again


def shown(name: str) -> str:
    """A name as it is said again: a long one is cut."""
    return name[:_LONGEST]


def meant(name: str, known: Collection[str]) -> str:
    """What to say beside a name that is not known.

    >>> meant("foldr", ("folder", "tag")), meant("zz", ("folder", "tag")), meant("zz", ())
    ('did you mean folder?', 'there are folder, tag', 'there is none here')
    """
    if near := get_close_matches(shown(name), sorted(known), n=1):
        return f"did you mean {near[0]}?"
    return f"there are {', '.join(sorted(known))}" if known else "there is none here"
