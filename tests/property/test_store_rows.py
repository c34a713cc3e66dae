"""What is packed comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.base.models import FeedFacts, Window
from afresh.store.sql import rows

ANY_TEXT = st.text(st.characters(exclude_categories=()))
UIDS = st.lists(st.binary(min_size=20, max_size=20), max_size=30)


@given(ANY_TEXT)
def test_clean_text_can_be_encoded_and_loses_nothing_else(text: str) -> None:
    cleaned = rows.clean(text)
    cleaned.encode()
    assert "\0" not in cleaned
    assert rows.clean(cleaned) == cleaned
    for kept in ("ä", "💥", "a"):
        assert cleaned.count(kept) >= text.count(kept)


@given(UIDS, st.data())
def test_a_window_comes_back(uids: list[bytes], data: st.DataObject) -> None:
    times = data.draw(st.lists(st.floats(allow_nan=False), min_size=len(uids), max_size=len(uids)))
    window = Window(tuple(uids), np.array(times, dtype=np.float64))
    assert rows.unpack_window(rows.pack_window(window)) == window
    marks = st.one_of(st.just(b""), st.binary(min_size=8, max_size=8).filter(any))
    ids = data.draw(st.lists(marks, min_size=len(uids), max_size=len(uids)))
    named = rows.unpack_window(rows.pack_window(Window(window.uids, window.times, tuple(ids))))
    assert named == Window(window.uids, window.times, tuple(ids) if any(ids) else ())


def test_a_window_of_another_shape_is_refused() -> None:
    with pytest.raises(ModelError, match="marks of ids"):
        rows.pack_window(Window((b"x" * 20,), np.zeros(1), (b"y" * 7,)))
    with pytest.raises(ValueError, match="37 bytes"):
        rows.unpack_window(b"x" * 37)
    with pytest.raises(ModelError, match="20 bytes"):
        rows.pack_window(Window((b"x" * 19, b"x" * 21), np.zeros(2)))
    with pytest.raises(ModelError, match="times"):
        rows.pack_window(Window((b"x" * 20,), np.zeros(2)))


@given(
    st.builds(FeedFacts, title=st.text(), ttl=st.none() | st.floats(0, 1e9), skip_hours=st.tuples(st.integers(0, 23)))
)
def test_facts_come_back(facts: FeedFacts) -> None:
    assert rows.unpack_facts(rows.pack_facts(facts)) == facts


def test_facts_of_a_later_version_do_not_hurt() -> None:
    assert rows.unpack_facts('{"title":"x","invented":1}') == FeedFacts(title="x")


@given(st.text())
def test_keys_are_signed_64_bit_numbers(url: str) -> None:
    assert -(2**63) <= rows.url_key(url) < 2**63
