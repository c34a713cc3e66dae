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


@pytest.mark.parametrize(
    ("line", "is_us"),
    [
        ("User-agent: afresh", True),
        ("user-agent:AFRESH", True),
        ("User-agent: afresh/0.1", True),
        ("User-agent: Afresh (a robot)", True),
        ("User-Agent : afresh # that one", True),
        ("User agent: afresh", True),
        ("User-agent afresh", True),
        ("User-agent: *", True),
        ("User-agent: a", False),
        ("User-agent: afres", False),
        ("User-agent: fresh", False),
        ("User-agent: afresh-bot", False),
        ("User-agent: afreshbot", False),
        ("User-agent: my afresh", False),
        ("User-agent: 0.1", False),
        ("User-agent:", False),
        ("User-agents: afresh", False),
    ],
)
def test_only_the_whole_product_token_addresses_us(line: str, is_us: bool) -> None:
    robots = Robots.parse(f"{line}\nDisallow: /\nCrawl-delay: 7\n".encode(), 200)
    assert robots.allows("https://example.org/x", "afresh") is not is_us
    assert robots.crawl_delay("afresh") == (7.0 if is_us else None)


def test_groups_that_address_us_by_different_versions_are_one() -> None:
    robots = Robots.parse(b"User-agent: afresh/0.1\nDisallow: /a\n\nUser-agent: AFRESH\nDisallow: /b\n", 200)
    assert [robots.allows(f"https://example.org/{path}", "afresh") for path in "abc"] == [False, False, True]


def test_a_line_of_blanks_is_read_at_once() -> None:
    assert Robots.parse(b"User-agent: " + b" " * 400_000 + b"x\nDisallow: /\n", 200).allows("https://e.org/", "afresh")
