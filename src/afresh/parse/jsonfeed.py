"""JSON Feed 1.0 and 1.1."""

from typing import Any

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
    Draft,
    absolute,
    addresses,
    document,
    enclosures_of,
    line,
    tidy,
    titles_of,
)

MAX_OBJECTS = 500_000  # an object of two bytes takes 64 in memory


def read_json(body: bytes, content_type: str, url: str) -> FeedDocument:
    """The feed of a JSON document; ParseError if it is none."""
    if len(body) > MAX_OBJECTS and (objects := body.count(b"{") + body.count(b"[")) > MAX_OBJECTS:
        raise ParseError(f"{objects:,} objects and lists, more than the {MAX_OBJECTS:,} that are read")
    try:
        data = _loaded(body, content_type)
    except (orjson.JSONDecodeError, RecursionError) as error:
        place = f"{error.lineno}:{error.colno}" if isinstance(error, orjson.JSONDecodeError) else ""
        raise ParseError(f"looks like JSON but is not: {error}", position=place, excerpt=repr(body[:60])) from None
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        raise ParseError("a JSON document, but no JSON Feed: it has no list of items", excerpt=repr(body[:60]))
    version = _text(data.get("version"))
    facts: dict[str, object] = {
        "format": "json11" if version.endswith("/1.1") else "json10" if version.endswith("/1") else "json",
        "title": line(_text(data.get("title"))),
        "site_url": absolute(_text(data.get("home_page_url")), url),
        "language": line(_text(data.get("language")), MAX_LANGUAGE),
        "self_url": absolute(_text(data.get("feed_url")), url),
        "hub": _hub(data.get("hubs"), url),
    }
    items = [item for item in data["items"][:MAX_ENTRIES] if isinstance(item, dict)]
    return document(facts, _entries(items, url), path=ReadPath.JSON)


def _loaded(body: bytes, content_type: str) -> Any:
    try:
        return orjson.loads(body)  # UTF-8, as nearly all of them
    except orjson.JSONDecodeError:
        return orjson.loads(decode(body, content_type).lstrip("\ufeff"))


def _entries(items: list[dict[str, Any]], url: str) -> list[ParsedEntry]:
    columns = (
        titles_of([_text(item.get("title")) for item in items], line),
        addresses([_text(item.get("url")) or _text(item.get("external_url")) for item in items], url),
        items,
    )
    entries: list[ParsedEntry] = []
    for title, link, item in zip(*columns, strict=True):
        published, source = parse_date(_text(item.get("date_published"))), "date_published"
        updated = parse_date(_text(item.get("date_modified")))
        if published is None:
            published, source = updated, "date_modified" if updated is not None else ""
        draft = Draft(title, link, _text(item.get("id")).strip()[:MAX_ID], published, source, updated)
        entries.append(draft.later(_rest, (item, url)))
    return entries


def _rest(given: tuple[dict[str, Any], str]) -> tuple[object, ...]:
    """The fields of an item that are read when somebody asks for them."""
    item, url = given
    tags = item.get("tags")
    return (
        line(_author(item), MAX_NAME),
        _text(item.get("summary")).strip()[:MAX_CONTENT],
        (_text(item.get("content_html")) or _text(item.get("content_text"))).strip()[:MAX_CONTENT],
        tidy([_text(tag) for tag in tags]) if isinstance(tags, list) else (),
        line(_text(item.get("language")), MAX_LANGUAGE),
        enclosures_of(_files(item.get("attachments")), url),
    )


def _author(item: dict[str, Any]) -> str:
    authors = item.get("authors")
    first = authors[0] if isinstance(authors, list) and authors else item.get("author")
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
