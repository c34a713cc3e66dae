"""``afresh parse``: entry by entry, what was repaired, and what else a document may be."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from afresh.doors.cli.main import EXIT_WRONG, run
from tests.fakes.desk import Desk
from tests.fakes.served import served

RSS = """<rss version="2.0"><channel><title>Mine</title><language>de</language>
<item><title>One</title><link>https://a.example/1</link><guid>tag:a.example,1</guid>
<pubDate>Tue, 14 Nov 2023 22:13:20 GMT</pubDate>
<enclosure url="https://a.example/1.mp3" type="audio/mpeg" length="5"/></item>
<item><title>One</title><link>https://a.example/1</link><guid>tag:a.example,1</guid></item>
<item><title>Two</title></item></channel></rss>"""


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_a_feed_entry_by_entry(desk: Desk) -> None:
    told = desk.json("parse", desk.file("feed.xml", RSS))
    assert (told["kind"], told["words"], told["path"], told["repaired"]) == ("feed", "an RSS feed", "fast", [])
    one, double, two = told["entries"]
    assert (one["id"], one["published"], one["date_source"]) == (
        "tag:a.example,1",
        "2023-11-14T22:13:20.000Z",
        "pubDate",
    )
    assert one["enclosures"] == [{"url": "https://a.example/1.mp3", "type": "audio/mpeg", "length": 5}]
    assert (double["same_as"], double["uid"]) == (1, one["uid"])
    assert (two["id"], two["published"], two["same_as"]) == ("", None, None)
    words = desk.run("parse", desk.file("feed.xml", RSS))
    for part in ("read by   fast", "repaired  nothing", "tag:a.example,1", "those of entry 1", "no usable date"):
        assert part in words


def test_a_repaired_feed_says_so(desk: Desk) -> None:
    file = desk.file("feed.xml", RSS.replace("Mine", "Mine & yours"))
    assert desk.json("parse", file)["repaired"]
    assert "repaired  nothing" not in desk.run("parse", file)


def test_one_entry_and_nothing_at_all_are_told_as_such(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    one = "<rss><channel><title>T</title><item><title>a</title></item></channel></rss>"
    assert ", 1 entry\n" in desk.run("parse", desk.file("one.xml", one))
    for text in ('{"a": 1}', "no links at all"):
        assert run(["parse", desk.file("none", text)]) == EXIT_WRONG
        assert "no feed and no list: there is neither an entry nor a link in it" in capsys.readouterr().out
    assert "0 entries" in desk.run("parse", desk.file("empty.xml", one.replace("<item><title>a</title></item>", "")))
    desk.run("parse", desk.file("empty.opml", "<opml><body></body></opml>"))


def test_what_cannot_be_read_says_why_and_where(desk: Desk) -> None:
    file = desk.file("x.opml", "<opml>\n<head>\n<title>x</head></opml>")
    assert desk.run("parse", file, code=1) == ""
    assert "line 3, column" in desk.run("import", file, code=2)


@pytest.mark.parametrize(
    ("name", "text", "kind", "found"),
    [
        ("a", "<opml><body><outline text='A & b' xmlUrl='https://a.example/'/></body></opml>", "opml", "links"),
        (
            "a",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF='https://a.example/'>A</A></DL>",
            "bookmarks",
            "links",
        ),
        ("a", "<urlset><url><loc>https://a.example/</loc></url></urlset>", "sitemap", "links"),
        ("a", '[{"href": "https://a.example/"}]', "json", "links"),
        ("a.csv", "name,url\nA,https://a.example/\n", "csv", "links"),
        ("a.txt", "https://a.example/\n", "text", "links"),
        (
            "a",
            "<!doctype html><html><link rel=alternate type=application/rss+xml href='https://a.example/'></html>",
            "html",
            "feeds",
        ),
    ],
)
def test_what_else_a_document_is(desk: Desk, name: str, text: str, kind: str, found: str) -> None:
    file = desk.file(name, text)
    told = desk.json("parse", file)
    assert (told["kind"], [item["url"] for item in told[found]]) == (kind, ["https://a.example/"])
    assert "https://a.example/" in desk.run("parse", file)


ALLOWED = ("--set", "fetch.allow_private=true", "--set", "politeness.delay=10ms")


def test_an_address_is_asked_through_the_gate(desk: Desk) -> None:
    agents: list[str] = []

    async def feed(request: Request) -> Response:
        agents.append(request.headers["user-agent"])
        return Response(RSS, media_type="application/rss+xml")

    with served(Starlette(routes=[Route("/feed", feed)])) as base:
        assert "not a public address" in desk.run("parse", f"{base}/feed", code=1)
        assert agents == [], "a private address is not asked unless somebody allows it"
        told = desk.json(*ALLOWED, "parse", f"{base}/feed")
        assert (told["name"], told["content_type"].partition(";")[0]) == (f"{base}/feed", "application/rss+xml")
        assert len(told["entries"]) == 3
        assert agents[0].startswith("afresh/")
        assert "HTTP 404" in desk.run(*ALLOWED, "parse", f"{base}/other", code=1)
