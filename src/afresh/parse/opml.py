"""OPML: lists of feeds in folders, read and written.

Well-formed documents are read as XML. Many are not: titles with bare ``<``, ``&`` or quotes, ends that are missing or
stand at the wrong place. Those are read outline by outline, and each place that had to be repaired is counted.
"""

import html
import re
from collections.abc import Iterable, Iterator
from email.utils import formatdate
from functools import lru_cache

from lxml import etree

from afresh.base.errors import ParseError
from afresh.base.folder_names import names_of
from afresh.base.records.links import LinkRef
from afresh.parse import listing
from afresh.parse.elements import local_name, local_part
from afresh.parse.encoding import decode
from afresh.parse.listing import LinkList, Lost
from afresh.parse.markup import MAX_BYTES, Element, Refused, read_xml
from afresh.parse.xml_text import xml_attribute, xml_text

_DEEPEST = 1_000  # outlines within outlines
_TYPES = frozenset(("rss", "atom", "link"))  # whose ``url`` is worth watching; ``include`` names another list
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<(?P<end>/?)(?:[\w.-]{1,40}:)?outline(?=[\s/>])", re.IGNORECASE | re.DOTALL)
_MOST_UNQUOTED = 8  # values of one outline without their quotes; each costs a look at all of it
# A value ends at the quote behind which a tag goes on or ends; so quotes, "<" and ">" within it do no harm. It never
# runs into the next outline: then its own quote is missing, and it ends where that would be.
_NEXT = r"\s*+(?:[\w:.-]{1,60}+\s*+=|/?\s*+>)"
_VALUE = re.compile(
    r"\s*+(?P<name>[\w:.-]{1,60}+)\s*+=\s*+(?:"
    rf'"(?P<a>(?:[^"<]++|<(?!/?outline\b)|"(?!{_NEXT}))*+)"'
    rf"|'(?P<b>(?:[^'<]++|<(?!/?outline\b)|'(?!{_NEXT}))*+)'"
    r"|(?P<c>[\"']?[^\s\"'<>]*+))",
    re.IGNORECASE,
)
_BAD = re.compile(r"&(?!#\w{1,10};|(?:amp|lt|gt|quot|apos);)|<")
#: Where the feed of an outline stands that seemed to end before: in mark-up with quotes of its own.
_HIDDEN = re.compile(r"</?(?:[\w.-]{1,40}:)?outline\b|(?<=[\s\"'])xmlurl(?=\s*+=)", re.IGNORECASE)
_REST = re.compile(r"[^<>]*+(>?)")

#: An outline begins (its attributes by lower-case names, its line), or one ends (None).
Event = tuple[dict[str, str], int] | None


def read_opml(body: bytes, content_type: str = "") -> LinkList:
    """The feeds of an OPML document in order, each with its folder as "outer/inner"."""
    if len(body) > MAX_BYTES:
        raise ParseError(f"{len(body):,} bytes, more than the {MAX_BYTES:,} that are read")
    try:
        root, repaired = read_xml(body, content_type, lenient=False)
    except Refused:
        raise
    except ParseError as error:
        return _read_damaged(body, content_type, error)
    if local_name(root) != "opml":
        raise ParseError(f"not OPML but a document of the kind <{local_name(root)[:40]}>", position="1:1")
    if repaired:
        return _read_damaged(body, content_type, None)
    lost = Lost()
    links = listing.kept(_gathered(_outlines(root), lost))
    return LinkList(format="OPML", **links, lost=lost.told(), kind="feed")


def _read_damaged(body: bytes, content_type: str, error: ParseError | None) -> LinkList:
    text = decode(body, content_type)
    scanned = _Scanned(listing.legal(text))
    scanned.repaired = len(text) - len(scanned.text)
    lost = Lost()
    links = listing.kept(_gathered(scanned.events(), lost))
    if error is not None and not scanned.outlines:
        raise error
    repaired = max(1, scanned.repaired)
    return LinkList(format="OPML", **links, repaired=repaired, lost=lost.told(), kind="feed")


def _outlines(root: Element) -> Iterator[Event]:
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if _lowered(element.tag) != "outline":
            continue
        if event == "end":
            yield None
        else:
            yield {_lowered(name): value for name, value in element.attrib.items()}, element.sourceline or 0


@lru_cache(maxsize=1_024)  # the same few again and again
def _lowered(name: str) -> str:
    return local_part(name).lower()


def _gathered(events: Iterable[Event], lost: Lost) -> Iterator[LinkRef]:
    folders = [""]  # of what stands in each open outline
    for event in events:
        if event is None:
            folders.pop()
            continue
        if len(folders) > _DEEPEST:
            raise ParseError(f"outlines nested more than {_DEEPEST:,} deep", position=f"{event[1]}:1")
        said, line = event
        url = address_of(said)
        if url:
            yield _link(url, said, folders[-1], line, lost)
            folders.append(folders[-1])
        else:
            if "xmlurl" in said:  # a feed whose address is missing
                yield listing.new_link(url="")
            folders.append(listing.folder_within(folders[-1], listing.folder_name(_label(said))))


def address_of(said: dict[str, str]) -> str:
    """The feed an outline names; empty: it is a folder, or something a program keeps for itself."""
    url = said.get("xmlurl") or (said.get("url", "") if said.get("type", "").lower() in _TYPES else "")
    return listing.address(url)


