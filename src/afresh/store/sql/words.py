"""Words that people look for as conditions of SQL; every value is bound.

Both databases take small and large letters of ASCII for the same and know nothing of others, so a word with other
letters is asked for as it may be written: small, large, or with a large first letter.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from afresh.store.sql.rows import searched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")
_SIGNS = re.compile(r"[%_!]")  # that mean something to LIKE
_PRINTED = re.compile(r"[!-~]+")
_SOLID = re.compile(r"[^\W_]+")
_ALIKE = re.compile(r"[a-z0-9]+")  # letters that mark-up writes as they are: it has &eacute; and &amp;
_MOST = 4  # words that mark-up is asked for


def having(words: Sequence[str], columns: Sequence[str], small: str) -> tuple[str, dict[str, object]]:
    """Each of the words in one of the columns; ``small`` is what makes letters small there, see ``filters.in_both``.

    >>> having(["a", "50%"], ["title"], "lower")
    ("((lower(title) LIKE :word_0_0 ESCAPE '!') AND (lower(title) LIKE :word_1_0 ESCAPE '!'))", \
{'word_0_0': '%50!%%', 'word_1_0': '%a%'})
    """
    values: dict[str, object] = {}
    pieces: list[str] = []
    for place, word in enumerate(sorted(words, key=len, reverse=True)):  # the longest is in the fewest rows
        named = {f"word_{place}_{number}": _anywhere(form) for number, form in enumerate(_forms(word))}
        values |= named
        alike = (f"{small}({column}) LIKE :{name} ESCAPE '!'" for column in _with(word, columns) for name in named)
        pieces.append(f"({' OR '.join(alike)})")
    return f"({' AND '.join(pieces)})" if pieces else "true", values


def roughly_having(words: Sequence[str], columns: Sequence[str], small: str) -> tuple[str, dict[str, object]]:
    """The same for columns with mark-up: rows may pass that do not have the words where a reader sees them.

    A word that has mark-up within it does not pass, for the database sees it in pieces.
    """
    parts = sorted(filter(None, map(_solid, words)), key=len, reverse=True)[:_MOST]
    return having(parts, columns, small)


def longest_run(words: Sequence[str]) -> str:
    """The longest part of a word that a database compares as we do; empty: there is none.

    >>> longest_run(["brücke", "example.org/b"])
    'example.org/b'
    """
    return max((run for word in words for run in _PRINTED.findall(word)), key=len, default="")


def first_fitting(rows: Iterable[T], fits: Callable[[T], bool], limit: int) -> Iterator[T]:
    """The first rows that fit, of those that one word let through."""
    return islice(filter(fits, rows), limit)


def _solid(word: str) -> str:
    """The longest part of a word or phrase that stands in mark-up as it is seen; empty: there is none."""
    parts = (max(_ALIKE.findall(part), key=len, default=part) for part in _SOLID.findall(word))
    return max(parts, key=len, default="")


def _with(word: str, columns: Sequence[str]) -> Sequence[str]:
    """Lists are kept as JSON, whose own signs are nobody's words."""
    if any(map(str.isalnum, word)):
        return columns
    return [column for column in columns if not column.endswith(("tags", "categories"))]


def _forms(word: str) -> Iterable[str]:
    """How a word may be written, with small letters where both databases compare them so."""
    return dict.fromkeys(map(searched, (word, word.upper(), word.capitalize())))


def _anywhere(text: str) -> str:
    """The text anywhere, whatever signs it has.

    >>> _anywhere("50%_off!")
    '%50!%!_off!!%'
    """
    return "%" + _SIGNS.sub(r"!\g<0>", text) + "%"
