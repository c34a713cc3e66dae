"""Feeds of every format, well and badly made."""

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime

import pytest

from afresh.base.errors import ParseError
from afresh.base.models import Enclosure, FeedDocument, ParsedEntry, ReadPath
from afresh.parse.feed import parse_feed
from afresh.parse.fields import Draft
from afresh.parse.markup import CHARACTERS, JUNK, REFERENCES

RSS20 = b"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"
 xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Harbour &amp; sea</title><link>https://example.org/</link><description>d</description>
<language>en-gb</language><ttl>90</ttl><skipHours><hour>24</hour><hour>3</hour><hour>99</hour></skipHours>
<skipDays><day>Sunday</day><day>monday</day><day>Funday</day></skipDays>
<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
<cloud domain="rpc.example.org" port="80" path="/RPC2" registerProcedure="notify" protocol="xml-rpc"/>
<atom:link rel="self" href="/feed"/><atom:link rel="hub" href="https://hub.example.org/"/>
<item><title>One &lt;b&gt;</title><link>/1</link><guid isPermaLink="false">id-1</guid>
<pubDate>Sat, 07 Sep 02 00:00:01 EST</pubDate><dc:date>1999-01-01</dc:date><dc:creator>Ann</dc:creator>
<category>a</category><category>a</category><category>b</category>
<description><![CDATA[<p>Hi]]> there</p></description>
<content:encoded><![CDATA[<p>all of it</p>]]></content:encoded></item>
<item><title>Two</title><guid>https://example.org/2</guid><pubDate>no date</pubDate></item>
</channel></rss>""".replace(b"<![CDATA[<p>Hi]]> there</p>", b"<![CDATA[<p>Hi]]> there")

ATOM10 = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="/blog/"><title type="html">Caf&amp;eacute;</title>
<link rel="self" href="feed.atom"/><link href="https://example.org/"/><link rel="hub" href="https://hub.example.org/"/>
<id>tag:example.org,2003:3</id><updated>2005-07-31T12:29:29Z</updated>
<entry><id>urn:1</id><title>Ünï</title><link rel="enclosure" href="a.mp3"/><link rel="alternate" href="1.html"/>
<published>2003-12-13T08:29:29-04:00</published><updated>2005-07-31T12:29:29Z</updated>
<author><name>Bob</name><email>b@example.org</email></author><category term="t" label="T"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Hi <b>x</b> y</div></content></entry>
<entry xml:base="https://other.example/"><id>urn:2</id><title>2</title><link href="2.html"/>
<updated>2005-07-31T12:29:29Z</updated><summary>short</summary></entry></feed>"""

RSS10 = b"""<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://example.org/rdf"><title>R</title><link>https://example.org/</link></channel>
<item rdf:about="https://example.org/1"><title>One</title><link>https://example.org/1</link>
<dc:date>2020-01-02T03:04:05Z</dc:date></item></rdf:RDF>"""


def at(*fields: int) -> float:
    return datetime(*fields, tzinfo=UTC).timestamp()


def rss(inside: str, version: str = "2.0") -> bytes:
    return f'<rss version="{version}"><channel>{inside}</channel></rss>'.encode()


def titles(feed: FeedDocument) -> list[str]:
    return [entry.title for entry in feed.entries]


def test_rss20_facts() -> None:
    facts = parse_feed(RSS20, url="https://example.org/x/feed").facts
    assert (facts.format, facts.title, facts.site_url) == ("rss20", "Harbour & sea", "https://example.org/")
    assert (facts.language, facts.ttl, facts.update_period) == ("en-gb", 5400.0, 21_600.0)
    assert (facts.skip_hours, facts.skip_days) == ((0, 3), (0, 6))
    assert facts.cloud == "xml-rpc://rpc.example.org:80/RPC2#notify"
    assert (facts.self_url, facts.hub) == ("https://example.org/feed", "https://hub.example.org/")
    assert facts.has_ids
    assert facts.has_dates


def test_rss20_entries() -> None:
    one, two = parse_feed(RSS20, url="https://example.org/x/feed").entries
    assert (one.title, one.link, one.native_id) == ("One <b>", "https://example.org/1", "id-1")
    assert (one.published, one.date_source) == (at(2002, 9, 7, 5, 0, 1), "pubDate")
    assert (one.author, one.categories) == ("Ann", ("a", "b"))
    assert (one.summary, one.content) == ("<p>Hi there", "<p>all of it</p>")
    assert (two.link, two.native_id) == ("https://example.org/2", "https://example.org/2")
    assert (two.published, two.date_source) == (None, "")


