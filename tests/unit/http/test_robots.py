"""robots.txt: asked for rarely, obeyed always."""

import asyncio
from collections.abc import Callable

import pytest

from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Request, Trip
from afresh.http.robots import RobotsCache, RobotsFetcher
from tests.fakes.clocks import StillClock

RULES = b"User-agent: afresh\nDisallow: /private\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n"


class Web:
    """Answers robots.txt as the test says and everything else with a page; remembers who was asked when."""

    def __init__(self, clock: StillClock, robots: Callable[[Trip], Outcome]) -> None:
        self.clock = clock
        self.robots = robots
        self.asked: list[tuple[str, float]] = []

    async def fetch(self, request: Request) -> Outcome:
        now = self.clock.now()
        self.asked.append((request.url, now))
        await asyncio.sleep(0)
        trip = Trip(url=request.url, final_url=request.url, started=now, finished=now)
        if request.url.endswith("/robots.txt"):
            return self.robots(trip)
        return Fetched(trip=trip, status=200, body=b"page")

    async def close(self) -> None:
        self.asked.append(("closed", self.clock.now()))


def rules(trip: Trip) -> Outcome:
    return Fetched(trip=trip, status=200, body=RULES)


def status(code: int) -> Callable[[Trip], Outcome]:
    return lambda trip: Rejected(trip=trip, status=code)


def failure(cause: Failure) -> Callable[[Trip], Outcome]:
    return lambda trip: Failed(trip=trip, cause=cause, detail="no luck")


def allowed(answer: Callable[[Trip], Outcome], url: str = "http://a.example/page") -> bool:
    clock = StillClock()
    return asyncio.run(RobotsCache(Web(clock, answer), clock=clock).permission(url)).allowed


def test_our_own_group_counts() -> None:
    assert allowed(rules, "http://a.example/public")
    assert not allowed(rules, "http://a.example/private/x")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (status(404), True),
        (status(403), True),
        (status(410), True),
        (failure(Failure.REDIRECTS), True),
        (status(429), False),
        (status(500), False),
        (status(503), False),
        (failure(Failure.TIMEOUT), False),
        (failure(Failure.DNS), False),
        (failure(Failure.TOO_LARGE), False),
        (failure(Failure.PROTOCOL), False),
    ],
)
def test_what_the_absence_of_rules_means(answer: Callable[[Trip], Outcome], expected: bool) -> None:
    assert allowed(answer) is expected


def test_rules_are_asked_for_once_a_day_for_each_origin() -> None:
    async def scene() -> list[str]:
        clock = StillClock()
        web = Web(clock, rules)
        cache = RobotsCache(web, clock=clock)
        for url in ("http://a.example/1", "http://a.example:80/2", "https://a.example/3", "http://a.example:8080/4"):
            assert (await cache.permission(url)).allowed
        clock.advance(86_399.0)
        assert not (await cache.permission("http://a.example/5")).asked
        clock.advance(2.0)
        assert (await cache.permission("http://a.example/6")).asked
        return [url for url, _ in web.asked]

    assert asyncio.run(scene()) == [
        "http://a.example/robots.txt",
        "https://a.example/robots.txt",
        "http://a.example:8080/robots.txt",
        "http://a.example/robots.txt",
    ]


def test_many_at_once_ask_once() -> None:
    async def scene() -> int:
        clock = StillClock()
        web = Web(clock, rules)
        cache = RobotsCache(web, clock=clock)
        found = await asyncio.gather(*(cache.permission(f"http://a.example/{n}") for n in range(20)))
        assert sum(permission.asked for permission in found) == 1
        return len(web.asked)

    assert asyncio.run(scene()) == 1


def test_a_failing_server_is_asked_again_soon_and_its_old_rules_hold_meanwhile() -> None:
    async def scene() -> None:
        clock = StillClock()
        web = Web(clock, status(500))
        cache = RobotsCache(web, clock=clock)
        assert not (await cache.permission("http://a.example/x")).allowed
        web.robots = rules
        assert not (await cache.permission("http://a.example/x")).allowed
        clock.advance(601.0)
        assert (await cache.permission("http://a.example/x")).allowed
        web.robots = status(500)
        clock.advance(86_401.0)
        assert (await cache.permission("http://a.example/x")).allowed
        assert not (await cache.permission("http://a.example/private")).allowed
        clock.advance(31 * 86_400.0)
        assert not (await cache.permission("http://a.example/x")).allowed

    asyncio.run(scene())


def visit(answer: Callable[[Trip], Outcome], *urls: str) -> tuple[list[Outcome], Web]:
    async def scene() -> tuple[list[Outcome], Web]:
        clock = StillClock()
        web = Web(clock, answer)
        fetcher = RobotsFetcher(web, RobotsCache(web, clock=clock), clock=clock, delay=2.0)
        outcomes = [await fetcher.fetch(Request(url=url)) for url in urls]
        await fetcher.close()
        return outcomes, web

    return asyncio.run(scene())


def test_a_refusal_is_an_outcome_and_no_request() -> None:
    (outcome,), web = visit(rules, "http://a.example/private")
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.ROBOTS
    assert [url for url, _ in web.asked] == ["http://a.example/robots.txt", "closed"]


def test_the_page_waits_its_turn_after_robots() -> None:
    (outcome, _), web = visit(rules, "http://a.example/1", "http://a.example/2")
    assert isinstance(outcome, Fetched)
    times = [at for _, at in web.asked]
    assert times[1] - times[0] == 7.0  # the site's Crawl-delay, longer than our own
    assert times[2] == times[1]  # the second page's pause is the caller's business
    _, web = visit(status(404), "http://a.example/1")
    assert web.asked[1][1] - web.asked[0][1] == 2.0


def test_an_unreachable_site_fails_for_its_own_reason() -> None:
    (outcome,), _ = visit(failure(Failure.DNS), "http://a.example/1")
    assert isinstance(outcome, Failed)
    assert (outcome.cause, outcome.detail) == (Failure.DNS, "no luck")


def test_what_is_no_url_is_left_to_the_fetcher() -> None:
    assert allowed(status(500), "nonsense")


def test_only_crawls_are_held_to_robots_where_that_is_wanted() -> None:
    async def scene() -> tuple[Outcome, Outcome, Outcome, Web]:
        clock = StillClock()
        web = Web(clock, rules)
        fetcher = RobotsFetcher(web, RobotsCache(web, clock=clock), clock=clock, delay=2.0, only_crawls=True)
        asked_for = await fetcher.fetch(Request(url="http://a.example/private"))
        crawled = await fetcher.fetch(Request(url="http://a.example/private", is_crawl=True))
        allowed = await fetcher.fetch(Request(url="http://a.example/1", is_crawl=True))
        return asked_for, crawled, allowed, web

    asked_for, crawled, allowed, _ = asyncio.run(scene())
    assert isinstance(asked_for, Fetched)
    assert not asked_for.trip.robots_read
    assert isinstance(crawled, Failed)
    assert isinstance(allowed, Fetched)
    assert (allowed.trip.robots_read, allowed.trip.crawl_delay) == (True, 7.0)
