"""RSS of all versions: 0.9x and 2.0 (``rss``), 0.90 and 1.0 (``rdf:RDF``), and a channel without wrapper."""

from functools import lru_cache
from xml.etree.ElementTree import Element

from afresh.base.models import FeedDocument, ParsedEntry
from afresh.parse.dates import parse_date
from afresh.parse.elements import (
    ATOM,
    CONTENT,
    DC,
    DCTERMS,
    ITUNES,
    MEDIA,
    SYNDICATION,
    XML,
    base_within,
    local_name,
    markup_of,
    namespace_of,
    text_of,
)
from afresh.parse.fields import (
    MAX_CONTENT,
    MAX_ENTRIES,
    MAX_ID,
    MAX_LANGUAGE,
    MAX_NAME,
    MAX_TITLE,
    Draft,
    absolute,
    days_of,
    document,
    enclosures_of,
    first_date,
    hours_of,
    name_of,
    plain,
    tidy,
    ttl_seconds,
    update_seconds,
)

_RDF_ABOUT = "http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_NETSCAPE = ("http://my.netscape.com/rdf/simple/0.9/}", "http://channel.netscape.com/rdf/simple/0.9/}")
_VERSIONS = {"2.0": "rss20", "2": "rss20", "2.0.1": "rss20", "0.90": "rss090", "0.91": "rss091", "0.92": "rss092",
             "0.93": "rss093", "0.94": "rss094", "1.0": "rss10"}  # fmt: skip
# Where an item's date is looked for: the version's own element first.
_DATES_RSS2 = ("pubDate", "dc:date", "published", "updated", "dcterms:issued", "dcterms:modified")
_DATES_RSS1 = ("dc:date", "pubDate", "published", "updated", "dcterms:issued", "dcterms:modified")
_FILES = frozenset({"enclosure", "media", "group"})
_File = tuple[str | None, str | None, str | None]
_MARKUP = frozenset({"description", "encoded"})


@lru_cache(maxsize=16)
def _field_names(namespace: str) -> dict[str, str]:
    """Full tag to field of an item. Some feeds put all of RSS into a namespace of their own."""
    own = ("title", "link", "guid", "pubDate", "description", "author", "category", "enclosure")
    names = {prefix + name: name for prefix in ("", namespace) for name in own}
    names |= {prefix + "pubdate": "pubDate" for prefix in ("", namespace)}
    return names | {
        DC + "date": "dc:date",
        DC + "creator": "creator",
        DC + "subject": "category",
        DC + "title": "alternative",
        DC + "identifier": "identifier",
        CONTENT + "encoded": "content",
        DCTERMS + "issued": "dcterms:issued",
        DCTERMS + "modified": "dcterms:modified",
        ATOM + "published": "published",
        ATOM + "updated": "updated",
        ATOM + "link": "atom:link",
        DC + "language": "language",
        MEDIA + "title": "alternative",
        MEDIA + "content": "media",
        MEDIA + "group": "group",
        ITUNES + "author": "itunes:author",
        ITUNES + "summary": "itunes:summary",
    }


def read_rss(root: Element, url: str) -> FeedDocument | None:
    """The feed below an RSS root element, or None if there is none."""
    name = local_name(root)
    if name == "channel":
        channel: Element | None = root
    else:
        channel = next((child for child in root if local_name(child) == "channel"), None)
    holders = [channel, root] if channel is not None and channel is not root else [root]
    items = [item for holder in holders for item in _items(holder)]
    if channel is None and not items:
        return None
    namespace = namespace_of(channel if channel is not None else items[0])
    base = base_within(root, url)
    if channel is not None and channel is not root:
        base = base_within(channel, base)
    facts: dict[str, object] = {"format": _format(root, namespace)}
    if channel is not None:
        facts |= _channel_facts(channel, root, namespace, base)
    names = _field_names(namespace)
    dates = _DATES_RSS1 if name == "rdf" else _DATES_RSS2
    return document(facts, [_entry(item, names, dates, base) for item in items[:MAX_ENTRIES]])


def _items(holder: Element) -> list[Element]:
    found = [child for child in holder if (tag := child.tag) == "item" or tag.endswith("}item")]
    if not found:  # RSS 0.91 of some generators wraps them once more
        wrapped = (child for child in holder if local_name(child) == "items")
        found = [child for wrapper in wrapped for child in wrapper if local_name(child) == "item"]
    return found


def _format(root: Element, namespace: str) -> str:
    if local_name(root) == "rdf":
        return "rss090" if namespace in _NETSCAPE else "rss10"
    return _VERSIONS.get((root.get("version") or "").strip(), "rss")


