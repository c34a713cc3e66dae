"""Items of ordinary feeds, read by one pattern each instead of an object a tag.

An item whose elements are plain, none of those twice that tell which item it is, is cut out of the document: a mark is
left in its place, and what remains is read as a tree. What the pattern does not fit is left to the tree, too. A mark
that the tree does not have, because the item was only quoted there, tells that the document has to be read as a whole.

Of a plain item only that is read at once which tells whether it is known already: title, link, id and dates. All else
is skipped, and read as a tree of its own when somebody asks for it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ParseError
from afresh.base.models import Deferred, ParsedEntry
from afresh.parse.fields import MAX_ENTRIES
from afresh.parse.names import KNOWN_PREFIXES, prefix_of
from afresh.parse.tree import read_repaired, read_well_formed

_MARK = "_"  # the attribute of an empty element that stands for items; its value is how many
#: Between the texts of items that are looked at together: a character that XML does not allow.
SEPARATOR = b"\x1f"
_NAME = r"[A-Za-z_][\w:.-]*+"
_ATTRIBUTES = r"""(?:\s++%s[\w:.-]++\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'))*+\s*+"""
#: The pattern of attributes that nobody looks at; a namespace makes another element of it.
IGNORED = _ATTRIBUTES % "(?!xmlns)"
_ANY_ATTRIBUTES = _ATTRIBUTES % ""
_SECTION = r"<!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+\]\]>"
#: The pattern of an element's text.
VALUE = rf"[^<]*+(?:{_SECTION}[^<]*+)*+"
_LARGE = 100_000  # bytes of a document
_LONG = 300  # bytes of a CDATA section
_BLOCK = 65_536  # bytes that are looked at together
_LEFT_OUT = b"\x1e"  # stands for one; another character that XML does not allow
_MOST_AHEAD = 32  # items that are read together
_DEPTH = 3  # of elements in elements that are skipped
_MOST_TAGS = 20_000  # of mark-up in an item
MARKUP = "markup"  # the group of what is nested more deeply
# What is skipped most often, known by its name: without attributes, and with them or elements in it.
_SKIPPED = ("description", "category", "dc:creator", "author", "content:encoded", "comments", "summary")
_SKIPPED_WITH = ("category", "enclosure", "content", "summary", "media:content", "media:thumbnail", "media:group",
                 "author", "source", "post-id")  # fmt: skip
_PERSON = r"author>\s*+(?:<(?:name|uri|email)>[^<]*+</(?:name|uri|email)>\s*+)++</author>"
_ROOT = re.compile(rf"<(rss|feed)({_ANY_ATTRIBUTES})>".encode())
_DECLARED = re.compile(r"""\sxmlns(?::([\w.-]+))?\s*=\s*["']([^"']*)""")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
# Attributes of an item that change what its elements mean, or say something of it themselves.
_MEANINGFUL = re.compile(rb"xmlns|base|about|href|lastmod", re.IGNORECASE)
_SECTIONS = re.compile(r"<!\[CDATA\[([^\]]*+(?:\](?!\]>)[^\]]*+)*+)\]\]>")
_NUMBER = re.compile(r"&#(?:(\d{1,7})|x([0-9a-fA-F]{1,6}));")

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Span = tuple[int, int]
#: Texts of the groups of one item, as they stand in the document.
Row = Sequence[bytes | None]
#: Texts of one group in all items, as they stand in the document; None: that element is not there.
Column = Sequence[bytes | None]
#: Values of ``Deferred.FIELDS``.
Rest = tuple[object, ...]

rest_of_entry: Callable[[ParsedEntry], Rest] = attrgetter(*Deferred.FIELDS)
_NOTHING = rest_of_entry(ParsedEntry())


class NotPlain(ValueError):
    """Something that is left to the tree."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a plain item consists of, as one pattern with groups for what tells which item it is."""

    tag: str
    pattern: re.Pattern[bytes]
    groups: tuple[str, ...]  # the first is that of the item's own attributes
    is_clear: Callable[[Row], bool]  # whether the groups tell it all
    markup: str = ""  # the group of mark-up whose tags have to be counted; empty: there is none


@dataclass(slots=True)
class PlainItems:
    """Plain items of a document: their groups as columns, and where each stands."""

    body: bytes
    root: bytes  # the attributes of the document's first tag, which declare the prefixes
    spans: Sequence[Span]
    columns: Sequence[Column]
    _elements: dict[int, Element] = field(default_factory=dict)
    _ahead: int = 1

    def element(self, number: int) -> Element | None:
        """An item as a tree; None if nothing can be read in it."""
        if number not in self._elements:
            # Who asks for one after the other gets more and more at a time: beginning takes as long as reading one.
            self._elements.update(enumerate(self._read(number, number + self._ahead), start=number))
            self._ahead = min(2 * self._ahead, _MOST_AHEAD)
        return self._elements.pop(number, None)

    def _read(self, first: int, last: int) -> Iterable[Element]:
        items = b"".join([self.body[start:end] for start, end in self.spans[first:last]])
        source = b"<_%b>%b</_>" % (self.root, items)
        root = read_well_formed(source)
        if root is not None:
            return root
        if last > first + 1:
            return self._read(first, first + 1)  # one of them is damaged
        try:
            return read_repaired(source)[0]
        except ParseError:
            return ()


def pattern_of(
    tag: str, single: Mapping[str, str], deciding: Iterable[str], deputies: Iterable[str] = (), skipped: str = ""
) -> re.Pattern[bytes]:
    """The pattern of plain items called ``tag``.

    ``single`` are elements that stand there at most once, each with the pattern of its attributes, and a group ("_" for
    ":"). Any of the ``deciding`` names, in whatever case, makes an item one that is not plain. ``deputies`` count
    where something else is missing, the last is kept in a group. ``skipped`` is one more pattern to be skipped.
    """
    parts: list[str] = [skipped] if skipped else []
    for name, attributes in single.items():
        number = 1 + 1 + sum(part.count("(?P<") for part in parts)  # conditions refer to groups that come later
        text = attributes if "/>" in attributes else f"{attributes}>(?P<{name.replace(':', '_')}>{VALUE})</{name}>"
        parts.append(f"{name}(?({number})(?!)|{text})")
    # Names come first, so that one look at a letter tells which part it is.
    parts.append(_PERSON)
    parts += [f"{name}>{VALUE}</{name}>" for name in _SKIPPED]
    parts += [rf"{name}{IGNORED}(?:/>|>{_nested()}</{name}\s*+>)" for name in _SKIPPED_WITH]
    if deputies:
        parts.append(_skipped("deputy", rf"(?:{'|'.join(deputies)})[\s/>]"))
    names = _one_of({tag, *deciding, *single, *deputies})
    parts.append(_skipped("other", rf"(?!(?:{names})[\s/>])[A-Za-z_]"))
    return re.compile(rf"<{tag}(?P<given>{IGNORED})>\s*+(?:<(?:{'|'.join(parts)})\s*+)*+</{tag}>".encode())


def _one_of(names: Iterable[str]) -> str:
    """The pattern of names in any case, by their first letters: one look tells nearly always that it is none."""
    by_letter: dict[str, list[str]] = {}
    for name in sorted(names):
        by_letter.setdefault(name[0].lower(), []).append(re.escape(name[1:]))
    return "|".join(f"[{letter}{letter.upper()}](?i:{'|'.join(rests)})" for letter, rests in by_letter.items())


def _skipped(group: str, beginning: str) -> str:
    """The pattern of an element whose name begins so."""
    # No group may begin and then fail: if it had matched before it would keep half of that place (CPython 3.11's sre).
    return rf"(?={beginning})(?P<{group}>{_NAME}){IGNORED}(?:/>|>{_nested()}</(?P={group})\s*+>)"


def _nested(depth: int = _DEPTH) -> str:
    """The pattern of an element's text with elements in it; as many end as begin."""
    if not depth:
        return VALUE
    inner = rf"<{_NAME}{_ANY_ATTRIBUTES}(?:/>|>{_nested(depth - 1)}</{_NAME}\s*+>)"
    return rf"[^<]*+(?:(?:{_SECTION}|{inner})[^<]*+)*+"


def skipped_markup(name: str, attributes: str) -> str:
    """The pattern of an element with mark-up of any depth, whose attributes begin so: a group, to be counted later."""
    inside = rf"[^<]*+(?:<(?!/{name}\s*+>)[^<]*+)*+"
    return rf"{name}(?={attributes}){IGNORED}>(?P<{MARKUP}>{inside})</{name}\s*+>"


def kept(group: str) -> str:
    """The pattern of attributes that are looked at later."""
    return f"(?P<{group}>{IGNORED})"


def cut_out(body: bytes, shapes: Mapping[bytes, Shape]) -> tuple[bytes, PlainItems | None]:
    """A document in UTF-8, from its first tag on, with marks for its plain items; as it is if it has none."""
    root = _ROOT.match(body)
    if root is None or (prefixes := _prefixes(root[2])) is None:
        return body, None
    characters = np.frombuffer(body, np.uint8)
    if _has_control_characters(characters):
        return body, None
    shape = shapes[root[1]]
    spans, rows = _plain_items_of_large(body, shape) if len(body) > _LARGE else _plain_items(body, shape)
    if not rows:
        return body, None
    columns = list(zip(*rows, strict=True))
    if "dc" not in prefixes and "dc_date" in shape.groups and any(columns[shape.groups.index("dc_date")]):
        return body, None
    return _with_marks(body, spans, shape.tag.encode()), PlainItems(body, root[2], spans, columns)


def _plain_items_of_large(body: bytes, shape: Shape) -> tuple[list[Span], list[Row]]:
    """As below, but long CDATA sections are left out meanwhile: NumPy finds their ends five times as quickly."""
    starts, ends = _sections(np.frombuffer(body, np.uint8))
    is_long = ends - starts > _LONG
    starts, ends = starts[is_long], ends[is_long]
    if not starts.size:
        return _plain_items(body, shape)
    bounds = zip([0, *ends.tolist()], [*starts.tolist(), len(body)], strict=True)
    spans, rows = _plain_items(_LEFT_OUT.join([body[start:end] for start, end in bounds]), shape)
    if any(_LEFT_OUT in value for row in rows for value in row if value):
        return [], []  # who has a title of that length?
    # Back to where they stand in the document: each section in front of a place moves it.
    shifts = np.concatenate(([0], (ends - starts - len(_LEFT_OUT)).cumsum()))
    places = np.array(spans, np.int64).reshape(-1, 2)
    places += shifts[(starts - shifts[:-1]).searchsorted(places)]
    return [(start, end) for start, end in places.tolist()], rows


def _plain_items(body: bytes, shape: Shape) -> tuple[list[Span], list[Row]]:
    """Items that fit the pattern: where they stand, and their groups. None if some reference is unknown to XML."""
    if _has_strange_references(np.frombuffer(body, np.uint8)):
        return [], []
    start = f"<{shape.tag}".encode()
    spans: list[Span] = []
    rows: list[Row] = []
    at, after = body.find(start), len(body)
    while at >= 0 and len(rows) <= MAX_ENTRIES:  # what remains is left to the tree
        match = shape.pattern.match(body, at, after)
        if match:
            row = match.group(*shape.groups)
            is_whole = not shape.markup or _is_balanced(body, *match.span(shape.markup))
            if is_whole and shape.is_clear(row) and not (row[0] and _MEANINGFUL.search(row[0])):
                spans.append(match.span())
                rows.append(row)
        at = body.find(start, match.end() if match else at + 1)
        if not match or after < len(body):
            # Once one has failed each is looked for up to where the next begins: sections that do not end, one in each
            # item, would be read to the end of the document again and again.
            after = body.find(start, at + 1)
            after = after if after >= 0 else len(body)
    return spans, rows


def _is_balanced(body: bytes, start: int, end: int) -> bool:
    """Whether as many elements end there as begin; what cannot be told by counting (comments) counts as no."""
    if start < 0:
        return True
    tags = body.count(b"<", start, end)
    # Of very many the tree has to judge whether they are read at all.
    return tags <= _MOST_TAGS and tags == 2 * body.count(b"</", start, end) + body.count(b"/>", start, end)


def _with_marks(body: bytes, spans: Sequence[Span], tag: bytes) -> bytes:
    """The document with one mark for each run of items that have nothing but blanks between them."""
    pieces: list[bytes] = []
    count = at = 0
    for start, end in spans:
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


def rest_by(items: PlainItems, rest: Callable[[Element], Rest]) -> Callable[[int], Rest]:
    """What reads the fields of a plain item that nobody has asked for before."""

    def rest_of(number: int) -> Rest:
        element = items.element(number)
        return _NOTHING if element is None else rest(element)

    return rest_of


def texts(column: Column) -> list[str]:
    """The texts of one group in all items; all at once, for that takes a third of the time."""
    if not any(column):
        return [""] * len(column)
    try:
        joined = SEPARATOR.join([raw or b"" for raw in column]).decode()
    except UnicodeDecodeError:
        raise NotPlain from None
    separator = SEPARATOR.decode()
    if "<" not in joined:
        return (_unescaped(joined) if "&" in joined else joined).split(separator)
    if "&" not in joined:
        return joined.replace("<![CDATA[", "").replace("]]>", "").split(separator)
    return list(map(plain_text, joined.split(separator)))


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


def attributes_of(raw: bytes) -> dict[str, str]:
    """Names and values of a tag's attributes."""
    try:
        return {name: plain_text(one or other) for name, one, other in _ATTRIBUTE.findall(raw.decode())}
    except UnicodeDecodeError:
        raise NotPlain from None


def _unescaped(text: str) -> str:
    if text.count("&") == text.count("&amp;"):
        return text.replace("&amp;", "&")
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
    found = _DECLARED.findall(raw.decode("utf-8", "replace"))
    for prefix, uri in found:
        meant = prefix_of(uri)
        if not prefix:
            if meant not in ("", "atom"):
                return None
        elif meant != prefix and (meant != "?" or prefix in KNOWN_PREFIXES):
            return None
    return frozenset(("xml", *(prefix for prefix, _ in found)))


def _has_control_characters(characters: Bytes) -> bool:
    # Tabs and line ends become the largest of numbers, the other characters below the blank the smallest.
    return bool(characters.min() < ord("\t") or (characters - np.uint8(11)).min() < ord(" ") - 11)


def _strange_pairs() -> NDArray[np.bool_]:
    """By the two bytes behind an ampersand: whether no reference of XML begins like that."""
    table = np.ones(65_536, np.bool_)
    for pair in (b"lt", b"gt", b"am", b"qu", b"ap", b"#x", *(b"#%d" % digit for digit in range(10))):
        table[int.from_bytes(pair, "little")] = False
    return table


_PAIRS = _strange_pairs()


def _has_strange_references(characters: Bytes) -> bool:
    """Whether some reference is unknown to XML, as far as two letters tell, where it would be taken for one."""
    # Block by block: what does not fit into the processor's cache takes twice the time.
    blocks = (characters[start : start + _BLOCK + 2] for start in range(0, characters.size, _BLOCK))
    strange = [found + number * _BLOCK for number, block in enumerate(blocks) if (found := _strange(block)).size]
    return bool(strange) and not _are_in_sections(characters, np.concatenate(strange))


def _strange(characters: Bytes) -> Places:
    """Where ampersands stand behind which no reference of XML begins."""
    at: Places = np.flatnonzero(characters[:-2] == ord("&"))
    if not at.size:
        return at
    pairs = np.ndarray((characters.size - 1,), "<u2", buffer=characters, strides=(1,))  # at any place, not each second
    strange: Places = at[_PAIRS[pairs[at + 1]]]
    return strange


def _are_in_sections(characters: Bytes, places: Places) -> bool:
    """Whether all the places lie in CDATA sections."""
    starts, ends = _sections(characters)
    before = starts.searchsorted(places) - 1
    return bool(starts.size) and bool(((before >= 0) & (ends[before] > places)).all())


def _sections(characters: Bytes) -> tuple[Places, Places]:
    """Where CDATA sections begin, and where they have ended."""
    starts = np.flatnonzero(characters[:-9] == ord("!"))
    for offset, letter in enumerate(b"[CDATA[", start=1):
        starts = starts[characters[starts + offset] == letter]
    ends = np.flatnonzero(characters[:-2] == ord("]"))
    ends = ends[(characters[ends + 1] == ord("]")) & (characters[ends + 2] == ord(">"))]
    following = ends.searchsorted(starts)
    # What looks like the beginning of another section within one ends where that one ends.
    is_first = following < ends.size
    is_first[1:] &= following[1:] != following[:-1]
    return starts[is_first] - 1, ends[following[is_first]] + len(b"]]>")
