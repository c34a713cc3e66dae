"""Atom 1.0, Atom 0.3, their namespace-less imitations, and a document that is one bare entry (RFC 4287 §2)."""

from functools import lru_cache

from afresh.core.models import FeedDocument, ParsedEntry
from afresh.parse.dates import parse_date
from afresh.parse.elements import DC, MEDIA, XML, base_of, local_name, markup_of, text_of
from afresh.parse.fields import (
    MAX_CONTENT,
    MAX_ENTRIES,
    MAX_ID,
    MAX_TITLE,
    absolute,
    document,
    first_date,
    name_of,
    plain,
    tidy,
)
from afresh.parse.markup import Element

_FORMATS = {"http://www.w3.org/2005/Atom": "atom10", "http://purl.org/atom/ns#": "atom03"}
# `published` when present, else `updated` (Reichert §2.3.3); Atom 0.3 calls them issued, modified and created.
_DATES = ("published", "issued", "created", "updated", "modified", "dc:date")


@lru_cache(maxsize=16)
def field_names(namespace: str) -> dict[str, str]:
    """Full tag to field of an entry."""
    own = ("id", "title", "link", "summary", "content", "author", "category", *_DATES[:-1])
    names = {namespace + name: name for name in own}
    return names | {DC + "date": "dc:date", DC + "creator": "creator", MEDIA + "group": "group"}


def read_atom(root: Element, url: str, has_bases: bool) -> FeedDocument:
    """The feed of an Atom root element, ``feed`` or ``entry``."""
    uri, _, _ = root.tag.rpartition("}")
    namespace = uri + "}" if uri else ""
    name = local_name(root)
    facts = facts_of(root, namespace, url)
    if name == "entry":
        items = [root]
    else:
        items = root.findall(namespace + "entry", None) or [child for child in root if local_name(child) == "entry"]
    names = field_names(namespace)
    entries = [_entry(item, names, url, has_bases) for item in items[:MAX_ENTRIES]]
    return document(facts, entries)


def _entry(item: Element, names: dict[str, str], url: str, has_bases: bool) -> ParsedEntry:
    found: dict[str, str] = {}
    categories: list[str] = []
    for child in item:
        name = names.get(child.tag)
        if name is None:
            continue
        if name == "link":
            if child.get("rel", "alternate") == "alternate" and "link" not in found:
                found["link"] = absolute(child.get("href"), base_of(child, url) if has_bases else url)
        elif name == "category":
            categories.append(child.get("label") or child.get("term") or child.text or "")
        elif name not in found:
            found[name] = (child.text or "") if not len(child) else _nested(child, name)
            if name == "content" and not found["content"] and (src := child.get("src")):
                found["src"] = absolute(src, base_of(child, url) if has_bases else url)
    return make_entry(found, categories)


def make_entry(found: dict[str, str], categories: list[str]) -> ParsedEntry:
    """An entry from the texts of its elements."""
    published, source = first_date(found, _DATES)
    get = found.get
    updated = get("updated") or get("modified")
    return ParsedEntry(
        title=plain(get("title")),
        link=get("link") or get("src") or "",
        native_id=get("id", "").strip()[:MAX_ID],
        published=published,
        date_source=source,
        updated=parse_date(updated) if updated and source != "updated" else published if updated else None,
        author=name_of((get("author") or get("creator") or "")[:MAX_TITLE]),
        summary=(get("summary") or get("group") or "").strip()[:MAX_CONTENT],
        content=get("content", "").strip()[:MAX_CONTENT],
        categories=tidy(categories),
    )


def _nested(child: Element, name: str) -> str:
    """The text of an element with child elements, each field in its own way."""
    if name in ("content", "summary"):
        return _without_div(child)
    if name == "author":
        part = next((part for part in child if local_name(part) in ("name", "email")), None)
        return text_of(part) if part is not None else ""
    if name == "group":  # media:group of video feeds holds the only description
        part = child.find(MEDIA + "description")
        return text_of(part) if part is not None else ""
    return text_of(child)


def _without_div(child: Element) -> str:
    """XHTML content stands in one ``div`` that is not part of it (RFC 4287 §4.1.3.3)."""
    if len(child) == 1 and local_name(child[0]) == "div" and not (child.text or "").strip():
        return markup_of(child[0])
    return markup_of(child)


def facts_of(root: Element, namespace: str, url: str) -> dict[str, object]:
    """What the document says about the feed itself; a bare entry says nothing but its format."""
    facts: dict[str, object] = {"format": _FORMATS.get(namespace[1:-1], "atom")}
    if local_name(root) == "entry":
        return facts
    title = root.find(namespace + "title")
    links: dict[str, str] = {}
    for link in root.iterchildren(namespace + "link"):
        rel = link.get("rel", "alternate").lower()
        if rel not in links and (href := absolute(link.get("href"), base_of(link, url))):
            links[rel] = href
    return facts | {
        "title": plain(text_of(title)) if title is not None else "",
        "site_url": links.get("alternate", ""),
        "language": plain(root.get(XML + "lang"), 64),
        "hub": links.get("hub", ""),
        "self_url": links.get("self", ""),
    }
