"""The links a file holds: browser bookmarks, Markdown, HTML, OPML, CSV, JSON or a plain list."""

import csv
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from afresh.base.errors import ParseError
from afresh.base.records.links import LinkRef
from afresh.base.registry import Registry
from afresh.parse.encoding import decode
from afresh.parse.listing import MAX_LINKS, TOO_MANY, lines_of, read_list
from afresh.parse.nesting import is_hostile, texts
from afresh.parse.opml import MAX_FOLDER, read_opml
from afresh.parse.written import ENDINGS, format_of, read_text

# A file may be made to be slow to read: no pattern looks on for long where none of its links can follow.
#: What a file without a telling name is taken for Markdown by.
_MARKDOWN_SIGN = re.compile(r"\]\([^\s()]|^[ ]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]", re.MULTILINE)
#: What begins a line of a list: an address, or at least a host.
_LISTED = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[\w-]+(?:\.[\w-]+)+(?:[/:?#]|\Z)|//")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_MOST_LINES = 200  # that are looked at to tell a list from a text
#: What tells folders in a bookmarks file: headings, lists, anchors.
_FOLDER = re.compile(
    r"<h3\b[^<>]{0,2000}>(?P<name>[^<]{0,500})|<(?P<list>/?dl)\b|<a\s[^<>]{0,9000}?\bhref\b", re.IGNORECASE
)
_FLAT_ANCHOR = re.compile(
    r"<a\s[^<>]{0,2000}?\bhref\s{0,9}=\s{0,9}[\"']?([^\"'\s<>]{1,4000})[^<>]{0,2000}>([^<]{0,500})", re.IGNORECASE
)
_DEPTH = 50  # of folders
_MOST_OBJECTS = 1_500_000  # of JSON: two bytes of text become sixty in memory
_TAGS, _TAG = 50, 100  # tags of a link, characters of one
#: Links of the browser itself, which no server answers.
_INTERNAL = ("place:", "javascript:", "data:", "about:", "chrome:", "edge:", "file:", "#")


Importer = Callable[[bytes], Iterable[LinkRef]]
#: readers that other packages add, by the ending of a file's name
IMPORTERS: Registry[Importer] = Registry("importer", {}, group="afresh.importers")
_OURS = ENDINGS | {"", "json", "opml", "xml", "csv"}


def importer_for(name: str) -> Importer | None:
    """The reader another package has for files of such a name; None: they are read here."""
    suffix = _suffix(name)
    return IMPORTERS.find(suffix) if suffix not in _OURS and suffix in IMPORTERS else None


def read_links(body: bytes, *, name: str = "") -> list[LinkRef]:
    """The links of a file, told by its content and, where that says little, by its name; ParseError if it is broken.

    Of a document only complete addresses: a relative one means nothing to whoever keeps links.
    """
    if importer := importer_for(name):
        return _unique(iter(importer(body)))
    text = decode(body).lstrip("\ufeff")
    kind = kind_of(text, name)
    if kind == "opml":
        return [LinkRef(url=item.url, title=item.title, folder=item.folder) for item in read_opml(body)]
    if kind == "list":
        return _unique(LinkRef(url=item.url, title=item.title, line=item.line) for item in read_list(body))
    read = {"json": _from_json, "csv": _from_csv, "bookmarks": _from_html, "html": _from_html}.get(kind)
    return _unique(_from_document(text, kind) if read is None else read(text))


def kind_of(text: str, name: str) -> str:
    """What a file is: "json", "opml", "bookmarks", "csv", a "list", or the ending of a document (``parse.written``)."""
    head = text[:2000].lstrip().lower()
    suffix = _suffix(name)
    document = format_of(name)
    if head.startswith(("{", "[")) and not document and suffix != "txt":
        return "json"
    if "<opml" in head or suffix == "opml":
        return "opml"
    if "netscape-bookmark-file" in head:
        return "bookmarks"
    if document and document != "txt":
        return "html" if document in ("htm", "xhtml") else document
    if head.startswith(("<!doctype html", "<html")):
        return "html"
    if suffix == "csv" or _looks_like_csv(head):
        return "csv"
    if suffix != "txt" and _MARKDOWN_SIGN.search(text[:20_000]):
        return "md"
    return "list" if _looks_like_list(text) else "txt"


def _looks_like_list(text: str) -> bool:
    """Whether every line begins with an address: in a text they stand in between."""
    lines = (line.strip() for line in islice(lines_of(text), _MOST_LINES))
    return all(" " not in line or _LISTED.match(line) for line in lines if line and not line.startswith("#"))


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _unique(found: Iterator[LinkRef]) -> list[LinkRef]:
    kept: dict[str, LinkRef] = {}
    for link in found:
        if link.url and not link.url.lower().startswith(_INTERNAL):
            kept.setdefault(link.url, link)
            if len(kept) > MAX_LINKS:
                raise ParseError(TOO_MANY)
    return list(kept.values())


def _from_html(text: str) -> Iterator[LinkRef]:
    """Anchors; a bookmarks file that was cut in half still gives those it has."""
    found = _flat_anchors(text) if is_hostile(text.encode("utf-8", "replace")) else _anchors(text)
    folders = _folders(text) if "netscape-bookmark-file" in text[:2000].lower() else []
    for place, (url, title, tags) in enumerate(found):
        folder = folders[place] if len(folders) == len(found) else ""
        yield LinkRef(url=url.strip(), title=" ".join(title.split())[:500], folder=folder, tags=_tags(tags))


def _anchors(text: str) -> list[tuple[str, str, str]]:
    """Address, text and tags of each anchor."""
    nodes = LexborHTMLParser(text).css("a[href]")
    return [
        (node.attributes.get("href") or "", inside[:4_000], node.attributes.get("tags") or "")
        for node, inside in texts(nodes, most=2 * len(text))
    ]


def _flat_anchors(text: str) -> list[tuple[str, str, str]]:
    """The same of a document that would take too long to be understood: as its tags say by themselves."""
    return [(html.unescape(match[1]), html.unescape(match[2]), "") for match in _FLAT_ANCHOR.finditer(text)]


def _tags(text: str) -> tuple[str, ...]:
    """Tags as browsers write them, one comma between two.

    >>> _tags("town, harbour,,town")
    ('town', 'harbour')
    """
    return tuple(dict.fromkeys(" ".join(tag.split())[:_TAG] for tag in text.split(",", _TAGS)[:_TAGS] if tag.strip()))


def _folders(text: str) -> list[str]:
    """The folder of each anchor of a bookmarks file: lists nest, and a heading names the list behind it."""
    found: list[str] = []
    names: list[str] = []
    heading = ""
    for match in _FOLDER.finditer(text):
        if match["name"] is not None:
            heading = " ".join(html.unescape(match["name"]).replace("/", " ").split())[:100]
        elif match["list"] is None:
            found.append("/".join(name for name in names if name)[:MAX_FOLDER])
        elif match["list"].startswith("/"):
            names = names[:-1]
        else:
            names, heading = [*names[:_DEPTH], heading], ""
    return found


def _from_json(text: str) -> Iterator[LinkRef]:
    if (objects := text.count("[") + text.count("{")) > _MOST_OBJECTS:
        raise ParseError(f"{objects:,} lists and objects, more than the {_MOST_OBJECTS:,} that are read; refused")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"not readable as JSON: {error}") from error
    yield from _json_links(content, "", 0)


def _json_links(node: Any, folder: str, depth: int) -> Iterator[LinkRef]:
    """Chrome says url and name, Firefox uri and title; both nest folders as children."""
    if depth > 200:
        raise ParseError("folders nested more than 200 deep")
    if isinstance(node, dict):
        url = node.get("url") or node.get("uri")
        title = node.get("name") or node.get("title") or ""
        if isinstance(url, str):
            tags = node.get("tags")
            kept = _tags(tags if isinstance(tags, str) else "")
            yield LinkRef(url=url, title=str(title)[:500], folder=folder, tags=kept)
        inner = f"{folder}/{title}".strip("/")[:MAX_FOLDER] if title and not isinstance(url, str) else folder
        for key, child in node.items():
            if isinstance(child, dict | list):
                yield from _json_links(child, inner if key == "children" else folder, depth + 1)
    elif isinstance(node, list):
        for child in node:
            if isinstance(child, str) and "://" in child:
                yield LinkRef(url=child, folder=folder)
            else:
                yield from _json_links(child, folder, depth + 1)


def _looks_like_csv(head: str) -> bool:
    first = head.partition("\n")[0]
    return "," in first and any(
        cell.strip().strip('"') in ("url", "link", "href", "address") for cell in first.split(",")
    )


def _from_csv(text: str) -> Iterator[LinkRef]:
    rows = _rows(text)
    first = next(rows, None)
    if first is None:
        return
    names = [cell.strip().lower() for cell in first]
    column = next((names.index(name) for name in ("url", "link", "href", "address") if name in names), None)
    title = next((names.index(name) for name in ("title", "name", "description") if name in names), None)
    for line, row in enumerate(chain([first], rows) if column is None else rows, 1 if column is None else 2):
        cells = row if column is None else row[column : column + 1]
        for cell in cells:
            if column is not None or "://" in cell:
                label = row[title] if title is not None and title < len(row) else ""
                yield LinkRef(url=cell.strip(), title=label[:500], line=line)


def _rows(text: str) -> Iterator[list[str]]:
    """One after the other: a row of commas takes many times the memory of its text."""
    try:
        yield from csv.reader(lines_of(text.replace("\0", "")))
    except csv.Error as error:
        raise ParseError(f"not readable as CSV: {error}") from error


def _from_document(text: str, kind: str) -> Iterator[LinkRef]:
    """The complete addresses of a document; not what stands in code."""
    for link in read_text(text, f".{kind}").links:
        if _ABSOLUTE.match(link.target):
            title = "" if link.text == link.target else link.text
            yield LinkRef(url=link.target, title=title, line=link.line)
