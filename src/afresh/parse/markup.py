"""XML read safely: no entity is expanded, nothing is loaded, depth and size are bounded.

libxml2 reads well-formed documents as they are. What it refuses is repaired (named HTML entities, bare ampersands,
control characters) and read again, then read leniently. A document type declaration is cut out before libxml2 sees
it; one that declares entities made of other entities is refused. An entity that is a file stands for nothing.
"""

import codecs
import html
import html.entities
import re
from typing import Any

from lxml import etree

from afresh.base.errors import ParseError
from afresh.parse.encoding import charset_of, declared_encoding, decode, without_declaration

Element = Any  # lxml ships no types


class Refused(ParseError):
    """A document that is dangerous to read, and is not handed to any other parser either."""


MAX_BYTES = 32 * 2**20
MAX_DOCTYPE = 65_536
MAX_TAGS = 1_500_000  # an element of three bytes takes a hundred in memory; more than this no feed or sitemap has
MAX_ATTRIBUTES = 100_000  # of a document with a tag that could hold them all
MAX_REFERENCES = 500_000  # that are repaired, each by a call
MAX_NAMESPACE = 2_000  # each name is read with its namespace in front: a long one would be there as often as tags are

_OPTIONS = {
    "encoding": "utf-8",  # other encodings are decoded before, so nothing hides from the scan for a DOCTYPE
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "huge_tree": False,  # at most 256 levels and 10 MB a text
    "remove_comments": True,
    "remove_pis": True,
}
# What was repaired, in words for whoever makes the document.
JUNK = "text before the first tag"
CHARACTERS = "characters that XML does not allow"
REFERENCES = "ampersands and entities that XML does not know"
TAGS = "tags that do not fit together"
TRAILING = "text after the last tag"

_UTF8_LABELS = frozenset({"", "utf-8", "utf8", "us-ascii", "ascii"})
_LATIN_LABELS = _UTF8_LABELS | {"iso-8859-1", "iso8859-1", "latin-1", "latin1", "windows-1252", "cp1252"}
_ONLY_WINDOWS = re.compile(
    rb"\xc2[\x80-\x9f]"
)  # characters that Windows-1252 alone has where Latin-1 has none, in UTF-8
# Where a document may begin after junk such as a warning printed by its generator.
_START = re.compile(
    rb"<\?xml[\s?]|<(?:\w+:)?(?:rss|feed|rdf|opml|urlset|sitemapindex|entry|channel)[\s>]", re.IGNORECASE
)
_NO_DOCTYPE = re.compile(rb"(?:<\?xml[^>]{0,300}\?>\s{0,100})?<[A-Za-z_]")
# Comments, instructions and a document type that names a file at most.
_PLAIN_PROLOG = re.compile(
    rb"(?P<mark>\xef\xbb\xbf)?(?:<\?xml\s[^<>]*+>)?"
    rb"(?:\s++|<!--[^-]*+(?:-(?!->)[^-]*+)*+-->|<\?[^<>]*+>|<!DOCTYPE\s[^\[<>]*+>)*+(?=<[A-Za-z_])"
)
_PROPER_START = re.compile(rb"<(?:\?|!|[A-Za-z_])")
_PROLOG = re.compile(r"(?:\s+|<!--.*?-->|<\?.*?\?>)*", re.DOTALL)
_SUBSET_END = re.compile(r"\]\s*>")
_ENTITY = re.compile(r"<!ENTITY\s{1,20}(%)?\s{0,20}([\w.:-]{1,64})")
_EXTERNAL = re.compile(r"\s{1,20}(?:SYSTEM|PUBLIC)\s")
_PLAIN_VALUE = re.compile(r"""\s{1,20}(["'])([^"'<%]{0,64})\1\s{0,20}>""")
# An unclosed section runs to the end, so that many of them do not cost a scan each.
_UNREAD = (
    r"<!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+(?:\]\]>|\Z)"
    r"|<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->|\Z)|"
)
# But those that XML knows and those to ordinary characters: nearly all of them, and each costs a call.
_REFERENCE = re.compile(
    _UNREAD + r"&(?!(?:amp|lt|gt|quot|apos|#(?:3[2-9]|[4-9]\d|[1-9]\d\d|[1-9]\d{3}|[1-4]\d{4}));)(#?\w{0,32};?)"
)
_LAST_TAG = re.compile(rb"</[\w:]{3,7}\s{0,20}>")
# Half a character, also where a section seems to be: libxml2 would make bytes of it that nobody can read.
_SURROGATE = re.compile(
    "&#(?:x0*d[89a-f][0-9a-f]{2}|0*5(?:529[6-9]|5[3-9]..|6...|7[0-2]..|73[0-3].|734[0-3]));?", re.IGNORECASE
)
# Both halves of a character, as programs that think in UTF-16 write an emoji.
_HALVES = re.compile(r"&#(x[0-9a-f]{4}|5\d{4});&#(x[0-9a-f]{4}|5\d{4});", re.IGNORECASE)
_AMPERSAND = re.compile(_UNREAD + "&(amp|lt|gt|quot|apos);")
_LONG_NAMESPACE = re.compile(
    rb"""xmlns[^\s=<>"']{0,200}\s{0,20}=\s{0,20}(?:"[^"]{%d}|'[^']{%d})""" % ((MAX_NAMESPACE,) * 2)
)
_LONG_TAG = re.compile(rb"<[A-Za-z_][^<>]{%d}" % (4 * MAX_ATTRIBUTES))
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r"))
_XML_NAMES = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_AT_ITS_END = re.compile(r", line \d+, column \d+\Z")  # where it is, which is told already


