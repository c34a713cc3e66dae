"""When a site may be asked again."""

import asyncio
import itertools

import pytest
from afresh.http.pacing import HopPacer, Pacer
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Rejected, Trip
from afresh.base.pacing import DAY, Manners, backoff, next_allowed, retry_after_of
from tests.fakes.clocks import StillClock
from tests.fakes.fake_web import HandClock

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


def outcome_at(clock: StillClock, seconds: float = 0.5, status: int = 0) -> Outcome:
    started = clock.now()
    clock.advance(seconds)
    trip = Trip(url="u", final_url="u", started=started, finished=clock.now())
    return Rejected(trip=trip, status=status) if status else NotModified(trip=trip)


def test_the_pacer_serves_a_site_one_at_a_time_and_pauses() -> None:
    clock = StillClock(0.0)
    pacer = Pacer(clock, Manners(delay=3.0))
    turns: list[tuple[float, float]] = []
    busy = 0

    async def visit() -> None:
        nonlocal busy
        async with pacer.turn("a") as turn:
            assert busy == 0
            busy += 1
            began = clock.now()
            await asyncio.sleep(0)
            turn.outcome = outcome_at(clock)
            turns.append((began, clock.now()))
            busy -= 1

    async def scene() -> None:
        await asyncio.gather(*(visit() for _ in range(5)))

    asyncio.run(scene())
    gaps = [later[0] - earlier[1] for earlier, later in itertools.pairwise(turns)]
    assert gaps == [3.0] * 4


def test_the_pacer_backs_off_and_forgives() -> None:
    clock = StillClock(0.0)
    pacer = Pacer(clock, Manners(delay=1.0))

    async def visit(status: int) -> float:
        async with pacer.turn("a") as turn:
            turn.outcome = outcome_at(clock, 0.0, status)
        return pacer.ready_at("a") - clock.now()

    async def scene() -> list[float]:
        return [await visit(status) for status in (500, 500, 0, 500)]

    assert asyncio.run(scene()) == [60.0, 120.0, 1.0, 60.0]


def test_a_turn_that_ended_without_an_outcome_still_counts_as_a_request() -> None:
    clock = StillClock(50.0)
    pacer = Pacer(clock, Manners(delay=2.0))

    async def scene() -> None:
        with pytest.raises(ValueError, match="caller"):
            async with pacer.turn("a"):
                raise ValueError("caller's mistake")

    asyncio.run(scene())
    assert pacer.ready_at("a") == 52.0
    assert pacer.ready_at("unknown") == 0.0


def test_who_gives_up_waiting_leaves_the_site_to_the_others() -> None:
    """Whether the wait was for another's request to end or for the pause behind it."""

    class Endless(StillClock):
        async def sleep(self, seconds: float) -> None:
            await asyncio.Event().wait()

    async def scene() -> list[bool]:
        clock = Endless(50.0)
        pacer = Pacer(clock, Manners(delay=2.0))

        async def visit() -> None:
            async with pacer.turn("a") as turn:
                turn.outcome = outcome_at(clock)

        async def give_up() -> bool:
            waiting = asyncio.create_task(visit())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait((waiting,))
            return waiting.cancelled()

        async with pacer.turn("a") as turn:
            gave_up = [await give_up()]  # behind this turn
            turn.outcome = outcome_at(clock)
        gave_up.append(await give_up())  # in the pause
        clock.time = pacer.ready_at("a")
        await asyncio.wait_for(visit(), 60.0)
        return gave_up

    assert asyncio.run(scene()) == [True, True]


def test_hops_to_one_host_are_spaced_and_to_others_are_not() -> None:
    clock = HandClock(1000.0)
    pacer = HopPacer(clock, 5.0)
    reached: list[tuple[str, float]] = []

    async def hop(host: str) -> None:
        await pacer.wait(host)
        reached.append((host, clock.now()))

    async def scenario() -> None:
        for host in ("a", "a", "b", "a"):
            await hop(host)

    asyncio.run(scenario())
    times = [at for host, at in reached if host == "a"]
    assert all(later - earlier >= 5.0 for earlier, later in itertools.pairwise(times))
    assert times[0] == 1000.0
