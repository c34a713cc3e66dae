"""Hours and weekdays of UTC seconds agree with the standard library."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from afresh.core.calendar import hour_of_day, minute_of_day, next_hour, weekday


@given(st.floats(-1e9, 4e9))
def test_parts_of_a_moment(t: float) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(t // 1))
    assert hour_of_day(t) == moment.hour
    assert minute_of_day(t) == moment.hour * 60 + moment.minute
    assert weekday(t) == moment.weekday()


@given(st.floats(-1e9, 4e9))
def test_next_hour_is_later_and_full(t: float) -> None:
    following = next_hour(t)
    assert 0.0 < following - t <= 3_600.0
    assert following % 3_600.0 == 0.0
