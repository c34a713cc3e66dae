"""Feeds we write are well-formed whatever strangers put into their entries."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.models import Enclosure
from afresh.parse.feed import parse_feed
from afresh.parse.render_feed import FORMATS, FeedItem, FeedPage, render_atom, render_json, render_rss

ATOM = "{http://www.w3.org/2005/Atom}"
HISTORY = "{http://purl.org/syndication/history/1.0}"
ITEM = FeedItem(
    id="urn:uuid:00000000-0000-5000-8000-000000000001",
    title="Bread & <Butter>",
    link="https://example.org/?a=1&b=2",
    author="Ann <ann@example.org>",
    summary="short",
    content="<p>long & \"quoted\" ]]></p><script>alert('x')</script>",
    categories=("a&b", "c"),
    published=1_700_000_000.0,
    updated=1_700_000_060.0,
    source_url="https://source.example/feed",
    source_title="S",
    own_id="no IRI: 7 <&>",
    language="pt-BR",
    enclosures=(Enclosure(url="https://example.org/a.mp3?x=1&y", type="audio/mpeg", length=7), Enclosure(url="x:y")),
)
PAGE = FeedPage(
    id="urn:uuid:00000000-0000-5000-8000-000000000000",
    title="T & T",
    updated=1_700_000_100.0,
    self_url="http://127.0.0.1/feeds/q/x.atom?page=2",
    current_url="http://127.0.0.1/feeds/q/x.atom",
    is_archive=True,
    older_url="http://127.0.0.1/feeds/q/x.atom?page=1",
    newer_url="http://127.0.0.1/feeds/q/x.atom?page=3",
    items=(ITEM,),
)


@pytest.mark.parametrize("form", ["atom", "rss"])
def test_xml_feeds_say_what_was_meant(form: str) -> None:
    body = FORMATS[form][0](PAGE)
    parsed = feedparser.parse(body, sanitize_html=False)
    assert not parsed.bozo
    assert parsed.feed.title == "T & T"
    [entry] = parsed.entries
    assert (entry.id, entry.title, entry.link) == (ITEM.id, "Bread & <Butter>", ITEM.link)
    assert [content.value for content in entry.content] == [ITEM.content]
    assert entry.summary == "short"
    assert [tag.term for tag in entry.tags] == ["a&b", "c"]
    assert b"<script>" not in body


def test_our_own_parser_reads_all_three_alike() -> None:
    for form, (render, media_type) in FORMATS.items():
        [entry] = parse_feed(render(PAGE), content_type=media_type, url="http://127.0.0.1/").entries
        assert (entry.native_id, entry.title, entry.link, entry.content) == (
            ITEM.id,
            ITEM.title,
            ITEM.link,
            ITEM.content,
        ), form
        assert (entry.categories, entry.published) == (ITEM.categories, ITEM.published), form
        assert (entry.language, entry.enclosures) == (ITEM.language, ITEM.enclosures[:1]), form


def test_an_own_id_that_cannot_be_the_id_is_shown_beside_it() -> None:
    [item] = json.loads(render_json(PAGE))["items"]
    assert (item["id"], item["_afresh"]) == (ITEM.id, {"id": ITEM.own_id})
    for render in (render_atom, render_rss):
        identifiers = ElementTree.fromstring(render(PAGE)).iter("{http://purl.org/dc/elements/1.1/}identifier")
        assert [found.text for found in identifiers] == [ITEM.own_id]
        itself = replace(PAGE, items=(replace(ITEM, own_id=ITEM.id),))
        assert b"dc:identifier" not in render(itself)


def test_archive_links_of_rfc_5005() -> None:
    links = {
        link.get("rel"): link.get("href") for link in ElementTree.fromstring(render_atom(PAGE)).findall(f"{ATOM}link")
    }
    assert links == {
        "self": PAGE.self_url,
        "current": PAGE.current_url,
        "prev-archive": PAGE.older_url,
        "next-archive": PAGE.newer_url,
    }
    for render in (render_atom, render_rss):
        assert ElementTree.fromstring(render(PAGE)).find(f".//{HISTORY}archive") is not None
        current = replace(PAGE, is_archive=False, newer_url="")
        assert ElementTree.fromstring(render(current)).find(f".//{HISTORY}archive") is None
    assert json.loads(render_json(PAGE))["next_url"] == PAGE.older_url


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", "/relative", "file:///etc/passwd", "", "http://a b/"]
)
def test_links_that_do_not_lead_to_the_web_are_left_out(link: str) -> None:
    page = replace(PAGE, items=(replace(ITEM, link=link, content="", summary="", enclosures=()),))
    entry = ElementTree.fromstring(render_atom(page)).find(f"{ATOM}entry")
    assert entry is not None
    assert entry.find(f"{ATOM}link") is None
    assert entry.find(f"{ATOM}content") is not None  # required where there is no link
    assert ElementTree.fromstring(render_rss(page)).find(".//item/link") is None
    assert "url" not in json.loads(render_json(page))["items"][0]


ANY = st.text(
    st.characters(codec=None) | st.sampled_from("<>&'\"]\0\x08\x0b\x1f\x7f\ud800\ufffe\uffff\r\n\t"), max_size=30
)
TIMES = st.floats() | st.sampled_from([0.0, -1.0, 1e300, float("nan")])


@settings(deadline=None)
@given(ANY, ANY, ANY, ANY, TIMES)
def test_nothing_breaks_the_document(a: str, b: str, c: str, d: str, when: float) -> None:
    item = FeedItem(
        id=ITEM.id, title=a, link="https://" + b, author=c, summary=d, content=a + b, categories=(c, d),
        published=when, updated=when, source_url=a, source_title=b,
    )  # fmt: skip
    page = replace(PAGE, title=d, items=(item, item))
    for render in (render_atom, render_rss):
        root = ElementTree.fromstring(render(page))
        assert len(root.findall(f"{ATOM}entry") + root.findall("channel/item")) == 2
    assert len(json.loads(render_json(page))["items"]) == 2
