"""expat and libxml2 read the same: the quick way to a tree gives the entries the patient way gives."""

from unittest.mock import patch
from xml.parsers import expat

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.base.errors import ParseError
from afresh.base.models import FeedDocument
from afresh.parse import tree as tree_module
from afresh.parse.feed import parse_feed
from tests.bench.parsing import documents

TEXTS = [
    "",
    " ",
    "a",
    "é",
    "&amp;",
    "&lt;b&gt;",
    "&#233;",
    "&#x1F600;",
    "&quot;&apos;",
    "<![CDATA[<p>&amp;]]>",
    "&nbsp;",
    "x<![CDATA[y]]>z",
    "<b>n</b>",
    "<!-- c -->",
    "]]>",
    "&#0;",
    "&#13;",
    "\r\n",
    "\x01",
    "https://e.org/1",
    "/rel",
    "Sat, 07 Sep 2002 00:00:01 GMT",
    "2003-12-13T18:30:02Z",
    "<name>N</name>",
    "<name>N</name><email>e</email>",
    "&",
    "<",
    "&#xD800;",
    "&#1114112;",
]
NAMES = [
    "title",
    "link",
    "guid",
    "pubDate",
    "description",
    "category",
    "dc:date",
    "dc:creator",
    "content:encoded",
    "author",
    "id",
    "published",
    "updated",
    "summary",
    "content",
    "atom:link",
    "unknown",
    "x:unknown",
    "item",
    "entry",
    "feed:id",
]
ATTRIBUTES = [
    "",
    ' isPermaLink="false"',
    ' href="/h?a=1&amp;b=2"',
    " rel='self' href='s'",
    ' rel="alternate" href="x>y"',
    ' term="t" label="L"',
    ' src="/s"',
    ' xml:base="/b/"',
    ' xmlns:dc="urn:x"',
    ' xmlns="urn:y"',
    " broken",
    ' type="html"',
    "/",
]
SPACES = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
SPACES += ' xmlns:atom="http://www.w3.org/2005/Atom"'
HEADS = [
    (f'<rss version="2.0" {SPACES}><channel><title>T</title><ttl>5</ttl>', "item", "</channel></rss>"),
    (f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" {SPACES}><title>T</title>', "entry", "</feed>"),
    (f'<feed xmlns:f="http://www.w3.org/2005/Atom" {SPACES}>', "entry", "<link href='/late'/></feed>"),
    (
        f'<rss xmlns="http://backend.userland.com/rss2" {SPACES}><channel>',
        "item",
        "<title>late</title></channel></rss>",
    ),
    ("<rss><channel><!-- <item> -->", "item", "</channel></rss>"),
    ("<rss><channel><description><![CDATA[<item>]]></description>", "item", "</channel></rss>"),
    ("<rss><channel><wrapped>", "item", "</wrapped></channel></rss>"),
]

element = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES), st.lists(st.sampled_from(TEXTS), max_size=3)
).map(lambda parts: f"<{parts[0]}{parts[1]}>{''.join(parts[2])}</{parts[0]}>")
items = st.lists(st.lists(element, max_size=6).map("\n".join), min_size=1, max_size=4)


URL = "https://example.org/feed"


def by_libxml2(body: bytes) -> FeedDocument | None:
    with patch.object(tree_module, "declares_utf8", lambda *_: False):
        try:
            return parse_feed(body, url=URL)
        except ParseError:
            return None


def is_read_by_expat(body: bytes) -> bool:
    try:
        tree_module._read(body)
    except expat.ExpatError:
        return False
    return True


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(HEADS), items)
def test_both_readers_agree(frame: tuple[str, str, str], contents: list[str]) -> None:
    head, tag, tail = frame
    body = (head + "\n".join(f"<{tag}>{inside}</{tag}>" for inside in contents) + tail).encode()
    if is_read_by_expat(body):
        assert parse_feed(body, url=URL) == by_libxml2(body)


def test_expat_reads_ordinary_feeds() -> None:
    for body in documents(12, seed=5):
        assert is_read_by_expat(body)
        assert parse_feed(body, url=URL) == by_libxml2(body)
