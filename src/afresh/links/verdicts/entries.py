"""Pages made of entries: headlines, events, releases, songs, rates; the entries change, the page stays.

What two versions have in common is their frame;
the rest is looked at: many short blocks, each linked, dated or a cell of a list, and no block of prose that outweighs
them. An article is the other way round, whatever stands below it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from afresh.links.measures.profile import Profile
from afresh.links.verdicts.blocks import Block, blocks_of
from afresh.links.verdicts.calendar_words import has_date

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


def _is_entry(block: Block) -> bool:
    """Whether a line names something that stands elsewhere, or that happens at some time."""
    if 2 * block.linked >= block.words:
        return block.words <= _HEADLINE
    return block.words <= _LINE and block.tag != "p" and (bool(_DATED.search(block.text)) or has_date(block.text))


def _is_cell(block: Block) -> bool:
    return _is_entry(block) or (block.words <= _CELL and block.tag not in _PROSE)


def has_new_entries(old: Profile, new: Profile) -> bool:
    """Whether what differs between two versions are the entries of a list, built as before."""
    one, other = _own(old, new), _own(new, old)
    first, second = _kind(one), _kind(other)
    return bool(first) and first == second


def is_list(blocks: Sequence[Block]) -> bool:
    """Whether some blocks are entries rather than prose."""
    return bool(_kind(blocks))


def own_words(page: Profile, other: Profile) -> int:
    """Words of the blocks that another version has not got."""
    return sum(block.words for block in _own(page, other))


def _own(page: Profile, other: Profile) -> list[Block]:
    shared = {block.text for block in blocks_of(other)}
    return [block for block in blocks_of(page) if block.text not in shared]


def _kind(own: Sequence[Block]) -> str:
    """In which tag most entries stand; empty: these blocks are no list."""
    heads = [at for at, block in enumerate(own) if _is_entry(block)]
    are_headings = sum(own[at].tag in _HEADINGS for at in heads) >= _FIRST
    if len(heads) >= _HEADS or are_headings:
        total = sum(block.words for block in own)
        if _longest_run(own, heads) <= max(_TEASER, _RUN * total):
            return _usual([own[at] for at in heads])
    cells = [block for block in own if _is_cell(block)]
    if len(cells) >= _CELLS and sum(b.words for b in cells) >= _MOSTLY * sum(b.words for b in own):
        return _usual(cells)
    return ""


def _usual(blocks: Sequence[Block]) -> str:
    return Counter(block.tag for block in blocks).most_common(1)[0][0]


def _longest_run(own: Sequence[Block], heads: Sequence[int]) -> int:
    """Words of the longest stretch without an entry."""
    edges = [-1, *heads, len(own)]
    return max(sum(block.words for block in own[start + 1 : end]) for start, end in pairwise(edges))
