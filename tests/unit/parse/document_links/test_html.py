"""Links of HTML: those a browser would follow, each with its place."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from afresh.base.errors import ParseError
from afresh.parse.document_links.html import read_html


def targets(text: str) -> list[str]:
    return [link.target for link in read_html(text).links]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<a href=x>y</a>", ["x"]),
        ("<A HREF = ' x '>", ["x"]),
        ('<a href="?a=1&amp;b=2&copy=3">', ["?a=1&b=2&copy=3"]),
        ("<img src=a srcset='b 1x, c,d 2x'>", ["a", "b", "c,d"]),
        ("<link rel=stylesheet href=a><script src=b></script>", ["a", "b"]),
        ("<link rel='dns-prefetch' href=//a.example>", []),
        ("<style>@import 'a.css'; b{background:url( \"c.png\" )} /* url(no) */</style>", ["a.css", "c.png"]),
        ("<p style='background: url(a.png)'>", ["a.png"]),
        ("<video src=a poster=b><source src=c><iframe src=d></iframe>", ["a", "b", "c", "d"]),
        ("<object data=a></object><blockquote cite=b>", ["a", "b"]),
        ("<a href=a href=b>", ["a"]),
        ("<!-- <a href=x> --><a href=y>", ["y"]),
        ("<script>'<a href=x>'</script><textarea><a href=y></textarea>", []),
        ("<a title='>' href=x>", ["x"]),
        ('<a href="x', []),
        (
            "<outline xmlUrl='http://a.example/feed' htmlUrl='http://a.example/'/>",
            ["http://a.example/feed", "http://a.example/"],
        ),
    ],
)
def test_every_place_for_an_address(text: str, found: list[str]) -> None:
    assert targets(text) == found


def test_place_text_and_anchors() -> None:
    text = '<base href="/b/">\n<p id=one>see <a\n  name="two" href="x&amp;y">the <b>text</b> &lt;</a>'
    text += '<a href=z><img alt="a map"></a>'
    page = read_html(text)
    assert [(link.line, link.column, link.text) for link in page.links] == [(3, 20, "the text <"), (3, 61, "a map")]
    assert [text[link.start : link.end] for link in page.links] == ["x&amp;y", "z"]
    assert (page.anchors, page.base) == ({"one", "two"}, "/b/")


_PIECES = [
    "<a href=",
    "x",
    "'y'",
    '"z&amp;"',
    ">",
    "</a>",
    " ",
    "<!--",
    "-->",
    "<b ",
    "=",
    "/",
    "<",
    "&lt",
    "title=",
    "<p>",
    "\n",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_the_same_addresses_as_a_tree_has(text: str) -> None:
    tree = [node.attributes["href"] for node in LexborHTMLParser(text).css("a[href]")]
    ours = [link.target for link in read_html(text).links]
    # Where links overlap, a tree opens the same one again in another place; an empty address is none to check.
    assert list(dict.fromkeys(filter(None, (href and href.strip(" \t\n\f\r") for href in tree)))) == list(
        dict.fromkeys(ours)
    )


@pytest.mark.parametrize(
    "piece", ["<a ", "<a href='", "<!--", "<a href=x>", "<style>", "&a", "<a x=", "</", "<p style='url("]
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    begin = time.process_time()
    read_html(piece * (400_000 // len(piece)))
    assert time.process_time() - begin < 20.0  # seconds; one now, and hours where time grows with the square


def test_entities_are_read_as_in_a_browser() -> None:
    names = re.findall(r"&\w+;?=?", "&amp; &amp &lt= &copy=1 &notit; &nosuch; &#65 &#x41; &#0;".replace(" ", " "))
    text = " ".join(f"<a href='q?{name}'>" for name in names)
    tree = [node.attributes["href"] for node in LexborHTMLParser(text).css("a[href]")]
    assert targets(text) == tree


def test_a_page_of_nothing_but_tags_is_refused() -> None:
    with pytest.raises(ParseError, match="10,000,000 tags"):
        read_html("<" * 10_000_000)


def test_of_very_many_attributes_the_first_are_read() -> None:
    many = " ".join(f"a{number}=x" for number in range(1_000_000))
    began = time.process_time()
    found = read_html(f"<a href=one {many}>A</a><p {many} id=late><a {many} href=late>B</a><a href=two>C</a>")
    assert time.process_time() - began < 5.0
    assert [link.target for link in found.links] == ["one", "two"]
