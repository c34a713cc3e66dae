"""Feeds a page announces, and the links of a search engine's answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from afresh.base.errors import ParseError
from afresh.parse.encoding import decode
from afresh.parse.feed import parse_feed
from afresh.parse.fields import MAX_LINK, plain
from afresh.parse.nesting import is_hostile, texts

MAX_BYTES = 8 * 2**20
MAX_FOUND = 500
_BEGINNING = 10_000  # characters read of a page that cannot be read as a whole: feeds are announced in its head
_MOST_ANCHORS = 20_000  # that look like feeds: several pages may name one again and again

_TYPES = {
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "application/feed+json": "json",
    "application/json": "json",
    "application/rdf+xml": "rdf",
    "text/rdf": "rdf",
    "application/x.atom+xml": "atom",
    "application/x-atom+xml": "atom",
    "text/rss+xml": "rss",
    "text/atom+xml": "atom",
    "application/xml": "xml",
    "text/xml": "xml",
}
# JSON and XML are announced for other reasons too: oEmbed, sitemaps, a content system's own interface.
_VAGUE = frozenset({"json", "xml"})
_VAGUE_EXCLUDED = re.compile(r"oembed|wp-json|opensearch|sitemap|manifest|rsd|wlw|api/", re.IGNORECASE)
_FEED_PATH = re.compile(
    r"(?:^|[/._?=&-])(?:feeds?|rss2?|atom|rdf|index\.xml|feed\.json)(?:[/._?=&-]|\.xml|\.rdf|\.json|$)", re.IGNORECASE
)
_COMMENTS = re.compile(r"\b(?:comments?|commentaires?|kommentare?|comentarios?)\b", re.IGNORECASE)
_NO_FEED_END = re.compile(r"\.(?:html?|png|jpe?g|gif|svg|css|js|pdf|zip)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFeed:
    """A feed that a page names."""

    url: str
    title: str = ""
    kind: str = ""  # "rss", "atom", "json", "rdf", "xml"; empty: not said
    announced: bool = True  # False: only an anchor that looks like one


def announced_feeds(html: bytes, base_url: str, content_type: str = "") -> list[FoundFeed]:
    """Feeds of a page: those it announces with ``<link rel=alternate>``, then anchors that look like feeds.

    Autodiscovery as in Reichert §3.4.3, Listing 3.1; the anchors are weaker candidates and say so.
    """
    tree = _tree(html, content_type)
    base = _base(tree, base_url)
    found: dict[str, FoundFeed] = {}
    for node in tree.css("link[href]"):
        attributes = node.attributes
        rels = (attributes.get("rel") or "").lower().split()
        kind = _TYPES.get((attributes.get("type") or "").partition(";")[0].strip().lower(), "")
        if "alternate" not in rels and "feed" not in rels:
            continue
        href = attributes.get("href") or ""
        if (kind or "feed" in rels) and not (kind in _VAGUE and _VAGUE_EXCLUDED.search(href)):
            _keep(found, href, base, plain(attributes.get("title")), kind, announced=True)
    anchors = [node for node in tree.css("a[href]") if _looks_like_feed(node.attributes.get("href") or "")]
    for node, text in texts(anchors[:_MOST_ANCHORS], most=2 * MAX_BYTES):
        href = node.attributes.get("href") or ""
        _keep(found, href, base, plain(text[:4_000]), _kind_of(href), announced=False)
    return list(found.values())


def main_feed(found: Sequence[FoundFeed]) -> str:
    """The address of the feed that somebody means who names the page: the first it announces, unless of comments."""
    announced = [feed for feed in found if feed.announced]
    usual = [feed for feed in announced if not _COMMENTS.search(f"{feed.title} {feed.url}")]
    return next((feed.url for feed in usual or announced), "")


def result_links(body: bytes, content_type: str, base_url: str) -> list[str]:
    """The links a search engine answered with: those of a feed's entries, or a page's links to other hosts."""
    try:
        links = [entry.link for entry in parse_feed(body, content_type=content_type, url=base_url).entries]
    except ParseError:
        links = _page_links(body, content_type, base_url)
    usable = (link for link in links if link.startswith(("http://", "https://")) and len(link) <= MAX_LINK)
    return list(dict.fromkeys(usable))[:MAX_FOUND]


def _page_links(body: bytes, content_type: str, base_url: str) -> list[str]:
    tree = _tree(body, content_type)
    base = _base(tree, base_url)
    own = _domain(base_url)
    links = (_unwrapped(_join(base, node.attributes.get("href") or "")) for node in tree.css("a[href]"))
    return [link for link in links if link and _domain(link) != own]


def _tree(html: bytes, content_type: str) -> LexborHTMLParser:
    if len(html) > MAX_BYTES:
        raise ParseError(f"a page of {len(html):,} bytes, more than the {MAX_BYTES:,} that are read")
    text = decode(html, content_type, html=True)
    if is_hostile(text.encode("utf-8", "replace")):
        text = text[:_BEGINNING]
    try:
        return LexborHTMLParser(text)
    except (ValueError, RuntimeError) as error:
        raise ParseError(f"a page that cannot be read: {error}") from error


def _base(tree: LexborHTMLParser, base_url: str) -> str:
    node = tree.css_first("base[href]")
    base = _join(base_url, (node.attributes.get("href") or "") if node else "")
    return base if base and len(base) <= MAX_LINK else base_url  # every relative link is read with it in front


def _join(base: str, href: str) -> str:
    try:
        return urljoin(base, href.strip()).partition("#")[0]
    except ValueError:
        return ""


def _keep(found: dict[str, FoundFeed], href: str, base: str, title: str, kind: str, *, announced: bool) -> None:
    url = _join(base, re.sub(r"^\s*feed:(?://)?(?=https?:)", "", href))
    url = "http:" + url[5:] if url.startswith("feed://") else url
    is_usable = url.startswith(("http://", "https://")) and len(url) <= MAX_LINK
    if is_usable and url not in found and len(found) < MAX_FOUND:
        found[url] = FoundFeed(url=url, title=title, kind=kind, announced=announced)


def _looks_like_feed(href: str) -> bool:
    if href.startswith("feed:"):
        return True
    path = href.partition("#")[0][:2_000]
    return bool(_FEED_PATH.search(path.partition("://")[2] or path)) and not _NO_FEED_END.search(path)


def _kind_of(href: str) -> str:
    lowered = href.lower()
    return next((kind for kind in ("atom", "rss", "rdf", "json") if kind in lowered), "")


def _unwrapped(link: str) -> str:
    """The target of a link that passes through the engine's own counter (``/url?q=https://...``)."""
    try:
        query = parse_qs(urlsplit(link).query, max_num_fields=50)
    except ValueError:
        return link
    for name in ("q", "url", "u", "uddg", "target"):
        for value in query.get(name, ()):
            if value.startswith(("http://", "https://")):
                return value
    return link


def _domain(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
