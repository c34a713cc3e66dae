"""RSS of all versions: 0.9x and 2.0 (``rss``), 0.90, 1.0 and 1.1 (RDF), a channel without wrapper, and CDF."""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import count, repeat
from xml.etree.ElementTree import Element

from afresh.base.models import FeedDocument, ParsedEntry
from afresh.parse.dates import parse_date
from afresh.parse.elements import XML, base_within, children_named, local_name, markup_of, namespace_of, text_of
from afresh.parse.feed_by_pattern import (
    PlainItems,
    Row,
    Shape,
    entries_of,
    pattern_of,
    rest_by,
    rest_of_entry,
    texts,
)
from afresh.parse.fields import (
    MAX_ID,
    MAX_LANGUAGE,
    MAX_NAME,
    MAX_TITLE,
    Draft,
    File,
    Texts,
    absolute,
    addresses,
    days_of,
    deferred,
    document,
    enclosures_of,
    first_date,
    first_times,
    hours_of,
    line,
    name_of,
    plain,
    tidy,
    titles_of,
    ttl_seconds,
    update_seconds,
)
from afresh.parse.names import Fields, name_of_tag

_RDF_ABOUT = "http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_LANGUAGE = XML + "lang"
_NETSCAPE = ("http://my.netscape.com/rdf/simple/0.9/}", "http://channel.netscape.com/rdf/simple/0.9/}")
_RSS11 = "http://purl.org/net/rss1.1#}"
_VERSIONS = {"2.0": "rss20", "2": "rss20", "2.0.1": "rss20", "0.90": "rss090", "0.91": "rss091", "0.92": "rss092",
             "0.93": "rss093", "0.94": "rss094", "1.0": "rss10"}  # fmt: skip
# Where an item's date is looked for: the version's own element first.
_DATES_RSS2 = ("pubDate", "dc:date", "published", "updated", "dcterms:issued", "dcterms:modified", "created")
_DATES_RSS1 = ("dc:date", *(name for name in _DATES_RSS2 if name != "dc:date"))
_ITEM_FIELDS = {
    "title": "title",
    "link": "link",
    "guid": "guid",
    "pubdate": "pubDate",
    "description": "description",
    "author": "author",
    "category": "category",
    "enclosure": "enclosure",
    # what Atom calls it, in RSS all the same
    "id": "id",
    "published": "published",
    "updated": "updated",
    "modified": "updated",
    "created": "created",
    "summary": "description",
    "content": "content",
    "abstract": "description",  # CDF
    "atom:id": "id",
    "atom:title": "alternative",
    "atom:summary": "itunes:summary",
    "atom:content": "atom:content",
    "atom:published": "published",
    "atom:updated": "updated",
    "atom:link": "atom:link",
    "dc:date": "dc:date",
    "dc:creator": "creator",
    "dc:subject": "category",
    "dc:title": "alternative",
    "dc:identifier": "identifier",
    "dc:language": "language",
    "dc:description": "itunes:summary",
    "content:encoded": "content",
    "xhtml:body": "atom:content",
    "dcterms:issued": "dcterms:issued",
    "dcterms:modified": "dcterms:modified",
    "dcterms:created": "created",
    "media:title": "alternative",
    "media:content": "media",
    "media:group": "group",
    "media:description": "itunes:summary",
    "itunes:author": "itunes:author",
    "itunes:summary": "itunes:summary",
}
_CHANNEL_FIELDS = {
    "title": "title",
    "link": "link",
    "language": "language",
    "ttl": "ttl",
    "cloud": "cloud",
    "skiphours": "skip_hours",
    "skipdays": "skip_days",
    "atom:link": "atom:link",
    "dc:title": "dc:title",
    "dc:language": "dc:language",
    "sy:updateperiod": "period",
    "sy:updatefrequency": "frequency",
}
_FILES = frozenset({"enclosure", "media", "group"})
_MARKUP = frozenset({"description", "content", "atom:content", "itunes:summary"})


# What tells which item it is, and what does so where that is missing.
_TELLING = frozenset(("title", "link", "guid", "pubDate", "id", "published", "updated", "created", "dc:date",
                      "dcterms:issued", "dcterms:modified"))  # fmt: skip
