"""Laws of measures: 0 to 1, 1 for a page and itself, symmetric but for the superset measures."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.page_text import Link, PageText
from afresh.links.measures.catalogue import MEASURES, Measure
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import Tokens, bounded_distance, token_distance

WORDS = st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "while", "it", "rained", "3.5", "später", "日本"])
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)
LINKS = st.builds(Link, TEXTS, st.sampled_from(["", "#a", "http://h/1", "http://h/2?q=1", "/x"]))


@st.composite
def pages(draw: st.DrawFn) -> PageText:
    text = draw(TEXTS)
    return PageText(
        url=draw(st.sampled_from(["", "http://h/a/b?x=1&y", "https://h/", "ftp://g/a"]) | st.text(max_size=20)),
        title=draw(TEXTS | st.text(max_size=10)),
        text=text,
        raw=draw(TEXTS),
        pieces=tuple(draw(st.lists(TEXTS, max_size=5))),
        main=draw(st.sampled_from([text, ""])),
        links=tuple(draw(st.lists(LINKS, max_size=6))),
        markup="".join(draw(st.lists(st.sampled_from(["<p>", "<a>", "<div>"]), max_size=20))),
        headings=tuple(draw(st.lists(TEXTS, max_size=3))),
        canonical=draw(st.sampled_from(["", "http://h/a"])),
        language=draw(st.sampled_from(["", "en", "de-at"])),
    )


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
@settings(max_examples=20, deadline=None)
@given(a=pages(), b=pages())
def test_laws(measure: Measure, a: PageText, b: PageText) -> None:
    one, other = Profile(a), Profile(b)
    value = measure.compare(one, other)
    assert 0.0 <= value <= 1.0
    assert measure.compare(one, one) == pytest.approx(1.0)
    assert measure.compare(one, other) == value
    if not measure.name.endswith("superset"):
        assert measure.compare(other, one) == pytest.approx(value)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), sizes=st.tuples(st.integers(0, 2500), st.integers(0, 2500)))
def test_bound_of_the_distance(seed: int, sizes: tuple[int, int]) -> None:
    rng = random.Random(seed)
    a, b = ([str(rng.randrange(400)) for _ in range(size)] for size in sizes)
    exact = token_distance(a, b)
    bound = bounded_distance(Tokens(tuple(a)), Tokens(tuple(b)))
    assert exact <= bound <= max(len(a), len(b))
