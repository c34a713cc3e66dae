"""Pages made of entries: headlines, events, releases, songs, rates; the entries change, the page stays.

A page is read as blocks, the text between two tags that end a line. What two versions have in common is their frame;
the rest is looked at: many short blocks, each linked, dated or a cell of a list, and no block of prose that outweighs
them. An article is the other way round, whatever stands below it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.calendar_words import has_date
from afresh.links.verdicts.scripts import unspaced

_READ = 400_000  # characters of the source
_PART = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)[^<>]*>|([^<]+)")
#: Tags that end no line.
_WITHIN_NAMES = """
    a b i u em strong span code font tt small big sup sub abbr acronym cite mark kbd samp var q s del ins dfn time bdi
    bdo wbr img picture source label input button path use
"""
_WITHIN = frozenset(_WITHIN_NAMES.split())
_VOID = frozenset(("br", "hr"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_PROSE = frozenset(("p", "blockquote", "pre", *_HEADINGS))
_HEADLINE, _CELL, _LINE = 40, 15, 25  # words of a linked entry at most; of one that is a cell; of one with a date
_HEADS, _FIRST = 4, 3  # entries below which there is no list; the same of headings
_CELLS, _MOSTLY = 6, 0.75  # short blocks that make a list by themselves; their share of what is not the frame
_RUN, _TEASER = 0.5, 60  # share of one stretch of prose that outweighs entries; words that are no more than a teaser
#: A time, a date, a version: what stands beside entries that come one after the other.
_DATED = re.compile(
    r"\b\d{1,2}:\d{2}\b|\b\d{1,2}[./]\d{1,2}\.(?:\d{2,4})?|\b\d{1,4}[-/]\d{1,2}[-/]\d{1,4}\b"
    r"|\b\d{1,2}[.h]\d{2}(?: uhr)?\b(?!\.)"
    r"|\bv\d+\b|\bv?\d+\.\d+\.\d+|(?<=\w\s)\d+\.\d+\b|\d{1,2}月|\d{1,2}월"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A line of a page: its words, how many of them are linked, and the tag it stands in."""

    text: str
    tag: str
    words: int
    linked: int

    @property
    def is_entry(self) -> bool:
        """Whether it names something that stands elsewhere, or that happens at some time."""
        if 2 * self.linked >= self.words:
            return self.words <= _HEADLINE
        return self.words <= _LINE and self.tag != "p" and (bool(_DATED.search(self.text)) or has_date(self.text))

    @property
    def is_cell(self) -> bool:
        return self.is_entry or (self.words <= _CELL and self.tag not in _PROSE)


def blocks_of(page: Profile) -> tuple[Block, ...]:
    """The blocks of a page in order, worked out once for a profile."""
    known: tuple[Block, ...] | None = page.notes.get("blocks")
    if known is None:
        known = page.notes["blocks"] = tuple(_read(page.page.markup[:_READ]))
    return known


def _read(markup: str) -> list[Block]:
    found: list[Block] = []
    open_tags: list[str] = []
    said: list[tuple[str, bool]] = []
    is_linked = False

    def end() -> None:
        text = " ".join(" ".join(part for part, _ in said).split())
        if any(map(str.isalnum, text)):
            linked = _count(" ".join(part for part, in_link in said if in_link))
            found.append(Block(text, open_tags[-1] if open_tags else "", _count(text), linked))
        said.clear()

    for closing, name, text in _PART.findall(markup):
        tag = name.lower()
        if text:
            said.append((text, is_linked))
        elif tag == "a":
            is_linked = not closing
        elif tag not in _WITHIN:
            end()
            if tag in _VOID:
                continue
            if not closing:
                open_tags.append(tag)
            elif tag in open_tags:
                del open_tags[len(open_tags) - 1 - open_tags[::-1].index(tag) :]
    end()
    return found


def _count(text: str) -> int:
    return len(text.split()) + unspaced(text) // 2


def has_new_entries(old: Profile, new: Profile) -> bool:
    """Whether what differs between two versions are the entries of a list, built as before."""
    one, other = _own(old, new), _own(new, old)
    first, second = _kind(one), _kind(other)
    return bool(first) and first == second


def own_words(page: Profile, other: Profile) -> int:
    """Words of the blocks that another version has not got."""
    return sum(block.words for block in _own(page, other))


def _own(page: Profile, other: Profile) -> list[Block]:
    shared = {block.text for block in blocks_of(other)}
    return [block for block in blocks_of(page) if block.text not in shared]


def _kind(own: Sequence[Block]) -> str:
    """In which tag most entries stand; empty: these blocks are no list."""
    heads = [at for at, block in enumerate(own) if block.is_entry]
    are_headings = sum(own[at].tag in _HEADINGS for at in heads) >= _FIRST
    if len(heads) >= _HEADS or are_headings:
        total = sum(block.words for block in own)
        if _longest_run(own, heads) <= max(_TEASER, _RUN * total):
            return _usual([own[at] for at in heads])
    cells = [block for block in own if block.is_cell]
    if len(cells) >= _CELLS and sum(b.words for b in cells) >= _MOSTLY * sum(b.words for b in own):
        return _usual(cells)
    return ""


def _usual(blocks: Sequence[Block]) -> str:
    return Counter(block.tag for block in blocks).most_common(1)[0][0]


def _longest_run(own: Sequence[Block], heads: Sequence[int]) -> int:
    """Words of the longest stretch without an entry."""
    edges = [-1, *heads, len(own)]
    return max(sum(block.words for block in own[start + 1 : end]) for start, end in pairwise(edges))
