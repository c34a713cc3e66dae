"""Plain lists: a URL a line, a title behind it if wanted, ``#`` for comments."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from afresh.base.errors import ParseError
from afresh.parse.encoding import decode

MAX_LINKS = 1_000_000
TOO_MANY = f"more than {MAX_LINKS:,} links; split it into smaller files"
_BREAKS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LINE = re.compile(f"([^{_BREAKS}]*+)(?:\r\n|[{_BREAKS}]|\\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A URL as a list or an OPML document names it; not yet canonical."""

    url: str
    title: str = ""
    folder: str = ""  # "a/b"; empty: none
    categories: tuple[str, ...] = ()
    line: int = 0  # where it stood, 0: unknown


def read_list(body: bytes) -> list[Listed]:
    """The URLs of a plain list, in order. What is no URL is left to whoever makes URLs canonical.

    >>> read_list(b"# mine\\nhttps://example.org/feed  Example\\n")
    [Listed(url='https://example.org/feed', title='Example', folder='', categories=(), line=2)]
    """
    found: list[Listed] = []
    for number, line in enumerate(lines_of(decode(body)), start=1):
        text = line.replace("\0", "").strip()
        if text and not text.startswith("#"):
            if len(found) >= MAX_LINKS:
                raise ParseError(TOO_MANY)
            url, _, title = text.partition(" ") if "\t" not in text else text.partition("\t")
            found.append(Listed(url=url.strip(), title=title.strip()[:2_000], line=number))
    return found


def lines_of(text: str) -> Iterator[str]:
    """What ``splitlines`` makes of it, one by one: all at once, short lines take fifty times the memory of the text.

    >>> list(lines_of("a\\r\\n\\nb"))
    ['a', '', 'b']
    """
    return (line[1] for line in _LINE.finditer(text) if line[0])


def write_list(items: Iterable[Listed]) -> str:
    """The list as text, one a line."""
    return "".join(f"{item.url} {_one_line(item.title)}".rstrip() + "\n" for item in items)


def _one_line(text: str) -> str:
    return " ".join(text.split())