# What a browser could follow: with a scheme, a path, or the dot of a name.
_ADDRESS = re.compile(r"(?i:https?)://\S|(?!\w+:)\S*(?:/\S|\w\.[A-Za-z]{2})\S*\Z")
_BLANK = re.compile(r"\s")
_DEPUTIES = frozenset({"alternative", "atom:link", "identifier"})
_SINGLE = {**dict.fromkeys(("title", "link", "pubDate", "dc:date"), ""),
           "guid": r"""(?:\s++isPermaLink\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')\s*+)?"""}  # fmt: skip


def _is_clear(row: Row) -> bool:
    """Whether title, link and id are what the groups say; else there is more to look at."""
    _, title, link, guid, _, _, deputy = row
    has_link = link is not None and link.strip() != b""
    return bool(has_link and title and guid) if deputy else has_link or not guid


def _named(fields: frozenset[str]) -> list[str]:
    return [name for name, field in _ITEM_FIELDS.items() if field in fields]


SHAPE = Shape(
    "item",
    pattern_of("item", _SINGLE, _named(_TELLING), _named(_DEPUTIES)),
    ("given", "title", "link", "guid", "pubDate", "dc_date", "deputy"),
    _is_clear,
)


@lru_cache(maxsize=16)
def item_fields(namespace: str) -> Fields:
    """Full tag to field of an item. Some feeds put all of RSS into a namespace of their own."""
    return Fields(_ITEM_FIELDS, namespace)


@lru_cache(maxsize=16)
def _channel_fields(namespace: str) -> Fields:
    return Fields(_CHANNEL_FIELDS, namespace)


def read_rss(root: Element, url: str, plain_items: PlainItems | None = None) -> FeedDocument | None:
    """The feed below an RSS root element, None if there is none; ``plain_items`` are what was cut out of it."""
    name = local_name(root)
    channels = [root] if name == "channel" else [child for child in root if local_name(child) == "channel"]
    channel = channels[0] if channels else None  # more than one are one feed: what the first says holds for all
    holders = channels if channel is root else [*channels, root]
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
    fields = item_fields(namespace)
    dates = _DATES_RSS1 if name == "rdf" else _DATES_RSS2

    def read(item: Element) -> ParsedEntry:
        return _entry(item, fields, dates, base)

    return document(facts, entries_of(items, _plain_entries(plain_items, base, read) if plain_items else (), read))


def _plain_entries(items: PlainItems, base: str, read: Callable[[Element], ParsedEntry]) -> list[ParsedEntry]:
    """Entries of plain items; the fields that are not read at once are those of ``read``."""
    _, titles, links, guids, *dates, _ = map(texts, items.columns)
    written = zip(("pubDate", "dc:date"), dates, strict=True)
    times = {name: list(map(parse_date, column)) for name, column in written if any(column)}
    return list(
        map(
            deferred,
            titles_of(titles),
            addresses(links, base),
            [guid.strip()[:MAX_ID] for guid in guids],
            *first_times(times, len(guids)),
            repeat(None),
            zip(repeat(rest_by(items, lambda item: rest_of_entry(read(item)))), count(), strict=False),
        )
    )


def _items(holder: Element) -> list[Element]:
    if found := children_named("item", holder):
        return found
    # RSS 0.91 of some generators wraps them once more, as RSS 1.1 does.
    return [item for wrapper in children_named("items", holder) for item in children_named("item", wrapper)]


def _format(root: Element, namespace: str) -> str:
    name = local_name(root)
    if name == "rdf":
        return "rss090" if namespace in _NETSCAPE else "rss10"
    if name == "channel":
        return "rss11" if namespace == _RSS11 else "cdf" if root.tag.isupper() else "rss"
    return _VERSIONS.get((root.get("version") or "").strip(), "rss")


def _entry(item: Element, fields: Fields, dates: tuple[str, ...], base: str) -> ParsedEntry:
    # The hot path of the daemon: a feed's document is parsed for each visit that was not answered with 304.
    texts: Texts = {}
    categories: list[str] = []
    files: list[File] = []
    for child in item:
        field = fields[child.tag]
        if field == "category":
            categories.append(child.text or "")
        elif field in _FILES:
            files += _files(child, fields)
        elif field and (field not in texts or field in _TELLING):
            text = _nested(child, field) if len(child) else child.text
            if field == "link" and child.attrib and not (text and text.strip()):
                text = _href(child)
            if field not in texts or (text and text.strip()):  # of those that tell which item it is the last counts
                texts[field] = text
    link = texts.get("link")
    if not link or link.isspace():
        texts["link"] = _other_link(item, fields)
    if item.attrib:
        base = base_within(item, base)
        _read_attributes(item, texts)
    get = texts.get
    published, source = first_date(texts, dates)
    updated = get("updated") or get("dcterms:modified")
    return Draft(
        title=plain(get("title") or get("alternative")),
        link=absolute(get("link"), base),
        native_id=(get("guid") or get("about") or get("id") or get("identifier") or "").strip()[:MAX_ID],
        published=published,
        date_source=source,
        updated=parse_date(updated) if updated else None,
    ).finished(
        author=name_of((get("creator") or get("author") or get("itunes:author") or "")[:MAX_TITLE]),
        summary=get("description") or get("itunes:summary"),
        content=get("content") or get("atom:content"),
        categories=tidy(categories) if categories else (),
        language=get("language"),
        enclosures=enclosures_of(files, base) if files else (),
    )


