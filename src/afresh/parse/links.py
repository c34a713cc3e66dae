"""The links a file holds: browser bookmarks, documents, HTML, OPML, CSV, JSON or a plain list."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from afresh.base.errors import NoText
from afresh.base.lazy import attribute
from afresh.base.records.links import LinkRef
from afresh.base.registry import Registry
from afresh.parse.document_links import ENDINGS, Document, format_of, is_packed, read_document, read_text
from afresh.parse.encoding import decode
from afresh.parse.listing import LinkList, kept, lines_of, read_list
from afresh.parse.recognising import DocumentKind, recognise_text, signature_of

# A file may be made to be slow to read: no pattern looks on for long where none of its links can follow.
#: What a file without a telling name is taken for Markdown by.
_MARKDOWN_SIGN = re.compile(r"\]\([^\s()]|^[ ]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]", re.MULTILINE)
#: What begins a line of a list: an address, or at least a host.
_LISTED = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=\S)|[\w-]+(?:\.[\w-]+)+(?:[/:?#]|\s|\Z)|//")
#: The same where the file may be anything: not requests==2.0, 1.2.3 or "Name: https://…".
_SURELY_LISTED = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|mailto:\S|(?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?(?=[/?#\s]|\Z)")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_HTML = ("html", "htm", "xhtml")
_PAGES = ("", "txt", *_HTML)  # endings of files that may be anything
_HTML_START = re.compile(r"\s*(?:<!doctype\s+html|<html)", re.IGNORECASE)  # Markdown, too, may begin with a tag
_MOST_LINES = 200  # that are looked at to tell a list from a text
_HEAD = 65_536  # characters in which a file shows that it is no text
#: readers of lists, each loaded with the first such file
_READERS = {
    DocumentKind.JSON: "afresh.parse.link_json:read_json_links",
    DocumentKind.OPML: "afresh.parse.opml:read_opml",
    DocumentKind.BOOKMARKS: "afresh.parse.bookmarks:read_bookmarks",
    DocumentKind.POSTS: "afresh.parse.posts:read_posts",
    DocumentKind.TABLE: "afresh.parse.link_tables:read_table",
}


Importer = Callable[[bytes], Iterable[LinkRef]]
#: readers that other packages add, by the ending of a file's name
IMPORTERS: Registry[Importer] = Registry("importer", {}, group="afresh.importers")
_OURS = ENDINGS | {"", "json", "opml", "xml", "csv"}


def importer_for(name: str) -> Importer | None:
    """The reader another package has for files of such a name; None: they are read here."""
    suffix = _suffix(name)
    return IMPORTERS.find(suffix) if suffix not in _OURS and suffix in IMPORTERS else None


def list_reader(kind: str) -> Callable[[bytes], LinkList] | None:
    """What reads lists of a kind; None: such a document is no list."""
    return attribute(_READERS[DocumentKind(kind)]) if kind in _READERS else None


def read_links(body: bytes, *, name: str = "") -> list[LinkRef]:
    """The links of a file, told by its content and, where that says little, by its name; ParseError if it is broken.

    Of a document only complete addresses: a relative one means nothing to whoever keeps links.
    """
    return list(read_link_list(body, name=name))


def read_link_list(body: bytes, *, name: str = "") -> LinkList:
    """The same with what was left out, and with further places of the same addresses."""
    if importer := importer_for(name):
        return LinkList(format="a file of another package's kind", **kept(importer(body)))
    text = decode(body).lstrip("\ufeff")
    check_text(body, text, name)
    kind = kind_of(text, name)
    if read := list_reader(kind):
        return read(body)
    match kind:
        case "list":
            return read_list(body)
        case "html":
            from afresh.parse.anchors import read_anchors  # noqa: PLC0415 (as the readers of lists)

            links = kept(read_anchors(text))
        case ending if is_packed(name):
            links = kept(_from_document(read_document(body, f".{ending}")))
        case ending:
            links = kept(_from_document(read_text(text, f".{ending}")))
    return LinkList(format="a document", **links)


def check_text(body: bytes, text: str, name: str) -> None:
    """Raises NoText for an image, a program and the like: read as a list, each line of one would be an address.

    A name that says what a file is (``page.html``, ``links.csv``) is believed, whatever has got into it.
    """
    if format_of(name) or _suffix(name) in _OURS - {""}:
        return
    if words := signature_of(body) or ("a binary file" if "\0" in text[:_HEAD] else ""):
        raise NoText(f"not a document or list of links: it looks like {words}")


def kind_of(text: str, name: str, *, is_meant: bool = True) -> str:
    """What a file is: "json", "opml", "bookmarks", "csv", a "list", or a document's ending (``parse.document_links``).

    ``is_meant``: somebody says that it names links. Of any other file only addresses make a list, not words.
    """
    suffix, document = _suffix(name), format_of(name)
    if document not in _PAGES:
        return document
    if suffix in ("json", "opml"):
        return suffix
    looks = recognise_text(text, name).kind
    if looks in _READERS:
        return looks
    if looks is DocumentKind.FEED and text.lstrip().startswith("{"):
        return "json"
    if document in _HTML or (looks is DocumentKind.PAGE and _HTML_START.match(text)):
        return "html"
    if suffix != "txt" and _MARKDOWN_SIGN.search(text[:20_000]):
        return "md"
    return "list" if _looks_like_list(text, is_meant=is_meant) else "txt"


def _looks_like_list(text: str, *, is_meant: bool) -> bool:
    """Whether every line begins with an address: in a text they stand in between."""
    stripped = (line.strip() for line in islice(lines_of(text), _MOST_LINES))
    lines = [line for line in stripped if line and not line.startswith("#")]
    if is_meant:
        return all(" " not in line or _LISTED.match(line) for line in lines)
    return any("://" in line for line in lines) and all(map(_SURELY_LISTED.match, lines))  # names of files are no hosts


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _from_document(document: Document) -> Iterator[LinkRef]:
    """The complete addresses of a document; not what stands in code."""
    for link in document.links:
        if _ABSOLUTE.match(link.target):
            title = "" if link.text == link.target else link.text
            yield LinkRef(url=link.target, title=title, line=link.line)
