"""Feeds written: Atom 1.0 (RFC 4287), RSS 2.0 and JSON Feed 1.1, with the archive links of RFC 5005.

All texts come from strangers: whatever they hold, the document stays well-formed. HTML is carried as escaped text and
is for the reader to sanitise; links are written only if they lead to the web.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime

from afresh.base.models import Enclosure
from afresh.parse.plain_text import plain_text
from afresh.parse.xml_text import element, xml_attribute, xml_text

GENERATOR = "afresh"
_LATEST = 253_402_300_799.0  # end of year 9999
_SUMMARY = 1_000  # characters of a plain summary in JSON Feed


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """One entry as it is published."""

    id: str  # an IRI, unique within the feed, for ever the same
    own_id: str = ""  # as its source has it, which may be no IRI
    title: str = ""
    link: str = ""
    author: str = ""
    summary: str = ""  # text or HTML
    content: str = ""  # text or HTML
    categories: tuple[str, ...] = ()
    published: float
    updated: float
    source_url: str = ""
    source_title: str = ""
    language: str = ""  # empty: not said
    enclosures: tuple[Enclosure, ...] = ()

    @property
    def other_id(self) -> str:
        """Its own id where the document knows it by another one."""
        return self.own_id if self.own_id != self.id else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    """One document of a feed: the current one, or an archived page (RFC 5005 §4)."""

    id: str
    title: str
    updated: float
    self_url: str
    current_url: str
    is_archive: bool = False
    older_url: str = ""  # prev-archive; empty: there is nothing older
    newer_url: str = ""  # next-archive; empty: this is the current document, or the newest archive
    hub_url: str = ""  # WebSub hub of the feed; empty: none
    items: tuple[FeedItem, ...] = ()


def rfc3339(seconds: float) -> str:
    """A time in UTC; what no calendar holds becomes its nearest end.

    >>> rfc3339(0.0), rfc3339(float("inf"))
    ('1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z')
    """
    return _moment(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(seconds: float) -> datetime:
    safe = 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), _LATEST)
    return datetime.fromtimestamp(int(safe), UTC)


def _said(**values: object) -> dict[str, str]:
    """Those attributes that have a value."""
    return {name: str(value) for name, value in values.items() if value}


def _web_link(link: str) -> str:
    """The link if it leads to the web: no script, no local file, nothing relative."""
    stripped = link.strip()
    is_web = stripped.lower().startswith(("http://", "https://")) and not any(c.isspace() for c in stripped)
    return stripped if is_web else ""


# --- Atom ------------------------------------------------------------------------------------------------------------


def render_atom(page: FeedPage) -> bytes:
    """An Atom 1.0 document."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:fh="http://purl.org/syndication/history/1.0"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/">',
        element("id", page.id),
        element("title", page.title or page.id, type="text"),
        element("updated", rfc3339(page.updated)),
        f"<author>{element('name', GENERATOR)}</author>",
        element("generator", GENERATOR),
        *_links(page, "link", "application/atom+xml"),
        *(["<fh:archive/>"] if page.is_archive else []),
    ]
    for item in page.items:
        lines += _atom_entry(item)
    return _document([*lines, "</feed>"])


def _links(page: FeedPage, tag: str, media_type: str) -> list[str]:
    """The document's own address, and the way through the archive."""
    links = {"self": page.self_url}
    if page.is_archive:
        links["current"] = page.current_url
    if page.older_url:
        links["prev-archive"] = page.older_url
    if page.newer_url:
        links["next-archive"] = page.newer_url
    hub = [element(tag, "", rel="hub", href=page.hub_url)] if page.hub_url else []
    return [element(tag, "", rel=rel, type=media_type, href=url) for rel, url in links.items()] + hub


def _atom_entry(item: FeedItem) -> list[str]:
    link = _web_link(item.link)
    lines = [
        f"<entry xml:lang={xml_attribute(item.language)}>" if item.language else "<entry>",
        element("id", item.id),
        element("title", item.title, type="text"),
        element("updated", rfc3339(item.updated)),
        element("published", rfc3339(item.published)),
    ]
    if link:
        lines.append(element("link", "", rel="alternate", href=link))
    lines += [
        element("link", "", rel="enclosure", href=url, **_said(type=file.type, length=file.length))
        for file in item.enclosures
        if (url := _web_link(file.url))
    ]
    if item.other_id:
        lines.append(element("dc:identifier", item.other_id))
    if item.author.strip():
        lines.append(f"<author>{element('name', item.author)}</author>")
    lines += [element("category", "", term=category) for category in item.categories if category]
    if item.summary and item.content:
        lines.append(element("summary", item.summary, type="html"))
    body = item.content or item.summary
    if body or not link:  # RFC 4287 §4.1.2: an entry without content has an alternate link
        lines.append(element("content", body, type="html"))
    if item.source_url:
        title = element("title", item.source_title or item.source_url, type="text")
        source_link = element("link", "", rel="self", href=item.source_url)
        lines.append(f"<source>{element('id', item.source_url)}{title}{source_link}</source>")
    return [*lines, "</entry>"]


