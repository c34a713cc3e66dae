"""Whether a document is made so that building its tree, or asking it, would take quadratic time or much memory.

Trees are built in time proportional to the depth at every tag, an unclosed formatting element is opened again in
every following block, and each attribute of a tag is compared with those before it. Ten thousand nested elements took
half a second, two hundred thousand minutes; pages made by people stay below a hundred levels.
"""

import re
from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborNode

DEPTH = 1_000
#: Unclosed elements times tags: how often formatting may have to be opened again.
REOPENED = 400_000
#: More tags than a page of four megabytes has if a person is to see anything between them; each takes 130 bytes.
TAGS = 400_000
#: Text and tags up to one with more attributes than can be compared with each other, read as HTML 13.2.5.32 to .39
#: does. Nothing is looked at twice, whatever a document is made of.
_ATTRIBUTE = rb"""(?>[\s/]*+(?>=?[^\s/>=]++|=)(?:\s*+=\s*+(?>"[^"]*+"|'[^']*+'|[^\s>]*+))?+)"""
_ORDINARY = re.compile(rb"(?>[^<]++|<(?![a-zA-Z])|<[a-zA-Z][^\s/>]*+%b{0,999}+(?!%b))*+".replace(b"%b", _ATTRIBUTE))
_HARMLESS = 150_000  # bytes: whatever attributes they hold, that is a second

#: Beginnings of elements that are empty or that the next one of their kind closes; they do not nest by themselves.
_LEVEL = [
    name.encode()
    for start in ("br", "hr", "li", "td", "tr", "th", "dt", "dd", "rp", "rt")
    for name in (f"{start}>", f"{start} ", f"{start}/", f"{start}\n", f"{start}\t", f"{start}\r")
]
_LEVEL += [b"img", b"inp", b"opt", b"lin", b"met", b"sou", b"wbr", b"col", b"bas", b"emb", b"are", b"par", b"fra"]
_CODES = sorted({code[0] << 16 | code[1] << 8 | code[2] for code in _LEVEL})


def is_hostile(body: bytes) -> bool:
    """Whether the document must not be built into a tree; in ASCII-compatible bytes."""
    count = body.count(b"<")
    if count > TAGS:
        return True
    may_nest = count > DEPTH or count * count > REOPENED
    if may_nest:  # of few pages it takes a second look: no more than are opened can be within each other, or left open
        opened = count - body.count(b"</")
        may_nest = opened > DEPTH or opened * count > REOPENED
    return (may_nest and _is_nested(body)) or (len(body) > _HARMLESS and _is_overloaded(body))


def texts(nodes: Iterable[LexborNode], *, most: int, separator: str = "") -> Iterator[tuple[LexborNode, str]]:
    """Nodes with their text, until the texts together have so many characters.

    Nodes within nodes say the same again: a thousand levels around a megabyte would be a gigabyte to read.
    """
    for node in nodes:
        if most <= 0:
            return
        text = node.text(separator=separator)
        most -= len(text)
        yield node, text


def _is_overloaded(body: bytes) -> bool:
    """Whether a tag has a thousand attributes."""
    ordinary = _ORDINARY.match(body)
    return ordinary is None or ordinary.end() < len(body)


def _is_nested(body: bytes) -> bool:
    import numpy as np  # noqa: PLC0415 (few documents have so many tags)

    data = np.frombuffer(body.lower() + b"    ", np.uint8)
    at = np.flatnonzero(data[:-4] == ord("<"))
    after = data[at + 1]
    closing = after == ord("/")
    name = at + 1 + closing
    first = data[name].astype(np.int64)
    is_tag = (first >= ord("a")) & (first <= ord("z"))
    code = first << 16 | data[name + 1].astype(np.int64) << 8 | data[name + 2]
    paragraph = (first == ord("p")) & ~((data[name + 1] >= ord("a")) & (data[name + 1] <= ord("z")))
    counts = is_tag & ~paragraph & ~np.isin(code, _CODES)
    depth = np.cumsum(np.where(counts, np.where(closing, -1, 1), 0))
    if not depth.size:
        return False
    # Stray closing tags are ignored by browsers, so depth is what was opened above the lowest point so far.
    above = depth - np.minimum.accumulate(np.minimum(depth, 0))
    return bool(above.max() > DEPTH or above[-1] * int(at.size) > REOPENED)
