"""The links a file holds: browser bookmarks, Markdown, HTML, OPML, CSV, JSON or a plain list."""

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser

from afresh.base.records.links import LinkRef
from afresh.base.registry import Registry
from afresh.parse.bookmarks import is_bookmarks, read_bookmarks
from afresh.parse.encoding import decode
from afresh.parse.link_json import read_json_links
from afresh.parse.link_tables import looks_like_table, read_table
from afresh.parse.listing import kept, one_line, read_list
from afresh.parse.nesting import is_hostile, texts
from afresh.parse.opml import read_opml

# A file may be made to be slow to read: no pattern looks on for long where none of its links can follow.
_MARKDOWN = re.compile(
    r"(?<!\\)\[(?P<text>(?:[^\[\]\\]|\\[\s\S]){0,2000}+)\]"
    r"\(\s{0,9}<?(?P<url>[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s[^)]{0,300}+)?\)"
)
_REFERENCE = re.compile(r"^[ \t]{0,3}\[[^\[\]\n]{1,999}\]:[ \t]*<?(?P<url>[^\s<>]+)>?", re.MULTILINE)
_BARE = re.compile(
    r"<(?P<angle>https?://[^\s<>]+)>|(?<![\w(\[<\"'=])(?P<bare>https?://[^\s<>\"')\]]+[^\s<>\"')\].,;:!?])"
)
_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_FLAT_ANCHOR = re.compile(
    r"<a\s[^<>]{0,2000}?\bhref\s{0,9}=\s{0,9}[\"']?([^\"'\s<>]{1,4000})[^<>]{0,2000}>([^<]{0,500})", re.IGNORECASE
)
_LINE_END = re.compile("\n")
_CODE = re.compile(r"`[^`\n]*`")


Importer = Callable[[bytes], Iterable[LinkRef]]
#: readers that other packages add, by the ending of a file's name
IMPORTERS: Registry[Importer] = Registry("importer", {}, group="afresh.importers")
_OURS = ("", "txt", "json", "opml", "xml", "html", "htm", "csv", "md", "markdown", "rst")


def importer_for(name: str) -> Importer | None:
    """The reader another package has for files of such a name; None: they are read here."""
    suffix = _suffix(name)
    return IMPORTERS.find(suffix) if suffix not in _OURS and suffix in IMPORTERS else None


def read_links(body: bytes, *, name: str = "") -> list[LinkRef]:
    """The links of a file, told by its content and, where that says little, by its name; ParseError if it is broken."""
    if importer := importer_for(name):
        return list(kept(importer(body)))
    text = decode(body).lstrip("\ufeff")
    head = text[:2000].lstrip().lower()
    suffix = _suffix(name)
    if head.startswith(("{", "[")) and suffix not in ("md", "markdown", "txt"):
        return list(read_json_links(body))
    if "<opml" in head or suffix == "opml":
        return list(read_opml(body))
    if "netscape-bookmark-file" in head or head.startswith(("<!doctype html", "<html")) or suffix in ("html", "htm"):
        return list(read_bookmarks(body) if is_bookmarks(text) else kept(_from_html(text)))
    if suffix == "csv" or looks_like_table(head):
        return list(read_table(body))
    if suffix in ("md", "markdown", "rst") or _MARKDOWN.search(text[:20_000]):
        return list(kept(_from_markdown(text)))
    return list(read_list(body))


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _from_html(text: str) -> Iterator[LinkRef]:
    found = _flat_anchors(text) if is_hostile(text.encode("utf-8", "replace")) else _anchors(text)
    for url, title in found:
        yield LinkRef(url=url.strip(), title=one_line(title)[:500])


def _anchors(text: str) -> list[tuple[str, str]]:
    """Address and text of each anchor."""
    nodes = LexborHTMLParser(text).css("a[href]")
    return [(node.attributes.get("href") or "", inside[:4_000]) for node, inside in texts(nodes, most=2 * len(text))]


def _flat_anchors(text: str) -> list[tuple[str, str]]:
    """The same of a document that would take too long to be understood: as its tags say by themselves."""
    return [(html.unescape(match[1]), html.unescape(match[2])) for match in _FLAT_ANCHOR.finditer(text)]


def _from_markdown(text: str) -> Iterator[LinkRef]:
    """Inline links, references and bare addresses; not what stands in code."""
    shown = _FENCE.sub(_blank, text)
    shown = _CODE.sub(_blank, shown)
    ends = [match.start() for match in _LINE_END.finditer(shown)]
    for match in _MARKDOWN.finditer(shown):
        yield LinkRef(url=match["url"], title=match["text"][:500], line=bisect_left(ends, match.start()) + 1)
    for match in _REFERENCE.finditer(shown):
        yield LinkRef(url=match["url"], line=bisect_left(ends, match.start()) + 1)
    for match in _BARE.finditer(shown):
        yield LinkRef(url=match["angle"] or match["bare"], line=bisect_left(ends, match.start()) + 1)


def _blank(match: re.Match[str]) -> str:
    """As many lines, nothing in them: line numbers stay right."""
    return "\n" * match[0].count("\n")
