"""Import: what a file names is watched, with what its owner said of it; one that names nothing says what it is."""

import gzip

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
