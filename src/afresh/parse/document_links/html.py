"""Links of HTML, each with its place: tags are read as browsers read them (HTML 13.2.5), no tree is built.

A tree forgets where things stood. What a document without a tree cannot be asked (which element is within which) is not
needed to find addresses; that both find the same ones is a test.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.entities import html5

from afresh.base.errors import ParseError
from afresh.parse.document_links.css import css_links
from afresh.parse.document_links.model import Document, Lines, WrittenLink, squeezed

_SPACE = "\t\n\f\r "
# An unclosed quote ends the document, as in a browser: so nothing is searched twice, whatever it is made of.
_ATTRIBUTE = re.compile(
    rf"[{_SPACE}/]*+(?P<name>=?[^{_SPACE}/>=]++|=)"
    rf"(?:[{_SPACE}]*+=[{_SPACE}]*+(?:\"(?P<double>[^\"]*+)(?P<closed2>\")?|'(?P<single>[^']*+)(?P<closed1>')?"
    rf"|(?P<bare>[^{_SPACE}>]*+)))?"
)
_NAME = re.compile(rf"[^{_SPACE}/>]++")
_END = re.compile(rf"[{_SPACE}/]*+>")
_COMMENT_END = re.compile(r"--!?>")
_ENTITY = re.compile(r"&(#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,7};?|[A-Za-z][A-Za-z0-9]{1,40}(;|=)?)")
_RAW = {
    name: re.compile(rf"</{name}(?=[{_SPACE}/>])", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
_CANDIDATE = re.compile(rf"[{_SPACE},]*+(?P<url>[^{_SPACE}]++)")

#: attributes that hold an address, by element
_ADDRESSES: dict[str, tuple[str, ...]] = {
    "a": ("href",),
    "area": ("href",),
    "link": ("href", "imagesrcset"),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "script": ("src",),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "track": ("src",),
    "audio": ("src",),
    "video": ("src", "poster"),
    "input": ("src",),
    "object": ("data",),
    "blockquote": ("cite",),
    "q": ("cite",),
    "ins": ("cite",),
    "del": ("cite",),
    "image": ("href", "xlink:href"),
    "body": ("background",),
    "outline": ("xmlurl", "htmlurl", "url"),  # of OPML, whose tags read the same
}
_MOST_TAGS = 1_000_000
_MOST_ATTRIBUTES = 500  # of a tag, the first ones
#: ``<link rel>`` that names a host to be connected to, not a document
_NO_DOCUMENT = frozenset(("preconnect", "dns-prefetch"))


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute: what it means, and where it is written."""

    value: str
    start: int
    end: int


@dataclass(slots=True)
class _Found:
    """What was found so far."""

    lines: Lines
    offset: int  # of the text read within its document
    links: list[WrittenLink] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    base: str = ""

    def add(self, target: str, start: int, end: int, *, text: str = "") -> None:
        start, end = start + self.offset, end + self.offset
        line, column = self.lines.place(start)
        self.links.append(WrittenLink(target=target, text=text, line=line, column=column, start=start, end=end))


def read_html(text: str) -> Document:
    """The links and anchors of a page.

    >>> [(link.target, link.text, link.line) for link in read_html('<p>\\n<a href="x?a=1&amp;b">to <b>x</b></a>').links]
    [('x?a=1&b', 'to x', 2)]
    """
    return read_fragment(text, Lines(text), 0)


def read_fragment(text: str, lines: Lines, offset: int) -> Document:
    """The same of a part of a document that begins at ``offset``; ParseError if it has more tags than a page has."""
    if (count := text.count("<")) > _MOST_TAGS:
        raise ParseError(f"{count:,} tags, more than the {_MOST_TAGS:,} that are read; refused")
    found = _Found(lines, offset)
    open_at = -1  # the link whose text is being read, among those found
    pieces: list[str] = []
    for name, attributes, before in tags(text):
        if open_at >= 0:
            pieces.append(before)
            if name == "img" and (alt := attributes.get("alt")):
                pieces.append(alt.value)
        if name in ("a", "/a") and open_at >= 0:
            found.links[open_at] = _with_text(found.links[open_at], pieces)
            open_at = -1
        if not name.startswith("/"):
            first = len(found.links)
            _take(found, name, attributes)
            if name == "a" and len(found.links) > first:
                open_at, pieces = first, []
    return Document(links=tuple(found.links), anchors=frozenset(found.anchors), base=found.base)


def tags(text: str) -> Iterator[tuple[str, dict[str, Attribute], str]]:
    """Tags in their order: name (``/a``: an end), attributes, and the text since the tag before.

    What stands in a script or another raw element is its text; comments are passed over.
    """
    at = shown = 0
    pieces: list[str] = []
    while (at := text.find("<", at)) >= 0:
        after = text[at + 1 : at + 2]
        if after in ("!", "?"):
            pieces.append(text[shown:at])
            at = shown = _past_comment(text, at)
            continue
        is_end = after == "/"
        named = _NAME.match(text, at + 1 + is_end) if text[at + 1 + is_end : at + 2 + is_end].isalpha() else None
        if named is None:
            at += 1
            continue
        pieces.append(text[shown:at])
        name = named[0].lower()
        attributes, at = _attributes(text, named.end())
        shown = at
        yield ("/" + name if is_end else name), attributes, unescaped("".join(pieces), in_attribute=False)
        pieces = []
        if not is_end and name in _RAW:
            end = _RAW[name].search(text, at)
            inside = text[at : len(text) if end is None else end.start()]
            if name == "style":
                yield "#style", {"": Attribute(inside, at, at + len(inside))}, ""
            at = shown = at + len(inside)
        elif name == "plaintext" and not is_end:
            return


