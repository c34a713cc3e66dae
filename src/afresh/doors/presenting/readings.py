"""Readings: what afresh found in one document."""

from dataclasses import dataclass
from typing import Annotated

from afresh.base.models import Enclosure, FeedFacts, ParsedEntry
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.showing import shown
from afresh.engine.reading_document import Given, Reading
from afresh.feeds.stream import entry_uid
from afresh.parse.discover import FoundFeed


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEntryView:
    """One entry of a document, as it was read."""

    place: Annotated[int, About("Its place in the document, from 1.")]
    id: Annotated[str, About("Its own id, exactly as written; empty: none.")]
    title: str
    link: str
    published: Time | None
    date_source: Annotated[str, About("The element the date came from; empty: no usable date.")]
    updated: Time | None
    author: str
    language: str
    categories: tuple[str, ...]
    summary: str
    content: str
    enclosures: tuple[Enclosure, ...]
    uid: Annotated[str, About("Identity within the feed, hexadecimal.")]
    same_as: Annotated[int | None, About("Place of the entry it cannot be told from; null: none.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedView:
    """One address of a list, or a page of a sitemap."""

    url: str
    title: str
    folder: str
    tags: tuple[str, ...]
    note: str
    saved: Time | None
    home: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingView:
    """What one document is, and what was found in it."""

    kind: str
    words: Annotated[str, About("The kind, for people.", "an RSS feed")]
    name: Annotated[str, About("File or address it came from, after redirects.")]
    content_type: str
    bytes: int
    path: Annotated[str | None, About("Which reader a feed took: fast, tree, patient or json; null: no feed.")]
    repaired: Annotated[tuple[str, ...], About("What had to be repaired, in words.")]
    facts: Annotated[FeedFacts | None, About("What a feed says about itself.")]
    entries: tuple[ReadEntryView, ...]
    links: tuple[ListedView, ...]
    feeds: Annotated[tuple[FoundFeed, ...], About("Feeds that a page announces, or seems to link.")]
    error: Annotated[str, About("Why it could not be read; empty: it could.")]
    position: Annotated[str, About("Where, as line:column; empty: not known.")]


def view_reading(reading: Reading, given: Given) -> ReadingView:
    feed = reading.feed
    places = f"{reading.repaired} places" if reading.repaired > 1 else "one place"
    return shown(
        ReadingView,
        reading,
        kind=str(reading.kind),
        name=given.url or given.name,
        content_type=given.content_type,
        path=None if feed is None else str(feed.path),
        repaired=feed.repaired if feed else (places,) if reading.repaired else (),
        facts=feed.facts if feed else None,
        entries=tuple(_entry(reading, place, entry) for place, entry in enumerate(feed.entries)) if feed else (),
        links=tuple(shown(ListedView, link) for link in reading.links),
    )


def _entry(reading: Reading, place: int, entry: ParsedEntry) -> ReadEntryView:
    earlier = reading.same_as[place]
    return shown(
        ReadEntryView,
        entry,
        place=place + 1,
        id=entry.native_id,
        uid=entry_uid(entry).hex(),
        same_as=None if earlier is None else earlier + 1,
    )