def test_atom10() -> None:
    feed = parse_feed(ATOM10.encode(), url="https://example.org/feeds/all")
    one, two = feed.entries
    assert (feed.facts.format, feed.facts.title, feed.facts.language) == ("atom10", "Café", "de")
    assert feed.facts.self_url == "https://example.org/blog/feed.atom"
    assert (feed.facts.site_url, feed.facts.hub) == ("https://example.org/", "https://hub.example.org/")
    assert (one.title, one.link, one.native_id) == ("Ünï", "https://example.org/blog/1.html", "urn:1")
    assert (one.published, one.date_source, one.updated) == (
        at(2003, 12, 13, 12, 29, 29),
        "published",
        at(2005, 7, 31, 12, 29, 29),
    )
    assert (one.author, one.categories, one.content) == ("Bob", ("T",), "Hi <b>x</b> y")
    assert (two.link, two.published, two.date_source) == (
        "https://other.example/2.html",
        at(2005, 7, 31, 12, 29, 29),
        "updated",
    )
    assert two.summary == "short"


def test_rss10_takes_dublin_core() -> None:
    feed = parse_feed(RSS10)
    (one,) = feed.entries
    assert (feed.facts.format, feed.facts.title) == ("rss10", "R")
    assert (one.title, one.link, one.native_id) == ("One", "https://example.org/1", "https://example.org/1")
    assert (one.published, one.date_source) == (at(2020, 1, 2, 3, 4, 5), "dc:date")


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (rss("<item><title>t</title></item>", "0.91"), "rss091"),
        (rss("<item><title>t</title></item>", "0.92"), "rss092"),
        (rss("<item><title>t</title></item>", "7"), "rss"),
        (b"<channel><item><title>t</title></item></channel>", "rss"),
        (RSS10.replace(b"http://purl.org/rss/1.0/", b"http://my.netscape.com/rdf/simple/0.9/"), "rss090"),
        (b'<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><title>t</title></entry></feed>', "atom03"),
        (b"<feed><entry><title>t</title></entry></feed>", "atom"),
        (b'<entry xmlns="http://www.w3.org/2005/Atom"><title>t</title></entry>', "atom10"),
        (b'<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>t</a:title></a:entry></a:feed>', "atom10"),
        (b'{"version":"https://jsonfeed.org/version/1","items":[{"id":1,"title":"t"}]}', "json10"),
        (b'\xef\xbb\xbf {"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"t"}]}', "json11"),
    ],
)
def test_every_format(body: bytes, form: str) -> None:
    feed = parse_feed(body)
    assert feed.facts.format == form
    assert len(feed.entries) == 1
    assert feed.path is not ReadPath.PATIENT


def test_atom03_dates() -> None:
    body = b"""<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><title>t</title>
    <issued>2003-12-13T08:29:29</issued><modified>2004-12-13T08:29:29Z</modified></entry></feed>"""
    (entry,) = parse_feed(body).entries
    assert (entry.published, entry.date_source) == (at(2003, 12, 13, 8, 29, 29), "issued")
    assert entry.updated == at(2004, 12, 13, 8, 29, 29)


