"""Small documents that want much: memory and time stay a multiple of what came over the wire.

Trees are built by C libraries, whose memory ``tracemalloc`` does not see; so a process of its own reads each document
and says by how much it grew. What Python keeps is measured by ``tracemalloc`` beside it, in the process of the tests.
"""

import contextlib
import gzip
import os
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from afresh.base.errors import ParseError
from afresh.parse.discover import announced_feeds, result_links
from afresh.parse.documents import read_document
from afresh.parse.feed import parse_feed
from afresh.parse.links import read_links
from afresh.parse.nesting import is_hostile
from afresh.parse.opml import read_opml
from afresh.parse.page import parse_page
from afresh.parse.robots import Robots
from afresh.parse.sitemap import parse_sitemap, read_sitemap

pytestmark = pytest.mark.xdist_group("memory")  # what was measured is measured once

SITE = "https://example.org/"
LONG = b"http://h/" + b"x" * 1_000_000 + b"/"
MANY_NAMES = b"".join(b"<n:a%d/>" % number for number in range(5_000))
MANY_ATTRIBUTES = b" ".join(b"a%d" % number for number in range(300_000))
MANY_ANCHORS = b"".join(b"<a href=feed/%d>y</a>" % number for number in range(2_000))


def feed(body: bytes) -> object:
    return parse_feed(body, url=SITE)


def page(body: bytes) -> object:
    return parse_page(body, url=SITE, content_type="text/html")


def document(body: bytes) -> object:
    return read_document(body, url=SITE, content_type="text/html")


def discovered(body: bytes) -> object:
    return announced_feeds(body, SITE), result_links(body, "text/html", SITE)


def robots(body: bytes) -> object:
    return read_sitemap(body, url=SITE + "robots.txt"), Robots.parse(body, 200).allows(SITE, "afresh")


def bookmarks(body: bytes) -> object:
    return read_links(body, name="bookmarks.html")


def table(body: bytes) -> object:
    return read_links(body, name="links.csv")


def tree(body: bytes) -> object:
    return read_links(body, name="links.json")


HOSTILE: dict[str, tuple[Callable[[bytes], object], Callable[[], bytes]]] = {
    "a long namespace for many names": (
        feed,
        lambda: b'<rss xmlns:n="' + b"u" * 400_000 + b'"><channel>' + MANY_NAMES + b"</channel></rss>",
    ),
    "the same where libxml2 has to help": (
        feed,
        lambda: b'<rss xmlns:n="' + b"u" * 400_000 + b'"><channel>&nbsp;' + MANY_NAMES + b"</channel></rss>",
    ),
    "a long base for many links": (
        feed,
        lambda: (
            b'<rss xml:base="' + LONG + b'"><channel>' + b"<item><link>x</link></item>" * 9_000 + b"</channel></rss>"
        ),
    ),
    "bases within bases": (
        feed,
        lambda: (
            b"<rss>"
            + b'<channel xml:base="'
            + b"x/" * 1_900
            + b'">'
            + b"<item xml:base='y/'/>" * 9_000
            + b"</channel></rss>"
        ),
    ),
    "many empty elements": (feed, lambda: b"<rss><channel>" + b"<a/>" * 2_000_000 + b"</channel></rss>"),
    "many empty objects": (feed, lambda: b'{"items":[' + b"{}," * 2_000_000 + b"{}]}"),
    "many empty lists": (feed, lambda: b'{"items":[' + b"[]," * 2_000_000 + b"{}]}"),
    "a packed sitemap of nothing": (
        parse_sitemap,
        lambda: gzip.compress(b"<urlset>" + b"<a/>" * 8_000_000 + b"</urlset>", 1),
    ),
    "a packed list of lines": (parse_sitemap, lambda: gzip.compress(b"http://a\n" * 4_000_000, 1)),
    "a packed list of empty lines": (parse_sitemap, lambda: gzip.compress(b"http://a\n" + b"\n" * 20_000_000, 1)),
    "a sitemap with a long namespace": (
        parse_sitemap,
        lambda: b'<urlset xmlns:n="' + b"u" * 400_000 + b'">' + MANY_NAMES + b"</urlset>",
    ),
    "robots naming sitemaps": (robots, lambda: b"Sitemap: a\nUser-agent: *\nDisallow: /*a*b*c\n" * 12_000),
    "tags and nothing else": (page, lambda: b"<p>" * 1_300_000),
    "headings within headings": (page, lambda: b"<big>" * 900 + b"a b " * 900_000 + b"</big>" * 900),
    "roles within roles": (
        page,
        lambda: b"<div role=heading>" * 900 + b"a b " * 900_000 + b"</div>" * 900,
    ),
    "links within links": (
        page,
        lambda: b"<a href=x><object>" * 450 + b"a b " * 900_000 + b"</object></a>" * 450,
    ),
    "a tag of attributes": (page, lambda: b"<p " + MANY_ATTRIBUTES + b">x"),
    "the same behind a quoted end": (page, lambda: b'<p a"b x=\'>\' y="<b>" ' + MANY_ATTRIBUTES + b">x"),
    "the same with quoted values": (
        page,
        lambda: b"<p " + b"".join(b'a%d="<b>"' % number for number in range(200_000)) + b">x",
    ),
    "nested, in UTF-16": (page, lambda: ("<!doctype html>" + "<div>" * 300_000).encode("utf-16")),
    "a page of a long base": (page, lambda: b'<base href="' + LONG + b'">' + MANY_ANCHORS),
    "a document of pieces": (document, lambda: b"<br>a" * 800_000),
    "feeds of a long base": (discovered, lambda: b'<base href="' + LONG + b'">' + MANY_ANCHORS),
    "feeds on a nested page": (discovered, lambda: b"<div>" * 200_000),
    "feeds in links within links": (
        discovered,
        lambda: b"<a href=/feed><object>" * 450 + b"a b " * 900_000 + b"</object></a>" * 450,
    ),
    "outlines": (read_opml, lambda: b"<opml><body>" + b"<outline/>" * 200_000 + b"</body></opml>"),
    "nested bookmarks": (bookmarks, lambda: b"<!DOCTYPE NETSCAPE-Bookmark-file-1>" + b"<div>" * 200_000),
    "a table of commas": (table, lambda: b"url\n" + b",,,,,,,,\n" * 60_000),
    "a tree of lists": (tree, lambda: b"[" + b"[]," * 300_000 + b"[]]"),
}
MOST_GROWN = 260  # megabytes of a process, of documents that may have 8 when they are unpacked
MOST_SECONDS = 10  # of processor time


