"""OPML: lists of feeds in folders, read and written."""

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from afresh.base.errors import ParseError
from afresh.parse.elements import local_name
from afresh.parse.listing import Listed
from afresh.parse.markup import Element, read_xml

MAX_OUTLINES = 1_000_000
MAX_DEPTH = 50
MAX_FOLDER = 1_000  # characters of a folder with those it is in
_SEPARATOR = "/"


def read_opml(body: bytes, content_type: str = "") -> list[Listed]:
    """The feeds of an OPML document in order, each with its folder as "outer/inner"."""
    root, _ = read_xml(body, content_type, lenient=False)
    if local_name(root) != "opml":
        raise ParseError(f"not OPML but a document of the kind <{local_name(root)[:40]}>", position="1:1")
    tops = [child for child in root if local_name(child) == "body"] or [root]
    found: list[Listed] = []
    # A stack instead of recursion: the order is that of the document, the depth is the reader's limit.
    stack: list[tuple[Element, str]] = [(child, "") for top in reversed(tops) for child in reversed(_outlines(top))]
    while stack and len(found) < MAX_OUTLINES:
        outline, folder = stack.pop()
        names = {key.lower(): value for key, value in outline.attrib.items()}
        title = _label(names)
        url = (names.get("xmlurl") or (names.get("url") if names.get("type") in ("rss", "atom") else "") or "").strip()
        if url:
            categories = tuple(text for part in names.get("category", "").split(",") if (text := part.strip()))
            found.append(
                Listed(url=url, title=title, folder=folder, categories=categories, line=outline.sourceline or 0)
            )
        children = _outlines(outline)
        if children:
            name = title.replace(_SEPARATOR, "-")
            inner = folder if url or not name else f"{folder}{_SEPARATOR}{name}" if folder else name
            stack += [(child, inner[:MAX_FOLDER]) for child in reversed(children)]
    return found


def _outlines(parent: Element) -> list[Element]:
    return [child for child in parent if local_name(child) == "outline"]


def _label(names: dict[str, str]) -> str:
    return " ".join((names.get("title") or names.get("text") or "").split())[:2_000]


def write_opml(items: Iterable[Listed], *, title: str = "afresh") -> str:
    """An OPML 2.0 document with one outline a folder; feeds without folder stand at the top."""
    tree: _Folder = _Folder()
    for item in items:
        folder = tree
        for name in list(filter(None, item.folder.split(_SEPARATOR)))[:MAX_DEPTH]:
            folder = folder.folders.setdefault(name, _Folder())
        folder.items.append(item)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += [f"  <head><title>{_escaped(title)}</title></head>", "  <body>", *_lines(tree, 2), "  </body>", "</opml>"]
    return "\n".join(lines) + "\n"


class _Folder:
    """Feeds and folders inside a folder."""

    def __init__(self) -> None:
        self.items: list[Listed] = []
        self.folders: dict[str, _Folder] = {}


def _lines(folder: _Folder, depth: int) -> list[str]:
    pad = "  " * depth
    lines = []
    for item in folder.items:
        title = quoteattr(_clean(item.title or item.url))
        categories = f" category={quoteattr(_clean(','.join(item.categories)))}" if item.categories else ""
        lines.append(
            f'{pad}<outline type="rss" text={title} title={title} xmlUrl={quoteattr(_clean(item.url))}{categories}/>'
        )
    for name, inner in folder.folders.items():
        label = quoteattr(_clean(name))
        lines += [f"{pad}<outline text={label} title={label}>", *_lines(inner, depth + 1), f"{pad}</outline>"]
    return lines


def _escaped(text: str) -> str:
    return _clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clean(text: str) -> str:
    """Without what XML cannot hold: control characters, surrogates."""
    return "".join(c for c in text if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
