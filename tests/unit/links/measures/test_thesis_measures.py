"""The 18 measures of the thesis on pages small enough to compute by hand.  [M03] §4.5, spec §4.5 edge cases."""

import math

import pytest

from afresh.base.errors import ModelError
from afresh.base.page_text import Link, PageText
from afresh.links.measures.catalogue import COMBINATIONS, MEASURES, compare_pages, measure
from afresh.links.measures.profile import Profile


def page(**facts: object) -> Profile:
    return Profile(PageText(**facts))  # type: ignore[arg-type]


def value(name: str, a: Profile, b: Profile) -> float:
    return measure(name).compare(a, b)


def linked(*pairs: tuple[str, str]) -> Profile:
    return page(links=tuple(Link(text, url) for text, url in pairs))


def test_numbers_are_those_of_the_thesis() -> None:
    assert [m.number for m in MEASURES] == list(range(1, len(MEASURES) + 1))
    named = {m.number: m.name for m in MEASURES}
    assert (named[1], named[5], named[13], named[18]) == ("levenshtein_raw_text", "url", "heading", "word_bag")


def test_combinations_have_the_members_of_the_spec() -> None:
    numbers = {name: {measure(m).number for m in members} for name, members in COMBINATIONS.items()}
    assert numbers["ALL"] == set(range(1, 19))
    assert numbers["NO-URL"] == set(range(1, 19)) - {5, 16, 17}
    assert numbers["LINK"] == {6, 7, 9, 10, 14, 15}
    assert numbers["TEXT"] == {1, 3, 4, 8, 11, 12, 18}
    assert numbers["STRUCTURE"] == {2, 13}
    assert not numbers["MODERN"] & {5, 16, 17, measure("canonical").number}


def test_unknown_measure_names_the_known() -> None:
    with pytest.raises(ModelError, match="word_bag"):
        measure("wordbag")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("http://h/d/f.html", "http://h/d/f.html", 1.0),
        ("http://h/d/f.html", "https://h/d/f.html", 1.0),  # one protocol today
        ("http://h/d/f.html", "ftp://h/d/f.html", 0.0),
        ("http://a/", "http://b/", 0.7),  # two site roots: the typical negative of set 2
        ("http://h/a/b/f", "http://h/a/c/f", 0.8),
        ("http://h:80/d/f.html#x", "http://H/d/f.html", 1.0),
        ("http://h/d/f", "http://h/d/g", 0.7),
    ],
)
def test_url_measure(a: str, b: str, expected: float) -> None:
    assert value("url", page(url=a), page(url=b)) == pytest.approx(expected)


def test_url_query_measures() -> None:
    a, b = page(url="http://h/d/f?q=1&r=2"), page(url="http://h/d/f?q=1&r=3")
    assert value("url_query", a, b) == pytest.approx(0.25 + 0.25 + 0.3 + 0.1)
    assert value("url_query_only", a, b) == 0.5
    assert value("url_query_only", page(url="http://a/"), page(url="http://b/")) == 1.0


def test_text_measures() -> None:
    a, b = page(text="the cat sat", raw="<p>the cat sat"), page(text="the dog sat", raw="<p>the dog sat")
    assert value("simple_text", a, b) == 0.0
    assert value("simple_raw_text", a, a) == 1.0
    assert value("levenshtein_text", a, b) == pytest.approx(2 / 3)
    assert value("levenshtein_raw_text", a, b) == pytest.approx(2 / 3)
    assert value("word_bag", a, b) == pytest.approx(2 / 4)
    assert value("cosine", a, b) == pytest.approx(2 / 3)
    assert value("euclid", a, b) == pytest.approx(math.exp(-math.sqrt(2)))


def test_word_bag_ignores_how_often() -> None:
    assert value("word_bag", page(text="a a a b"), page(text="b a")) == 1.0
    assert value("cosine", page(text="a a a b"), page(text="b a")) == pytest.approx(4 / math.sqrt(20))


def test_link_measures() -> None:
    a = linked(("one", "/1"), ("two", "/2"), ("three", "/3"))
    b = linked(("one", "/1"), ("deux", "/2"), ("four", "/4"), ("five", "/5"))
    assert value("url_link", a, b) == 2 / 4
    assert value("text_link", a, b) == 1 / 4
    assert value("url_link_bag", a, b) == 2 / 5
    assert value("text_link_bag", a, b) == 1 / 6
    assert value("url_link_superset", a, b) == 2 / 3
    assert value("text_link_superset", b, a) == 1 / 4  # the older version is the first


def test_added_links_do_not_count_against_a_superset() -> None:
    a, b = linked(("one", "/1")), linked(("one", "/1"), ("two", "/2"))
    assert value("url_link_superset", a, b) == 1.0
    assert value("url_link_superset", b, a) == 0.5


def test_links_of_pages_without_links() -> None:
    none, some = linked(), linked(("one", "/1"))
    for name in COMBINATIONS["LINK"]:
        assert value(name, none, none) == 1.0, name
    assert value("url_link_superset", none, some) == 1.0
    assert value("url_link_superset", some, none) == 0.0
    assert value("url_link_bag", none, some) == 0.0


def test_repeated_links_keep_a_page_equal_to_itself() -> None:
    a = linked(("one", "/1"), ("one", "/1"))
    assert value("url_link_superset", a, a) == 1.0


def test_structure_measures() -> None:
    a, b = page(markup="<html><p><p><a>"), page(markup="<html><p><div><a>")
    assert value("levenshtein_structure", a, b) == 0.75
    assert value("heading", page(headings=("News", "Links")), page(headings=("News", "More links"))) == 0.5
    assert value("heading", page(), page()) == 1.0
    assert value("heading", page(headings=("News",)), page()) == 0.0


def test_one_empty_page_is_unlike() -> None:
    full, empty = page(text="some words here", main="some words here"), page()
    for name in (
        "levenshtein_text",
        "word_bag",
        "cosine",
        "main_cosine",
        "shingle",
        "simhash",
        "minhash",
        "main_overlap",
    ):
        assert value(name, full, empty) == 0.0, name
        assert value(name, empty, empty) == 1.0, name


def test_vector_has_the_order_asked_for() -> None:
    a, b = page(text="a b"), page(text="a c")
    assert compare_pages(a, b, ("word_bag", "simple_text")).tolist() == [pytest.approx(1 / 3), 0.0]
