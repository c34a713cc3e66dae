"""When a site may be asked again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Rejected, Trip
from afresh.base.politeness import DAY, Manners, backoff, next_allowed, retry_after_of

TRIP = Trip(url="http://a.example/", final_url="http://a.example/", started=100.0, finished=104.0)
OK = NotModified(trip=TRIP)


def rejected(status: int, retry_after: float | None = None) -> Rejected:
    return Rejected(trip=TRIP, status=status, retry_after=retry_after)


@settings(deadline=None)
@given(failures=st.integers(1, 10**9), u=st.floats(0, 1, exclude_max=True))
def test_backoff_is_positive_bounded_and_never_gives_up(failures: int, u: float) -> None:
    assert 45.0 <= backoff(failures, u=u) <= 1.25 * DAY


@settings(deadline=None)
@given(failures=st.integers(0, 100), u=st.floats(0, 1, exclude_max=True))
def test_backoff_never_shrinks_with_more_failures(failures: int, u: float) -> None:
    assert backoff(failures + 1, u=u) >= backoff(failures, u=u)


def test_backoff_settles_at_one_try_a_day() -> None:
    assert [backoff(n, base=60.0) for n in range(1, 13)] == [60.0 * 2**n for n in range(11)] + [DAY]


def test_backoff_spreads() -> None:
    assert backoff(1, u=0.0) == 45.0
    assert backoff(1, u=0.5) == 60.0
    assert backoff(1, u=1.0) == 75.0


@pytest.mark.parametrize(
    ("outcome", "failures", "wait"),
    [
        (OK, 0, 2.0),
        (Fetched(trip=TRIP, status=200, body=b""), 0, 2.0),
        (rejected(404), 3, 2.0),
        (rejected(410), 1, 2.0),
        (rejected(500), 1, 60.0),
        (rejected(503), 2, 120.0),
        (rejected(429), 1, 60.0),
        (rejected(429), 0, 60.0),
        (rejected(429, 7.0), 5, 7.0),
        (rejected(503, 0.5), 5, 2.0),
        (rejected(503, -5.0), 5, 2.0),
        (rejected(429, 1e12), 1, 7 * DAY),
        (Failed(trip=TRIP, cause=Failure.TIMEOUT), 1, 60.0),
        (Failed(trip=TRIP, cause=Failure.DNS), 50, DAY),
        (Failed(trip=TRIP, cause=Failure.OFFLINE), 50, 2.0),
        (Failed(trip=TRIP, cause=Failure.ROBOTS), 1, 2.0),
        (Failed(trip=TRIP, cause=Failure.ROBOTS, retry_after=DAY), 1, 2.0),  # one page's, not the site's
        (Failed(trip=TRIP, cause=Failure.LATER, retry_after=90.0), 1, 2.0),  # one resource waits for robots.txt, say
        (Failed(trip=TRIP, cause=Failure.LATER, retry_after=90.0, site_rest=90.0), 1, 90.0),
    ],
)
def test_the_next_request_waits_for_the_reason_given(outcome: Outcome, failures: int, wait: float) -> None:
    assert next_allowed(outcome, manners=Manners(delay=2.0), failures=failures) == pytest.approx(104.0 + wait)


def test_a_sites_own_delay_only_lengthens() -> None:
    assert next_allowed(OK, manners=Manners(delay=2.0), delay=10.0) == 114.0
    assert next_allowed(OK, manners=Manners(delay=2.0), delay=0.1) == 106.0


def test_slow_servers_are_spared_in_proportion_up_to_a_limit() -> None:
    assert next_allowed(OK, manners=Manners(duration_factor=5.0)) == 104.0 + 5 * 4.0
    assert next_allowed(OK, manners=Manners(duration_factor=50.0)) == 104.0 + 30.0


def test_retry_after_is_none_where_nothing_was_asked() -> None:
    assert retry_after_of(OK) is None
    assert retry_after_of(rejected(429)) is None
    assert retry_after_of(rejected(429, 9.0)) == 9.0