def test_json_feed() -> None:
    body = b"""{"version":"https://jsonfeed.org/version/1.1","title":"J","home_page_url":"/","feed_url":"f.json",
    "hubs":[{"type":"WebSub","url":"https://hub.example.org"}],"language":"fr","items":[
    {"id":7,"url":"a","title":"x\\u0000y","date_published":"2010-02-07T14:04:00-05:00","authors":[{"name":"C"}],
    "tags":["t",null,3],"content_html":"<p>c</p>","summary":"s"}, 5, {"date_modified":"2010-02-07T14:04:00Z"}]}"""
    feed = parse_feed(body, url="https://example.org/d/feed.json")
    one, two = feed.entries
    assert (feed.facts.title, feed.facts.self_url) == ("J", "https://example.org/d/f.json")
    assert (feed.facts.hub, feed.facts.language) == ("https://hub.example.org", "fr")
    assert (one.native_id, one.link, one.title) == ("7", "https://example.org/d/a", "xy")
    assert (one.published, one.date_source, one.author) == (at(2010, 2, 7, 19, 4), "date_published", "C")
    assert (one.categories, one.content, one.summary) == (("t", "3"), "<p>c</p>", "s")
    assert (two.published, two.date_source) == (at(2010, 2, 7, 14, 4), "date_modified")


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (ATOM10.encode(), ""),
        (b"\xef\xbb\xbf" + ATOM10.encode(), "text/html"),
        (ATOM10.encode("latin-1"), ""),  # declared as UTF-8
        (ATOM10.replace("utf-8", "iso-8859-1").encode("latin-1"), ""),
        (ATOM10.replace(' encoding="utf-8"', "").encode("latin-1"), "application/xml; charset=ISO-8859-1"),
        (ATOM10.replace(' encoding="utf-8"', "").encode("cp437"), "application/xml; charset=cp437"),
        (ATOM10.encode(), "text/xml; charset=ISO-8859-1"),  # the server's default, wrong
        (ATOM10.encode("utf-16"), ""),
        (ATOM10.encode("utf-16-be"), ""),
        (ATOM10.encode("utf-16-le"), "text/xml; charset=utf-8"),
        (ATOM10.encode("utf-32"), ""),
        (ATOM10.replace("utf-8", "utf-16").encode(), ""),
        (ATOM10.replace("utf-8", "no-such-thing").encode(), "text/xml; charset=nor-this"),
        (b"\n\n  " + ATOM10.encode(), ""),
        (b"<br />\n<b>Warning</b>: x in <b>y.php</b><br />\n" + ATOM10.encode(), "text/html"),
        (b"junk before " + ATOM10.encode(), ""),
    ],
)
def test_encodings_and_junk(body: bytes, content_type: str) -> None:
    right = parse_feed(ATOM10.encode(), url="https://example.org/")
    assert parse_feed(body, content_type=content_type, url="https://example.org/") == right


def test_shift_jis() -> None:
    body = '<?xml version="1.0" encoding="Shift_JIS"?><rss><channel><title>日本語</title></channel></rss>'
    assert parse_feed(body.encode("shift_jis")).facts.title == "日本語"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<item><title>A & B</title></item>", ["A & B"]),
        ("<item><title>A&nbsp;B &copy;&unknown;</title></item>", ["A B ©&unknown;"]),
        ("<item><title>A\x0bB\x00C&#0;&#x1F;D</title></item>", ["ABCD"]),
        ("<item><title>A</title></item><item><title>B</tilte></item><item><title>C</title></item>", ["A", "B", "C"]),
        ("<item><title>A</title></item><item><title>B", ["A", "B"]),
        ("<item><title>A<br>B</title></item>", ["AB"]),
        ("<item><undeclared:x>1</undeclared:x><title>A</title></item>", ["A"]),
    ],
)
def test_malformed_xml(inside: str, expected: list[str]) -> None:
    assert titles(parse_feed(rss(inside)))[: len(expected)] == expected


def test_doctype_without_entities_and_with_harmless_ones() -> None:
    plain = (
        b'<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">'
    )
    assert titles(parse_feed(plain + rss("<item><title>t</title></item>"))) == ["t"]
    own = b'<!DOCTYPE rss [<!ENTITY % x SYSTEM "http://evil.example/x"> %x; <!ENTITY co "&#169; Us">]>'
    assert titles(parse_feed(own + rss("<item><title>&co;</title></item>"))) == ["© Us"]


def test_doctype_quoted_by_an_entry_stays() -> None:
    body = rss("<item><title>t</title><description><![CDATA[<!DOCTYPE html [ ]> x]]></description></item>")
    assert parse_feed(body).entries[0].summary == "<!DOCTYPE html [ ]> x"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "empty"),
        (b" \n\0", "empty"),
        (b"<!DOCTYPE html><html><body>rss</body></html>", "HTML"),
        (b"<html><head></head></html>", "HTML"),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'></html>", "HTML"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "<svg>"),
        (b"plain text", "not well-formed"),
        (b"/etc/passwd", "not well-formed"),
        (b"http://127.0.0.1:1/feed", "not well-formed"),
        (b"{", "JSON"),
        (b'{"a":1}', "no JSON Feed"),
        (b"[1]", "no JSON Feed"),
        (b"[" * 100_000, "JSON"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "not well-formed"),
    ],
)
def test_what_is_no_feed_is_named(body: bytes, says: str) -> None:
    with pytest.raises(ParseError, match=says):
        parse_feed(body)


def test_broken_xml_says_where() -> None:
    with pytest.raises(ParseError) as caught:
        parse_feed(b"<?xml version='1.0'?>\n\n<<<")
    assert caught.value.position.startswith("3:")
    assert str(caught.value).count("line 3") == 1, "a place is told once"


