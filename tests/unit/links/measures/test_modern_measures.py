"""What today's pages need besides the measures of the thesis."""

import pytest

from afresh.base.page_text import PageText
from afresh.links.measures.catalogue import measure
from afresh.links.measures.profile import Profile


def page(**facts: object) -> Profile:
    return Profile(PageText(**facts))  # type: ignore[arg-type]


def value(name: str, a: Profile, b: Profile) -> float:
    return measure(name).compare(a, b)


PROSE = "quokkas eat leaves and grasses on small islands off the western coast and they seldom drink water at all"
OTHER = "tariffs on imported steel were raised by the ministry after weeks of talks with unions and makers of cars"


def test_main_text_measures_tell_prose_apart_from_its_frame() -> None:
    a, b = page(text=f"Home News {PROSE}", main=PROSE), page(text=f"Home News {OTHER}", main=OTHER)
    assert value("main_cosine", a, b) < 0.2
    assert value("main_shingle", a, b) == 0.0
    assert value("main_cosine", a, a) == pytest.approx(1.0)


def test_rare_words_weigh_more_than_common_ones() -> None:
    base = page(main="the quokka and the island")
    common = page(main="the and the and the")
    rare = page(main="quokka island")
    assert value("main_cosine", base, rare) > value("main_cosine", base, common)


def test_a_page_that_grew_contains_the_old_one() -> None:
    a, b = page(main=PROSE), page(main=f"{PROSE} {OTHER}")
    assert value("main_overlap", a, b) == 1.0
    assert value("main_shingle", a, b) < 0.7


def test_minhash_estimates_the_jaccard_coefficient() -> None:
    words = [f"w{i}" for i in range(600)]
    a, b = page(text=" ".join(words[:400])), page(text=" ".join(words[100:500]))
    assert value("minhash", a, b) == pytest.approx(value("shingle", a, b), abs=0.15)


def test_simhash_is_near_for_near_texts_only() -> None:
    words = [f"w{i}" for i in range(300)]
    near = value("simhash", page(text=" ".join(words)), page(text=" ".join(words[:290])))
    far = value("simhash", page(text=" ".join(words)), page(text=" ".join(f"x{i}" for i in range(300))))
    assert near > 0.7 > 0.5 > far


def test_title() -> None:
    assert value("title", page(title="News - Site"), page(title="Site | News")) == 1.0
    assert value("title", page(title="News"), page()) == 0.0
    assert value("title", page(), page()) == 1.0


def test_canonical_and_language() -> None:
    assert value("canonical", page(canonical="http://a/x"), page(canonical="http://a/y")) == 0.0
    assert value("canonical", page(canonical="http://a/x"), page()) == 0.5
    assert value("language", page(language="en-gb"), page(language="en")) == 1.0
    assert value("language", page(language="en"), page(language="de")) == 0.0


def test_lengths() -> None:
    a, b = page(text="one two three four", main="one two"), page(text="one two")
    assert value("length_ratio", a, b) == 0.5
    assert value("length_ratio", page(), page()) == 1.0
    assert value("boilerplate", a, b) == pytest.approx(0.5)
