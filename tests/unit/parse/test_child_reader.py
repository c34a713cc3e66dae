"""Documents made to be slow: read in a process of their own, which is ended; nobody else waits for them."""

import asyncio
import contextlib
import errno
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from afresh.base import child_process
from afresh.base.errors import ParseError
from afresh.base.models import FeedDocument
from afresh.base.records.links import LinkRef
from afresh.engine.importing import read_import
from afresh.parse import child_reader, child_reader_process
from afresh.parse.discover import FoundFeed, announced_feeds, result_links
from afresh.parse.documents import read_document
from afresh.parse.feed import parse_feed
from afresh.parse.links import read_links
from afresh.parse.page import parse_page
from afresh.parse.sitemap import Sitemap, read_sitemap

SITE = "https://example.org/"
ATTRIBUTES = b"".join(b' a%d=""' % number for number in range(40_000))
UNCLOSED = b"<rss><channel><item " + ATTRIBUTES
OPTIONS = b"<select>" + b"<option>x" * 270_000
FEED = b"<rss><channel><title>T</title>" + b"<item><title>a \xc3\xa4 &amp; b</title><category>c</category></item>" * 900
FEED += b"</channel></rss>"
PAGE = b"<html lang=de><title>T</title><h1>a</h1><p>one two <a href=/x>three</a>" + b"<p>text of a page" * 3_000
PAGE += b'<link rel=alternate type="application/rss+xml" href=/feed>'
MAP = b"<urlset>" + b"<url><loc>http://a.example/</loc><lastmod>2026-01-02</lastmod></url>" * 900 + b"</urlset>"


@pytest.fixture
def _apart() -> Iterator[None]:
    with child_reader.reading_apart():
        yield


def feed(body: bytes) -> object:
    return child_reader.read(parse_feed, FeedDocument, body, url=SITE, content_type="text/xml")


def page(body: bytes) -> object:
    return child_reader.read_text(parse_page, body, url=SITE, content_type="text/html")


SAME: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
    "feed": (lambda: feed(FEED), lambda: parse_feed(FEED, url=SITE, content_type="text/xml")),
    "page": (lambda: page(PAGE), lambda: parse_page(PAGE, url=SITE, content_type="text/html")),
    "document": (
        lambda: child_reader.read_text(read_document, PAGE, url=SITE, content_type="text/html"),
        lambda: read_document(PAGE, url=SITE, content_type="text/html"),
    ),
    "sitemap": (lambda: child_reader.read(read_sitemap, Sitemap, MAP, url=SITE), lambda: read_sitemap(MAP, url=SITE)),
    "announced": (
        lambda: child_reader.read(announced_feeds, list[FoundFeed], PAGE, base_url=SITE),
        lambda: announced_feeds(PAGE, SITE),
    ),
    "results": (
        lambda: child_reader.read(result_links, list[str], PAGE, content_type="", base_url=SITE),
        lambda: result_links(PAGE, "", SITE),
    ),
    "links": (
        lambda: child_reader.read(read_links, list[LinkRef], PAGE, name="x.html"),
        lambda: read_links(PAGE, name="x.html"),
    ),
}


@pytest.mark.usefixtures("_apart")
@pytest.mark.parametrize("name", SAME)
def test_what_is_read_apart_is_what_is_read_here(name: str) -> None:
    there, here = SAME[name]
    assert there() == here()


@pytest.mark.usefixtures("_apart")
def test_what_is_wrong_with_a_document_is_told_as_here() -> None:
    broken = b"<opml>" + b"\n" * 40_000 + b"<outline"
    with pytest.raises(ParseError) as there:
        read_import(b"<?xml version='1.0'?>" + broken)
    with pytest.raises(ParseError) as again:
        feed(b"<html>" + b"x" * 40_000)
    assert there.value.position
    assert "an HTML page" in str(again.value)


