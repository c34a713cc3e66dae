"""A link as somebody wrote it into a document, and where it stands there."""

import re
from bisect import bisect_right
from collections.abc import Iterable

from afresh.base.value_class import dataclass

MOST_TEXT = 300  # characters of a link's text that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLink:
    """One link of a document. Lines and columns count from 1; 0: the document has none, or it is not known."""

    target: str  # as it is meant: escapes and entities undone
    text: str = ""
    line: int = 0
    column: int = 0
    start: int = -1  # of what is written for the target, in characters of the document; -1: it cannot be replaced
    end: int = -1
    endings: tuple[str, ...] = ()  # one of which the file has that is named without: a document of a Sphinx project


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a document says about links: those it has, and those that may point into it."""

    links: tuple[WrittenLink, ...]
    anchors: frozenset[str] = frozenset()  # what the fragment of an address may name
    base: str = ""  # ``<base href>``: what its relative links are relative to


class Lines:
    """Where the lines of a text begin.

    >>> Lines("ab\\ncd").place(4)
    (2, 2)
    """

    def __init__(self, text: str) -> None:
        self.starts = [0]
        at = text.find("\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = text.find("\n", at + 1)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a character."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


def blanked(match: re.Match[str]) -> str:
    """As long, with nothing in it: places stay right."""
    return blank(match[0])


def blank(text: str) -> str:
    return "".join(char if char in "\r\n" else " " for char in text)


def squeezed(pieces: Iterable[str]) -> str:
    """The text of a link in one line."""
    return " ".join("".join(pieces).split())[:MOST_TEXT]