def _read_attributes(item: Element, texts: Texts) -> None:
    """What RDF and CDF say of an item in its own tag."""
    for attribute, value in item.attrib.items():
        name = name_of_tag(attribute)
        if attribute == _RDF_ABOUT or name == "rdf:about":
            texts["about"] = value
        elif attribute == _LANGUAGE:
            texts.setdefault("language", value)
        elif name == "lastmod":
            texts.setdefault("updated", value)


def _files(child: Element, fields: Fields) -> list[File]:
    """What RSS calls an enclosure, Media RSS a content, alone or several in a group."""
    if fields[child.tag] == "group":
        return [file for part in child if fields[part.tag] == "media" for file in _files(part, fields)]
    return [_file(child)]


def _file(given: Element) -> File:
    return given.get("url"), given.get("type"), given.get("length") or given.get("fileSize")


def _other_link(item: Element, fields: Fields) -> str:
    """Where an item without link leads: a link in the manner of Atom, the href of CDF, a guid that is an address."""
    permalink = ""
    for child in item:
        field = fields[child.tag]
        if field == "atom:link" and (href := _href(child)):
            return href
        if field == "guid":
            permalink = permalink or _permalink(text_of(child).strip(), child.get("isPermaLink"))
    return next((value for name, value in item.attrib.items() if name_of_tag(name) == "href"), "") or permalink


def _href(link: Element) -> str | None:
    """Where a link in the manner of Atom leads, if that is the item's page."""
    return link.get("href") if link.get("rel", "alternate") == "alternate" else None


def _permalink(guid: str, flag: str | None) -> str:
    """The guid if it is an address. Unless told otherwise it is one (RSS 2.0), but many of these are mere numbers.

    >>> _permalink("a", "true"), _permalink("a", None), _permalink("a/1.html", None), _permalink("a/1", "false")
    ('a', '', 'a/1.html', '')
    """
    if flag is None:
        return guid if _ADDRESS.match(guid) else ""
    return guid if flag.strip().lower() == "true" and not _BLANK.search(guid) else ""


def _nested(child: Element, field: str | None) -> str:
    return markup_of(child) if field in _MARKUP else text_of(child)


def _channel_facts(channel: Element, root: Element, namespace: str, base: str) -> dict[str, object]:
    """What the channel says about itself; RSS does not fix the order of its elements."""
    texts: dict[str, str] = {}
    facts: dict[str, object] = {}
    links: dict[str, str] = {}
    fields = _channel_fields(namespace)
    for child in channel:
        field = fields[child.tag]
        if field is None:
            continue
        if field == "atom:link":
            if href := absolute(child.get("href"), base_within(child, base)):
                links.setdefault(child.get("rel", "alternate").lower(), href)
        elif field == "cloud":
            facts["cloud"] = _cloud(child)
        elif field == "skip_hours":
            facts["skip_hours"] = hours_of([text_of(hour) for hour in child])
        elif field == "skip_days":
            facts["skip_days"] = days_of([text_of(day) for day in child])
        else:
            texts.setdefault(field, text_of(child))
    language = texts.get("language") or texts.get("dc:language") or root.get(_LANGUAGE)
    return facts | {
        "title": plain(texts.get("title") or texts.get("dc:title")),
        "site_url": absolute(texts.get("link") or channel.get("HREF"), base) or links.get("alternate", ""),
        "language": line(language, MAX_LANGUAGE),
        "ttl": ttl_seconds(texts.get("ttl")),
        "update_period": update_seconds(texts.get("period"), texts.get("frequency")),
        "hub": links.get("hub", ""),
        "self_url": links.get("self", ""),
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