def _entry(item: Element, names: dict[str, str], dates: tuple[str, ...], base: str) -> ParsedEntry:
    # The hot path of the daemon: a feed's document is parsed for each visit that was not answered with 304.
    texts: dict[str | None, str | None] = {}
    categories: list[str] = []
    files: list[_File] = []
    for child in item:
        name = names.get(child.tag)
        if name == "category":
            categories.append(child.text or "")
        elif name in _FILES:
            files += _files(child)
        elif name not in texts:
            texts[name] = _nested(child) if len(child) else child.text
    get = texts.get
    published, source = first_date(texts, dates)
    updated = get("updated") or get("dcterms:modified")
    link = get("link")
    if not link or link.isspace():
        link = _other_link(item, names)
    return Draft(
        title=plain(get("title") or get("alternative")),
        link=absolute(link, base_within(item, base)),
        native_id=(get("guid") or item.get(_RDF_ABOUT) or get("identifier") or "").strip()[:MAX_ID],
        published=published,
        date_source=source,
        updated=parse_date(updated) if updated else None,
        author=name_of((get("creator") or get("author") or get("itunes:author") or "")[:MAX_TITLE]),
        summary=(get("description") or get("itunes:summary") or "").strip()[:MAX_CONTENT],
        content=(get("content") or "").strip()[:MAX_CONTENT],
        categories=tidy(categories) if categories else (),
        language=plain(get("language") or item.get(XML + "lang"), MAX_LANGUAGE),
        enclosures=enclosures_of(files, base_within(item, base)) if files else (),
    ).finished()


def _files(child: Element) -> list[_File]:
    """What RSS calls an enclosure, Media RSS a content, alone or several in a group."""
    if child.tag == MEDIA + "group":
        return [file for part in child if part.tag == MEDIA + "content" for file in _files(part)]
    return [(child.get("url"), child.get("type"), child.get("length") or child.get("fileSize"))]


def _other_link(item: Element, names: dict[str, str]) -> str:
    """Where an item without link leads: a link in the manner of Atom, what the item is about, a guid that is a URL."""
    permalink = ""
    for child in item:
        name = names.get(child.tag)
        if name in ("link", "atom:link"):
            if child.get("rel", "alternate") == "alternate" and (href := child.get("href")):
                return href
        elif name == "guid" and child.get("isPermaLink", "true").lower() == "true":
            permalink = permalink or text_of(child).strip()
    return item.get(_RDF_ABOUT) or (permalink if permalink.startswith(("http://", "https://")) else "")


def _nested(child: Element) -> str:
    return markup_of(child) if local_name(child) in _MARKUP else text_of(child)


def _channel_facts(channel: Element, root: Element, namespace: str, base: str) -> dict[str, object]:
    """What the channel says about itself; RSS does not fix the order of its elements."""
    texts: dict[str, str] = {}
    facts: dict[str, object] = {}
    hub = self_url = site = ""
    for child in channel:
        tag = child.tag
        if tag.endswith("item"):
            continue
        name = tag.removeprefix(namespace) if namespace else tag
        if name in ("title", "link", "language", "ttl") or tag.startswith((SYNDICATION, DC)):
            texts.setdefault(name, text_of(child))
        elif tag == ATOM + "link":
            rel = child.get("rel", "alternate").lower()
            href = absolute(child.get("href"), base_within(child, base))
            hub = hub or (href if rel == "hub" else "")
            self_url = self_url or (href if rel == "self" else "")
            site = site or (href if rel == "alternate" else "")
        elif name == "cloud":
            facts["cloud"] = _cloud(child)
        elif name.lower() == "skiphours":
            facts["skip_hours"] = hours_of([text_of(hour) for hour in child])
        elif name.lower() == "skipdays":
            facts["skip_days"] = days_of([text_of(day) for day in child])
    period = texts.get(SYNDICATION + "updatePeriod"), texts.get(SYNDICATION + "updateFrequency")
    return facts | {
        "title": plain(texts.get("title") or texts.get(DC + "title")),
        "site_url": absolute(texts.get("link"), base) or site,
        "language": plain(texts.get("language") or texts.get(DC + "language") or root.get(XML + "lang"), MAX_LANGUAGE),
        "ttl": ttl_seconds(texts.get("ttl")),
        "update_period": update_seconds(*period),
        "hub": hub,
        "self_url": self_url,
    }


def _cloud(element: Element) -> str:
    """The cloud's endpoint as one URL-like text, with its procedure behind "#"."""
    domain, port, path = element.get("domain", ""), element.get("port", ""), element.get("path", "")
    if not domain:
        return ""
    procedure = element.get("registerProcedure", "")
    protocol = element.get("protocol", "") or "xml-rpc"
    endpoint = f"{protocol}://{domain}{':' + port if port else ''}{path}"
    return (endpoint + (f"#{procedure}" if procedure else ""))[:MAX_NAME]
