"""Pages read into plain text, whatever the bytes."""

import time
from urllib.parse import urljoin

import pytest

from afresh.base.page_text import Link
from afresh.parse.nesting import is_hostile
from afresh.parse.page import MAX_BYTES, parse_page

PAGE = b"""<!doctype html><html lang="EN-gb"><head><title> A
 title </title><meta name="Description" content="what it is about">
<link rel="canonical" href="/canon"><style>p{color:red}</style></head><body>
<nav><a href="/home">Home</a> <a href="#top">Top</a> <a href="x.html"><img alt="Picture" src="p.png"></a></nav>
<h1>First <i>heading</i></h1><font size="+1">Old heading</font><font size="3">no heading</font><font size=5>Big</font>
<p>one <b>two</b> three <a href="http://other/">a link</a> and some more words of prose to be read by somebody who has
the time to do so, line after line, until the very end of it</p>
<script>var hidden = "<p>not text</p>"</script><!-- nor this -->
<form><input type="PASSWORD"></form></body></html>"""


def test_what_a_page_says() -> None:
    page = parse_page(PAGE, url="http://h/d/page.html")
    assert (page.kind, page.title, page.language) == ("html", "A title", "en-gb")
    assert page.canonical == "http://h/canon"
    assert page.description == "what it is about"
    assert page.headings == ("First heading", "Old heading", "Big")
    assert "one two three" in page.pieces
    assert "hidden" not in page.text
    assert "nor this" not in page.text
    assert (page.forms, page.passwords) == (1, 1)
    assert page.tags[:4] == ("html", "body", "nav", "a")


def test_links_are_resolved_but_not_those_within_the_page() -> None:
    page = parse_page(PAGE, url="http://h/d/page.html")
    assert page.links == (
        Link("Home", "http://h/home"),
        Link("Top", "#top"),
        Link("Picture", "http://h/d/x.html"),
        Link("a link", "http://other/"),
    )


def test_main_text_is_prose_without_labels_and_link_texts() -> None:
    main = parse_page(PAGE).main
    assert main.startswith("and some more words of prose")
    assert "Home" not in main
    assert "a link" not in main


def test_base_element() -> None:
    page = parse_page(b"<base href='http://b/x/'><a href='y'>y</a>", url="http://h/")
    assert page.links[0].url == "http://b/x/y"


@pytest.mark.parametrize(
    ("content", "target", "delay"),
    [
        ("0;url=http://new/", "http://new/", 0.0),
        ("5; URL='/there'", "http://h/there", 5.0),
        ("300", "", 0.0),  # reloads itself
        ("3; url=http://h/page#again", "", 0.0),
        ("nonsense", "", 0.0),
    ],
)
def test_meta_refresh(content: str, target: str, delay: float) -> None:
    body = f'<meta http-equiv="Refresh" content="{content}">'.encode()
    page = parse_page(body, url="http://h/page")
    assert (page.refresh, page.refresh_delay) == (target, delay)


def test_script_that_sends_the_reader_away() -> None:
    page = parse_page(b"<script>window.location.href = 'http://new/';</script>", url="http://h/")
    assert page.script_target == "http://new/"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"%PDF-1.7 ...", "binary"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "binary"),
        (bytes(range(256)) * 20, "binary"),
        (b"just words, no markup", "text"),
        ("<p>grüße</p>".encode("latin-1"), "html"),
        ("<p>hi there</p>".encode("utf-16"), "html"),
        (b"<", "text"),
        (b"<p", "html"),
        (b"<p>\x00\x01\x1f bad controls in a longer text, as found in old files</p>" * 3, "html"),
    ],
)
def test_kinds(body: bytes, kind: str) -> None:
    assert parse_page(body).kind == kind


def test_plain_text_by_its_type() -> None:
    page = parse_page(b"a <b> c\nd", content_type="text/plain; charset=utf-8")
    assert (page.kind, page.text) == ("text", "a <b> c d")


def test_labels_of_encodings_may_lie() -> None:
    assert parse_page(b"<meta charset='utf-8'><p>caf\xe9</p>").text == "café"


def test_odd_links_do_not_matter() -> None:
    page = parse_page(b"<a href='http://['>x</a><a href='javascript:void(0)'>y</a><a>z</a>", url="http://h/")
    assert [link.text for link in page.links] == ["x", "y"]


HOSTILE = {
    "nested blocks": b"<div>" * 200_000 + b"deep",
    "nested and closed": b"<div>" * 100_000 + b"deep" + b"</div>" * 100_000,
    "nested formatting": b"<b>" * 500_000 + b"deep",
    "reopened formatting": b"".join(b"<b id=%d><p>" % i for i in range(600)) + b"<p>a" * 1_500,
    "nested tables": b"<table><tr><td>" * 100_000,
    "only brackets": b"<" * 4_000_000,
    "one long line": b"word " * 10_000_000,
    "one long word": b"<p>" + b"x" * 8_000_000,
    "unclosed comment": b"<p>a</p><!--" * 300_000,
    "one endless attribute": b"<a " + b"x=1 " * 1_000_000,
    "many links": b"<a href=x>y</a>" * 250_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_read_in_bounded_time(name: str) -> None:
    start = time.process_time()
    page = parse_page(HOSTILE[name], url="http://h/")
    assert time.process_time() - start < 10.0  # quadratic handling takes minutes
    assert page.truncated == (len(HOSTILE[name]) > MAX_BYTES)


def test_flattened_pages_keep_text_title_and_links() -> None:
    body = (
        b"<title>T &amp; U</title><meta name=robots content='nofollow'><a href='/x'>l</a><script>no</script>"
        + b"<div>" * 5_000
        + b"deep words"
    )
    page = parse_page(body, url="http://h/")
    assert page.flattened
    assert (page.title, page.text) == ("T & U", "T & U l deep words")
    assert page.links[0].url == "http://h/x"
    assert page.robots == "nofollow"


def test_ordinary_pages_are_not_hostile() -> None:
    rows = b"<tr><td>a<td>b<img src=x><br>" * 3_000
    assert not is_hostile(b"<table>" + rows + b"</table>" + b"<p>text" * 3_000 + b"<li>item" * 3_000)


BASES = ("http://h/d/page.html", "https://h.x/", "http://h", "http://h/a/b?x=/y/#z", "", "file.html")
HREFS = (
    "x.html", "/x", "/", "x/y?z=1#w", "//o/x", "?q", "../u", "./v", "javascript:void(0)", "mailto:a@b", "a:b",
    "/a/../b", "a/./b", "%20x", "~me", "/?q=1", "x?u=http://a:1/", "a/..", "/.x", "日本", "x#a:b",
)  # fmt: skip


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("href", HREFS)
def test_links_are_resolved_by_the_rules(base: str, href: str) -> None:
    page = parse_page(f"<a href='{href}'>x</a>".encode(), url=base)
    assert page.links[0].url == urljoin(base, href)
