"""What a document is, whatever its name says: told by its first bytes, its first tag, its first line."""

import re
from enum import StrEnum

from afresh.base.value_class import dataclass
from afresh.parse.encoding import decode
from afresh.parse.link_tables import columns_of, looks_like_table


class DocumentKind(StrEnum):
    """What afresh can do with it."""

    FEED = "feed"
    OPML = "opml"
    SITEMAP = "sitemap"
    BOOKMARKS = "bookmarks"
    POSTS = "posts"
    JSON = "json"
    TABLE = "csv"
    PAGE = "html"
    JOBS = "yaml"
    TEXT = "text"  # Markdown, a plain list, prose
    OTHER = "other"  # nothing that is read here


@dataclass(frozen=True, slots=True)
class Recognised:
    """A kind of document, and how to say it to a person."""

    kind: DocumentKind
    words: str


_SIGNATURES = (
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive; unpack it and name a file in it"),
    (b"SQLite format 3\0", "an SQLite database; let the program it belongs to write a list"),
    (b"mozLz40\0", "a packed backup of Firefox; its bookmark manager writes one as HTML or JSON"),
    (b"bplist", "a binary property list; Safari writes bookmarks as HTML (File, Export)"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x7fELF", "a program"),
)
_ROOTS = {
    "opml": Recognised(DocumentKind.OPML, "OPML"),
    "outline": Recognised(DocumentKind.OPML, "OPML"),
    "posts": Recognised(DocumentKind.POSTS, "posts of Pinboard or Delicious"),
    "urlset": Recognised(DocumentKind.SITEMAP, "a sitemap"),
    "sitemapindex": Recognised(DocumentKind.SITEMAP, "an index of sitemaps"),
    "rss": Recognised(DocumentKind.FEED, "an RSS feed"),
    "rdf": Recognised(DocumentKind.FEED, "an RSS feed (RDF)"),
    "channel": Recognised(DocumentKind.FEED, "an RSS feed"),
    "feed": Recognised(DocumentKind.FEED, "an Atom feed"),
    "entry": Recognised(DocumentKind.FEED, "an entry of an Atom feed"),
}
_PAGE = Recognised(DocumentKind.PAGE, "an HTML page")
_HTML = frozenset(("html", "head", "body", "meta", "title", "div", "p", "dl", "h1", "ul", "table", "a", "center"))
_NAME = re.compile(r"<(?:[\w.-]{1,40}:)?([A-Za-z_][\w.-]{0,60})")
#: A first tag behind junk, such as a warning that a generator printed.
_LATER = re.compile(r"<(?:\w{1,20}:)?(rss|feed|rdf|opml|urlset|sitemapindex)[\s>]", re.IGNORECASE)
_JSON = re.compile(
    r"\{\s*+[\"}]|\[\s*+(?:[\"\[\]{]|-?\d|true|false|null)|[\[{]\s*+\Z"
)  # not the section of a settings file
_JSON_FEED = re.compile(r'"version"\s{0,9}:\s{0,9}"[^"]{0,40}jsonfeed\.org')
_JOB = re.compile(r"^(?:url|navigate):[ \t]{1,20}[\"']?https?://", re.MULTILINE)
_HEAD = 65_536


def recognise(body: bytes, name: str = "") -> Recognised:
    """What the bytes are; the name counts where they say little.

    >>> recognise(b"<!-- long --><s:urlset xmlns:s='x'/>").words, recognise(b"%PDF-1.7").words
    ('a sitemap', 'a PDF document')
    """
    if words := signature_of(body):
        return Recognised(DocumentKind.OTHER, words)
    return recognise_text(decode(body), name)


def signature_of(body: bytes) -> str:
    """What a file that is no text is, by its first bytes; empty: they do not say."""
    return next((words for signature, words in _SIGNATURES if body.startswith(signature)), "")


def recognise_text(text: str, name: str = "") -> Recognised:
    """The same of a document that is text."""
    text = text.lstrip("\ufeff \t\r\n")
    if not text:
        return Recognised(DocumentKind.OTHER, "an empty file")
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if text[0] == "<":
        return _marked_up(text)
    if _JSON.match(text) and ending not in ("md", "markdown", "txt"):
        is_feed = _JSON_FEED.search(text, 0, _HEAD) is not None
        return Recognised(DocumentKind.FEED, "a JSON feed") if is_feed else Recognised(DocumentKind.JSON, "JSON")
    if _JOB.search(text, 0, _HEAD) and ending not in ("md", "markdown"):
        return Recognised(DocumentKind.JOBS, "jobs of urlwatch")
    if later := _LATER.search(text, 0, _HEAD):
        return _ROOTS[later[1].lower()]
    if ending in ("html", "htm"):
        return _PAGE
    if ending == "csv" or looks_like_table(text[:_HEAD]):
        columns = ", ".join(columns_of(text[:_HEAD].partition("\n")[0])[:6])
        return Recognised(DocumentKind.TABLE, f"CSV with the columns {columns[:200]}")
    if "\0" in text[:_HEAD]:
        return Recognised(DocumentKind.OTHER, "a binary file")
    return Recognised(DocumentKind.TEXT, "a text")


def _marked_up(text: str) -> Recognised:
    root = _root(text)
    if root in _ROOTS:
        return _ROOTS[root]
    from afresh.parse.bookmarks import is_bookmarks  # noqa: PLC0415 (a list of addresses has no tags)

    if is_bookmarks(text):
        return Recognised(DocumentKind.BOOKMARKS, "bookmarks")
    if root in _HTML or (text[:9].lower() == "<!doctype" and "html" in text[9:40].lower()):
        return _PAGE
    if later := _LATER.search(text, 0, _HEAD):
        return _ROOTS[later[1].lower()]
    return Recognised(DocumentKind.OTHER, f"an XML document of the kind <{root}>" if root else "a text of tags")


def _root(text: str) -> str:
    """The name of the first element, lower-case and without its prefix; empty: there is none."""
    at = 0
    while at < len(text):
        if text.startswith("<?", at):
            end = text.find("?>", at) + 2
        elif text.startswith("<!--", at):
            end = text.find("-->", at) + 3
        elif text.startswith("<!", at):
            bracket, close = text.find("[", at), text.find(">", at)
            end = (text.find("]>", at) + 2) if 0 <= bracket < close else close + 1
        elif text[at].isspace():
            end = at + 1
        else:
            name = _NAME.match(text, at)
            return name[1].lower() if name else ""
        if end <= at:  # it has no end
            return ""
        at = end
    return ""
