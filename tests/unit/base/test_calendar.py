"""Hours and weekdays of UTC seconds agree with the standard library."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from afresh.base.calendar import hour_of_day, minute_of_day, next_hour, weekday

#: Seconds at the resolution of a float that holds today's date; finer ones next to 0 round to the neighbouring hour.
MOMENTS = st.integers(-(10**12), 4 * 10**12).map(lambda milliseconds: milliseconds / 1000)


@given(MOMENTS)
def test_parts_of_a_moment(t: float) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(t // 1))
    assert hour_of_day(t) == moment.hour
    assert minute_of_day(t) == moment.hour * 60 + moment.minute
    assert weekday(t) == moment.weekday()


@given(MOMENTS)
def test_next_hour_is_later_and_full(t: float) -> None:
    following = next_hour(t)
    assert 0.0 < following - t <= 3_600.0
    assert following % 3_600.0 == 0.0