def test_links_people_should_not_follow_are_dropped() -> None:
    body = rss(
        "<item><link>java\nscript:alert(1)</link></item><item><link>data:text/html,x</link></item>"
        "<item><link>mailto:a@example.org</link></item><item><link>http://[</link></item><item><link>//[x/</link></item>"
    )
    links = [entry.link for entry in parse_feed(body, url="https://example.org/").entries]
    assert links == ["", "", "mailto:a@example.org", "", ""]


@pytest.mark.parametrize("ttl", ["-5", "0", "x", "", "nan", "inf", "1e99", "60 minutes"])
def test_senseless_ttl_is_none(ttl: str) -> None:
    assert parse_feed(rss(f"<ttl>{ttl}</ttl><title>t</title>")).facts.ttl is None


def test_limits() -> None:
    body = rss("<item><title>" + "t" * 5_000 + "</title><description>" + "d" * 300_000 + "</description></item>")
    (entry,) = parse_feed(body).entries
    assert (len(entry.title), len(entry.summary)) == (2_000, 200_000)
    assert len(parse_feed(rss("<item/>" * 12_000)).entries) == 10_000
    with pytest.raises(ParseError, match="bytes"):
        parse_feed(b" " * (33 * 2**20))


def test_feedparser_is_asked_for_what_libxml2_cannot_read() -> None:
    # Upper-case tags in a document whose root libxml2 cannot even find.
    body = b"<a><b></a>" * 3 + rss("<item><title>found</title></item>")
    feed = parse_feed(body)
    assert (feed.path, feed.repaired) == (ReadPath.PATIENT, ("tags that do not fit together",))
    assert titles(feed) == ["found"]


def test_what_follows_the_last_tag_is_left_out() -> None:
    # A network in front of the server adds its script to all that is text.
    body = rss("<item><title>t</title><link>https://e.org/</link></item>") + b"\n<script src='/x.js'></script>"
    feed = parse_feed(body)
    assert (titles(feed), feed.path, feed.repaired) == (["t"], ReadPath.TREE, ("text after the last tag",))
    both = parse_feed(body.replace(b"<title>t", b"<title>t&nbsp;u"))
    assert (titles(both), len(both.repaired)) == (["t u"], 2)


def test_control_characters_are_left_out() -> None:
    feed = parse_feed(rss("<item><title>t\x02u</title><link>https://e.org/</link></item>"))
    expected = (["tu"], ReadPath.TREE, ("characters that XML does not allow",))
    assert (titles(feed), feed.path, feed.repaired) == expected


def test_entries_are_frozen_and_ordinary() -> None:
    (entry,) = parse_feed(rss("<item><title>t</title><link>https://e.org/</link></item>")).entries
    assert entry == ParsedEntry(title="t", link="https://e.org/")
    assert hash(entry) == hash(replace(entry))
    assert Draft.__slots__ == ParsedEntry.__slots__
    with pytest.raises(FrozenInstanceError):
        entry.title = "u"  # type: ignore[misc]


def test_last_of_several_counts() -> None:
    inside = """<title>a</title><title>b</title><link>https://e.org/1</link><link>https://e.org/2</link><guid>x</guid>
        <guid>y</guid><pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate><pubDate>Sun, 08 Sep 2002 00:00:01 GMT</pubDate>
        <title/><guid> </guid><link/><pubDate></pubDate><description>d</description><description>e</description>"""
    (entry,) = parse_feed(rss(f"<item>{inside}</item>")).entries
    assert (entry.title, entry.link, entry.native_id) == ("b", "https://e.org/2", "y")
    assert (entry.published, entry.summary) == (at(2002, 9, 8, 0, 0, 1), "d")
    inside = """<title>a</title><title>b</title><id>x</id><id>y</id><updated>2003-12-13T18:30:02Z</updated>
        <updated>2003-12-14T18:30:02Z</updated><title/><id/><updated/>"""
    (entry,) = parse_feed(f"<feed xmlns='http://www.w3.org/2005/Atom'><entry>{inside}</entry></feed>".encode()).entries
    assert (entry.title, entry.native_id, entry.published) == ("b", "y", at(2003, 12, 14, 18, 30, 2))
    assert entry.updated == entry.published