def read_xml(body: bytes, content_type: str = "", *, lenient: bool = True) -> tuple[Element, tuple[str, ...]]:
    """The root element, and what had to be repaired; nothing if the document was well-formed as received."""
    if len(body) > MAX_BYTES:
        raise ParseError(f"{len(body):,} bytes, more than the {MAX_BYTES:,} that are read")
    require_few_tags(body)
    body = body.removeprefix(codecs.BOM_UTF8)
    if declares_utf8(body, content_type):
        try:
            return _parse(body), ()
        except etree.XMLSyntaxError:
            pass  # read again with more patience, below
    return _read_patiently(body, content_type, lenient)


def require_few_tags(body: bytes) -> None:
    """Refuses a document whose tree would take far more memory than its bytes."""
    if 2 * len(body) <= MAX_TAGS:
        return
    tags = body.count(b"<")
    if tags > MAX_TAGS // 2:
        tags = max(tags, 2 * (tags - body.count(b"</")))  # what is never closed takes as much as what is
    if tags > MAX_TAGS:
        raise Refused(f"{tags:,} tags, more than the {MAX_TAGS:,} that are read; refused")
    if body.count(b"=") > MAX_ATTRIBUTES and _LONG_TAG.search(body):
        raise Refused(f"a tag with more than {MAX_ATTRIBUTES:,} attributes; refused")


def declares_utf8(body: bytes, content_type: str) -> bool:
    """Whether a document without junk and document type says that it is UTF-8, or does not say otherwise."""
    return _NO_DOCTYPE.match(body) is not None and _says(_UTF8_LABELS, body, content_type)


def _says(labels: frozenset[str], body: bytes, content_type: str) -> bool:
    """Whether the document is labelled as one of these, as far as it is labelled."""
    return charset_of(content_type).lower() in labels and declared_encoding(body).lower() in labels


