"""Atom 1.0, Atom 0.3, their namespace-less imitations, and a document that is one bare entry (RFC 4287 §2)."""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import count
from xml.etree.ElementTree import Element

from afresh.base.models import FeedDocument, ParsedEntry
from afresh.parse.dates import parse_date
from afresh.parse.elements import XML, base_within, local_name, markup_of, namespace_of, text_of
from afresh.parse.fields import (
    MAX_ID,
    MAX_LANGUAGE,
    MAX_TITLE,
    Draft,
    File,
    Texts,
    absolute,
    addresses,
    deferred,
    document,
    enclosures_of,
    first_date,
    line,
    name_of,
    tidy,
    titles_of,
    web_address,
    without_markup,
)
from afresh.parse.names import Fields
from afresh.parse.quick import (
    IGNORED,
    Column,
    NotPlain,
    PlainItems,
    Shape,
    attributes_of,
    entries_of,
    kept,
    pattern_of,
    rest_by,
    texts,
)

_LANGUAGE = XML + "lang"
_FORMATS = {"http://www.w3.org/2005/Atom": "atom10", "http://purl.org/atom/ns#": "atom03"}
# `published` when present, else `updated` (Reichert §2.3.3); Atom 0.3 calls them issued, modified and created.
_DATES = ("published", "issued", "created", "updated", "modified", "dc:date")
_OWN = ("id", "title", "link", "summary", "content", "author", "category", *_DATES[:-1])
_FIELDS = {
    **{name: name for name in _OWN},
    **{f"atom:{name}": name for name in _OWN},
    "guid": "id",
    "pubdate": "published",
    "description": "summary",
    "dc:date": "dc:date",
    "dc:creator": "creator",
    "dc:subject": "category",
    "dcterms:created": "created",
    "dcterms:issued": "issued",
    "dcterms:modified": "modified",
    "media:group": "group",
    "enclosure": "enclosure",
}


_DATED = _DATES[:-1]
_TELLING = frozenset(("title", "id", *_DATES))
_FEED_TYPES = frozenset(("application/atom+xml", "application/rss+xml", "application/feed+json"))
_SINGLE = {
    "title": kept("kind"),
    "link": kept("page") + r"(?:/>|>\s*+</link>)",
    **dict.fromkeys(("id", *_DATED), ""),
}
_DECIDING = [name for name, field in _FIELDS.items() if field in ("title", "link", "id", "enclosure", *_DATES)]
_PAGE = re.compile(
    rb"""\s(?:rel=["']alternate["']\s)?(?:type=["']text/html["']\s)?href=["'](https?://[^"'<>&\s\x80-\xff]+)["']"""
    rb"""(?:\srel=["']alternate["'])?(?:\stype=["']text/html["'])?\s*\Z"""
)
# One that leads elsewhere than to the entry's page.
_OTHER_LINK = (
    r"""link(?=(?:\s++(?!rel\b)[\w:]++="[^"<>]*+")*+\s++rel=["'](?!alternate["']))""" + rf"{IGNORED}(?:/>|>\s*+</link>)"
)


SHAPE = Shape(
    "entry",
    pattern_of("entry", _SINGLE, _DECIDING, skipped=_OTHER_LINK),
    ("given", "title", "kind", "id", "page", *_DATED),
    lambda row: bool(row[4]),
)


@lru_cache(maxsize=16)
def entry_fields(namespace: str) -> Fields:
    """Full tag to field of an entry, and of a feed."""
    return Fields(_FIELDS, namespace)


def read_atom(root: Element, url: str, plain_items: PlainItems | None = None) -> FeedDocument:
    """The feed of an Atom root element, ``feed`` or ``entry``; ``plain_items`` are what was cut out of it."""
    namespace = namespace_of(root)
    facts: dict[str, object] = {"format": _FORMATS.get(namespace[:-1], "atom")}
    fields = entry_fields(namespace)
    if local_name(root) == "entry":  # says nothing about its feed
        return document(facts, [_entry(root, fields, url)])
    base = base_within(root, url)
    items = [child for child in root if (tag := child.tag) == "entry" or tag.endswith("}entry")]
    if not items:
        items = [child for child in root if local_name(child) in ("entry", "item")]

    def read(item: Element) -> ParsedEntry:
        return _entry(item, fields, base)

    entries = entries_of(items, _plain_entries(plain_items, base, read) if plain_items else (), read)
    return document(facts | _facts(root, fields, base), entries)


def _plain_entries(items: PlainItems, base: str, read: Callable[[Element], ParsedEntry]) -> list[ParsedEntry]:
    """Entries of plain items; the fields that are not read at once are those of ``read``."""
    _, titles, kinds, ids, links, *dates = items.columns
    rest = rest_by(items, read)
    dates_as_texts = {name: texts(column) for name, column in zip(_DATED, dates, strict=True) if any(column)}
    times = {name: list(map(parse_date, column)) for name, column in dates_as_texts.items()}
    changes = [(dates_as_texts[name], times[name]) for name in ("updated", "modified") if name in times]
    columns = (_titles(titles, kinds), texts(ids), addresses(list(map(_page, links)), base), count())
    entries: list[ParsedEntry] = []
    for title, native_id, link, number in zip(*columns, strict=False):
        published = updated = None
        source = ""
        for name, column in times.items():
            if (published := column[number]) is not None:
                source = name
                break
        for written, column in changes:
            if written[number]:
                updated = column[number]
                break
        native_id = native_id.strip()[:MAX_ID]
        entries.append(deferred(title, link, native_id, published, source, updated, (rest, number)))
    return entries


