"""A page as blocks: the text between two tags that end a line, what is linked in it, and whether it is the frame."""

import re

from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.scripts import unspaced

_READ = 400_000  # characters of the source
_PART = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)([^<>]*)>|([^<]+)")
#: Tags that end no line.
_WITHIN_NAMES = """
    a b i u em strong span code font tt small big sup sub abbr acronym cite mark kbd samp var q s del ins dfn time bdi
    bdo wbr img picture source label input button path use area
"""
_WITHIN = frozenset(_WITHIN_NAMES.split())
_VOID = frozenset(("br", "hr"))
_FRAME = frozenset(("nav", "footer", "aside", "menu"))
_CONTENT = frozenset(("main", "article"))  # whose header is none of the site
_FRAMED = re.compile(r"role=.?(?:navigation|banner|contentinfo)|(?:class|id)=.{0,40}?\b(?:nav|menu|footer|breadcrumb)")
_HREF = re.compile(r"\shref\s*=", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """A line of a page: its words, how many of them are linked, by which links, and the tag it stands in."""

    text: str
    tag: str
    words: int
    linked: int
    links: tuple[int, ...]  # places in the links of the page
    is_frame: bool  # in the navigation, the head or the foot of the site


def blocks_of(page: Profile) -> tuple[Block, ...]:
    """The blocks of a page in order, worked out once for a profile."""
    known: tuple[Block, ...] | None = page.notes.get("blocks")
    if known is None:
        known = page.notes["blocks"] = _Reader().read(page.page.markup[:_READ])
    return known


class _Reader:
    """Reads the blocks of a source from its beginning to its end."""

    def __init__(self) -> None:
        self.found: list[Block] = []
        self.open: list[tuple[str, bool]] = []  # tags, and whether what is in them is the frame
        self.said: list[tuple[str, bool]] = []  # parts of this block, and whether they are linked
        self.links: list[int] = []
        self.seen, self.is_linked = 0, False

    def read(self, markup: str) -> tuple[Block, ...]:
        for closing, name, attributes, text in _PART.findall(markup):
            tag = name.lower()
            if text:
                self.said.append((text, self.is_linked))
            elif tag in ("a", "area"):
                self._link(attributes, closing=bool(closing), is_open=tag == "a")
            elif tag not in _WITHIN:
                self._end()
                if closing:
                    self._close(tag)
                elif tag not in _VOID:
                    self.open.append((tag, self._is_frame(tag, attributes)))
        self._end()
        return tuple(self.found)

    def _link(self, attributes: str, *, closing: bool, is_open: bool) -> None:
        self.is_linked = is_open and not closing
        if not closing and _HREF.search(attributes):
            self.links.append(self.seen)
            self.seen += 1

    def _is_frame(self, tag: str, attributes: str) -> bool:
        if tag in _FRAME or (self.open and self.open[-1][1]):
            return True
        if tag in _CONTENT or tag == "body":
            return False
        if tag == "header":
            return not any(name in _CONTENT for name, _ in self.open)
        return bool(attributes) and bool(_FRAMED.search(attributes.lower()))

    def _close(self, tag: str) -> None:
        at = next((at for at in range(len(self.open) - 1, -1, -1) if self.open[at][0] == tag), None)
        if at is not None:
            del self.open[at:]

    def _end(self) -> None:
        text = " ".join(" ".join(part for part, _ in self.said).split())
        if any(map(str.isalnum, text)):
            linked = _count(" ".join(part for part, in_link in self.said if in_link))
            tag, is_frame = self.open[-1] if self.open else ("", False)
            self.found.append(Block(text, tag, _count(text), linked, tuple(self.links), is_frame))
        self.said.clear()
        self.links.clear()


def _count(text: str) -> int:
    return len(text.split()) + unspaced(text) // 2