def _read_patiently(body: bytes, content_type: str, lenient: bool) -> tuple[Element, tuple[str, ...]]:
    text, entities, junk = _text(body, content_type)
    try:
        return _parse(text.encode("utf-8", "replace")), junk
    except etree.XMLSyntaxError:
        pass
    mended, words = _repair(text, entities)
    try:
        return _parse(mended.encode("utf-8", "replace")), junk + words
    except etree.XMLSyntaxError as error:
        root = _parse_anyhow(mended) if lenient else None
        if root is None:
            line, column = error.position
            raise ParseError(
                f"not well-formed at line {line}, column {column}: {_AT_ITS_END.sub('', error.msg)}",
                position=f"{line}:{column}",
                excerpt=_excerpt(text, line),
            ) from None
        return root, (*junk, *words, TAGS)


def plain_source(body: bytes, content_type: str) -> bytes | None:
    """The document in UTF-8, if there is nothing to repair before a parser can look at it."""
    prolog = _PLAIN_PROLOG.match(body, 0, MAX_DOCTYPE)
    source = _in_utf8(body, content_type, prolog) if prolog else None
    if source is not None:
        return source.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in source else source
    text, entities, junk = _text(body.removeprefix(codecs.BOM_UTF8), content_type)
    if entities or junk:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip().encode("utf-8", "replace")


def _in_utf8(body: bytes, content_type: str, prolog: re.Match[bytes]) -> bytes | None:
    """The document from its first tag on in UTF-8, None if it takes more to tell what its bytes stand for."""
    source = body[prolog.end() :]
    if prolog["mark"] or _says(_UTF8_LABELS, body, content_type):
        return source
    if not _says(_LATIN_LABELS, body, content_type):
        return None
    try:
        body.decode()
    except UnicodeDecodeError:
        source = source.decode("latin-1").encode()  # ten times as quick as Windows-1252
        return None if b"\xc2" in source and _ONLY_WINDOWS.search(source) else source
    return source  # UTF-8, whatever it says


def repaired_text(body: bytes, content_type: str) -> tuple[str, tuple[str, ...]]:
    """The document as text with no references but those of XML, and what had to be repaired for it."""
    text, entities, junk = _text(body, content_type)
    mended, words = _repair(text, entities)
    return mended, junk + words


def without_trailing(source: bytes) -> bytes | None:
    """The document up to its last tag, None if nothing but blanks follows that.

    >>> without_trailing(b"<rss></rss><script/>"), without_trailing(b"<rss></rss> ")
    (b'<rss></rss>', None)
    """
    at = max(map(source.rfind, (b"</rss", b"</feed", b"</rdf:RDF")))
    last = _LAST_TAG.match(source, at) if at >= 0 else None
    return source[: last.end()] if last and source[last.end() :].strip() else None


def without_control(source: bytes) -> bytes | None:
    """The document without control characters, None if it has none."""
    legal = source.translate(None, _CONTROL)
    return legal if len(legal) < len(source) else None


def _text(body: bytes, content_type: str) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """The document without its declarations, the entities it declared, and whether junk stood in front."""
    start = from_start(body)
    text, entities = _cut_doctype(without_declaration(decode(start, content_type)))
    return text, entities, (JUNK,) if len(start) < len(body.lstrip()) else ()


def from_start(body: bytes) -> bytes:
    """The body from where its markup begins, if junk stands in front."""
    stripped = body.lstrip(b" \t\r\n\x0b\x0c")
    if _PROPER_START.match(stripped) and not stripped[:5].lower().startswith((b"<br", b"<b>", b"<p>")):
        return stripped
    if body[:4].count(0) >= 1 or body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body  # UTF-16 and the like are found by their zeros
    match = _START.search(body, 0, 65_536)
    return body[match.start() :] if match else body


def _parse(body: bytes, *, recover: bool = False) -> Element:
    if _LONG_NAMESPACE.search(body):
        raise Refused(f"a namespace of more than {MAX_NAMESPACE:,} characters; refused")
    # A parser a document: one shared by threads would make them wait, and making one takes two microseconds.
    parser = etree.XMLParser(recover=recover, **_OPTIONS)
    root = etree.fromstring(body, parser)
    if root is None and not recover:
        raise ParseError("an empty document")
    return root