@pytest.mark.parametrize(
    ("inside", "link"),
    [
        ("<guid>https://e.org/g</guid>", "https://e.org/g"),
        ("<guid>d/1</guid>", "https://e.org/d/1"),
        ("<guid>page.html</guid>", "https://e.org/page.html"),
        ("<guid>1234</guid>", ""),
        ("<guid>tag:e.org,2004:1</guid>", ""),
        ("<guid>two words.html</guid>", ""),
        ("<guid isPermaLink='true'>1234</guid>", "https://e.org/1234"),
        ("<guid isPermaLink='True'>two words</guid>", ""),
        ("<guid isPermaLink='false'>https://e.org/g</guid>", ""),
        ("<guid>https://e.org/g</guid><guid>https://e.org/h</guid>", "https://e.org/g"),
        ("<guid>https://e.org/g</guid><link href='/h'/>", "https://e.org/h"),
        ("<link>/a</link><link href='/b'/>", "https://e.org/b"),
        ("<link>/a</link><link href='/b' rel='enclosure'/>", "https://e.org/a"),
        ("<link uri='at://x'>/a</link>", "https://e.org/a"),
        ("<link>http://e[o.org/</link>", ""),
        ("<link>http://[::1]/a[1]</link>", "http://[::1]/a[1]"),
    ],
)
def test_where_an_rss_item_leads(inside: str, link: str) -> None:
    (entry,) = parse_feed(rss(f"<item>{inside}</item>"), url="https://e.org/").entries
    assert entry.link == link


