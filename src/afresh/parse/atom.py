"""Atom 1.0, Atom 0.3, their namespace-less imitations, and a document that is one bare entry (RFC 4287 §2)."""

from functools import lru_cache
from xml.etree.ElementTree import Element

from afresh.base.models import FeedDocument, ParsedEntry
from afresh.parse.dates import parse_date
from afresh.parse.elements import DC, MEDIA, XML, base_within, local_name, markup_of, namespace_of, text_of
from afresh.parse.fields import (
    MAX_CONTENT,
    MAX_ENTRIES,
    MAX_ID,
    MAX_LANGUAGE,
    MAX_TITLE,
    Draft,
    absolute,
    document,
    enclosures_of,
    first_date,
    name_of,
    plain,
    tidy,
)

_LANGUAGE = XML + "lang"
_FORMATS = {"http://www.w3.org/2005/Atom": "atom10", "http://purl.org/atom/ns#": "atom03"}
# `published` when present, else `updated` (Reichert §2.3.3); Atom 0.3 calls them issued, modified and created.
_DATES = ("published", "issued", "created", "updated", "modified", "dc:date")


@lru_cache(maxsize=16)
def _field_names(namespace: str) -> dict[str, str]:
    """Full tag to field of an entry."""
    own = ("id", "title", "link", "summary", "content", "author", "category", *_DATES[:-1])
    names = {namespace + name: name for name in own}
    return names | {DC + "date": "dc:date", DC + "creator": "creator", MEDIA + "group": "group"}


def read_atom(root: Element, url: str) -> FeedDocument:
    """The feed of an Atom root element, ``feed`` or ``entry``."""
    namespace = namespace_of(root)
    facts: dict[str, object] = {"format": _FORMATS.get(namespace[:-1], "atom")}
    if local_name(root) == "entry":  # says nothing about its feed
        return document(facts, [_entry(root, _field_names(namespace), url)])
    base = base_within(root, url)
    items = [child for child in root if (tag := child.tag) == "entry" or tag.endswith("}entry")]
    entries = [_entry(item, _field_names(namespace), base) for item in items[:MAX_ENTRIES]]
    return document(facts | _facts(root, namespace, base), entries)


def _entry(item: Element, names: dict[str, str], base: str) -> ParsedEntry:
    texts: dict[str | None, str | None] = {}
    categories: list[str] = []
    files: list[tuple[str | None, str | None, str | None]] = []
    link = elsewhere = None
    for child in item:
        name = names.get(child.tag)
        if name == "link":
            rel = child.get("rel", "alternate")
            if rel == "enclosure":
                files.append((child.get("href"), child.get("type"), child.get("length")))
            elif link is None and rel == "alternate":
                link = child
        elif name == "category":
            categories.append(child.get("label") or child.get("term") or child.text or "")
        elif name not in texts:
            texts[name] = _nested(child) if len(child) else child.text
            if name == "content" and not texts[name]:
                elsewhere = child
    get = texts.get
    published, source = first_date(texts, _DATES)
    updated = get("updated") or get("modified")
    return Draft(
        title=plain(get("title")),
        link=_link(link, "href", item, base) or _link(elsewhere, "src", item, base),
        native_id=(get("id") or "").strip()[:MAX_ID],
        published=published,
        date_source=source,
        updated=parse_date(updated) if updated and source != "updated" else published if updated else None,
        author=name_of((get("author") or get("creator") or "")[:MAX_TITLE]),
        summary=(get("summary") or get("group") or "").strip()[:MAX_CONTENT],
        content=(get("content") or "").strip()[:MAX_CONTENT],
        categories=tidy(categories) if categories else (),
        language=plain(item.get(_LANGUAGE), MAX_LANGUAGE),
        enclosures=enclosures_of(files, base_within(item, base)) if files else (),
    ).finished()


def _link(child: Element | None, attribute: str, item: Element, base: str) -> str:
    if child is None:
        return ""
    return absolute(child.get(attribute), base_within(child, base_within(item, base)))


def _nested(child: Element) -> str:
    """The text of an element with child elements, each field in its own way."""
    tag = child.tag
    if tag.endswith("author"):
        return next((text_of(part) for part in child if part.tag.endswith(("name", "email"))), "")
    if tag.endswith(("content", "summary")):
        return _without_div(child)
    if tag == MEDIA + "group":  # video feeds have no other description
        return next((text_of(part) for part in child if part.tag == MEDIA + "description"), "")
    return text_of(child)


def _without_div(child: Element) -> str:
    """XHTML content stands in one ``div`` that is not part of it (RFC 4287 §4.1.3.3)."""
    if len(child) == 1 and local_name(child[0]) == "div" and not (child.text or "").strip():
        return markup_of(child[0])
    return markup_of(child)


def _facts(root: Element, namespace: str, base: str) -> dict[str, object]:
    """What the document says about the feed itself."""
    title = ""
    links: dict[str, str] = {}
    for child in root:
        if child.tag == namespace + "link":
            rel = child.get("rel", "alternate").lower()
            if rel not in links and (href := absolute(child.get("href"), base_within(child, base))):
                links[rel] = href
        elif child.tag == namespace + "title":
            title = title or plain(text_of(child))
    return {
        "title": title,
        "site_url": links.get("alternate", ""),
        "language": plain(root.get(_LANGUAGE), MAX_LANGUAGE),
        "hub": links.get("hub", ""),
        "self_url": links.get("self", ""),
    }
