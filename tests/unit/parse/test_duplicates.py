"""Duplicates of feed URLs (Reichert Listings 3.2 and 3.3)."""

import pytest

from afresh.parse.duplicates import Dropped, deduplicate

BASE = "https://a.example"


@pytest.mark.parametrize(
    ("kept", "dropped"),
    [
        ("/feed/atom.html", "/feed/rss.html"),
        ("/?feed=atom", "/?feed=rss2"),
        ("/feed/atom/", "/feed/"),
        ("/posts/default?alt=rss", "/posts/default"),
        ("/rssExport.jsp?rssType=atom&x=1", "/rssExport.jsp?rssType=rss20&x=1"),
        ("/atom_1.0.xml", "/rss_2.0.xml"),
        ("/feed/rss2.xml", "/feed"),
    ],
)
@pytest.mark.parametrize("swap", [False, True])
def test_format_duplicates_prefer_atom(kept: str, dropped: str, swap: bool) -> None:
    urls = [BASE + kept, BASE + dropped]
    found = deduplicate(reversed(urls) if swap else urls)
    assert found.kept == (BASE + kept,)
    assert found.dropped == (Dropped(BASE + dropped, "format", BASE + kept),)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("/rssexport/1", "/atomexport/1"),
        ("/news/rss", "/sport/rss"),
        ("/news", "/news/sport/rss"),
        ("/feed", "/feeds"),
        ("/rss/a", "/rss/b"),
    ],
)
def test_different_feeds_stay(one: str, two: str) -> None:
    assert deduplicate([BASE + one, BASE + two]).kept == (BASE + one, BASE + two)
    assert deduplicate([BASE + "/atom", "https://b.example/rss"]).dropped == ()


def test_exact_and_session_duplicates() -> None:
    found = deduplicate([BASE + "/f", BASE + "/f?PHPSESSID=1", BASE + "/f", BASE + "/g?sessionid=2"])
    assert found.kept == (BASE + "/f", BASE + "/g")
    assert [item.reason for item in found.dropped] == ["session", "exact", "session"]
    assert [item.kept for item in found.dropped] == [BASE + "/f", BASE + "/f", BASE + "/g"]


def test_a_chain_ends_at_what_is_kept() -> None:
    found = deduplicate([BASE + "/feed/", BASE + "/feed/rss/", BASE + "/feed/atom/"])
    assert found.kept == (BASE + "/feed/atom/",)
    assert {item.kept for item in found.dropped} == {BASE + "/feed/atom/"}