def growth() -> None:
    """Reads each document in a process of its own, made from this one, and prints by how many megabytes it grew."""
    for name, (read, make) in HOSTILE.items():
        for harmless in (b"x", b"<rss/>", b"<p>x", b"[]"):
            with contextlib.suppress(ParseError):
                read(harmless)  # what is made once is there
        child = os.fork()
        if child == 0:
            body = make()
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            with contextlib.suppress(ParseError):
                read(body)
            print(name, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, sep="=", flush=True)
            os._exit(0)
        os.waitpid(child, 0)


@pytest.fixture(scope="module")
def grown() -> dict[str, int]:
    program = "from tests.unit.parse.test_memory import growth; growth()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name: int(grown) for name, _, grown in (line.partition("=") for line in done.stdout.splitlines())}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_process_that_reads_it_stays_small_and_quick(grown: dict[str, int], name: str) -> None:
    assert name in grown, f"took more than {MOST_SECONDS} s, or died"
    assert grown[name] <= MOST_GROWN, f"{grown[name]:,} MB"


@contextlib.contextmanager
def traced() -> Iterator[list[int]]:
    peak = [0]
    tracemalloc.start()
    try:
        yield peak
        peak[0] = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


SMALL: dict[str, tuple[Callable[[bytes], object], bytes]] = {
    "feed": (feed, b"<rss xml:base='" + LONG[:60_000] + b"/'><channel>" + b"<item><link>x</link></item>" * 300),
    "atom": (feed, b'<feed xmlns="http://www.w3.org/2005/Atom">' + b"<entry><category/></entry>" * 3_000 + b"</feed>"),
    "json": (feed, b'{"items":[' + b'{"tags":[1,2]},' * 5_000 + b"{}]}"),
    "sitemap": (parse_sitemap, b"<urlset>" + b"<url><loc>http://a/</loc></url>" * 3_000 + b"</urlset>"),
    "page": (page, b"<h1>a</h1><a href=x>b</a>" * 4_000),
    "discovery": (discovered, b"<base href=" + LONG[:60_000] + b"/>" + MANY_ANCHORS[:40_000]),
    "robots": (robots, b"Sitemap: a\n" * 9_000),
    "bookmarks": (bookmarks, b"<a href=x>y</a>" * 6_000),
    "outlines": (read_opml, b"<opml><body>" + b"<outline xmlUrl='a'/>" * 4_000 + b"</body></opml>"),
    "csv": (table, b"url,title\n" + b",,,,,,\n" * 9_000),
    "markdown": (lambda body: read_links(body, name="a.md"), b"[a](b) " * 9_000),
}


@pytest.mark.parametrize("name", SMALL)
def test_what_python_keeps_is_a_multiple_of_the_document(name: str) -> None:
    read, body = SMALL[name]
    with contextlib.suppress(ParseError):
        read(b"<x/>")  # what is made once is there
    with traced() as peak, contextlib.suppress(ParseError):
        read(body)
    assert peak[0] < 80 * len(body) + 500_000, f"{len(body):,} bytes became {peak[0]:,}"


def test_ordinary_pages_with_long_tags_are_no_attack() -> None:
    data = b"<img src='data:image/png;base64," + b"QUJD" * 30_000 + b"'>"
    script = b"<script>" + b"var a = 1 < 2; b = 'x y z'; " * 5_000 + b"</script>"
    state = b"<div data-state='" + b'{"a": 1, "b": [2, 3]}, ' * 5_000 + b"'>text</div>"
    for body in (data, script, state, b"<p>" + b"one two / three = four " * 5_000, b"<a href", b"<p>x" * 30_000):
        assert not is_hostile(b"<html>" + body), body[:30]


def test_a_flattened_page_still_gives_its_anchors() -> None:
    nested = (
        b"<div>" * 5_000
        + b'<a class="x" HREF = "http://a.example/?b&amp;c">A <b>c</b></a><a href=\'http://d.example/\'>D</a>'
    )
    found = read_links(nested, name="x.html")
    assert [(link.url, link.title) for link in found] == [("http://a.example/?b&c", "A"), ("http://d.example/", "D")]


def test_feeds_announced_in_the_head_of_a_hostile_page_are_found() -> None:
    head = b'<link rel=alternate type="application/rss+xml" href="/feed">'
    assert [item.url for item in announced_feeds(head + b"<div>" * 100_000, SITE)] == [SITE + "feed"]
