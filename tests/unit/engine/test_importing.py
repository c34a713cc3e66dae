"""Import: what a file names is watched, with what its owner said of it; one that names nothing says what it is."""

import gzip
import json

import pytest

from afresh.base.errors import ParseError
from afresh.base.models import Kind
from afresh.engine.importing import read_import

LONG_PROLOG = b"<?xml version='1.0'?>\n<?xml-stylesheet href='x'?>\n<!--" + b" generated " * 9_000 + b"-->\n"
SITEMAP = b"<sm:urlset xmlns:sm='http://s.example/'><sm:url><sm:loc>https://a.example/</sm:loc></sm:url></sm:urlset>"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_sitemaps_with_long_prologs_and_prefixes(pack: type[bytes]) -> None:
    found = read_import(pack(LONG_PROLOG + SITEMAP))
    assert [(wanted.url, wanted.kind) for wanted in found.wanted] == [("https://a.example/", Kind.PAGE)]
    assert found.format == "a sitemap"


def test_opml_behind_a_long_prolog_and_packed() -> None:
    opml = b"<opml><body><outline text='A & b' xmlUrl='https://a.example/feed'/></body></opml>"
    found = read_import(gzip.compress(LONG_PROLOG + opml))
    assert [wanted.url for wanted in found.wanted] == ["https://a.example/feed"]
    assert (found.format, found.repaired) == ("OPML", 1)


def test_tags_of_the_file_and_of_the_operator() -> None:
    marks = b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF='https://a.example/' TAGS='x,mine'>A</A></DL>"
    (wanted,) = read_import(marks, kind=Kind.LINK, folder="all", tags=("mine",)).wanted
    assert (wanted.tags, wanted.folder, wanted.kind) == (("mine", "x"), "all", Kind.LINK)


@pytest.mark.parametrize(
    ("body", "name", "kind"),
    [
        (b'[{"href": "https://a.example/", "description": "A", "extended": ""}]', "pinboard.json", Kind.LINK),
        (b'{"items": [{"link": "https://a.example/", "excerpt" : ""}]}', "raindrop.json", Kind.LINK),
        (b'{"results": [{"url": "https://a.example/", "tag_names": []}]}', "linkding.json", Kind.LINK),
        (b'{"roots": {"bookmark_bar": {"children": [{"url": "https://a.example/"}]}}}', "Bookmarks", Kind.LINK),
        (b'{"children": [{"type": "text/x-moz-place", "uri": "https://a.example/"}]}', "x.json", Kind.LINK),
        (b"title,url,time_added,tags,status\nA,https://a.example/,1,,unread\n", "pocket.csv", Kind.LINK),
        (b"URL,Title,Selection,Folder,Timestamp\nhttps://a.example/,A,,Unread,1\n", "x.csv", Kind.LINK),
        (b"id,title,note,excerpt,url\n1,A,,,https://a.example/\n", "raindrop.csv", Kind.LINK),
        (b"<title>Instapaper: Export</title><h1>Unread</h1><ol><li><a href='https://a.example/'>A</a>", "", Kind.LINK),
        (b'[{"feed_url": "https://a.example/", "title": "A"}]', "miniflux.json", Kind.FEED),
        (b'[{"url": "https://a.example/", "tags": ["excerpt", "extended"]}]', "x.json", Kind.FEED),
        (b"url,title\nhttps://a.example/,excerpt\n", "x.csv", Kind.FEED),
        (b"url,kind\nhttps://a.example/,sitemap\n", "x.csv", Kind.SITEMAP),
        (b'[{"url": "https://a.example/", "kind": "page"}]', "x.json", Kind.PAGE),
        (b'[{"url": "https://a.example/", "kind": "link", "watch": "{\\"css\\": [\\"b\\"]}"}]', "x.json", Kind.PAGE),
        (b"<opml><body><outline type='link' url='https://a.example/'/></body></opml>", "x.opml", Kind.LINK),
        (b"https://a.example/\n", "x.txt", Kind.FEED),
    ],
)
def test_a_file_says_what_is_in_it(body: bytes, name: str, kind: Kind) -> None:
    assert [(item.url, item.kind) for item in read_import(body, name=name).wanted] == [("https://a.example/", kind)]
    (wanted,) = read_import(body, name=name, kind=Kind.FEED).wanted
    assert wanted.kind is Kind.FEED, "whoever imports it knows better"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("x.csv", b"url,kind\nhttps://a.example/,nosuch\nhttps://b.example/,Page\n"),
        ("x.json", b'[{"url": "https://a.example/", "kind": "nosuch"}, {"url": "https://b.example/", "kind": "page"}]'),
    ],
)
def test_a_kind_that_there_is_not_is_refused_by_name(name: str, body: bytes) -> None:
    bad, good = read_import(body, name=name).wanted
    assert bad.wrong == "'nosuch' is no kind of resource; there are feed, page, link, sitemap"
    assert (good.wrong, good.kind) == ("", Kind.PAGE)
    assert not any(item.wrong for item in read_import(body, name=name, kind=Kind.LINK).wanted), "it is said for all"