def _parse_anyhow(text: str) -> Element | None:
    try:
        # Once something is wrong libxml2 drops references by name, and "a=1&amp;b=2" would be another link.
        numbered = _SURROGATE.sub("", _AMPERSAND.sub(_by_number, text))
        return _parse(numbered.encode("utf-8", "replace"), recover=True)
    except etree.XMLSyntaxError:
        return None  # not even a beginning


def _by_number(match: re.Match[str]) -> str:
    return f"&#{ord(html.unescape(match[0]))};" if match[1] else match[0]


def _cut_doctype(text: str) -> tuple[str, dict[str, str]]:
    """The text without its document type declaration, and the harmless entities that one declared."""
    prolog = _PROLOG.match(text)
    start = prolog.end() if prolog else 0
    if text[start : start + 9].upper() != "<!DOCTYPE":
        return text, {}  # further down it is what an entry quotes
    end = _doctype_end(text, start)
    if end - start > MAX_DOCTYPE:
        raise Refused(f"a document type declaration of {end - start:,} characters; refused")
    entities: dict[str, str] = {}
    for entity in _ENTITY.finditer(text, start, end):
        if entity[1]:
            continue  # a parameter entity goes with the declaration it belongs to
        if _EXTERNAL.match(text, entity.end()):
            entities[entity[2] + ";"] = ""  # nothing is opened, so nothing stands there
            continue
        value = _PLAIN_VALUE.match(text, entity.end())
        plain = html.unescape(value[2]) if value else ""
        if value is None or ("&" in plain and len(plain) > 1):
            raise Refused(f"declares the entity {entity[2]!r} made of other entities or much text; refused")
        entities[entity[2] + ";"] = plain
    return text[:start] + text[end:], entities


def _doctype_end(text: str, start: int) -> int:
    """Where a declaration ends: at its ">", or behind the "]" of its internal subset."""
    bracket, close = text.find("[", start), text.find(">", start)
    if close < 0:
        return len(text)
    if bracket < 0 or close < bracket:
        return close + 1
    end = _SUBSET_END.search(text, bracket)
    return end.end() if end else len(text)


def _repair(text: str, entities: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """The text with named HTML entities as characters, bare ampersands escaped and illegal characters gone."""
    if (references := text.count("&")) > MAX_REFERENCES:
        raise Refused(f"malformed, and with {references:,} references; refused")
    legal = _ILLEGAL.sub("", text)
    words = () if legal == text else (CHARACTERS,)

    def replace(match: re.Match[str]) -> str:
        name = match[1]
        if name is None or name in _XML_NAMES:
            return match[0]
        if name.startswith("#"):
            char = html.unescape(match[0]) if name.endswith(";") else ""
            return html.escape(char) if len(char) == 1 and char != "\ufffd" and not _ILLEGAL.match(char) else ""
        if name in entities:
            return html.escape(entities[name])
        if name in html.entities.html5 and not (name[-1] != ";" and legal.startswith("=", match.end())):  # ?a=1&copy=2
            return html.escape(html.entities.html5[name])
        return "&amp;" + match[0][1:]

    mended = _REFERENCE.sub(replace, _HALVES.sub(_whole, legal))
    return mended, words if mended == legal else (*words, REFERENCES)


def _whole(halves: re.Match[str]) -> str:
    first, second = (int(f"0{half}", 16) if half[0] in "xX" else int(half) for half in halves.groups())
    is_pair = 0xD800 <= first < 0xDC00 <= second < 0xE000
    return chr(0x10000 + (first - 0xD800) * 0x400 + second - 0xDC00) if is_pair else halves[0]


def _excerpt(text: str, line: int) -> str:
    lines = text.splitlines()
    return lines[line - 1][:80] if 0 < line <= len(lines) else ""