def unescaped(text: str, *, in_attribute: bool = True) -> str:
    """Without entities; in an attribute ``&copy=1`` is a parameter and no sign (HTML 13.2.5.73).

    >>> unescaped("?a=1&amp;b&copy=2&eacute"), unescaped("?a&lt;")
    ('?a=1&b&copy=2é', '?a<')
    """
    if "&" not in text:
        return text

    def meant(match: re.Match[str]) -> str:
        name = match[1]
        if name.startswith("#"):
            return _numbered(name.rstrip(";"))
        if name.endswith("="):
            return html5.get(name[:-1], "&" + name[:-1]) + "=" if not in_attribute else match[0]
        return html5.get(name, match[0])

    return _ENTITY.sub(meant, text)


def _numbered(name: str) -> str:
    number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def _past_comment(text: str, at: int) -> int:
    if not text.startswith("<!--", at):
        end = text.find(">", at)
        return len(text) if end < 0 else end + 1
    if text.startswith(("<!-->", "<!--->"), at):
        return text.index(">", at) + 1
    end_of = _COMMENT_END.search(text, at + 4)
    return len(text) if end_of is None else end_of.end()


def _attributes(text: str, at: int) -> tuple[dict[str, Attribute], int]:
    """Attributes by name, the first of each, and where the tag ends; a tag that does not end is none."""
    found: dict[str, Attribute] = {}
    while True:
        if (end := _END.match(text, at)) is not None:
            return found, end.end()
        match = _ATTRIBUTE.match(text, at)
        if match is None or match.end() >= len(text) or _is_open(match):
            return {}, len(text)
        at = match.end()
        if len(found) >= _MOST_ATTRIBUTES:
            continue
        name = match["name"].lower()
        for group in ("double", "single", "bare"):
            if match[group] is not None and name not in found:
                found[name] = Attribute(unescaped(match[group]), *match.span(group))
        found.setdefault(name, Attribute("", at, at))


def _is_open(match: re.Match[str]) -> bool:
    """Whether a quote was opened that nothing closes."""
    return (match["double"] is not None and match["closed2"] is None) or (
        match["single"] is not None and match["closed1"] is None
    )


def _take(found: _Found, name: str, attributes: dict[str, Attribute]) -> None:
    """The addresses of one tag."""
    if name == "#style":
        _take_css(found, attributes[""])
        return
    for key in ("id", "name") if name in ("a", "map") else ("id",):
        if key in attributes:
            found.anchors.add(attributes[key].value)
    if name == "base" and not found.base and "href" in attributes:
        found.base = attributes["href"].value.strip()
    if "style" in attributes:
        _take_css(found, attributes["style"])
    if name == "link" and _NO_DOCUMENT & set(attributes.get("rel", Attribute("", 0, 0)).value.lower().split()):
        return
    label = next((attributes[key].value for key in ("alt", "text", "title") if key in attributes), "")
    for key in _ADDRESSES.get(name, ()):
        if (said := attributes.get(key)) is None:
            continue
        if key.endswith("srcset"):
            for url, start in srcset(said.value):
                exact = len(said.value) == said.end - said.start  # no entity moved anything
                place = said.start + start if exact else said.start
                found.add(url, place, place + len(url) if exact else said.end, text=squeezed((label,)))
        elif target := said.value.strip():
            start = said.start + len(said.value) - len(said.value.lstrip())
            found.add(target, start, said.end - (len(said.value) - len(said.value.rstrip())), text=squeezed((label,)))


def _take_css(found: _Found, said: Attribute) -> None:
    for url, start, end in css_links(said.value):
        found.add(url, said.start + start, said.start + end)


def srcset(value: str) -> Iterator[tuple[str, int]]:
    """The addresses of a ``srcset`` and where each begins (HTML 4.8.4.2.1).

    >>> [url for url, _ in srcset("a.png 1x, b,c.png 2x,d.png")]
    ['a.png', 'b,c.png', 'd.png']
    """
    at = 0
    while (match := _CANDIDATE.match(value, at)) is not None:
        url = match["url"].rstrip(",")
        if url:
            yield url, match.start("url")
        at = match.end()
        if url == match["url"]:  # descriptors follow, up to a comma outside of brackets
            comma = value.find(",", at)
            at = len(value) if comma < 0 else comma + 1


def _with_text(link: WrittenLink, pieces: list[str]) -> WrittenLink:
    text = squeezed(pieces) or link.text
    return WrittenLink(
        target=link.target, text=text, line=link.line, column=link.column, start=link.start, end=link.end
    )
