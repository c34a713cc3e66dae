"""Plain lists: a URL a line, a title behind it if wanted, ``#`` for comments."""

from collections.abc import Iterable
from dataclasses import dataclass

from afresh.parse.encoding import decode


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
    found = []
    for number, line in enumerate(decode(body).splitlines(), start=1):
        text = line.replace("\0", "").strip()
        if text and not text.startswith("#"):
            url, _, title = text.partition(" ") if "\t" not in text else text.partition("\t")
            found.append(Listed(url=url.strip(), title=title.strip()[:2_000], line=number))
    return found


def write_list(items: Iterable[Listed]) -> str:
    """The list as text, one a line."""
    return "".join(f"{item.url} {_one_line(item.title)}".rstrip() + "\n" for item in items)


def _one_line(text: str) -> str:
    return " ".join(text.split())
