"""Feeds that pages announce, links that search engines answer with."""

from afresh.parse.discover import FoundFeed, announced_feeds, result_links

PAGE = """<!DOCTYPE html><html><head><base href="/blog/"><meta charset="iso-8859-1">
<link rel="alternate" type="application/rss+xml" title="Neuigkeiten f&uuml;r &amp; \xfcber" href="rss.xml">
<LINK REL="Alternate home" TYPE="application/atom+xml; charset=utf-8" HREF="https://e.org/atom">
<link rel="alternate" type="application/feed+json" href="/feed.json">
<link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/1">
<link rel="alternate" hreflang="de" href="/de/"><link rel="stylesheet" type="text/css" href="feed.css">
<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">
<link rel="alternate" type="application/rss+xml" href="http://[bad/">
</head><body><a href="/comments/feed/">Comments</a> <a href="rss.xml">again</a> <a href="feed://e.org/x">f</a>
<a href="/feedback.html">Feedback</a><a href="/articles/feed-the-birds.html">Birds</a></body></html>"""


def test_announced_feeds() -> None:
    found = announced_feeds(PAGE.encode("latin-1"), "https://e.org/start")
    assert found == [
        FoundFeed(url="https://e.org/blog/rss.xml", title="Neuigkeiten für & über", kind="rss"),
        FoundFeed(url="https://e.org/atom", kind="atom"),
        FoundFeed(url="https://e.org/feed.json", kind="json"),
        FoundFeed(url="https://e.org/comments/feed/", title="Comments", announced=False),
        FoundFeed(url="http://e.org/x", title="f", announced=False),
    ]


def test_any_bytes_are_a_page() -> None:
    assert announced_feeds(b"", "https://e.org/") == []
    assert announced_feeds(bytes(range(256)) * 10, "https://e.org/") == []
    assert announced_feeds(b"<div>" * 50_000, "https://e.org/") == []


def test_links_of_a_result_page() -> None:
    page = b"""<html><a href="/settings">s</a><a href="https://www.search.example/more">m</a>
    <a href="/url?q=https://one.example/a%3Fx&amp;sa=1">1</a><a href="https://two.example/b#c">2</a>
    <a href="https://two.example/b">2</a><a href="mailto:x@y.example">m</a></html>"""
    assert result_links(page, "text/html", "https://search.example/?q=w") == [
        "https://one.example/a?x",
        "https://two.example/b",
    ]


def test_links_of_a_result_feed() -> None:
    feed = b"<rss><channel><item><link>https://one.example/</link></item><item><link>/x</link></item></channel></rss>"
    assert result_links(feed, "text/xml", "https://s.example/?q=w") == ["https://one.example/", "https://s.example/x"]
