"""What ttl, skipHours and skipDays allow."""

import pytest

from afresh.base.calendar import DAY, HOUR
from afresh.feeds.publisher_hints import earliest_allowed

SATURDAY = 2 * DAY  # 1970-01-03


def test_all_hints_together() -> None:
    """Polled Saturday 23:30 with ttl 60, skipHours 0 and 1, skipDays Sunday: Monday 02:00."""
    at = earliest_allowed(SATURDAY + 23.5 * HOUR, ttl=3_600.0, skip_hours=(0, 1), skip_days=(6,))
    assert at == SATURDAY + 2 * DAY + 2 * HOUR


def test_nothing_to_skip() -> None:
    assert earliest_allowed(SATURDAY + 100.0) == SATURDAY + 100.0
    assert earliest_allowed(SATURDAY + 100.0, ttl=-5.0) == SATURDAY + 100.0


@pytest.mark.parametrize("hints", [{"skip_hours": range(24)}, {"skip_days": range(7)}, {"skip_hours": range(1, 25)}])
def test_never_is_not_believed(hints: dict[str, range]) -> None:
    assert earliest_allowed(SATURDAY, **hints) is None


def test_the_last_hour_of_the_week_is_found() -> None:
    """All hours but 5, all days but Friday, from Friday 06:00."""
    friday = DAY
    at = earliest_allowed(friday + 6 * HOUR, skip_hours=set(range(24)) - {5}, skip_days=set(range(7)) - {4})
    assert at == friday + 7 * DAY + 5 * HOUR


def test_zone() -> None:
    """Midnight to one, two hours east of UTC."""
    assert earliest_allowed(SATURDAY - 2 * HOUR + 60.0, skip_hours=(0,), utc_offset=2 * HOUR) == SATURDAY - HOUR
