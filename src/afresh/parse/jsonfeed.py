"""JSON Feed 1.0 and 1.1."""

from typing import Any

import msgspec
import orjson

from afresh.base.errors import ParseError
from afresh.base.models import FeedDocument, ParsedEntry, ReadPath
from afresh.parse.dates import parse_date
from afresh.parse.encoding import decode
from afresh.parse.fields import (
    MAX_CONTENT,
    MAX_ENTRIES,
    MAX_ID,
    MAX_LANGUAGE,
    MAX_NAME,
    absolute,
    addresses,
    deferred,
    document,
    enclosures_of,
    line,
    tidy,
    titles_of,
)

_NOTHING = msgspec.Raw()
MAX_OBJECTS = 500_000  # an object of two bytes takes 64 in memory


def read_json(body: bytes, content_type: str, url: str) -> FeedDocument:
    """The feed of a JSON document; ParseError if it is none."""
    if len(body) > MAX_OBJECTS and (objects := body.count(b"{") + body.count(b"[")) > MAX_OBJECTS:
        raise ParseError(f"{objects:,} objects and lists, more than the {MAX_OBJECTS:,} that are read")
    try:
        feed = _loaded(body, content_type)
    except (orjson.JSONDecodeError, RecursionError) as error:
        place = f"{error.lineno}:{error.colno}" if isinstance(error, orjson.JSONDecodeError) else ""
        raise ParseError(f"looks like JSON but is not: {error}", position=place, excerpt=repr(body[:60])) from None
    if feed is None:
        raise ParseError("a JSON document, but no JSON Feed: it has no list of items", excerpt=repr(body[:60]))
    version = _text(feed.version)
    facts: dict[str, object] = {
        "format": "json11" if version.endswith("/1.1") else "json10" if version.endswith("/1") else "json",
        "title": line(_text(feed.title)),
        "site_url": absolute(_text(feed.home_page_url), url),
        "language": line(_text(feed.language), MAX_LANGUAGE),
        "self_url": absolute(_text(feed.feed_url), url),
        "hub": _hub(feed.hubs, url),
    }
    return document(facts, _entries(feed.items[:MAX_ENTRIES], url), path=ReadPath.JSON)


class _Item(msgspec.Struct, gc=False):
    """An item; what tells whether it is known is read at once, the rest kept as it is written."""

    id: Any = None
    url: Any = None
    external_url: Any = None
    title: Any = None
    date_published: Any = None
    date_modified: Any = None
    author: msgspec.Raw = _NOTHING
    authors: msgspec.Raw = _NOTHING
    summary: msgspec.Raw = _NOTHING
    content_html: msgspec.Raw = _NOTHING
    content_text: msgspec.Raw = _NOTHING
    tags: msgspec.Raw = _NOTHING
    language: msgspec.Raw = _NOTHING
    attachments: msgspec.Raw = _NOTHING


class _Feed(msgspec.Struct, gc=False):
    items: list[_Item]
    version: Any = None
    title: Any = None
    home_page_url: Any = None
    language: Any = None
    feed_url: Any = None
    hubs: Any = None


_DECODER = msgspec.json.Decoder(_Feed)


def _loaded(body: bytes, content_type: str) -> _Feed | None:
    """The document, None if it is another; texts that nobody asks for cost next to nothing."""
    try:
        return _DECODER.decode(body)  # UTF-8 and nothing but objects among the items, as nearly all of them
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        data = orjson.loads(decode(body, content_type).lstrip("\ufeff"))
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return None
    items = [item for item in data["items"] if isinstance(item, dict)]
    return _DECODER.decode(orjson.dumps({**data, "items": items}))


def _entries(items: list[_Item], url: str) -> list[ParsedEntry]:
    columns = (
        titles_of([_text(item.title) for item in items], line),
        addresses([_text(item.url) or _text(item.external_url) for item in items], url),
        items,
    )
    entries: list[ParsedEntry] = []
    for title, link, item in zip(*columns, strict=True):
        published, source = parse_date(_text(item.date_published)), "date_published"
        updated = parse_date(_text(item.date_modified))
        if published is None:
            published, source = updated, "date_modified" if updated is not None else ""
        native_id = _text(item.id).strip()[:MAX_ID]
        entries.append(deferred(title, link, native_id, published, source, updated, (_rest, (item, url))))
    return entries


def _rest(given: tuple[_Item, str]) -> tuple[object, ...]:
    """The fields of an item that are read when somebody asks for them."""
    item, url = given
    tags = _value(item.tags)
    return (
        line(_author(item), MAX_NAME),
        _text(_value(item.summary)).strip()[:MAX_CONTENT],
        (_text(_value(item.content_html)) or _text(_value(item.content_text))).strip()[:MAX_CONTENT],
        tidy([_text(tag) for tag in tags]) if isinstance(tags, list) else (),
        line(_text(_value(item.language)), MAX_LANGUAGE),
        enclosures_of(_files(_value(item.attachments)), url),
    )


def _value(raw: msgspec.Raw) -> Any:
    """What a value means that was kept as it is written; None if that is nothing."""
    try:
        return msgspec.json.decode(raw) if raw is not _NOTHING else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _author(item: _Item) -> str:
    authors = _value(item.authors)
    first = authors[0] if isinstance(authors, list) and authors else _value(item.author)
    return _text(first.get("name")) if isinstance(first, dict) else ""


def _files(attachments: object) -> list[tuple[str, str, str]]:
    if not isinstance(attachments, list):
        return []
    return [
        (_text(file.get("url")), _text(file.get("mime_type")), _text(file.get("size_in_bytes")))
        for file in attachments
        if isinstance(file, dict)
    ]


def _hub(hubs: object, url: str) -> str:
    if not isinstance(hubs, list):
        return ""
    links = (absolute(_text(hub.get("url")), url) for hub in hubs[:20] if isinstance(hub, dict))
    return next((link for link in links if link), "")


def _text(value: object) -> str:
    """A string as it is without NULs, a number as text, anything else as nothing."""
    if isinstance(value, str):
        return value if "\0" not in value else value.replace("\0", "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return ""