# --- RSS -------------------------------------------------------------------------------------------------------------

_RSS_NAMESPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "fh": "http://purl.org/syndication/history/1.0",
}


def render_rss(page: FeedPage) -> bytes:
    """An RSS 2.0 document."""
    spaces = "".join(f" xmlns:{name}={xml_attribute(uri)}" for name, uri in _RSS_NAMESPACES.items())
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<rss version="2.0"{spaces}>',
        "<channel>",
        element("title", page.title or page.id),
        element("link", page.current_url),
        element("description", page.title or page.id),
        element("lastBuildDate", _rfc822(page.updated)),
        element("generator", GENERATOR),
        *_links(page, "atom:link", "application/rss+xml"),
        *(["<fh:archive/>"] if page.is_archive else []),
    ]
    for item in page.items:
        lines += _rss_item(item)
    return _document([*lines, "</channel>", "</rss>"])


def _rss_item(item: FeedItem) -> list[str]:
    link = _web_link(item.link)
    lines = ["<item>", element("title", item.title or "(untitled)")]
    if link:
        lines.append(element("link", link))
    lines += [f'<guid isPermaLink="false">{xml_text(item.id)}</guid>', element("pubDate", _rfc822(item.published))]
    lines += [
        element("enclosure", "", url=url, length=str(file.length or 0), type=file.type or "application/octet-stream")
        for file in item.enclosures
        if (url := _web_link(file.url))
    ]
    if item.other_id:
        lines.append(element("dc:identifier", item.other_id))
    if item.language:
        lines.append(element("dc:language", item.language))
    if item.author.strip():
        lines.append(element("dc:creator", item.author))
    lines += [element("category", category) for category in item.categories if category]
    lines.append(element("description", item.summary or item.content))
    if item.summary and item.content:
        lines.append(element("content:encoded", item.content))
    if item.source_url:
        lines.append(element("source", item.source_title or item.source_url, url=item.source_url))
    return [*lines, "</item>"]


def _rfc822(seconds: float) -> str:
    return format_datetime(_moment(seconds), usegmt=True)


def _document(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


# --- JSON Feed -------------------------------------------------------------------------------------------------------


def render_json(page: FeedPage) -> bytes:
    """A JSON Feed 1.1 document."""
    document: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": page.title or page.id,
        "feed_url": page.self_url,
        "authors": [{"name": GENERATOR}],
        "items": [_json_item(item) for item in page.items],
    }
    if page.older_url:
        document["next_url"] = page.older_url
    if page.hub_url:
        document["hubs"] = [{"type": "WebSub", "url": page.hub_url}]
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _json_item(item: FeedItem) -> dict[str, object]:
    made: dict[str, object] = {
        "id": item.id,
        "title": item.title,
        "content_html": item.content or item.summary,
        "date_published": rfc3339(item.published),
        "date_modified": rfc3339(item.updated),
    }
    if link := _web_link(item.link):
        made["url"] = link
    if item.summary and item.content:
        made["summary"] = plain_text(item.summary)[:_SUMMARY]
    if item.author.strip():
        made["authors"] = [{"name": item.author}]
    if item.categories:
        made["tags"] = list(item.categories)
    if item.language:
        made["language"] = item.language
    if files := [file for file in item.enclosures if _web_link(file.url)]:
        made["attachments"] = [_attachment(file) for file in files]
    if item.other_id:
        made["_afresh"] = {"id": item.other_id}
    return made


def _attachment(file: Enclosure) -> dict[str, object]:
    made: dict[str, object] = {"url": _web_link(file.url), "mime_type": file.type or "application/octet-stream"}
    return made if file.length is None else {**made, "size_in_bytes": file.length}


#: ending of the address -> (renderer, media type)
FORMATS: Mapping[str, tuple[Callable[[FeedPage], bytes], str]] = {
    "atom": (render_atom, "application/atom+xml; charset=utf-8"),
    "rss": (render_rss, "application/rss+xml; charset=utf-8"),
    "json": (render_json, "application/feed+json; charset=utf-8"),
}
