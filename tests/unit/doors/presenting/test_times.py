"""Times in words and ISO 8601."""

import math
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.doors.presenting.times import finite, iso, relative


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_every_float_has_an_answer(seconds: float) -> None:
    text = iso(seconds)
    if text is not None:
        assert len(text) == 24
        assert math.isclose(datetime.fromisoformat(text).timestamp(), seconds, abs_tol=0.002, rel_tol=1e-12)
    assert relative(seconds, 0.0)


@pytest.mark.parametrize(
    ("seconds", "text"), [(253_402_300_799.0, "9999-12-31T23:59:59.000Z"), (-1.0, "1969-12-31T23:59:59.000Z")]
)
def test_edges(seconds: float, text: str) -> None:
    assert iso(seconds) == text


def test_what_json_cannot_say_is_null() -> None:
    assert [finite(number) for number in (None, math.nan, math.inf, -math.inf, 0.0)] == [None, None, None, None, 0.0]
