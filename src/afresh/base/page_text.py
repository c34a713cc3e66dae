"""A page as measures see it: plain text and lists, filled by ``parse.page``."""

import re
import sys

from afresh.base.value_class import dataclass

#: The beginning of a tag, by its name.
TAG = re.compile(r"<([a-zA-Z][a-zA-Z0-9-]*)")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page: its text, whitespace-normalised, and its address, resolved against the page's."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """One version of a document ([M03] §2.2): what a reader sees of it and how it is built.

    Empty values mean that the document has none. ``pieces`` are the visible text nodes in order, with inline
    mark-up dissolved; ``main`` are those that are no link text and long enough to be prose.
    """

    url: str = ""
    kind: str = "html"  # "html", "text", "pdf", "binary" (nothing readable), "empty"
    title: str = ""
    text: str = ""  # TEXT(d): visible text, one space between words
    raw: str = ""  # DATA(d): the document as transferred, decoded
    pieces: tuple[str, ...] = ()
    main: str = ""
    links: tuple[Link, ...] = ()
    more_links: int = 0  # that it has besides these, and nobody has read
    markup: str = ""  # how it is built: the document without what nobody sees
    headings: tuple[str, ...] = ()  # h1..h5, BIG, FONT above size 3; and h6 and ARIA headings
    canonical: str = ""
    language: str = ""  # as declared, lower case
    description: str = ""
    robots: str = ""  # what it says to crawlers: "noindex, nofollow"; several times joined by commas
    refresh: str = ""  # target of a meta refresh to another address
    refresh_delay: float = 0.0  # seconds
    script_target: str = ""  # address a script literal sends the reader to
    frames: tuple[str, ...] = ()
    passwords: int = 0  # password fields
    forms: int = 0
    truncated: bool = False  # longer than what is read
    flattened: bool = False  # nested so hostilely that tags were taken out instead of a tree being built

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of its tags in order; read anew each time, for few pages are asked for them."""
        return tuple(map(sys.intern, map(str.lower, TAG.findall(self.markup))))  # the same few, a million times
