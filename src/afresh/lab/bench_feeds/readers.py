"""What each reader of feeds finds in a document: ids, links and dates of its entries."""

import io
import warnings
from calendar import timegm
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from afresh.base.errors import ParseError
from afresh.parse.feed import parse_feed
from afresh.parse.fields import absolute


@dataclass(frozen=True, slots=True)
class Found:
    """The entries of a document in order."""

    ids: tuple[str, ...] = ()
    links: tuple[str, ...] = ()  # empty where nobody could follow it
    dates: tuple[int | None, ...] = ()  # whole seconds
    written: tuple[str, ...] = ()  # the dates as the document has them, where the reader tells


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: its work, which is timed, and what it found, which is compared."""

    read: Callable[[bytes], Any]
    found: Callable[[Any], Found]
    reads_json: bool = True


def readers() -> dict[str, Reader]:
    """afresh, and those of the others that are installed (the ``dev`` extra has them)."""
    found = {"afresh": Reader(_afresh, found_by_afresh)}
    try:
        import feedparser  # noqa: PLC0415 (an extra)
    except ImportError:
        pass
    else:
        found["feedparser"] = Reader(lambda body: _feedparser(feedparser, body), _found_by_feedparser, reads_json=False)
    try:
        import fastfeedparser  # noqa: PLC0415 (an extra)
    except ImportError:
        pass
    else:
        found["fastfeedparser"] = Reader(lambda body: _fastfeedparser(fastfeedparser, body), _found_by_fastfeedparser)
    return found


def _afresh(body: bytes) -> Any:
    try:
        return parse_feed(body)
    except ParseError:
        return None


def read_in_full(body: bytes) -> Any:
    """The feed with the fields of its entries that are otherwise read when somebody asks for them."""
    feed = _afresh(body)
    for entry in feed.entries if feed is not None else ():
        entry.content  # noqa: B018 (one asks for all)
    return feed


def found_by_afresh(feed: Any) -> Found:
    """What afresh found."""
    if feed is None:
        return Found()
    return _found((entry.native_id, entry.link, entry.published) for entry in feed.entries)


def _feedparser(library: Any, body: bytes) -> Any:
    kind = "application/feed+json" if body.lstrip()[:1] == b"{" else "application/xml"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return library.parse(io.BytesIO(body), response_headers={"content-type": kind})


def _found_by_feedparser(feed: Any) -> Found:
    entries = list(map(dict, feed.entries))
    found = _found((entry.get("id", ""), entry.get("link", ""), _seconds(entry)) for entry in entries)
    return replace(found, written=tuple(entry.get(_date_of(entry)) or "" for entry in entries))


def _date_of(entry: Mapping[str, Any]) -> str:
    """The date that feedparser could read."""
    return next((name for name in ("published", "updated", "created") if entry.get(f"{name}_parsed")), "")


def _seconds(entry: Mapping[str, Any]) -> float | None:
    name = _date_of(entry)
    return float(timegm(entry[f"{name}_parsed"])) if name else None


def _fastfeedparser(library: Any, body: bytes) -> Any:
    try:
        return library.parse(body)
    except Exception:  # whatever it raises means that it read nothing
        return None


def _found_by_fastfeedparser(feed: Any) -> Found:
    if feed is None:
        return Found()
    return _found((entry.get("id", ""), entry.get("link", ""), _time(entry)) for entry in feed["entries"])


def _time(entry: Mapping[str, Any]) -> float | None:
    text = entry.get("published") or entry.get("updated")
    try:
        return datetime.fromisoformat(text).timestamp() if text else None
    except ValueError:
        return None


def _found(rows: Iterable[tuple[str | None, str | None, float | None]]) -> Found:
    listed = list(rows)
    return Found(
        tuple((native_id or "").strip() for native_id, _, _ in listed),
        tuple(absolute((link or "").strip(), "") for _, link, _ in listed),
        # Dates before 1970 are nobody's.
        tuple(int(date) if date is not None and date >= 0 else None for _, _, date in listed),
    )
