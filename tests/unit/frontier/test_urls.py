"""URLs of strangers: the quick way and the careful way agree, and nothing private gets in."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import UsageError
from afresh.frontier.urls import CrawlUrls, is_host_name, is_public_host
from afresh.parse.url import canonical, strip_session_ids

_ALPHABET = "aZ09-._~/?&=+,%#:;@ üxn"


def careful(url: str) -> str | None:
    try:
        return strip_session_ids(canonical(url))
    except UsageError:
        return None


@given(
    host=st.from_regex(r"(?:[a-z0-9-]{1,8}\.){0,3}[a-z0-9]{1,6}\.?", fullmatch=True),
    rest=st.text(alphabet=_ALPHABET, max_size=30),
)
def test_the_quick_way_gives_what_the_careful_way_gives(host: str, rest: str) -> None:
    url = f"https://{host}/{rest}"
    read = CrawlUrls(allow_private=True).read(url)
    wanted = careful(url)
    if read is None:
        assert wanted is None or not is_host_name(host.rstrip("."))
    elif not host.endswith("."):
        assert read[0] == wanted


@given(st.text(max_size=60))
def test_anything_may_be_read(text: str) -> None:
    read = CrawlUrls().read(text)
    assert read is None or read[0].startswith(("http://", "https://"))


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://www.example.com/a?b=c", ("https://www.example.com/a?b=c", "www.example.com")),
        ("https://www.example.com./a", ("https://www.example.com/a", "www.example.com")),
        ("https://www.example.com:8443/", ("https://www.example.com:8443/", "www.example.com")),
        ("https://www.example.com/a;jsessionid=1F", ("https://www.example.com/a", "www.example.com")),
        ("https://www.example.com/?PHPSESSID=abc&x=1", ("https://www.example.com/?x=1", "www.example.com")),
        ("https://bücher.example/", ("https://xn--bcher-kva.example/", "xn--bcher-kva.example")),
        ("https://www.example.com/./a/../b", ("https://www.example.com/b", "www.example.com")),
        ("http://8.8.8.8/", ("http://8.8.8.8/", "8.8.8.8")),
        ("http://[2001:4860:4860::8888]/", ("http://[2001:4860:4860::8888]/", "[2001:4860:4860::8888]")),
        ("http://my_host.example.com/", ("http://my_host.example.com/", "my_host.example.com")),
        ("http://a..com/", None),
        ("http://-.com/", None),
        ("http://.com/", None),
        ("http://a-.example.com/x?y=z", None),
        (f"http://{'a' * 64}.com/", None),
        ("http://2130706433/", None),
        ("http://[::ffff:127.0.0.1]/", None),
        ("http://a.localhost/", None),
        ("https://www.example.com/" + "x" * 5_000, None),
    ],
)  # fmt: skip
def test_examples(url: str, kept: tuple[str, str] | None) -> None:
    urls = CrawlUrls()
    assert urls.read(url) == kept
    assert urls.read(url) == kept  # and again, when the host is remembered


def test_a_long_name_without_end_takes_no_long_time() -> None:
    began = time.process_time()
    CrawlUrls().read("https://" + "a-" * 50_000 + "!")
    CrawlUrls().read("https://a.b/" + "a." * 50_000 + "!")
    assert time.process_time() - began < 1.0


def test_hosts() -> None:
    public = ["example.com", "8.8.8.8", "[2606:4700::1111]"]
    private = [
        "localhost",
        "router",
        "printer.local",
        "10.1.2.3",
        "169.254.169.254",
        "[fe80::1]",
        "224.0.0.1",
        "x.home.arpa",
    ]
    assert all(map(is_public_host, public))
    assert not any(map(is_public_host, private))
