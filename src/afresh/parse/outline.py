"""The outline of an HTML document: its parts that show words, each with a selector that finds it again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from afresh.parse.encoding import decode
from afresh.parse.nesting import is_hostile
from afresh.parse.page import MAX_BYTES

_MOST_PARTS = 200  # shown; the innermost are left out first
_MOST_NODES = 20_000  # looked at
_DEEPEST = 100  # elements within each other
_FIRST_WORDS = 80  # characters
_SILENT = frozenset(("script", "style", "template", "noscript", "svg", "iframe", "object", "head", "select"))
_INLINE = frozenset(
    (
        "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
        "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var",
    )
)  # fmt: skip
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,60}")  # a name that needs no escape; counters and hashes are none
_MADE = re.compile(r"\d{3,}|[0-9a-f]{6,}|(?=.*\d)(?=.*[A-Z])[A-Za-z0-9]{5,}")  # by a program, and other ones next time


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part that could be watched."""

    selector: str
    depth: int  # 0: outermost
    tag: str
    words: int
    text: str  # its first words


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The parts of a document, in its order."""

    parts: tuple[Part, ...] = ()
    truncated: bool = False  # some of the inner parts are left out


@dataclass(slots=True)
class _Element:
    tag: str
    name: str  # its id, or empty
    classes: tuple[str, ...]
    place: int = 1  # among those of its tag beside it
    of: int = 1  # how many these are
    words: int = 0
    text: str = ""
    children: list[_Element] = field(default_factory=list)


def read_outline(body: bytes, *, content_type: str = "") -> Outline:
    """The parts of a page that show words; never fails.

    >>> [(part.selector, part.words) for part in read_outline(b"<h1 id=top>One two</h1><p>three<p>four").parts]
    [('#top', 2), ('body > p:nth-of-type(1)', 1), ('body > p:nth-of-type(2)', 1)]
    """
    raw = decode(body[:MAX_BYTES], content_type, html=True)
    if is_hostile(raw.encode("utf-8", "replace")):  # no tree is built of it
        return Outline(truncated=True)
    root = LexborHTMLParser(raw).body
    if root is None:
        return Outline()
    reader = _Reader()
    top = reader.read(root, 0)
    found = list(_parts(top, reader.names, reader.classes))
    depth = _deepest(found)
    kept = tuple(part for part in found if part.depth <= depth)[:_MOST_PARTS]
    return Outline(parts=kept, truncated=reader.left <= 0 or len(kept) < len(found))


class _Reader:
    """Reads elements, and counts who has a name to itself."""

    def __init__(self) -> None:
        self.names: Counter[str] = Counter()
        self.classes: Counter[str] = Counter()
        self.left = _MOST_NODES

    def read(self, node: LexborNode, depth: int) -> _Element:
        attributes = node.attributes
        element = _Element(node.tag or "", attributes.get("id") or "", _classes(attributes.get("class") or ""))
        self.names[element.name] += 1
        self.classes.update(element.classes)
        tags: Counter[str] = Counter()
        for child in node.iter(include_text=True):
            self.left -= 1
            if self.left <= 0 or depth >= _DEEPEST:
                break
            if child.tag == "-text":
                _say(element, child.text(deep=False) or "")
            elif child.tag:
                tags[child.tag] += 1
                if child.tag not in _SILENT:
                    inner = self.read(child, depth + 1)
                    inner.place = tags[child.tag]
                    element.children.append(inner)
                    element.words += inner.words
                    element.text = f"{element.text} {inner.text}".strip()[:_FIRST_WORDS]
        for inner in element.children:
            inner.of = tags[inner.tag]
        return element


def _say(element: _Element, text: str) -> None:
    if words := text.split():
        element.words += len(words)
        element.text = f"{element.text} {' '.join(words)}".strip()[:_FIRST_WORDS]


def _classes(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in text.split()[:20] if _is_steady(name)))


def _is_steady(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None and _MADE.search(name) is None


def _parts(top: _Element, names: Counter[str], classes: Counter[str]) -> Iterator[Part]:
    """All below the body, outer before inner; of several that show the same, one: with a name, or the innermost."""
    stack = [(child, "body", 0, 0) for child in reversed(top.children)]
    while stack:
        element, above, depth, around = stack.pop()
        if not element.words:
            continue
        selector = _selector(element, above, names, classes)
        if _is_part(element, around, is_named=" > " not in selector):
            yield Part(selector=selector, depth=depth, tag=element.tag, words=element.words, text=element.text)
            depth, around = depth + 1, element.words
        stack += [(child, selector, depth, around) for child in reversed(element.children)]


def _is_part(element: _Element, around: int, *, is_named: bool) -> bool:
    """``around`` is how many words the part shows that it is in."""
    if is_named:
        return element.tag not in _INLINE or element.words < around
    if element.tag in _INLINE or element.words == around:
        return False
    return not any(inner.words == element.words for inner in element.children if inner.tag not in _INLINE)


def _selector(element: _Element, above: str, names: Counter[str], classes: Counter[str]) -> str:
    """By a name of its own, else by its place."""
    if element.name and names[element.name] == 1 and _is_steady(element.name):
        return f"#{element.name}"
    for name in element.classes:
        if classes[name] == 1:
            return f".{name}"
    place = f":nth-of-type({element.place})" if element.of > 1 else ""
    return f"{above} > {element.tag}{place}"


def _deepest(parts: list[Part]) -> int:
    """The depth down to which there are not too many."""
    counts = Counter(part.depth for part in parts)
    total = 0
    for depth in sorted(counts):
        total += counts[depth]
        if total > _MOST_PARTS:
            return max(0, depth - 1)
    return max(counts, default=0)
