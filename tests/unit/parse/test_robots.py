"""robots.txt by RFC 9309."""

import pytest

from afresh.parse.robots import Robots

TEXT = b"""User-agent: *
Disallow: /private
Allow: /private/feed
Crawl-delay: 5

User-agent: afresh
Disallow: /no
Request-rate: 1/20

Sitemap: https://example.org/sitemap.xml
"""


def test_rules() -> None:
    robots = Robots.parse(TEXT, 200)
    assert not robots.allows("https://example.org/private/x", "other")
    assert robots.allows("https://example.org/private/feed", "other")
    assert robots.allows("https://example.org/private/x", "afresh")
    assert not robots.allows("https://example.org/no", "afresh")
    assert robots.crawl_delay("other") == 5.0
    assert robots.crawl_delay("afresh") == 20.0
    assert robots.sitemaps == ("https://example.org/sitemap.xml",)


@pytest.mark.parametrize("status", [401, 403, 404, 410, 302])
def test_not_there_allows_everything(status: int) -> None:
    robots = Robots.parse(b"User-agent: *\nDisallow: /", status)
    assert robots.allows("https://example.org/", "afresh")
    assert not robots.is_temporary


@pytest.mark.parametrize("status", [None, 500, 503, 429])
def test_unreachable_forbids_everything_for_the_time_being(status: int | None) -> None:
    robots = Robots.parse(b"", status)
    assert not robots.allows("https://example.org/", "afresh")
    assert robots.is_temporary
    assert robots.crawl_delay("afresh") is None
    assert robots.sitemaps == ()


def test_only_the_first_half_megabyte_counts() -> None:
    filler = b"User-agent: *\n" + b"#" * 99 + b"\n"
    body = filler + b"Disallow: /a\n" + b"# filler\n" * 60_000 + b"Disallow: /b\n"
    robots = Robots.parse(body, 200)
    assert not robots.allows("https://example.org/a", "afresh")
    assert robots.allows("https://example.org/b", "afresh")


def test_strange_bytes() -> None:
    robots = Robots.parse(b"\xef\xbb\xbfUser-agent: *\0\nDisallow: /\xff\n\0\xfe\nCrawl-delay: x\n", 200)
    assert robots.allows("https://example.org/", "afresh")
    assert robots.crawl_delay("afresh") is None
