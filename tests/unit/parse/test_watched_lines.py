"""Documents as their watchers see them: every kind, every option, and whatever else arrives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.records.watches import USUAL, Watch
from afresh.parse.watched_lines import Shown, read_own, read_shown
from tests.unit.parse.test_documents import pdf

_PAGE = b"""<title>The shop</title><nav><a href=/>Home</a></nav><h1>Lamp</h1>
<p class=price>Price: <b>10</b> \xe2\x82\xac</p><p id=stock>In stock</p><div class=ad><p>Buy shoes</p></div>
<script>x = 1</script>"""
_HTML = "text/html; charset=utf-8"


def see(body: bytes, content_type: str = _HTML, **parts: object) -> Shown:
    watch = Watch(**parts)  # type: ignore[arg-type]
    return read_shown(body, url="http://shop.example/", content_type=content_type, watch=watch.to_text())


def test_usually_all_that_a_reader_sees() -> None:
    shown = see(_PAGE)
    assert shown == Shown(lines=("Home", "Lamp", "Price: 10 €", "In stock", "Buy shoes"), title="The shop", kind="html")


def test_parts_by_css_and_xpath_in_the_order_they_are_named() -> None:
    assert see(_PAGE, css=("#stock",)).lines == ("In stock",)
    assert see(_PAGE, css=("#stock", ".price")).lines == ("In stock", "Price: 10 €")
    assert see(_PAGE, xpath=("//p[@class='price']/b",)).lines == ("10",)
    both = see(_PAGE, css=(".price",), xpath=("//p[@id='stock']",))
    assert (both.lines, both.title, both.missing) == (("Price: 10 €", "In stock"), "The shop", ())


def test_a_part_within_a_part_is_shown_once() -> None:
    assert see(_PAGE, css=("p, b",), without_css=(".ad",)).lines == ("Price: 10 €", "In stock")


def test_parts_to_leave_out() -> None:
    assert see(_PAGE, without_css=(".ad", "nav")).lines == ("Lamp", "Price: 10 €", "In stock")
    assert see(_PAGE, css=("p",), without_css=(".ad",)).lines == ("Price: 10 €", "In stock")


def test_what_finds_nothing_is_named() -> None:
    shown = see(_PAGE, css=("#stock", "#gone"), xpath=("//video",), without_css=(".banner",))
    assert shown.lines == ("In stock",)
    assert set(shown.missing) == {"#gone", "//video", ".banner"}
    assert see(_PAGE, css=("#gone",)).lines == ()


def test_text_to_leave_out_and_capitals() -> None:
    assert see(_PAGE, css=("p",), ignore=(r"\d+", "^buy.*")).lines == ("Price: €", "In stock")
    assert see(_PAGE, css=("#stock",), case=False).lines == ("in stock",)


def test_main_text_leaves_menus_and_labels_out() -> None:
    prose = "The harbour was rebuilt in stone after the great storm of that winter, and every ship came home. " * 4
    page = f"<nav><a href=/>Home</a><a href=/b>News</a></nav><p>{prose}</p><p>{prose} Again.</p>".encode()
    shown = see(page, main_text=True)
    assert len(shown.lines) == 2
    assert all(line.startswith("The harbour") for line in shown.lines)
    assert len(see(page).lines) == 4


_JSON = b'{"name": "Lamp", "offers": [{"price": 10, "stock": null}, {"price": 12}], "served": "x\\ny"}'


@pytest.mark.parametrize("content_type", ["application/json", "application/ld+json; charset=utf-8", "text/plain", ""])
def test_json_is_shown_a_member_a_line(content_type: str) -> None:
    shown = see(_JSON, content_type)
    assert shown.kind == "json"
    assert '  "name": "Lamp"' in shown.lines
    assert '      "price": 10' in shown.lines  # no comma: one more member is no change of the line before


def test_parts_of_json() -> None:
    shown = see(_JSON, "application/json", json_path=("$.offers[*].price", "$.gone"))
    assert (shown.lines, shown.missing) == (("10", "12"), ("$.gone",))
    assert see(_JSON, "application/json", json_path=("$.served",)).lines == ("x", "y")
    assert see(_JSON, "application/json", json_path=("$.offers[0].stock",)).lines == ("null",)
    assert see(b"null", "application/json").lines == ("null",)


def test_what_is_called_json_and_is_none_is_read_as_what_it_is() -> None:
    assert see(_PAGE, "application/json").kind == "html"


def test_xml_is_shown_an_element_a_line() -> None:
    feed = (
        b"<?xml version='1.0'?><rss><channel><title>News</title><item url='a&#10;b'> one\n two</item></channel></rss>"
    )
    shown = see(feed, "application/rss+xml")
    assert (shown.kind, shown.lines) == ("xml", ("title: News", "item: one two", "item url: a b"))
    assert see(b"<?xml version='1.0'?><rss><", "application/xml").kind in ("html", "xml")


def test_plain_text_and_pdf() -> None:
    assert see(b"one\ntwo\n\n\nthree", "text/plain").lines == ("one", "two", "three")
    shown = see(pdf("The harbour was rebuilt"), "application/pdf", css=(".x",))
    assert (shown.kind, shown.lines, shown.missing) == ("pdf", ("The harbour was rebuilt",), ())


def test_other_files_are_known_by_size_and_hash() -> None:
    shown = see(b"\x89PNG\r\n\x1a\n\0\0\0\0", "image/png")
    assert shown.kind == "file"
    assert shown.lines[0] == "image/png, 12 bytes"
    assert shown.lines[1].startswith("SHA-256 ")
    assert see(b"\x89PNG\r\n\x1a\n\0\0\0\1", "image/png").lines[1] != shown.lines[1]


@pytest.mark.parametrize("body", [b"", b"   ", b"<html></html>", b"<script>var a</script>"])
def test_what_shows_nothing(body: bytes) -> None:
    assert see(body).lines == ()
    assert see(body, css=("p",)).missing == ("p",)


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 100_000,
        b"<b><p>" * 20_000,
        b"[" * 100_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'xxxxxxxx'>]><rss>&b;</rss>",
        b"<?xml version='1.0'?>" + b"<a>" * 50_000,
        b"<p>" + b"\xff\xfe\x00" * 1_000,
    ],
    ids=["deep", "reopened", "brackets", "objects", "entity", "xml", "bytes"],
)
@pytest.mark.parametrize("parts", [{}, {"css": ("p",)}, {"xpath": ("//p",)}, {"json_path": ("$..a",)}])
def test_hostile_documents_end(body: bytes, parts: dict[str, object]) -> None:
    for content_type in ("text/html", "application/json", "application/xml"):
        assert isinstance(see(body, content_type, **parts), Shown)


@given(st.binary(max_size=200), st.sampled_from(["", "text/html", "text/plain", "application/json", "text/xml"]))
def test_whatever_arrives_a_line_is_a_line(body: bytes, content_type: str) -> None:
    for line in see(body, content_type).lines:
        assert "\n" not in line
        assert line.strip()


def test_the_usual_watch_is_no_text_at_all() -> None:
    assert USUAL.to_text() == "{}"
    assert Watch.from_text('{"css":["a"],"at_least":3}') == Watch(css=("a",), at_least=3)


def test_own_lines_are_neither_the_frame_of_the_site_nor_links() -> None:
    body = (
        b"<header>Quay Ltd</header><nav>Menu</nav><ul><li><a href=/>Home</a><li><a href=/x><b>All</b> lamps</a></ul>"
        b"<main><h1>Lamps</h1><p>See <a href=/y>that one</a>, by <i>hand</i>.</p></main>"
        b"<aside>Teasers</aside><div role=contentinfo>Imprint</div><footer>2026</footer>"
    )
    assert read_own(body).lines == ("Lamps", "See", ", by hand.")
    assert read_own(body, watch='{"case":false,"ignore":["by"],"main_text":true}').lines == ("lamps", "see", ", hand.")
    assert read_own(b"").lines == ()
