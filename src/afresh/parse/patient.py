"""The patient parser: feedparser, for documents that libxml2 cannot make sense of.

It is a hundred times slower, so it is asked last and only for documents of ordinary size.
"""

import io
import warnings
from calendar import timegm
from collections.abc import Mapping
from typing import Any

import feedparser

from afresh.base.errors import ParseError
from afresh.base.models import FeedDocument, ParsedEntry, ReadPath
from afresh.parse.dates import parse_date
from afresh.parse.fields import (
    MAX_CONTENT,
    MAX_ENTRIES,
    MAX_ID,
    MAX_LANGUAGE,
    MAX_NAME,
    absolute,
    document,
    enclosures_of,
    plain,
    tidy,
    ttl_seconds,
    update_seconds,
)

MAX_BYTES = 2**20
_SOURCES = (("published", "published"), ("updated", "updated"), ("created", "created"))


def read_patiently(body: bytes, content_type: str, url: str) -> FeedDocument:
    """The feed as feedparser sees it; ParseError if it sees none."""
    if len(body) > MAX_BYTES:
        raise ParseError(f"malformed, and with {len(body):,} bytes too large to be read patiently")
    headers = {"content-type": content_type or "application/xml", "content-location": url}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its warnings are about its own inside
            # A stream, never bytes: feedparser takes bytes or text for the name of a file or a URL to open.
            parsed = feedparser.parse(
                io.BytesIO(body), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
            )
    except Exception as error:  # whatever a hostile document makes it raise is the document's fault
        raise ParseError(f"cannot be read: {type(error).__name__}: {error}") from error
    version = str(parsed.get("version") or "")
    if not version and not parsed.entries:
        reason = parsed.get("bozo_exception")
        raise ParseError(f"not a feed{f': {reason}' if reason else ''}", excerpt=repr(body[:60]))
    # As plain dictionaries: feedparser's own answer with other fields where one is missing, and warn about it.
    head = dict(parsed.feed)
    facts: dict[str, object] = {
        "format": version or "unknown",
        "title": plain(_text(head, "title")),
        "site_url": absolute(_text(head, "link"), url),
        "language": plain(_text(head, "language"), MAX_LANGUAGE),
        "ttl": ttl_seconds(_text(head, "ttl")),
        "update_period": update_seconds(_text(head, "sy_updateperiod"), _text(head, "sy_updatefrequency")),
        "hub": _link(head, "hub", url),
        "self_url": _link(head, "self", url),
    }
    return document(facts, [_entry(dict(entry), url) for entry in parsed.entries[:MAX_ENTRIES]], path=ReadPath.PATIENT)


def _entry(entry: Mapping[str, Any], url: str) -> ParsedEntry:
    published, source = None, ""
    for field, name in _SOURCES:
        published = _date(entry, field)
        if published is not None:
            source = name
            break
    contents = entry.get("content") or [{}]
    return ParsedEntry(
        title=plain(_text(entry, "title")),
        link=absolute(_text(entry, "link"), url),
        native_id=_text(entry, "id").strip()[:MAX_ID],
        published=published,
        date_source=source,
        updated=_date(entry, "updated"),
        author=plain(_text(entry, "author"), MAX_NAME),
        summary=_text(entry, "summary").strip()[:MAX_CONTENT],
        content=_text(contents[0], "value").strip()[:MAX_CONTENT],
        categories=tidy([_text(tag, "term") for tag in entry.get("tags") or ()]),
        language=plain(_text(entry, "language"), MAX_LANGUAGE),
        enclosures=enclosures_of([_file(link) for link in entry.get("enclosures") or ()], url),
    )


def _file(link: Mapping[str, Any]) -> tuple[str, str, str]:
    return _text(link, "href"), _text(link, "type"), _text(link, "length")


def _date(entry: Mapping[str, Any], field: str) -> float | None:
    seconds = parse_date(_text(entry, field))
    if seconds is None and (fields := entry.get(field + "_parsed")):
        try:
            seconds = float(timegm(fields))
        except (ValueError, OverflowError):
            return None
        seconds = seconds if seconds >= 0 else None
    return seconds


def _text(values: Mapping[str, Any], name: str) -> str:
    """A value as clean text: no NULs, nothing that cannot be encoded."""
    value = values.get(name)
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _link(values: Mapping[str, Any], rel: str, url: str) -> str:
    found = (link for link in values.get("links") or () if link.get("rel") == rel)
    return next((absolute(_text(link, "href"), url) for link in found), "")