def _titles(column: Column, kinds: Column) -> list[str]:
    types = iter([_kind(kind) for kind in kinds])
    return titles_of(texts(column), lambda title: title_of(title, next(types)))


@lru_cache(maxsize=256)
def _kind(raw: bytes | None) -> str | None:
    """The type of a title from its attributes."""
    return attributes_of(raw).get("type") if raw else None


def _page(raw: bytes | None) -> str:
    """Where the link of a plain entry leads, from its attributes; NotPlain if it takes a closer look."""
    if raw and (simple := _PAGE.match(raw)):
        return simple[1].decode()
    given = attributes_of(raw or b"")
    is_plain = given.get("rel", "alternate") == "alternate" and "xml:base" not in given
    if not is_plain or not given.get("href") or given.get("type", "").strip().lower() in _FEED_TYPES:
        raise NotPlain
    return given["href"]


def _entry(item: Element, fields: Fields, base: str) -> ParsedEntry:
    texts: Texts = {}
    categories: list[str] = []
    files: list[File] = []
    link = None
    if item.attrib:
        texts["language"] = item.get(_LANGUAGE)
        base = base_within(item, base)
    for child in item:
        field = fields[child.tag]
        if field == "link":
            rel = child.get("rel", "alternate")
            if rel == "enclosure":
                files.append((child.get("href"), child.get("type"), child.get("length")))
            elif rel == "alternate" and not _is_feed(child) and (link is None or _is_page(child) or not _is_page(link)):
                link = child
        elif field == "category":
            categories.append(child.get("label") or child.get("term") or child.text or "")
        elif field == "enclosure":
            files.append((child.get("url"), child.get("type"), child.get("length")))
        elif field not in texts or field in _TELLING:
            text = _title(child) if field == "title" else _nested(child, field) if len(child) else child.text
            if field not in texts or (text and text.strip()):  # of those that tell which entry it is the last counts
                texts[field] = text
            if field == "content" and not text:
                files.insert(0, _elsewhere(child, base))
    found = _link(link, base)
    get = texts.get
    published, source = first_date(texts, _DATES)
    updated = get("updated") or get("modified")
    return Draft(
        title=get("title") or "",
        link=found or web_address(get("id"), base),
        native_id=(get("id") or "").strip()[:MAX_ID],
        published=published,
        date_source=source,
        updated=parse_date(updated) if updated and source != "updated" else published if updated else None,
    ).finished(
        author=name_of((get("author") or get("creator") or "")[:MAX_TITLE]),
        summary=get("summary") or get("group"),
        content=get("content"),
        categories=tidy(categories) if categories else (),
        language=get("language"),
        enclosures=enclosures_of(files, base) if files else (),
    )


def title_of(text: str | None, kind: str | None) -> str:
    """A title by its type (RFC 4287 §3.1.1): mark-up is removed where there is some, and left alone in text.

    >>> title_of("Fish <b>", "text"), title_of("Fish <b>&amp;</b>", "html")
    ('Fish <b>', 'Fish &')
    """
    if text and kind and kind.lower() in ("html", "text/html"):
        return without_markup(text)
    return line(text)


def _title(child: Element) -> str:
    return line(text_of(child)) if len(child) else title_of(child.text, child.get("type"))


def _is_page(link: Element) -> bool:
    """Whether a link leads to a page, not to the same entry as a PDF or a feed."""
    return "html" in link.get("type", "html")


def _is_feed(link: Element) -> bool:
    """Whether a link leads to the same entry in a feed, which nobody would read."""
    return link.get("type", "").strip().lower() in _FEED_TYPES


def _link(child: Element | None, base: str) -> str:
    if child is None:
        return ""
    return absolute(child.get("href") or child.text, base_within(child, base))


def _elsewhere(content: Element, base: str) -> File:
    """Content that lies elsewhere is a file of the entry (RFC 4287 §4.1.3.2); its page is what links lead to."""
    return absolute(content.get("src"), base_within(content, base)), content.get("type"), None


def _nested(child: Element, field: str | None) -> str:
    """The text of an element with child elements, each field in its own way."""
    if field == "author":
        return next((text_of(part) for part in child if local_name(part) in ("name", "email")), "")
    if field in ("content", "summary"):
        return _without_div(child)
    if field == "group":  # video feeds have no other description
        return next((text_of(part) for part in child if local_name(part) == "description"), "")
    return text_of(child)


def _without_div(child: Element) -> str:
    """XHTML content stands in one ``div`` that is not part of it (RFC 4287 §4.1.3.3)."""
    if len(child) == 1 and local_name(child[0]) == "div" and not (child.text or "").strip():
        return markup_of(child[0])
    return markup_of(child)


def _facts(root: Element, fields: Fields, base: str) -> dict[str, object]:
    """What the document says about the feed itself."""
    title = ""
    links: dict[str, str] = {}
    for child in root:
        field = fields[child.tag]
        if field == "link":
            rel = child.get("rel", "alternate").lower()
            if rel not in links and (href := _link(child, base)):
                links[rel] = href
        elif field == "title":
            title = title or _title(child)
    return {
        "title": title,
        "site_url": links.get("alternate", ""),
        "language": line(root.get(_LANGUAGE), MAX_LANGUAGE),
        "hub": links.get("hub", ""),
        "self_url": links.get("self", ""),
    }
