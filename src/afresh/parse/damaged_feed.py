"""The patient reader: a feed from tags that do not fit together, one tag after the other.

It knows what feeds are made of, which no XML parser does: an item begins where ``<item`` stands and ends where the
next one begins at the latest; a field ends at its own end tag, or where the next field begins. So a lost ``<``, a
missing end tag or a stray ``<br>`` costs the field it stands in, not the rest of the document.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from xml.etree.ElementTree import Element, SubElement

from afresh.base.errors import ParseError
from afresh.parse.elements import XML
from afresh.parse.names import prefix_of

MAX_TAGS = 200_000
MAX_CHARACTERS = 8 * 2**20
_TOKEN = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<\?[^<>]*>?"
    r"|<(?P<end>/?)(?P<name>[A-Za-z_][\w:.-]*)(?P<rest>(?:[^<>\"']++|\"[^\"<>]*+\"|'[^'<>]*+'|[\"'])*+)(?P<close>>?)",
    re.DOTALL,
)
_PIECE = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]*>?", re.DOTALL)
_ATTRIBUTE = re.compile(r"\s*([A-Za-z_][\w:.-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_NAMESPACE = re.compile(r"xmlns:([\w.-]{1,50})\s*=\s*[\"']([^\"'<>]{1,500})[\"']", re.IGNORECASE)
_XML_REFERENCE = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ITEMS = frozenset({"item", "entry"})
_FRAMES = frozenset({"rss", "feed", "rdf", "channel", "items"})
_MARKUP = frozenset({"description", "content", "summary", "abstract", "xhtml:body", "rights", "subtitle"})
_MARKUP |= frozenset({"content:encoded", "itunes:summary", "dc:description", "media:description", "atom:content"})
# Elements of elements: read as a whole, so that their titles and links are not taken for those of the item.
_HOLDERS = frozenset({"author", "contributor", "image", "textinput", "source", "skiphours", "skipdays", "media:group"})
_PLAIN = frozenset((
    "title", "link", "guid", "pubdate", "id", "published", "updated", "issued", "modified", "created", "category",
    "enclosure", "comments", "language", "ttl", "cloud", "generator", "lastbuilddate", "copyright", "webmaster",
    "managingeditor", "docs", "logo", "icon",
))  # fmt: skip
_FIELDS = _PLAIN | _MARKUP | _HOLDERS
_GLUED = re.compile("|".join(sorted(_FIELDS, reverse=True)), re.IGNORECASE)  # "<titleText": its ">" is lost
_MARKS_AN_ITEM = frozenset({"title", "link", "guid", "id"})
_ATTRIBUTE_NAMES = {
    "ispermalink": "isPermaLink",
    "filesize": "fileSize",
    "xml:base": XML + "base",
    "xml:lang": XML + "lang",
}


@dataclass(slots=True)
class _Tag:
    name: str
    is_end: bool
    is_whole: bool  # its ">" is there
    rest: str  # attributes, and what follows them where the ">" is lost
    start: int
    stop: int

    @property
    def is_field(self) -> bool:
        return self.name in _FIELDS or ":" in self.name

    @property
    def is_empty(self) -> bool:
        return self.rest.endswith("/")


def read_patiently(text: str) -> Element:
    """The tree of a feed: a root with the items below it, each with its fields; ParseError if it is too large.

    ``text`` has no references but those of XML.
    """
    if len(text) > MAX_CHARACTERS or text.count("<") > MAX_TAGS:
        raise ParseError(f"malformed, and with {len(text):,} characters too large to be read patiently")
    for start, end in (("<!--", "-->"), ("<![CDATA[", "]]>")):
        text = _without_endless(text, start, end)
    tags = _tags(text)
    names = {tag.name for tag in tags}
    if "feed" in names or ("entry" in names and "item" not in names):
        root = holder = Element("feed")
    else:
        root = Element("rss")
        holder = SubElement(root, "channel")
    _fill(holder, _Reader(text, tags))
    return root


def _without_endless(text: str, start: str, end: str) -> str:
    """Without the beginnings of what does not end any more: all that follows would be part of it."""
    last = text.rfind(end) + 1
    return text[:last] + text[last:].replace(start, " " * len(start))


def _tags(text: str) -> list[_Tag]:
    prefixes = {"rss": ""} | {found[1].lower(): prefix_of(found[2]) for found in _NAMESPACE.finditer(text)}
    found: list[_Tag] = []
    for token in _TOKEN.finditer(text):
        if (name := token["name"]) is None:
            continue
        name = _known_as(name.lower(), prefixes)
        end, rest, close = token.group("end", "rest", "close")
        if not close and name not in _FIELDS and (glued := _GLUED.match(text, token.start() + 1)):
            name, rest = glued[0].lower(), text[glued.end() : token.end()]
        found.append(_Tag(name, bool(end), bool(close), rest, token.start(), token.end()))
    return found


def _known_as(name: str, prefixes: dict[str, str]) -> str:
    prefix, colon, local = name.partition(":")
    if not colon:
        return name
    prefix = prefixes.get(prefix, prefix)
    return f"{prefix}:{local}" if prefix and (prefix != "atom" or local == "link") else local


def _fill(holder: Element, reader: "_Reader") -> None:
    """Fields and items below the feed's own element."""
    item: Element | None = None
    is_open = False  # within an item
    for tag in reader:
        if tag.name in _ITEMS:
            is_open = not tag.is_end
            if is_open:
                item = SubElement(holder, tag.name, _attributes(tag.rest)[0])
        elif tag.name in _FRAMES:
            is_open = is_open and not tag.is_end
        else:
            before = "" if is_open else reader.text_before()
            if (field := reader.field(tag)) is None:
                continue
            if not is_open and _begins_an_item(field, holder, before):
                item, is_open = SubElement(holder, "entry" if holder.tag == "feed" else "item"), True
            (item if is_open and item is not None else holder).append(field)


