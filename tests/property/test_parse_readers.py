"""Pattern, expat and libxml2 read the same: a quicker way gives the entries the slower ones give."""

from unittest.mock import patch

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from afresh.base.errors import ParseError
from afresh.base.models import FeedDocument
from afresh.lab.bench_feeds import documents
from afresh.parse import feed as feed_module
from afresh.parse import feed_by_pattern
from afresh.parse.feed import parse_feed
from afresh.parse.feed_by_pattern import cut_out
from afresh.parse.tree import read_well_formed

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
    "https://e.org/2?a=1&amp;b=2",
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

XHTML = (
    '<div xmlns="http://www.w3.org/1999/xhtml"><ul><li><p>a <em>b <b>c<i>d<u>e</u></i></b></em></p></li></ul>'
    '<img src="/i.png" alt="x"/><entry/></div>'
)
element = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES), st.lists(st.sampled_from(TEXTS), max_size=3)
).map(lambda parts: f"<{parts[0]}{parts[1]}>{''.join(parts[2])}</{parts[0]}>")
plain = st.sampled_from(
    [
        "<link>https://e.org/1</link>",
        "<link> https://e.org/2?a=1&amp;b=2\n</link>",
        "<link><![CDATA[https://e.org/3]]></link>",
        '<link href="https://e.org/4"/>',
        "<link rel='alternate' type='text/html' href='https://e.org/5'/><link rel='enclosure' href='/f' length='3'/>",
        '<link href="https://e.org/6"/><link rel="enclosure" href="https://e.org/f" type="a/b" length="3"/>',
        '<enclosure url="/g" type="a/b" length="12"/>',
        '<enclosure url="https://e.org/g" type="a/b" length="12"/>',
        "<category>one</category> <category><![CDATA[two & three]]></category>",
        '<category term="x" label="y"/>',
        "<author><name>N &amp; M</name></author>",
        "<title>a  &lt;b&gt;x&lt;/b&gt;</title>",
        "<title type='html'>&amp;amp; &lt;i></title>",
        "<guid isPermaLink='false'>g\n</guid>",
        "<id>https://e.org/id</id>",
        "<pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate>",
        "<updated>2003-12-13T18:30:02Z</updated>",
        "<description>&lt;p> &#233; </description>",
        "<content type='html'>x &lt;br/> ]</content>",
        f"<content type='xhtml'>{XHTML}</content>",
        f'<content xml:lang="de" type="xhtml">{XHTML}</content >',
        "<content type='xhtml'><!-- <p> --><p>a/></p></content>",
        f"<summary type='xhtml'>{XHTML}</summary>",
        "<link rel='alternate' title='a \"b\"' href='https://e.org/7' hreflang='de'/>",
        '<link hreflang="de" title="a > b" href="https://e.org/8" type="text/html" />',
        "<author> <name>N</name>\n<uri>https://e.org/</uri><email>e</email> </author>",
        "<published>2003-12-13T18:30:02Z</published> <updated>2003-12-13T18:30:02Z</updated>",
    ]
)
items = st.lists(st.lists(st.one_of(element, plain, plain), max_size=6).map("\n".join), min_size=1, max_size=4)


URL = "https://example.org/feed"


def by_libxml2(body: bytes) -> FeedDocument | None:
    with patch.object(feed_module, "_well_formed", lambda *_: None):
        return parsed(body)


def by_expat(body: bytes) -> FeedDocument | None:
    with patch.object(feed_module, "cut_out", lambda source, _: (source, None)):
        return parsed(body)


def as_if_large(body: bytes) -> FeedDocument | None:
    with patch.multiple(feed_by_pattern, _LARGE=0, _LONG=10):
        found = parsed(body)
    usual = parsed(body)
    assert found is None or (usual is not None and found.path is usual.path)  # no slower way had to help
    return found


def parsed(body: bytes) -> FeedDocument | None:
    try:
        return parse_feed(body, url=URL)
    except ParseError:
        return None


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(HEADS), items)
@example(HEADS[1], ['<link href="https://e.org/4"/>\n<title xmlns="urn:y">a</title>'])
def test_all_readers_agree(frame: tuple[str, str, str], contents: list[str]) -> None:
    head, tag, tail = frame
    body = (head + "\n".join(f"<{tag}>{inside}</{tag}>" for inside in contents) + tail).encode()
    if read_well_formed(body) is not None:
        assert parsed(body) == as_if_large(body) == by_expat(body) == by_libxml2(body)


def test_ordinary_feeds_are_read_by_pattern() -> None:
    for body in [body for kind in ("rss-cdata", "rss-escaped", "atom") for body in documents(kind, 3, seed=5)]:
        text = body.decode()
        rest, items = cut_out(body[text.index("\n") + 1 :], feed_module._SHAPES)
        assert items is not None
        assert len(items.spans) == text.count("<item>") + text.count("<entry>")
        assert len(rest) < 2_000
        assert parsed(body) == as_if_large(body) == by_expat(body) == by_libxml2(body)


ENTRIES = """<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><id>1</id><title>a</title>
<link href="https://e.org/1"/><content type="xhtml">{}</content></entry><entry><id>2</id><title>b</title>
<link href="https://e.org/2"/><content type="text">c</content></entry></feed>"""


def test_mark_up_of_any_depth_is_skipped_if_as_many_elements_end_as_begin() -> None:
    body = ENTRIES.format(XHTML).encode()
    _, items = cut_out(body, feed_module._SHAPES)
    assert items is not None
    assert len(items.spans) == 2
    found = parsed(body)
    assert found is not None
    assert "<u>e</u>" in found.entries[0].content


def test_mark_up_that_does_not_fit_together_is_repaired_and_told() -> None:
    found = parsed(ENTRIES.format("<div><p>a<br></div>").encode())
    assert found is not None
    assert [(entry.native_id, entry.link) for entry in found.entries] == [
        ("1", "https://e.org/1"),
        ("2", "https://e.org/2"),
    ]
    assert found.repaired
