"""Which words of a page call for a closer look."""

import re

from hypothesis import given
from hypothesis import strategies as st

from afresh.base.page_text import PageText
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.verdicts import phrases, signals
from afresh.links.verdicts.signals import signals_of

_END = re.compile(r"[.!?]\s+")  # of a sentence


@given(st.text(alphabet="ab3 .!?…,-\n\xa0", max_size=60))
def test_words_are_found_as_if_every_sentence_stood_alone(text: str) -> None:
    squeezed = " ".join(text.split())  # as every page's text is
    expected = words_of(f"{_END.sub(' ', squeezed)}")
    found = signals._view(Profile(PageText(text=squeezed))).words
    assert {word for word in found if word.strip("-.")} == {word for word in expected if word.strip("-.")}


def test_every_trigger_is_a_word_and_every_pattern_compiles() -> None:
    for pattern in signals._PATTERNS.values():
        assert all(any(char.isalnum() for char in word) for word in pattern.triggers)
        assert signals._regex(pattern.title).pattern == pattern.title
        assert signals._regex(pattern.text).pattern == pattern.text
    assert len(signals._PATTERNS) == len(phrases.PHRASES)


def test_a_page_without_a_sign_has_no_signals() -> None:
    prose = "The harbour council prints its plans every spring for all who live by the water. " * 20
    assert signals_of(Profile(PageText(title="Plans", text=prose, main=prose))) == ()
