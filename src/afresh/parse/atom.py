"""Atom 1.0, Atom 0.3, their namespace-less imitations, and a document that is one bare entry (RFC 4287 §2)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count, repeat
from xml.etree.ElementTree import Element

from afresh.base.models import FeedDocument, ParsedEntry
from afresh.parse.dates import parse_date
from afresh.parse.elements import XML, base_within, children_named, local_name, markup_of, namespace_of, text_of
from afresh.parse.feed_by_pattern import (
    IGNORED,
    MARKUP,
    SEPARATOR,
    Column,
    NotPlain,
    PlainItems,
    Rest,
    Shape,
    attributes_of,
    entries_of,
    kept,
    pattern_of,
    rest_by,
    skipped_markup,
    texts,
)
from afresh.parse.fields import (
    MAX_ID,
    MAX_LANGUAGE,
    MAX_TITLE,
    File,
    Texts,
    absolute,
    addresses,
    content_of,
    deferred,
    document,
    enclosures_of,
    first_date,
    first_times,
    line,
    name_of,
    tidy,
    titles_of,
    web_address,
    without_markup,
)
from afresh.parse.names import Fields

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
# A link to the entry's page as nearly all are written; what else it says is of no importance.
_SAID = rb"""(?:\s++(?:rel=["']alternate["']|type=["']text/html["']|(?:title|hreflang)=(?:"[^"]*+"|'[^']*+')))*+"""
_PAGE = re.compile(
    rb"(?:\A|(?<=%b))%b" % (SEPARATOR, _SAID)
    + rb"""\s++href=["'](https?://[^"'<>&\s\x80-\xff]++)["']"""
    + rb"%b\s*+(?:\Z|(?=%b))" % (_SAID, SEPARATOR)
)
# One that leads elsewhere than to the entry's page.
_OTHER_LINK = (
    r"""link(?=(?:\s++(?!rel\b)[\w:]++="[^"<>]*+")*+\s++rel=["'](?!alternate["']))""" + rf"{IGNORED}(?:/>|>\s*+</link>)"
)


_XHTML = skipped_markup("content", r"""[^<>]*\stype=["']xhtml["']""")


SHAPE = Shape(
    "entry",
    pattern_of("entry", _SINGLE, _DECIDING, skipped=f"{_OTHER_LINK}|{_XHTML}"),
    ("given", "title", "kind", "id", "page", *_DATED),
    lambda row: bool(row[4]),
    MARKUP,
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
    items = children_named("entry", root) or children_named("item", root)

    def read(item: Element) -> ParsedEntry:
        return _entry(item, fields, base)

    plain_entries = _plain_entries(plain_items, base, partial(_rest, fields=fields, base=base)) if plain_items else ()
    return document(facts | _facts(root, fields, base), entries_of(items, plain_entries, read))


def _plain_entries(items: PlainItems, base: str, rest_of: Callable[[Element], Rest]) -> list[ParsedEntry]:
    """Entries of plain items; the fields that are not read at once are those of ``rest_of``."""
    _, titles, kinds, ids, links, *dates = items.columns
    written = {name: texts(column) for name, column in zip(_DATED, dates, strict=True) if any(column)}
    times = _times(written)
    return list(
        map(
            deferred,
            _titles(titles, kinds),
            addresses(_pages(links), base),
            [native_id.strip()[:MAX_ID] for native_id in texts(ids)],
            *first_times(times, len(ids)),
            _updates(written, times, len(ids)),
            zip(repeat(rest_by(items, rest_of)), count(), strict=False),
        )
    )


def _times(columns: Mapping[str, list[str]]) -> dict[str, list[float | None]]:
    """Dates by name; those of a column that is like the one before, as often, are not read twice."""
    found: dict[str, list[float | None]] = {}
    before: list[str] = []
    for name, column in columns.items():
        found[name] = list(found.values())[-1] if column == before else list(map(parse_date, column))
        before = column
    return found


def _updates(
    written: Mapping[str, list[str]], times: Mapping[str, list[float | None]], entries: int
) -> Sequence[float | None]:
    """When each entry was changed, by what is written first, be it a date or not."""
    names = [name for name in ("updated", "modified") if name in times]
    if names and all(written[names[0]]):
        return times[names[0]]
    return [next((times[name][n] for name in names if written[name][n]), None) for n in range(entries)]


def _titles(column: Column, kinds: Column) -> list[str]:
    types = iter([_kind(kind) for kind in kinds])
    return titles_of(texts(column), lambda title: title_of(title, next(types)))


@lru_cache(maxsize=256)
def _kind(raw: bytes | None) -> str | None:
    """The type of a title from its attributes."""
    return attributes_of(raw).get("type") if raw else None


def _pages(column: Column) -> list[str]:
    """Where the links of plain entries lead, from their attributes; NotPlain if it takes a closer look."""
    found = _PAGE.findall(SEPARATOR.join(filter(None, column)))
    if len(found) == len(column):  # as nearly always: all at once takes half of the time
        return SEPARATOR.join(found).decode().split(SEPARATOR.decode())
    return [_page(raw or b"") for raw in column]


def _page(raw: bytes) -> str:
    given = attributes_of(raw)
    is_plain = given.get("rel", "alternate") == "alternate" and "xml:base" not in given
    if not is_plain or not given.get("href") or given.get("type", "").strip().lower() in _FEED_TYPES:
        raise NotPlain
    return given["href"]


def _entry(item: Element, fields: Fields, base: str) -> ParsedEntry:
    """What tells which entry it is; all else is read when somebody asks for it."""
    texts: Texts = {}
    link = None
    within = base_within(item, base) if item.attrib else base
    for child in item:
        field = fields[child.tag]
        if field == "link":
            is_page = child.get("rel", "alternate") == "alternate" and not _is_feed(child)
            if is_page and (link is None or _is_page(child) or not _is_page(link)):
                link = child
        elif field in _TELLING:
            text = _title(child) if field == "title" else text_of(child)
            if field not in texts or text.strip():  # the last counts
                texts[field] = text
    published, source = first_date(texts, _DATES)
    updated = texts.get("updated") or texts.get("modified")
    native_id = texts.get("id") or ""
    return deferred(
        texts.get("title") or "",
        _link(link, within) or web_address(native_id, within),
        native_id.strip()[:MAX_ID],
        published,
        source,
        parse_date(updated) if updated and source != "updated" else published if updated else None,
        (partial(_rest, fields=fields, base=base), item),
    )


def _rest(item: Element, *, fields: Fields, base: str) -> Rest:
    """Author, summary, content, categories, language and files of an entry."""
    texts: Texts = {}
    categories: list[str] = []
    files: list[File] = []
    base = base_within(item, base) if item.attrib else base
    for child in item:
        field = fields[child.tag]
        if field == "link":
            if child.get("rel") == "enclosure":
                files.append((child.get("href"), child.get("type"), child.get("length")))
        elif field == "category":
            categories.append(child.get("label") or child.get("term") or child.text or "")
        elif field == "enclosure":
            files.append((child.get("url"), child.get("type"), child.get("length")))
        elif field and field not in texts and field not in _TELLING:
            texts[field] = text = _nested(child, field) if len(child) else child.text
            if field == "content" and not text:
                files.insert(0, _elsewhere(child, base))
    get = texts.get
    return (
        name_of((get("author") or get("creator") or "")[:MAX_TITLE]),
        content_of(get("summary") or get("group")),
        content_of(get("content")),
        tidy(categories) if categories else (),
        line(item.get(_LANGUAGE), MAX_LANGUAGE),
        enclosures_of(files, base) if files else (),
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
