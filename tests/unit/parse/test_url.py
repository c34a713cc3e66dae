"""Canonical URLs, sites, session ids."""

import subprocess
import sys
import time

import pytest

from afresh.base.errors import UsageError
from afresh.parse.url import Scope, canonical, plain_parts, site_of, strip_session_ids


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://Example.ORG/a/../feed#top", "https://example.org/feed"),
        ("http://example.org:80", "http://example.org/"),
        ("http://example.org:8080/x", "http://example.org:8080/x"),
        ("example.org/feed", "https://example.org/feed"),
        (" example.org:8080/feed ", "https://example.org:8080/feed"),
        ("localhost:8080/feed", "https://localhost:8080/feed"),
        ("//example.org/feed", "https://example.org/feed"),
        ("feed:https://example.org/f", "https://example.org/f"),
        ("feed://example.org/f", "http://example.org/f"),
        ("feed:example.org/f", "https://example.org/f"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("HTTP://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::1]:80/", "http://[::1]/"),
    ],
)
def test_canonical(url: str, expected: str) -> None:
    assert canonical(url) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "empty"),
        ("ftp://example.org/", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("mailto:a@example.org", "only http and https"),
        ("hello", "not a URL"),
        ("https://./", "no host"),
        ("http://", "not a URL"),
        ("example..org", "is no name of a host"),
        ("http://.example.org/feed", "is no name of a host"),
        ("http://example.org../", "is no name of a host"),
        ("http:", "not a URL"),
        ("http://exa mple.org/", "not a URL"),
        ("http://example.org:99999/", "not a URL"),
        ("https://example.org/" + "x" * 5_000, "characters"),
    ],
)
def test_refused_with_reason(url: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        canonical(url)


@pytest.mark.parametrize(
    "url",
    [
        "feed:" * 1_590,
        "feed:" * 2_000_000,
        "feed: FEED://example.org/",
        "http://" + "\u00fc" * 15_000,
        "http://example.org/" + "%" * 4_000,
        "http://[" + ":" * 3_900 + "]/",
        "\ud800http://example.org/",
        "http://\ud800.example/",
        "http://a\0b.example/",
        "/" * 4_000,
        ":" * 4_000,
        "." * 4_000,
    ],
    ids=range(12),
)
def test_what_is_made_to_be_no_url_is_refused_like_any_other(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        canonical(url)
    assert len(str(caught.value)) < 300


def test_secrets_are_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="password") as caught:
        canonical("https://me:hunter2@example.org/feed")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "host", "domain", "service"),
    [
        ("https://a.b.example.co.uk/x", "a.b.example.co.uk", "example.co.uk", "a.b.example.co.uk"),
        ("https://me.blogspot.com/feed", "me.blogspot.com", "blogspot.com", "blogger"),
        ("https://www.youtube.com/feeds", "www.youtube.com", "youtube.com", "youtube"),
        ("https://notyoutube.com/", "notyoutube.com", "notyoutube.com", "notyoutube.com"),
        ("http://127.0.0.1:8080/x", "127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080"),
        ("http://[::1]/x", "[::1]", "[::1]", "[::1]"),
        ("http://localhost/x", "localhost", "localhost", "localhost"),
    ],
)
def test_sites(url: str, host: str, domain: str, service: str) -> None:
    assert site_of(url, Scope.HOST) == host
    assert site_of(url, Scope.DOMAIN) == domain
    assert site_of(url, Scope.SERVICE) == service


def test_own_services() -> None:
    assert site_of("https://x.corp.example/", Scope.SERVICE, {"corp": ("corp.example",)}) == "corp"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://e.org/f?PHPSESSID=1a", "https://e.org/f"),
        ("https://e.org/f?a=1&PHPSESSID=1a&b=2", "https://e.org/f?a=1&b=2"),
        ("https://e.org/f;jsessionid=1A.node?b=2", "https://e.org/f?b=2"),
        ("https://e.org/f?sessionid=3&sid=4", "https://e.org/f"),
        ("https://e.org/f?inside=3&b=4", "https://e.org/f?inside=3&b=4"),
        ("https://e.org/session/sid", "https://e.org/session/sid"),
    ],
)
def test_session_ids(url: str, expected: str) -> None:
    assert strip_session_ids(url) == expected


def test_a_hundred_thousand_urls_take_seconds() -> None:
    start = time.process_time()
    for i in range(20_000):
        site_of(canonical(f"https://host{i % 500}.example.org/feed/{i}?x=1"), Scope.SERVICE)
    assert time.process_time() - start < 2.0


def test_reading_a_url_loads_no_parser() -> None:
    code = "import sys, afresh.parse.url; print([m for m in ('feedparser', 'lxml', 'selectolax') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://10.0.0.1/x?y=1", "http://192.168.1.1:8080/"])
def test_an_address_in_numbers_stays_as_it_is_and_is_still_no_plain_name(url: str) -> None:
    """Who lets plain names pass unseen (``engine.accepted_values``) must not let these pass."""
    assert (canonical(url), plain_parts(url)) == (url, None)
