"""The fast path reads what the XML reader reads, or declines."""

from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.core.models import FeedDocument
from afresh.errors import ParseError
from afresh.parse import feed as feed_module
from afresh.parse.feed import parse_feed
from afresh.parse.flat import read_flat
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


def as_xml(body: bytes) -> FeedDocument | None:
    with patch.object(feed_module, "read_flat", lambda *_: None):
        try:
            return parse_feed(body, url="https://example.org/feed")
        except ParseError:
            return None


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(HEADS), items)
def test_fast_path_agrees_with_xml(frame: tuple[str, str, str], contents: list[str]) -> None:
    head, tag, tail = frame
    body = (head + "\n".join(f"<{tag}>{inside}</{tag}>" for inside in contents) + tail).encode()
    fast = read_flat(body, "", "https://example.org/feed")
    if fast is not None:
        assert fast == as_xml(body)


def test_fast_path_is_taken_by_ordinary_feeds() -> None:
    for body in documents(12, seed=5):
        fast = read_flat(body, "", "")
        assert fast is not None
        assert fast == as_xml(body)