def test_what_an_item_of_rdf_is_about_is_its_id() -> None:
    body = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <item rdf:about="https://e.org/1"><title>a</title></item></rdf:RDF>"""
    (entry,) = parse_feed(body).entries
    assert (entry.native_id, entry.link) == ("https://e.org/1", "")


def test_nested_markup_is_written_out() -> None:
    inside = '<p class="a&quot;b">x &lt; <svg:b xmlns:svg="http://www.w3.org/2000/svg">y</svg:b><br/> &amp; z</p>'
    (entry,) = parse_feed(rss(f"<item><description>{inside}</description></item>")).entries
    assert entry.summary == """<p class='a"b'>x &lt; <b>y</b><br/> &amp; z</p>"""


def test_deep_markup_is_cut() -> None:
    deep = "<b>" * 5_000 + "x" + "</b>" * 5_000
    (entry,) = parse_feed(rss(f"<item><title>t</title><description>{deep}</description></item>")).entries
    assert entry.summary.startswith("<b><b>")
    assert len(entry.summary) < 3_000


@pytest.mark.parametrize(
    "body",
    [
        b"<rss>" + b"<" * 900_000,
        b"<rss><channel>" + b"<!" * 50_000,
        b"<rss><channel>" + b"<![CDATA[" * 10_000,
        b"<feed>" + b"&" * 20_000,
        b"<rss>" + b"\xff" * 5_000,
    ],
    ids=["less", "declarations", "sections", "ampersands", "bytes"],
)
def test_a_first_tag_and_noise_are_no_feed(body: bytes) -> None:
    with pytest.raises(ParseError):
        parse_feed(body)


def test_a_feed_that_is_empty_or_cut_off_after_an_entry_is_one() -> None:
    assert parse_feed(b"<rss version='2.0'><channel></channel></rss>").entries == ()
    assert parse_feed(b"<rss><channel><title>T &nbsp; x</title></channel>").facts.title
    assert len(parse_feed(b"<rss><channel><item><title>a</title></item><item><ti").entries) >= 1


def test_an_entry_says_its_language_and_files() -> None:
    item = (
        '<item xml:lang="de"><enclosure url="/a.mp3" type="audio/mpeg" length="12"/>'
        '<m:group xmlns:m="http://search.yahoo.com/mrss/"><m:content url="/b.mp4" fileSize="x"/></m:group></item>'
    )
    (entry,) = parse_feed(rss(item), url="https://e.org/feed").entries
    files = (
        Enclosure(url="https://e.org/a.mp3", type="audio/mpeg", length=12),
        Enclosure(url="https://e.org/b.mp4"),
    )
    assert (entry.language, entry.enclosures) == ("de", files)
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry xml:lang="fr"><link rel="enclosure" href="/a.mp3"
        length="12" type="audio/mpeg"/></entry></feed>"""
    (entry,) = parse_feed(atom, url="https://e.org/feed").entries
    assert (entry.language, entry.enclosures) == ("fr", files[:1])
    elsewhere = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry xml:base="/b/"><link rel="enclosure" href="c.mp3"/>
        <content type="video/mp4" src="a.mp4"/></entry></feed>"""
    (entry,) = parse_feed(elsewhere, url="https://e.org/feed").entries
    content = Enclosure(url="https://e.org/b/a.mp4", type="video/mp4")
    assert entry.enclosures == (content, Enclosure(url="https://e.org/b/c.mp3"))
    json = b"""{"items": [{"id": "1", "language": "fr", "attachments": [
        {"url": "/a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 12}]}]}"""
    (entry,) = parse_feed(json, url="https://e.org/feed").entries
    assert (entry.language, entry.enclosures) == ("fr", files[:1])


@pytest.mark.parametrize(
    ("body", "path", "repaired"),
    [
        (rss("<item><title>a</title></item>"), ReadPath.FAST, ()),
        (b"<!DOCTYPE rss><rss><channel><item><title>a</title></item></channel></rss>", ReadPath.FAST, ()),
        (rss("<item><title>a &nbsp; b</title></item>"), ReadPath.TREE, (REFERENCES,)),
        (rss("<item><title>a \x01 b</title></item>"), ReadPath.TREE, (CHARACTERS,)),
        (b"Warning: x" + rss("<item><title>a</title></item>"), ReadPath.TREE, (JUNK,)),
        (b'{"items": []}', ReadPath.JSON, ()),
    ],
    ids=["nothing", "document type", "entity", "control", "junk", "json"],
)
def test_a_document_says_how_it_was_read(body: bytes, path: ReadPath, repaired: tuple[str, ...]) -> None:
    feed = parse_feed(body)
    assert (feed.path, feed.repaired) == (path, repaired)


@pytest.mark.parametrize(
    "body",
    [
        b"<RSS><CHANNEL><TITLE>T</TITLE><ITEM><TITLE>a</TITLE><LINK>https://e.org/1</LINK><GUID>1</GUID></ITEM></CHANNEL></RSS>",
        b"<rss><channel><item><Title>a</Title><Link>https://e.org/1</Link><Guid>1</Guid></item></channel></rss>",
        b"<rss><channel><item><title>a</title><link>https://e.org/1</link><id>1</id></item></channel></rss>",
        b"<feed><Entry><TITLE>a</TITLE><Link>https://e.org/1</Link><ID>1</ID></Entry></feed>",
        b"""<Channel xmlns="http://purl.org/net/rss1.1#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <items><item rdf:about="1"><title>a</title><link>https://e.org/1</link></item></items></Channel>""",
        b"""<rss xmlns:MEDIA="http://search.yahoo.com/mrss"><channel><item><MEDIA:Title>a</MEDIA:Title><guid>1</guid>
        <link>https://e.org/1</link></item></channel></rss>""",
    ],
    ids=["capitals", "mixed", "id", "atom", "rss11", "media"],
)
def test_names_in_any_case(body: bytes) -> None:
    (entry,) = parse_feed(body).entries
    assert (entry.title, entry.link, entry.native_id) == ("a", "https://e.org/1", "1")


@pytest.mark.parametrize(
    "body",
    [
        b"<rss><channel><item><link>https://e.org/1</link></item><Item><link>https://e.org/2</link></Item></channel></rss>",
        b"<feed><Entry><link href='https://e.org/1'/></Entry><entry><link href='https://e.org/2'/></entry></feed>",
    ],
)
def test_items_of_one_document_in_different_cases(body: bytes) -> None:
    assert [entry.link for entry in parse_feed(body).entries] == ["https://e.org/1", "https://e.org/2"]


def test_cdf() -> None:
    body = b"""<CHANNEL HREF="http://e.org/"><TITLE>T</TITLE><ITEM HREF="/1" LASTMOD="2004-04-06T23:05:43Z">
    <TITLE>a</TITLE><ABSTRACT>d</ABSTRACT></ITEM></CHANNEL>"""
    feed = parse_feed(body, url="http://e.org/c.cdf")
    (entry,) = feed.entries
    assert (feed.facts.format, feed.facts.site_url) == ("cdf", "http://e.org/")
    assert (entry.title, entry.link, entry.summary) == ("a", "http://e.org/1", "d")
    assert entry.published == entry.updated == at(2004, 4, 6, 23, 5, 43)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Fish &lt;b>", "Fish <b>"),
        ("&lt;b>Fish&lt;/b> &amp;amp; chips", "Fish & chips"),
        ("<![CDATA[<script>x</script>a<br/>b]]>", "ab"),
        ("1 &lt; 2", "1 < 2"),
        ("AT&amp;amp;T", "AT&T"),
        ("<![CDATA[a &#8211; b]]>", "a – b"),
    ],
)
def test_titles_of_rss_are_text_by_their_looks(title: str, text: str) -> None:
    (entry,) = parse_feed(rss(f"<item><title>{title}</title></item>")).entries
    assert entry.title == text


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("<title>Fish &lt;b&gt;</title>", "Fish <b>"),
        ("<title type='text'>AT&amp;amp;T</title>", "AT&amp;T"),
        ("<title type='html'>AT&amp;amp;T &lt;i></title>", "AT&T"),
        ("<title type='html'>&lt;style>x&lt;/style>a&lt;!-- c --></title>", "a"),
        ("<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <b>&lt;b></b></div></title>", "a <b>"),
    ],
)
def test_titles_of_atom_are_text_by_their_type(title: str, text: str) -> None:
    (entry,) = parse_feed(f"<feed xmlns='http://www.w3.org/2005/Atom'><entry>{title}</entry></feed>".encode()).entries
    assert entry.title == text


@pytest.mark.parametrize(
    ("link", "resolved"),
    [
        ("\\a\\b", "https://e.org/a/b"),
        ("https:\\\\x.org\\b", "https://x.org/b"),
        ("///x.org/b", "https://x.org/b"),
        ("https:///x.org/b", "https://x.org/b"),
        ("b c", "https://e.org/d/b c"),
        ("javascript:\\x", ""),
        ("/b?a=1&amp;amp;b=2&amp;c=3", "https://e.org/b?a=1&b=2&c=3"),
        ("https://x.org/?a=1&amp;amp;b=2", "https://x.org/?a=1&b=2"),
        ("<![CDATA[https://x.org/?a=1&amp;b=2]]>", "https://x.org/?a=1&b=2"),
        ("&lt;![CDATA[ https://x.org/b ]]&gt;", "https://x.org/b"),
        ("/?a=1&copy=2&lt=3", "https://e.org/?a=1&copy=2&lt=3"),
    ],
)
def test_links_as_browsers_read_them(link: str, resolved: str) -> None:
    (entry,) = parse_feed(rss(f"<item><link>{link}</link><guid>x\\y</guid></item>"), url="https://e.org/d/feed").entries
    assert (entry.link, entry.native_id) == (resolved, "x\\y")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xed\xa0\xbd\xed\xb8\x80 caf\xc3\xa9", "😀 café"),
        (b"\xed\xa0\xbd\xed\xb8\x80", "😀"),
        (b"caf\xc3\xa9 \xff", "café \ufffd"),
        (b"caf\xe9 \xe8", "café è"),
    ],
    ids=["halves", "halves alone", "a stray byte", "Latin-1"],
)
def test_what_says_that_it_is_utf_8_and_is_not_quite(raw: bytes, text: str) -> None:
    start = b'<?xml version="1.0" encoding="utf-8"?><rss><channel><item><title>'
    (entry,) = parse_feed(start + raw + b"</title></item></channel></rss>").entries
    assert entry.title == text


