"""What robots.txt says: allowed, forbidden, not known yet; remembered for a day."""

from collections.abc import Callable

import pytest

from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Trip
from afresh.http.robots import RobotsMemory, Ruling

RULES = b"User-agent: afresh\nDisallow: /private\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n"
ADDRESS = "http://a.example/robots.txt"
TRIP = Trip(url=ADDRESS, final_url=ADDRESS, started=0.0, finished=0.0)
DAY = 86_400.0
Answer = Callable[[], Outcome]


def rules() -> Outcome:
    return Fetched(trip=TRIP, status=200, body=RULES)


def status(code: int, retry_after: float | None = None) -> Outcome:
    return Rejected(trip=TRIP, status=code, retry_after=retry_after)


def failure(cause: Failure) -> Outcome:
    return Failed(trip=TRIP, cause=cause, detail="no luck")


def ruling(outcome: Outcome, path: str = "/page") -> Ruling:
    memory = RobotsMemory()
    return memory.learn(ADDRESS, outcome, 1_000.0).ruling("http://a.example" + path, memory.agent)


def test_our_own_group_counts() -> None:
    assert ruling(rules(), "/public") is Ruling.ALLOWED
    assert ruling(rules(), "/private/x") is Ruling.FORBIDDEN


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (status(404), Ruling.ALLOWED),
        (status(403), Ruling.ALLOWED),
        (status(401), Ruling.ALLOWED),
        (status(410), Ruling.ALLOWED),
        (failure(Failure.REDIRECTS), Ruling.ALLOWED),
        (status(429), Ruling.UNKNOWN),
        (status(500), Ruling.UNKNOWN),
        (status(503), Ruling.UNKNOWN),
        (failure(Failure.TIMEOUT), Ruling.UNKNOWN),
        (failure(Failure.DNS), Ruling.UNKNOWN),
        (failure(Failure.CONNECT), Ruling.UNKNOWN),
        (failure(Failure.TLS), Ruling.UNKNOWN),
        (failure(Failure.OFFLINE), Ruling.UNKNOWN),
        (failure(Failure.PROTOCOL), Ruling.UNKNOWN),
    ],
)
def test_what_the_absence_of_rules_means(outcome: Outcome, expected: Ruling) -> None:
    assert ruling(outcome) is expected


def test_rules_are_kept_for_a_day() -> None:
    memory = RobotsMemory()
    assert memory.rules(ADDRESS, 1_000.0) is None
    memory.learn(ADDRESS, rules(), 1_000.0)
    known = memory.rules(ADDRESS, 1_000.0 + DAY - 1)
    assert known is not None
    assert known.delay == 7.0
    assert memory.rules(ADDRESS, 1_000.0 + DAY) is None


def test_what_cannot_be_read_is_asked_for_again_after_pauses_that_grow() -> None:
    memory = RobotsMemory(first_wait=60.0)
    now, waits = 0.0, []
    for _ in range(14):
        known = memory.learn(ADDRESS, status(503), now)
        waits.append(known.again - now)
        assert memory.rules(ADDRESS, known.again) is None
        now = known.again
    assert waits[:4] == [60.0, 120.0, 240.0, 480.0]
    assert waits[-1] == DAY
    assert memory.learn(ADDRESS, rules(), now).tries == 0
    assert memory.learn(ADDRESS, status(503, retry_after=300.0), now + DAY).again == now + DAY + 300.0


def test_our_own_outage_lets_no_pause_grow() -> None:
    memory = RobotsMemory(first_wait=60.0)
    for now in (0.0, 100.0, 200.0):
        assert memory.learn(ADDRESS, failure(Failure.OFFLINE), now).again == now + 60.0


def test_it_is_said_in_words() -> None:
    memory = RobotsMemory()
    noon = 1_700_000_000.0 - 1_700_000_000.0 % DAY + 12 * 3_600
    known = memory.learn(ADDRESS, status(503), noon + 39 * 60)
    assert known.words() == "robots.txt could not be read: HTTP 503; asked again at 12:40 UTC"
    assert known.words(asks_again=False) == "robots.txt could not be read: HTTP 503; try again after 12:40 UTC"
    known = memory.learn(ADDRESS, failure(Failure.PROTOCOL), noon)
    assert known.words().startswith("robots.txt could not be read: protocol: no luck; ")


def test_old_rules_hold_while_new_ones_cannot_be_read() -> None:
    memory = RobotsMemory(first_wait=60.0)
    memory.learn(ADDRESS, rules(), 0.0)
    known = memory.learn(ADDRESS, status(500), DAY)
    assert known.ruling("http://a.example/private", memory.agent) is Ruling.FORBIDDEN
    assert known.ruling("http://a.example/x", memory.agent) is Ruling.ALLOWED
    assert (known.delay, known.again) == (7.0, DAY + 60.0)
    known = memory.learn(ADDRESS, status(500), 31 * DAY)  # RFC 9309 §2.3.1.4
    assert known.ruling("http://a.example/x", memory.agent) is Ruling.UNKNOWN


def test_where_it_moved_to_need_not_be_asked_again() -> None:
    memory = RobotsMemory()
    moved = Trip(url=ADDRESS, final_url="https://a.example/robots.txt", started=0.0, finished=0.0)
    memory.learn(ADDRESS, Fetched(trip=moved, status=200, body=RULES), 0.0)
    assert memory.rules("https://a.example/robots.txt", 1.0) is not None