def _link(url: str, said: dict[str, str], folder: str, line: int, lost: Lost) -> LinkRef:
    lost.page = url
    is_link = "xmlurl" not in said and said.get("type", "").lower() == "link"
    made = _made_of_a_page(said, lost) if "+" in said.get("type", "") else ""
    return listing.new_link(
        url=url,
        title=listing.title_of(_label(said), url),
        folder=folder,
        line=line,
        tags=listing.tags_of(said.get("category", "")),
        note=listing.note_of(said.get("description", "")),
        saved=listing.moment(said.get("created", "")),
        home=listing.address(said.get("htmlurl", "")),
        watch=made or listing.watch_of(said.get("watch", "")),
        visits=listing.visits_of(said.get("visits", "")),
        kind=listing.kind_of(said.get("kind", "")) or ("link" if is_link else ""),
    )


def _made_of_a_page(said: dict[str, str], lost: Lost) -> str:
    """What FreshRSS makes a feed of; nobody else could read that as a feed, but watch those parts of the page."""
    kind = said["type"].lower()
    if kind != "html+xpath":
        lost.note(f"a feed that FreshRSS makes of something else ({kind[:40]}), watched as a feed")
        return ""
    from afresh.parse.watch_lists import accepted, selected  # noqa: PLC0415 (few lists are of pages)

    return accepted(selected([f"xpath:{said.get('xpathitem', '')}"], lost), lost)


def _label(said: dict[str, str]) -> str:
    return said.get("title") or said.get("text") or ""


class _Scanned:
    """A damaged document, outline by outline; feeds hold no outlines, whatever its ends say."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.outlines = self.repaired = 0
        self._place = self._line = 0

    def events(self) -> Iterator[Event]:
        text, at, depth = self.text, 0, 0
        is_in_feed = False
        while tag := _TAG.search(text, at):
            at = tag.end()
            if tag["end"] is None:
                continue  # a comment
            if tag["end"]:
                if not is_in_feed and not depth:
                    self.repaired += 1  # an end without a beginning
                elif not is_in_feed:
                    depth -= 1
                    yield None
                is_in_feed = False
                continue
            self.repaired += is_in_feed  # the feed before was not ended
            said, at, is_ended = self._attributes(at)
            self.outlines += 1
            yield said, self._line_of(tag.start())
            is_in_feed = bool(address_of(said)) and not is_ended
            if is_ended or is_in_feed:
                yield None
            else:
                depth += 1
        self.repaired += depth + is_in_feed  # never ended

    def _attributes(self, at: int) -> tuple[dict[str, str], int, bool]:
        """Those of the tag whose name ends at ``at``, where it ends, and whether it ends the outline too."""
        said: dict[str, str] = {}
        at = self._values(at, said)
        if "xmlurl" not in said and (hidden := _HIDDEN.search(self.text, at)) and hidden[0][0] != "<":
            self.repaired += 1
            at = self._values(hidden.start(), said)
        rest = _REST.match(self.text, at)
        assert rest is not None  # it matches nothing, too
        self.repaired += not rest[1] or bool(rest[0].strip(" \t\r\n/>"))
        return said, rest.end(), "/" in rest[0] or self.text[at - 1 : at] == "/"

    def _values(self, at: int, said: dict[str, str]) -> int:
        """Puts the values from ``at`` on to those said before; where they end."""
        text = self.text
        unquoted = 0
        while unquoted < _MOST_UNQUOTED and (value := _VALUE.match(text, at)):
            written = value["a"] if value["a"] is not None else value["b"]
            if written is None:
                unquoted += 1
                self.repaired += 1
                written = value["c"].strip("\"'").removesuffix("/")
            self.repaired += len(_BAD.findall(written))
            said.setdefault(value["name"].lower().rpartition(":")[2], html.unescape(written))
            at = value.end()
        return at

    def _line_of(self, place: int) -> int:
        self._line += self.text.count("\n", self._place, place)
        self._place = place
        return self._line + 1


def write_opml(items: Iterable[LinkRef], *, title: str = "afresh") -> str:
    """An OPML 2.0 document with one outline a folder; feeds without folder stand at the top."""
    tree: _Folder = _Folder()
    for item in items:
        folder = tree
        for name in names_of(item.folder)[: listing.MAX_DEPTH]:
            folder = folder.folders.setdefault(name, _Folder())
        folder.items.append(item)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += [
        f"  <head><title>{xml_text(listing.legal(title))}</title></head>",
        "  <body>",
        *_lines(tree, 2),
        "  </body>",
        "</opml>",
    ]
    return "\n".join(lines) + "\n"


class _Folder:
    """Feeds and folders inside a folder."""

    def __init__(self) -> None:
        self.items: list[LinkRef] = []
        self.folders: dict[str, _Folder] = {}


def _lines(folder: _Folder, depth: int) -> list[str]:
    pad = "  " * depth
    lines = [f"{pad}<outline{_said(item)}/>" for item in folder.items]
    for name, inner in folder.folders.items():
        label = xml_attribute(listing.legal(name))
        lines += [f"{pad}<outline text={label} title={label}>", *_lines(inner, depth + 1), f"{pad}</outline>"]
    return lines


def _said(item: LinkRef) -> str:
    name = item.title or item.url
    is_feed = item.kind in ("", "feed")
    attributes = {
        "type": "rss" if is_feed else "link",
        "text": name,
        "title": name,
        "xmlUrl" if is_feed else "url": item.url,
        "htmlUrl": item.home,
        "description": item.note,
        "category": ",".join(item.tags),
        "created": "" if item.saved is None else formatdate(item.saved, usegmt=True),
        "kind": item.kind if item.kind not in ("feed", "link") else "",
        "watch": item.watch,
        "visits": item.visits,
    }
    return "".join(f" {key}={xml_attribute(listing.legal(value))}" for key, value in attributes.items() if value)