def test_half_a_character_is_no_reason_to_fail() -> None:
    told = child_reader_process.answer(("json", "loads", b'{"title": "a\\ud800b"}', {}))
    assert told == b'+{"title": "a?b"}'


def test_an_answer_larger_than_the_document_was_allowed_to_be_is_none() -> None:
    told = child_reader_process.answer(("json", "loads", b"[" + b'"\\u0001",' * 3_000_000 + b'""]', {}))
    assert told.startswith(b'-{"message":"becomes 2')


SLOW: dict[str, tuple[Callable[[bytes], object], bytes]] = {
    "40,000 attributes in an unclosed tag of a feed": (feed, UNCLOSED),
    "options without end": (page, OPTIONS),
    "attributes of an outline": (read_import, b"<?xml version='1.0'?><opml><body><outline" + ATTRIBUTES * 12 + b"/>"),
}


@pytest.mark.usefixtures("_apart")
@pytest.mark.parametrize("name", SLOW)
def test_what_takes_too_long_is_ended_and_the_next_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, body = SLOW[name]
    feed(FEED)  # the other process is there
    monkeypatch.setattr(child_reader, "PATIENCE", 0.2)
    began = time.monotonic()
    with contextlib.suppress(ParseError):
        read(body)
    assert time.monotonic() - began < 60, "it was waited for"  # by itself it takes up to minutes
    monkeypatch.setattr(child_reader, "PATIENCE", 60.0)
    found = feed(FEED)
    assert isinstance(found, FeedDocument)
    assert len(found.entries) == 900


@pytest.mark.usefixtures("_apart")
def test_a_feed_that_takes_too_long_says_so_and_a_page_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(FEED)
    monkeypatch.setattr(child_reader, "PATIENCE", 0.05)
    with pytest.raises(child_reader.TooSlow, match=r"takes longer than 0\.05 s to be read; given up"):
        feed(UNCLOSED)
    found = page(OPTIONS)
    assert (found.kind, found.truncated, found.url) == ("binary", True, SITE)  # type: ignore[attr-defined]


@pytest.mark.usefixtures("_apart")
def test_nobody_waits_for_a_slow_document() -> None:
    """The event loop goes on in small steps while a feed is read that would hold the interpreter for seconds."""

    async def longest_pause() -> float:
        reading = asyncio.create_task(asyncio.to_thread(_read_slowly))
        worst = 0.0
        while not reading.done():
            before = time.monotonic()
            await asyncio.sleep(0.001)
            worst = max(worst, time.monotonic() - before)
        return worst

    feed(FEED)
    assert asyncio.run(longest_pause()) < 2.0, "4 to 8 s before; a busy machine makes pauses of its own"


def _read_slowly() -> None:
    with contextlib.suppress(ParseError):
        feed(UNCLOSED)


@pytest.mark.usefixtures("_apart")
def test_a_process_that_dies_costs_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    make = child_process.subprocess.Popen

    def noted(*args: object, **kwargs: object) -> object:
        process = make(*args, **kwargs)  # type: ignore[call-overload]
        started.append(process.pid)
        return process

    monkeypatch.setattr(child_process.subprocess, "Popen", noted)
    feed(FEED)
    os.kill(started[0], signal.SIGKILL)
    with contextlib.suppress(ParseError):
        feed(FEED)
    assert isinstance(feed(FEED), FeedDocument)
    assert len(started) == 2


@pytest.mark.usefixtures("_apart")
def test_threads_read_side_by_side() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(feed(FEED))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(item.entries) for item in found] == [900] * 4  # type: ignore[attr-defined]


def test_small_documents_and_programs_without_a_loop_need_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process.subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    feed(FEED)
    with child_reader.reading_apart():
        feed(FEED[:1_000])


@pytest.mark.usefixtures("_apart")
def test_a_want_of_descriptors_is_no_fault_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object, **__: object) -> object:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(child_process.subprocess, "Popen", none_left)
    with pytest.raises(OSError, match="Too many open files"):
        feed(FEED)
