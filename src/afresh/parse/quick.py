"""Items of ordinary feeds, read by one pattern each instead of an object a tag.

An item whose elements are plain, none of them twice where one is meant, is cut out of the document: a mark is left in
its place, and what remains is read as a tree. What the pattern does not fit is left to the tree, too. A mark that the
tree does not have, because the item was only quoted there, tells that the document has to be read as a whole.

Of a plain item only that is read at once which tells whether it is known already: title, link, id and date.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import ParsedEntry
from afresh.parse.encoding import decode
from afresh.parse.fields import MAX_CONTENT, MAX_ENTRIES, MAX_LINK, MAX_TITLE, absolute, looks_marked_up, plain
from afresh.parse.names import KNOWN_PREFIXES, prefix_of

_MARK = "_"  # the attribute of an empty element that stands for items; its value is how many
_SEPARATOR = b"\x1f"  # a character that XML does not allow
_NAME = r"[A-Za-z_][\w:.-]*+"
#: The pattern of attributes that nobody looks at.
IGNORED = r"""(?:\s++[\w:.-]++\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'))*+\s*+"""
_SECTION = r"<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+\]\]>"
#: The pattern of an element's text.
VALUE = rf"(?:[^<]++|{_SECTION})*+"
_ADDRESS = r"\s*+https?://[^<]++|<!\[CDATA\[\s*+https?://[^\]<>]++\]\]>"
_ROOT = re.compile(rf"(?:<\?xml[^>]{{0,300}}\?>\s{{0,100}})?<(rss|feed)({IGNORED})>".encode())
_DECLARED = re.compile(r"""\sxmlns(?::([\w.-]+))?\s*=\s*["']([^"']*)""")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_SECTIONS = re.compile(r"<!\[CDATA\[((?:[^\]]++|\](?!\]>))*+)\]\]>")
_NUMBER = re.compile(r"&#(?:(\d{1,7})|x([0-9a-fA-F]{1,6}));")
_SECTION_BYTES = re.compile(_SECTION.encode())
_STRANGE = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")

Bytes = NDArray[np.uint8]
#: Texts of the groups of one match, as they stand in the document.
Row = Sequence[bytes | None]


class NotPlain(ValueError):
    """Something that is left to the tree."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a plain item consists of, as one pattern, and how entries are made from its groups."""

    tag: str
    pattern: re.Pattern[bytes]
    groups: tuple[str, ...]  # the last two are summary and content
    read: Callable[[list[Row], frozenset[str]], list[ParsedEntry]]  # given the prefixes that are declared; or NotPlain


def pattern_of(tag: str, single: Mapping[str, str], listed: Sequence[str], names: Iterable[str]) -> re.Pattern[bytes]:
    """The pattern of plain items called ``tag``, with a group for each element ("_" for ":"), that have a link.

    ``single`` are elements that stand there at most once, each with a pattern of its attributes; ``listed`` ones may be
    several in a row. Any other of ``names``, in whatever case, makes an item one that is not plain.
    """
    parts: list[str] = []
    for name, attributes in single.items():
        value = _nested(name) if (tag, name) == ("entry", "author") else _ADDRESS if name == "link" else VALUE
        parts.append(_once(f"{name}{attributes}>(?P<{name.replace(':', '_')}>{value})</{name}>", parts))
    for name in listed:
        one = f"{IGNORED}(?:/>|>{VALUE}</{name}>)"
        parts.append(_once(rf"{name}(?P<{name}>{one}(?:\s*+<{name}{one})*+)", parts))
    known = "|".join(sorted(map(re.escape, {*names, *single, *listed})))
    parts.append(rf"(?!(?i:{known})[\s/>])(?P<other>{_NAME}){IGNORED}(?:/>|>{_nested('other')}</(?P=other)\s*+>)")
    return re.compile(rf"<{tag}>\s*+(?:<(?:{'|'.join(parts)})\s*+)*+</{tag}>(?(link)|(?!))".encode())


def _once(part: str, before: Sequence[str]) -> str:
    """The part, unless its first group has matched already; groups are counted, for a name must be known before."""
    number = 1 + sum(other.count("(?P<") for other in before)
    return f"(?({number})(?!)|{part})"


def _nested(name: str) -> str:
    """The pattern of an element's text with elements in it that have none."""
    inner = rf"<(?P<in_{name}>{_NAME}){IGNORED}(?:/>|>{VALUE}</(?P=in_{name})\s*+>)"
    return rf"(?:[^<]++|{_SECTION}|{inner})*+"


def kept(group: str) -> str:
    """The pattern of attributes that are looked at later."""
    return f"(?P<{group}>{IGNORED})"


def cut_out(body: bytes, shapes: Mapping[bytes, Shape]) -> tuple[bytes, list[ParsedEntry]]:
    """A document in UTF-8 with marks for its plain items, and their entries; as it is if it has none."""
    root = _ROOT.match(body)
    if root is None or (prefixes := _prefixes(root[2])) is None:
        return body, []
    characters = np.frombuffer(body, np.uint8)
    if _has_control_characters(characters):
        return body, []
    shape = shapes[root[1]]
    matches = _plain_items(body, shape)
    rows: list[Row] = [found.group(*shape.groups) for found in matches]
    if not rows or (_has_strange_references(characters) and any(_is_strange(raw) for row in rows for raw in row)):
        return body, []
    try:
        entries = shape.read(rows, prefixes)
    except (NotPlain, UnicodeDecodeError):
        return body, []
    return _with_marks(body, matches, shape.tag.encode()), entries


def _plain_items(body: bytes, shape: Shape) -> list[re.Match[bytes]]:
    """Items that fit the pattern."""
    start = f"<{shape.tag}>".encode()
    found: list[re.Match[bytes]] = []
    at, after = body.find(start), len(body)
    while at >= 0:
        if match := shape.pattern.match(body, at, after):
            found.append(match)
        at = body.find(start, match.end() if match else at + 1)
        if not match or after < len(body):
            # Once one has failed each is looked for up to where the next begins: sections that do not end, one in each
            # item, would be read to the end of the document again and again.
            after = body.find(start, at + 1)
            after = after if after >= 0 else len(body)
    return found


def _with_marks(body: bytes, matches: Sequence[re.Match[bytes]], tag: bytes) -> bytes:
    """The document with one mark for each run of items that have nothing but blanks between them."""
    pieces: list[bytes] = []
    count = at = 0
    for found in matches:
        start, end = found.span()
        between = body[at:start]
        if count and not between.isspace() and between:
            pieces.append(_mark(tag, count))
            count = 0
        if not count:
            pieces.append(between)
        count += 1
        at = end
    return b"".join([*pieces, _mark(tag, count), body[at:]])


def _mark(tag: bytes, count: int) -> bytes:
    return b'<%b %b="%d"/>' % (tag, _MARK.encode(), count)


def entries_of(
    elements: Sequence[Element], plain_items: Sequence[ParsedEntry], read: Callable[[Element], ParsedEntry]
) -> list[ParsedEntry]:
    """Entries in the order of the document, read or plain; NotPlain unless each of these has its place."""
    entries: list[ParsedEntry] = []
    at = 0
    for element in elements[:MAX_ENTRIES]:
        count = _count(element) if plain_items else 0
        if count:
            entries += plain_items[at : at + count]
            at += count
        else:
            entries.append(read(element))
    if at != len(plain_items) and len(entries) < MAX_ENTRIES:
        raise NotPlain
    return entries[:MAX_ENTRIES]


def _count(element: Element) -> int:
    """How many plain items an element stands for; 0: it is an item itself."""
    count = element.get(_MARK)
    return int(count) if count and not len(element) and count.isdecimal() and len(count) < 9 else 0


def texts(column: Iterable[bytes | None]) -> list[str]:
    """The texts of one group in all items; all at once, for that takes a third of the time."""
    joined = _SEPARATOR.join([raw or b"" for raw in column]).decode()
    separator = _SEPARATOR.decode()
    if "<" not in joined:
        return (_unescaped(joined) if "&" in joined else joined).split(separator)
    if "&" not in joined:
        return joined.replace("<![CDATA[", "").replace("]]>", "").split(separator)
    return list(map(plain_text, joined.split(separator)))


def titles_of(column: Iterable[bytes | None]) -> list[str]:
    """Titles as lines of text, by what they look like."""
    found = texts(column)
    joined = " | ".join(found)
    if (
        joined.isprintable()
        and "  " not in joined
        and len(joined) < MAX_TITLE * len(found)
        and not looks_marked_up(joined)
    ):
        return list(map(str.strip, found))
    return list(map(plain, found))


def addresses_of(column: Iterable[bytes | None]) -> list[str]:
    """Links, which are absolute all of them."""
    found = texts(column)
    joined = " ".join(found)
    if joined.isprintable() and joined.count(" ") == len(found) - 1 and "\\" not in joined and "///" not in joined:
        return [link if len(link) <= MAX_LINK else "" for link in found]
    return [absolute(link, "") for link in found]


def plain_text(raw: str) -> str:
    """The text of an element from its source; NotPlain if it refers to what XML does not know.

    >>> plain_text("a &lt; &#98;"), plain_text("<![CDATA[a &lt;]]> &gt; b")
    ('a < b', 'a &lt; > b')
    """
    if "<" not in raw:
        return _unescaped(raw) if "&" in raw else raw
    if raw.startswith("<![CDATA[") and raw.find("]]>") == len(raw) - 3:  # nearly always it is one section
        return raw[9:-3]
    pieces = _SECTIONS.split(raw)
    return "".join([piece if i % 2 or "&" not in piece else _unescaped(piece) for i, piece in enumerate(pieces)])


def attributes_of(raw: str, read: Callable[[str], str] = plain_text) -> dict[str, str]:
    """Names and values of a tag's attributes."""
    return {name: read(one or other) for name, one, other in _ATTRIBUTE.findall(raw)}


def source(raw: bytes | None) -> str:
    """The source of an element as text; that of a large one has not been looked at before."""
    try:
        return (raw or b"").decode()
    except UnicodeDecodeError:
        return decode(raw or b"")


def large_text(raw: bytes | None) -> str:
    """A summary or content."""
    return any_text(source(raw)).strip()[:MAX_CONTENT]


def any_text(raw: str) -> str:
    """The text of an element that is read late, when nobody can be asked any more: as it stands, if need be."""
    with suppress(NotPlain):  # a reference like "&amx;", which looked like one that is known
        return plain_text(raw)
    return raw


def _unescaped(text: str) -> str:
    if "&#" in text:
        text = _NUMBER.sub(_character, text)
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'")
    if text.count("&") != text.count("&amp;"):
        raise NotPlain
    return text.replace("&amp;", "&")


def _character(match: re.Match[str]) -> str:
    code = int(match[1]) if match[1] else int(match[2], 16)
    if code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000:
        return "&amp;" if code == ord("&") else chr(code)
    raise NotPlain


@lru_cache(maxsize=256)
def _prefixes(raw: bytes) -> frozenset[str] | None:
    """The prefixes a root element declares; None if one of them is not what everybody takes it for."""
    attributes = raw.decode("utf-8", "replace")
    if "xml:base" in attributes:
        return None
    found = _DECLARED.findall(attributes)
    for prefix, uri in found:
        meant = prefix_of(uri)
        if not prefix:
            if meant not in ("", "atom"):
                return None
        elif meant != prefix and (meant != "?" or prefix in KNOWN_PREFIXES):
            return None
    return frozenset(prefix for prefix, _ in found)


def _has_control_characters(characters: Bytes) -> bool:
    low = np.count_nonzero(characters < ord(" "))
    return bool(low != np.count_nonzero(characters == ord("\n")) + np.count_nonzero(characters == ord("\t")))


def _strange_pairs() -> NDArray[np.bool_]:
    """By the two bytes behind an ampersand: whether no reference of XML begins like that."""
    table = np.ones(65_536, np.bool_)
    for pair in (b"lt", b"gt", b"am", b"qu", b"ap", b"#x", *(b"#%d" % digit for digit in range(10))):
        table[pair[0] << 8 | pair[1]] = False
    return table


_PAIRS = _strange_pairs()


def _has_strange_references(characters: Bytes) -> bool:
    """Whether some reference looks unknown; it may stand where nobody takes it for one."""
    at = np.flatnonzero(characters == ord("&"))
    if not at.size:
        return False
    if at[-1] + 2 >= characters.size:
        return True
    return bool(_PAIRS[characters[at + 1].astype(np.uint16) << 8 | characters[at + 2]].any())


def _is_strange(raw: bytes | None) -> bool:
    return bool(raw) and any(_STRANGE.search(piece) for piece in _SECTION_BYTES.split(raw or b""))
