"""Statements as PostgreSQL takes them: values have numbers instead of names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

#: A literal, a quoted name, a cast: these stay as they are. A value with a name, or with a place.
_VALUE = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|::|:([a-z_]\w*)|\?""")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A text whose values are numbered (``$1``, ``$2`` …), as PostgreSQL takes them."""

    text: str
    names: tuple[str, ...]  # by number; none where values have places

    def values(self, given: Any) -> Sequence[Any]:
        """The values in the order of their numbers."""
        return [given[name] for name in self.names] if self.names else given or ()


@lru_cache(maxsize=2048)
def numbered(text: str) -> Numbered:
    """A text with its values numbered; nothing else of it changes.

    >>> numbered("SELECT ':a', b::text FROM t WHERE c = :c AND d > :d OR e = :c")
    Numbered(text="SELECT ':a', b::text FROM t WHERE c = $1 AND d > $2 OR e = $1", names=('c', 'd'))
    >>> numbered("VALUES (?, ?)")
    Numbered(text='VALUES ($1, $2)', names=())
    """
    names: dict[str, int] = {}
    places = 0

    def number(found: re.Match[str]) -> str:
        nonlocal places
        if found[0] == "?":
            places += 1
            return f"${places}"
        return f"${names.setdefault(found[1], len(names) + 1)}" if found[1] else found[0]

    made = _VALUE.sub(number, text)
    return Numbered(made, tuple(names))
