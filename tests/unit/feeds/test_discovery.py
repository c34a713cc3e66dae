"""Discovery: what a site announces, told apart by what came of it."""

import asyncio
from collections.abc import Mapping

from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Request, Trip
from afresh.feeds.discovery import Discoverer, Discovery

SITE = "https://a.example/"
ITEM = "<item><title>{0}</title><link>https://a.example/{0}</link></item>"
ENTRY = "<entry><title>{0}</title><id>https://a.example/{0}</id><link href='https://a.example/{0}'/></entry>"


def page(*feeds: str) -> str:
    return "<html><head>" + "".join(
        f'<link rel="alternate" type="application/{"feed+json" if feed.endswith("json") else "rss+xml"}" href="{feed}">'
        for feed in feeds
    )


def rss(*names: str, title: str = "A") -> str:
    return f"<rss version='2.0'><channel><title>{title}</title>{''.join(map(ITEM.format, names))}</channel></rss>"


def atom(*names: str, title: str = "A") -> str:
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>{title}</title>{''.join(map(ENTRY.format, names))}</feed>"


def json_feed(*names: str, title: str = "A") -> str:
    items = ",".join(f'{{"id": "{name}", "url": "https://a.example/{name}", "title": "{name}"}}' for name in names)
    return f'{{"version": "https://jsonfeed.org/version/1.1", "title": "{title}", "items": [{items}]}}'


class Web:
    """Answers with documents; what is not there is a 404, what is a Failure fails so."""

    def __init__(self, documents: Mapping[str, str | Failure]) -> None:
        self._documents = documents

    async def fetch(self, request: Request) -> Outcome:
        trip = Trip(url=request.url, final_url=request.url, started=0.0, finished=0.0)
        match self._documents.get(request.url):
            case None:
                return Rejected(trip=trip, status=404)
            case Failure() as cause:
                return Failed(trip=trip, cause=cause, detail="of some kind")
            case text:
                return Fetched(trip=trip, status=200, body=text.encode())

    async def close(self) -> None:
        pass


def discovered(documents: Mapping[str, str | Failure], *sites: str) -> Discovery:
    return asyncio.run(Discoverer(Web(documents)).discover(sites or [SITE]))


def test_a_feed_that_robots_forbids_is_not_called_dead() -> None:
    found = discovered({SITE: page("/feed.xml", "/gone.xml"), SITE + "feed.xml": Failure.ROBOTS})
    assert [(item.url, item.error, item.is_forbidden) for item in found.dead] == [
        (SITE + "feed.xml", "robots.txt forbids it (fetch.respect_robots)", True),
        (SITE + "gone.xml", "HTTP 404", False),
    ]
    [site] = discovered({SITE: Failure.ROBOTS}).unreachable
    assert site.is_forbidden


def test_the_same_address_twice_is_nothing_to_speak_of() -> None:
    found = discovered({SITE: page("/feed.xml"), SITE + "feed.xml": rss("one")}, SITE, SITE + "feed.xml")
    assert [item.url for item in found.feeds] == [SITE + "feed.xml"]
    assert found.duplicates == ()


def test_two_feeds_of_a_site_with_the_same_entries_are_one() -> None:
    documents = {
        SITE: page("/feed.json", "/index.xml", "/news"),
        SITE + "feed.json": json_feed("one", "two"),
        SITE + "index.xml": rss("one", "two"),
        SITE + "news": atom("one", "two"),
    }
    found = discovered(documents)
    assert [item.url for item in found.feeds] == [SITE + "news"]
    assert {(item.url, item.kept, item.reason) for item in found.duplicates} == {
        (SITE + "feed.json", SITE + "news", "same entries"),
        (SITE + "index.xml", SITE + "news", "same entries"),
    }
    del documents[SITE + "news"]
    assert [item.url for item in discovered(documents).feeds] == [SITE + "feed.json"], "the one announced first"


def test_feeds_with_other_entries_or_of_a_section_or_without_any_are_kept_each() -> None:
    documents = {
        SITE: page("/a.xml", "/b.json", "/section.xml", "/empty.xml", "/void.json"),
        SITE + "a.xml": rss("one", "two"),
        SITE + "b.json": json_feed("one"),
        SITE + "section.xml": rss("one", "two", title="A section"),
        SITE + "empty.xml": rss(),
        SITE + "void.json": json_feed(),
    }
    assert len(discovered(documents).feeds) == 5