def test_what_is_decided_about_the_visits_of_a_feed_and_cannot_be_is_told_of_the_feed() -> None:
    rows = [
        {"url": "https://a.example/", "visits": '{"rule": "nosuch"}'},
        {"url": "https://b.example/", "kind": "page", "visits": '{"shortest": 600.0, "longest": 60.0}'},
    ]
    found = read_import(json.dumps(rows).encode(), name="x.json")
    assert [item.visits for item in found.wanted] == ["", ""]
    rule, bounds = found.lost
    assert "nosuch" in rule
    assert rule.endswith("(1 feed: https://a.example/)")
    assert bounds.endswith("(1 page: https://b.example/)")


def test_what_cannot_be_watched_of_a_page_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.engine.importing.missing_browser", lambda: "no browser")
    said = [
        {"css": ["h1"], "render": True},
        {"xpath": ["//["]},
        {"at_least": -1},
        {"screenshot": True},
        {"none": 1},
        [],
    ]
    pages = [{"url": f"https://a.example/{n}", "kind": "page", "watch": json.dumps(one)} for n, one in enumerate(said)]
    found = read_import(json.dumps(pages).encode(), name="x.json")
    assert [(item.kind, item.watch) for item in found.wanted] == [
        (Kind.PAGE, '{"css":["h1"]}'),
        (Kind.PAGE, ""),
        (Kind.PAGE, ""),
        (Kind.PAGE, "{}"),
        (Kind.PAGE, ""),
        (Kind.PAGE, ""),
    ]
    assert found.lost[0] == "a browser that renders: no browser (2 pages: https://a.example/0, https://a.example/3)"
    assert [words in told for words, told in zip(("is no XPath", "at-least"), found.lost[1:], strict=True)] == [
        True
    ] * 2


@pytest.mark.parametrize(
    ("body", "name", "says"),
    [
        (b"", "", "an empty file"),
        (b"%PDF-1.7 ...", "x.pdf", "a PDF document"),
        (b"PK\x03\x04...", "export.zip", "a ZIP archive; unpack it"),
        (b"SQLite format 3\0...", "places.sqlite", "an SQLite database"),
        (b"mozLz40\0....", "bookmarks.jsonlz4", "a packed backup of Firefox"),
        (b"\x00\x01\x02\x03" * 9, "x", "a binary file"),
        (b"<rss><channel><item/></channel></rss>", "x.xml", "an RSS feed; `afresh add`"),
        (b"Warning: x\n<feed xmlns='http://www.w3.org/2005/Atom'/>", "", "an Atom feed"),
        (b'{"version": "https://jsonfeed.org/version/1.1", "items": []}', "", "a JSON feed"),
        (b"<!DOCTYPE html><html><p>No link here</html>", "x.html", "an HTML page; `afresh discover`"),
        (b"<svg xmlns='x'/>", "x.svg", "an XML document of the kind <svg>"),
        (b"<opml><body/></opml>", "x.opml", "OPML"),
        (b"<urlset/>", "", "a sitemap that names no page"),
        (b'{"a": [1, 2]}', "x.json", "JSON"),
        (b"name,age\nA,7\n", "x.csv", "CSV with the columns name, age; one of them has to be called url"),
        (b"hello\nworld\n", "x.txt", "a text"),
        (b"Dear all,\nthis is a letter\nand no list.\n", "x.txt", "a text"),
    ],
)
def test_a_file_that_names_nothing_says_what_it_looks_like(body: bytes, name: str, says: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_import(body, name=name)
    assert f"nothing to import: it looks like {says}" in str(caught.value)
