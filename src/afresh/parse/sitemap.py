"""Sitemaps and sitemap indexes (sitemaps.org 0.9), plain or gzipped, and the plain text form."""

import math
import re
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urljoin

from afresh.base.errors import ParseError
from afresh.base.records.pages import ListedPage
from afresh.parse.dates import parse_date
from afresh.parse.elements import local_name, text_of
from afresh.parse.encoding import decode
from afresh.parse.markup import Element, read_xml
from afresh.parse.packed import MAX_BYTES, unpacked
from afresh.parse.robots import Robots

MAX_URLS = 50_000
_ELEMENTS = "*"  # not the references that nobody could resolve
_LINE = re.compile(r"[^\r\n]+")  # one by one: lines all at once take many times the memory of the text
_FREQUENCIES = frozenset(("always", "hourly", "daily", "weekly", "monthly", "yearly", "never"))


SitemapUrl = ListedPage  # a page a sitemap names, or a sitemap that an index names


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """Pages, or further sitemaps if it is an index."""

    urls: tuple[SitemapUrl, ...] = ()
    sitemaps: tuple[SitemapUrl, ...] = ()


def parse_sitemap(body: bytes, *, content_type: str = "") -> Sitemap:
    """The pages or sitemaps a sitemap names; ParseError if it is none."""
    body = unpacked(body)
    head = body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not head.startswith(b"<") and b"\0" not in head and head.startswith((b"http://", b"https://")):
        return Sitemap(urls=_text_urls(body, content_type))
    root, _ = read_xml(body, content_type)
    name = local_name(root)
    if name not in ("urlset", "sitemapindex"):
        raise ParseError(f"not a sitemap but a document of the kind <{name[:40]}>")
    wanted = "url" if name == "urlset" else "sitemap"
    found = []
    for child in root.iterchildren(_ELEMENTS):
        if local_name(child) == wanted and (item := _readable_item(child)):
            found.append(item)
            if len(found) == MAX_URLS:
                break
    return Sitemap(urls=tuple(found)) if name == "urlset" else Sitemap(sitemaps=tuple(found))


def read_sitemap(body: bytes, *, url: str, content_type: str = "") -> Sitemap:
    """What a sitemap names, or a robots.txt: that one names sitemaps."""
    if url.partition("?")[0].endswith("/robots.txt") and body.lstrip()[:1] != b"<":
        named = Robots.parse(body, 200).sitemaps
        return Sitemap(sitemaps=tuple(SitemapUrl(url=urljoin(url, place)) for place in named if len(place) <= 4_000))
    return parse_sitemap(body, content_type=content_type)


def _readable_item(element: Element) -> SitemapUrl | None:
    try:
        return _item(element)
    except UnicodeDecodeError:  # half of a character, in a document so damaged that libxml2 let it through
        return None


def _item(element: Element) -> SitemapUrl | None:
    texts: dict[str, str] = {}
    for child in element.iterchildren(_ELEMENTS):
        texts.setdefault(local_name(child), text_of(child).strip())
    url = texts.get("loc", "")
    if not url.startswith(("http://", "https://")) or len(url) > 4_000:
        return None
    frequency = texts.get("changefreq", "").lower()
    return SitemapUrl(
        url=url,
        modified=parse_date(texts.get("lastmod")),
        frequency=frequency if frequency in _FREQUENCIES else "",
        priority=_priority(texts.get("priority", "")),
    )


def _priority(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else None


def _text_urls(body: bytes, content_type: str) -> tuple[SitemapUrl, ...]:
    lines = (line[0].strip() for line in _LINE.finditer(decode(body[:MAX_BYTES], content_type)))
    urls = (line for line in lines if line.startswith(("http://", "https://")) and len(line) <= 4_000)
    return tuple(SitemapUrl(url=url) for url in dict.fromkeys(islice(urls, MAX_URLS)))