def test_items_of_every_channel_are_read() -> None:
    one, two = (f"<item><title>{n}</title><link>https://e.org/{n}</link><guid>{n}</guid></item>" for n in "12")
    channels = f"<channel><title>A</title>{one}</channel><channel><title>B</title>{two}</channel>"
    feed = parse_feed(f"<rss version='2.0'>{channels}</rss>".encode())
    assert [entry.link for entry in feed.entries] == ["https://e.org/1", "https://e.org/2"]
    assert feed.facts.title == "A"


def test_what_media_rss_says_of_a_file_stands_for_a_missing_description() -> None:
    media = "<media:description>About &lt;b&gt;it&lt;/b&gt;</media:description>"
    items = f"<item><title>1</title>{media}</item><item><title>2</title>{media}<description>d</description></item>"
    body = f"<rss xmlns:media='http://search.yahoo.com/mrss/'><channel>{items}</channel></rss>"
    assert [entry.summary for entry in parse_feed(body.encode()).entries] == ["About <b>it</b>", "d"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("&lt;![CDATA[Fish & chips]]&gt;", "Fish & chips"),
        ("\n &lt;![CDATA[Fish &amp;amp; <b>chips</b>]]&gt;", "Fish & chips"),
        ("&#55357;&#56832; &#xD83D;&#xDE00;", "😀 😀"),
        ("&#55357; &#56832;&#55357;x", "x"),
        ("&#8217;&#8230;", "’…"),
    ],
)
def test_titles_of_programs_that_escape_too_much(title: str, text: str) -> None:
    (entry,) = parse_feed(rss(f"<item><title>{title}</title></item>")).entries
    assert entry.title == text


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("gb2312", "gbk", "朱镕基"),
        ("euc-kr", "cp949", "똠방각하"),
        ("Shift_JIS", "cp932", "①髙﨑"),
        ("big5", "big5hkscs", "㗎喇"),
        ("iso-8859-9", "cp1254", "“ağaç”"),
        ("windows-1251", "cp1251", "Привет"),
    ],
)
def test_labels_mean_what_browsers_take_them_for_and_a_stray_byte_spoils_itself_alone(
    label: str, codec: str, text: str
) -> None:
    start = f'<?xml version="1.0" encoding="{label}"?><rss><channel><item><title>{text}</title></item>'.encode(codec)
    stray = f"<item><title>{5 * text}".encode(codec) + b"\xff\x98</title></item>"
    for body in (start, start + stray):
        first, *_ = parse_feed(body + b"</channel></rss>").entries
        assert first.title == text


