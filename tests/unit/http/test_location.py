"""URLs as browsers read them."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from afresh.http import location
from afresh.http.location import BadLocation, locate
from afresh.parse import url as urls
from afresh.parse.url import canonical


@pytest.mark.parametrize(
    ("url", "base", "expected"),
    [
        ("HTTP://Example.ORG:80/a/../b#top", "", ("http://example.org/b", "http", "example.org", 80)),
        ("https://example.org", "", ("https://example.org/", "https", "example.org", 443)),
        ("http://example.org:8080/?q=@x", "", ("http://example.org:8080/?q=@x", "http", "example.org", 8080)),
        ("../c", "http://h.example/a/b/d", ("http://h.example/a/c", "http", "h.example", 80)),
        ("?x", "http://h.example/a?y", ("http://h.example/a?x", "http", "h.example", 80)),
        ("//o.example/z", "https://h.example/a", ("https://o.example/z", "https", "o.example", 443)),
        (
            "http://münchen.example/ä",
            "",
            ("http://xn--mnchen-3ya.example/%C3%A4", "http", "xn--mnchen-3ya.example", 80),
        ),
        ("http:\\\\h.example\\x", "", ("http://h.example/x", "http", "h.example", 80)),
    ],
)
def test_a_url_is_cut_into_its_parts(url: str, base: str, expected: tuple[str, str, str, int]) -> None:
    place = locate(url, base)
    assert (place.url, place.scheme, place.host, place.port) == expected
    assert place.authorization == ""


def test_credentials_leave_the_url_and_become_a_header() -> None:
    place = locate("http://us%40er:p%3Aw@h.example/x@y")
    assert place.url == "http://h.example/x@y"
    assert place.authorization == "Basic dXNAZXI6cDp3"


def test_places_are_remembered_but_for_those_that_may_hold_a_password() -> None:
    kept = location._recent.cache_info().currsize
    assert locate("http://h.example/kept-once") is locate("http://h.example/kept-once")
    locate("http://u:secret@h.example/")
    assert location._recent.cache_info().currsize == kept + 1


@pytest.mark.parametrize(
    "url", ["", "x", "//h/x", "ftp://h/", "file:///x", "data:,x", "http://", "http://h:99999/", "http://a b/"]
)
def test_what_is_not_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(BadLocation):
        locate(url)


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from(["", "http://h.example/a/b"]))
def test_any_text_is_a_place_or_refused(text: str, base: str) -> None:
    try:
        place = locate(text, base)
    except BadLocation:
        return
    assert place.url.startswith((f"{place.scheme}://",))
    assert 0 <= place.port <= 65_535
    assert locate(place.url) == place or place.authorization


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.from_regex(urls._PLAIN, fullmatch=True))
@example("http://h.example/a/../b")
@example("http://h.example/./")
@example("http://h.example:70000/")
@example("http://h.1/")
def test_the_short_cut_agrees_with_the_long_way(url: str) -> None:
    try:
        slowly = locate(url, "http://base.example/")  # with a base there is no short cut
    except BadLocation:
        with pytest.raises(BadLocation):
            locate(url)
    else:
        assert locate(url) == slowly
        assert len(url) > urls.MAX_URL or canonical(url) == slowly.url


@pytest.mark.parametrize(
    ("here", "there", "trusted"),
    [
        ("http://h.example/a", "http://h.example/b", True),
        ("http://h.example/a", "https://h.example/b", True),
        ("https://h.example/a", "http://h.example/b", False),
        ("http://h.example:8080/a", "https://h.example/b", False),
        ("http://h.example/a", "https://h.example:8443/b", False),
        ("http://h.example/a", "http://www.h.example/a", False),
    ],
)
def test_trust_ends_at_the_origin_save_for_the_move_to_https(here: str, there: str, trusted: bool) -> None:
    assert locate(here).trusts(locate(there)) is trusted
