"""Read one document and tell all that was found in it: for whoever wonders where an entry went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError, ParseError
from afresh.base.models import Failed, Failure, FeedDocument, Fetched, Rejected, Request, describe
from afresh.base.records.links import LinkRef
from afresh.engine.importing import read_links_of
from afresh.feeds.stream import entry_uid
from afresh.parse.discover import FoundFeed, announced_feeds
from afresh.parse.feed import parse_feed
from afresh.parse.packed import unpacked
from afresh.parse.recognising import DocumentKind, Recognised, recognise
from afresh.parse.sitemap import parse_sitemap
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.base.protocols import Fetcher


class NoAnswer(AfreshError):
    """A document that could not be had; ``for_now``: nobody has said that it is not there, only to come again."""

    def __init__(self, message: str, *, for_now: bool = False) -> None:
        super().__init__(message)
        self.for_now = for_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A document as it came."""

    body: bytes
    name: str = ""  # of its file; empty: none
    url: str = ""  # where it came from in the end; empty: from a file
    content_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one document is, and what was found in it."""

    kind: DocumentKind
    words: str  # the kind, for people
    bytes: int
    feed: FeedDocument | None = None
    same_as: tuple[int | None, ...] = ()  # of each entry: the earlier one, from 0, that it cannot be told from
    links: tuple[LinkRef, ...] = ()  # of a list, or pages of a sitemap
    feeds: tuple[FoundFeed, ...] = ()  # that a page announces
    repaired: int = 0  # places of a list
    error: str = ""  # why it could not be read; empty: it could
    position: str = ""


async def fetch_document(fetcher: Fetcher, address: str) -> Given:
    """The document at an address, asked for as a feed is; raises NoAnswer."""
    outcome = await fetcher.fetch(Request(url=canonical(address)))
    if not isinstance(outcome, Fetched):
        is_late = isinstance(outcome, Failed) and outcome.cause is Failure.LATER
        is_busy = isinstance(outcome, Rejected) and outcome.status in (429, 503)
        raise NoAnswer(f"{address} brought no document: {describe(outcome)}", for_now=is_late or is_busy)
    trip = outcome.trip
    return Given(body=outcome.body, url=trip.final_url, content_type=trip.headers.get("content-type", ""))


def read_one(given: Given) -> Reading:
    """What was found; a document that cannot be read says why, where and what it looks like."""
    looks = Recognised(DocumentKind.OTHER, "a packed file")
    try:
        body = unpacked(given.body)
        looks = recognise(body, given.name)
        return _read(body, given, looks)
    except ParseError as error:
        return Reading(
            kind=looks.kind,
            words=looks.words,
            bytes=len(given.body),
            error=str(error),
            position=error.position,
        )


def _read(body: bytes, given: Given, looks: Recognised) -> Reading:
    size, kind, words = len(given.body), looks.kind, looks.words
    if kind is DocumentKind.SITEMAP:
        found = parse_sitemap(body, content_type=given.content_type)
        named = tuple(LinkRef(url=page.url, saved=page.modified) for page in (*found.urls, *found.sitemaps))
        return Reading(kind=kind, words=words, bytes=size, links=named)
    if kind is DocumentKind.PAGE:
        feeds = tuple(announced_feeds(body, given.url, given.content_type))
        return Reading(kind=kind, words=words, bytes=size, feeds=feeds)
    if kind in (DocumentKind.FEED, DocumentKind.OTHER):  # a damaged feed may look like anything
        feed = parse_feed(body, content_type=given.content_type, url=given.url)
        return Reading(kind=DocumentKind.FEED, words=words, bytes=size, feed=feed, same_as=_doubles(feed))
    listed = read_links_of(body, given.name, looks)
    return Reading(kind=kind, words=words, bytes=size, links=listed.links, repaired=listed.repaired)


def _doubles(feed: FeedDocument) -> tuple[int | None, ...]:
    """Entries of one identity (title, link and id) are one entry to afresh."""
    first: dict[bytes, int] = {}
    places = [first.setdefault(entry_uid(entry), place) for place, entry in enumerate(feed.entries)]
    return tuple(None if earlier == place else earlier for place, earlier in enumerate(places))