@pytest.mark.parametrize(
    ("inside", "link"),
    [
        ("<link href='/a.pdf' type='application/pdf'/><link href='/a' type='text/html'/>", "https://e.org/a"),
        ("<link href='/a'/><link href='/b'/>", "https://e.org/b"),
        ("<link href='/a' type='text/html;charset=utf-8'/><link href='/b' type='image/png'/>", "https://e.org/a"),
        ("<link href='/a.atom' type='application/atom+xml'/>", ""),
        ("<link href='/a'/><link href='/a.atom' type=' application/ATOM+xml'/>", "https://e.org/a"),
        ("<content src='/a' type='text/html'/>", ""),
        ("<link href='/a' type='application/pdf'/>", "https://e.org/a"),
        ("<link> /a </link>", "https://e.org/a"),
        ("<id>https://e.org/a</id><link rel='self' href='/b'/>", "https://e.org/a"),
        ("<id>urn:x</id>", ""),
    ],
)
def test_where_an_atom_entry_leads(inside: str, link: str) -> None:
    (entry,) = parse_feed(f"<feed><entry>{inside}</entry></feed>".encode(), url="https://e.org/").entries
    assert entry.link == link


def test_links_of_what_has_none() -> None:
    entry = "<entry><id>{}</id></entry>"
    ids = ("HTTP://e.org/1", "/relative", "tag:e.org,2004:1", "right")
    body = f'<feed xmlns="http://www.w3.org/2005/Atom">{"".join(map(entry.format, ids))}</feed>'.encode()
    found = parse_feed(body, url="https://example.org/feed").entries
    assert [e.link for e in found] == ["HTTP://e.org/1", "https://example.org/relative", "", ""]
    assert [e.native_id for e in found] == list(ids)


def test_old_channels_have_a_base_of_their_own() -> None:
    body = b'<CHANNEL BASE="http://base.example.org/"><ITEM HREF="/item/1"><TITLE>t</TITLE></ITEM></CHANNEL>'
    assert parse_feed(body).entries[0].link == "http://base.example.org/item/1"


def test_a_namespace_with_a_well_meant_letter() -> None:
    item = "<item><title>t</title><link>https://e.org/</link><dc:creator>N</dc:creator></item>"
    body = f'<rss xmlns:dc="https://purl.org/dc/elements/1.1/"><channel>{item}</channel></rss>'.encode()
    assert parse_feed(body).entries[0].author == "N"


@pytest.mark.parametrize(
    "body",
    [
        b"<rss><channel><title>broken",
        b"<rss version='2.0'><channel><title>A</title><link>https://a.example/</link>",
        b"<feed xmlns='http://www.w3.org/2005/Atom'><title>A</title><updated>2026",
        b"<rdf:RDF xmlns:rdf='r'><channel><title>A</title></channel><image><url>https://a.exam",
        "<rss><channel><title>A".encode("utf-16"),
    ],
)
def test_a_feed_that_was_cut_off_before_its_first_entry_is_not_an_empty_one(body: bytes) -> None:
    with pytest.raises(ParseError, match="ends before its first entry"):
        parse_feed(body)


@pytest.mark.parametrize(
    "body",
    [
        b"<rss version='2.0'><channel><title>A</title></channel></rss>",
        b"<rss version='2.0'><channel><title>A</title></channel>\n",
        b"<rss version='2.0'><channel><title>A</title><description>a<br>b</description></channel></rss>",
        b"<feed xmlns='http://www.w3.org/2005/Atom'><title>A</feed>",
    ],
)
def test_a_feed_without_entries_that_has_an_end_is_empty(body: bytes) -> None:
    assert parse_feed(body).entries == ()