def _begins_an_item(field: Element, holder: Element, before: str) -> bool:
    """Whether an item's tag was lost or misspelt: a rest of it is left, or the feed has such a field already."""
    if before.strip().lower().endswith(("item>", "entry>")) and "/" not in before[-8:]:
        return True
    return field.tag in _MARKS_AN_ITEM and not field.get("rel") and holder.find(field.tag) is not None


class _Reader:
    """Tags in turn; reading a field passes over the tags that belong to it."""

    def __init__(self, text: str, tags: list[_Tag]) -> None:
        self._text = text
        self._all = tags
        self._at = -1

    def __iter__(self) -> Iterator[_Tag]:
        while self._at + 1 < len(self._all):
            self._at += 1
            yield self._all[self._at]

    def text_before(self) -> str:
        """What stands between this tag and the one before it."""
        return self._text[self._all[self._at - 1].stop if self._at else 0 : self._all[self._at].start]

    def field(self, tag: _Tag) -> Element | None:
        """The field that begins, or is only known to end, with this tag; None if it is none."""
        if tag.is_end:
            return self._without_start(tag) if tag.is_field else None
        if not tag.is_field:
            return None
        attributes, value = _attributes(tag.rest)
        element = Element(tag.name, attributes)
        if tag.is_whole and tag.is_empty:
            return element
        end, inner = self._extent(tag)
        raw = ("" if tag.is_whole else value) + self._text[tag.stop : end]
        if tag.name in _HOLDERS:
            element.text = ""
            _fill_holder(element, inner, self._text, end)
        _set_text(element, re.sub(rf"/{re.escape(tag.name)}>\s*\Z", "", raw, flags=re.IGNORECASE))
        return element

    def _extent(self, tag: _Tag) -> tuple[int, Sequence[_Tag]]:
        """Where a field ends, and the tags within; the reader stands behind it then."""
        first = self._at + 1
        is_wide = tag.name in _MARKUP or tag.name in _HOLDERS
        limit = 0
        for at in range(first, len(self._all)):
            other = self._all[at]
            if other.name == tag.name:
                if other.is_end:
                    self._at = at
                    return other.start, self._all[first:at]
                break
            if other.name in _ITEMS or other.name in _FRAMES:
                break
            if other.is_field and not other.is_end:
                limit = limit or at
                if not is_wide:
                    break
        else:
            at = len(self._all)
        # No end of its own: the next field ends it, or what made us give up.
        stop = limit or min(at, len(self._all))
        self._at = stop - 1
        return self._all[stop].start if stop < len(self._all) else len(self._text), self._all[first:stop]

    def _without_start(self, tag: _Tag) -> Element | None:
        """``title>text</title>`` and ``<titel>text</title>`` are titles, too."""
        before = self._all[self._at - 1] if self._at else None
        text = self.text_before()
        lost = re.search(rf"(?:\A|[\s>]){re.escape(tag.name)}((?:\s[^<>]*)?)>(.*)\Z", text, re.IGNORECASE | re.DOTALL)
        if lost:
            attributes, raw = _attributes(lost[1])[0], lost[2]
        elif before is None or before.is_end or before.is_field or before.name in _ITEMS or before.name in _FRAMES:
            return None
        else:
            attributes, raw = _attributes(before.rest)[0], text
        if not raw.strip():
            return None
        element = Element(tag.name, attributes)
        _set_text(element, raw)
        return element


def _fill_holder(element: Element, inner: Sequence[_Tag], text: str, end: int) -> None:
    for at, tag in enumerate(inner):
        if not tag.is_end:
            child = SubElement(element, tag.name, _attributes(tag.rest)[0])
            stop = inner[at + 1].start if at + 1 < len(inner) else end
            _set_text(child, text[tag.stop : stop])


def _attributes(rest: str) -> tuple[dict[str, str], str]:
    """The attributes at the beginning, and what follows them."""
    found: dict[str, str] = {}
    at = 0
    while match := _ATTRIBUTE.match(rest, at):
        name = match[1].lower()
        value = match[2] if match[2] is not None else match[3] if match[3] is not None else match[4]
        found.setdefault(_ATTRIBUTE_NAMES.get(name, name), unescaped(value))
        at = match.end()
    return found, rest[at:]


def _set_text(element: Element, raw: str) -> None:
    """The element's text from its source. Where HTML stands unescaped, that is what the source is."""
    if len(element):
        return  # a holder has its texts in its children
    parts: list[str] = []
    source: list[str] = []
    has_tags = False
    at = 0
    for piece in _PIECE.finditer(raw):
        before = raw[at : piece.start()]
        parts.append(unescaped(before))
        source.append(before)
        at = piece.end()
        if piece[1] is not None:
            parts.append(piece[1])
            source.append(escape(piece[1], quote=False))
        elif not piece[0].startswith("<!"):
            has_tags = True
            source.append(piece[0])
    parts.append(unescaped(raw[at:]))
    source.append(raw[at:])
    if has_tags and element.tag in _MARKUP:
        element.text = "".join(source)
        element.set("type", "html")
    else:
        element.text = "".join(parts)


def unescaped(text: str) -> str:
    """Text with the references of XML as characters.

    >>> unescaped("a&amp;b &#65;&#x42; &copy=1")
    'a&b AB &copy=1'
    """
    return _XML_REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    name = match[1].lower()
    if not name.startswith("#"):
        return _CHARACTERS[name]
    code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return chr(code) if (code < 0x110000 and not 0xD800 <= code < 0xE000 and code > 31) or code in (9, 10, 13) else ""
