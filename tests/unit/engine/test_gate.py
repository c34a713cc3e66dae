"""The laws of the gate, in virtual time: how often, how close together, and what not at all."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from afresh.base.errors import StoreAway
from afresh.base.models import (
    Failed,
    Failure,
    Fetched,
    NewResource,
    Outcome,
    Redirect,
    Rejected,
    Request,
    TakenSite,
    Terms,
    Trip,
)
from afresh.base.politeness import Manners, next_allowed
from afresh.base.settings.sections import PolitenessSettings
from afresh.engine.gate import Gate
from afresh.http.failures import HopRefused
from afresh.http.hop import Hop
from afresh.http.location import locate
from afresh.http.robots import Rules, Ruling
from afresh.store import open_store
from tests.fakes.clocks import VirtualClock
from tests.fakes.gates import gate_to

A, B = "http://a.example", "http://b.example"
DAY = 86_400.0
DELAY = 5.0
POLITE = PolitenessSettings(delay=DELAY, trouble_wait=60.0)
Answer = Callable[[Trip], Outcome]


class Town:
    """A client without a network: every request takes half a second, and is noted with its start and end."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.answers: dict[str, Answer] = {}
        self.takes: dict[str, float] = {}
        self.asked: list[tuple[str, float, float]] = []
        self.under_way: dict[str, int] = {}

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        assert hop is not None, "a request that passed no gate"
        url, redirects, requests = request.url, (), 0
        while True:
            started = self.clock.now()
            try:
                await hop(locate(url))
            except HopRefused as error:
                return error.outcome(self._trip(request, url, started, redirects, requests))
            requests += 1
            outcome = await self._ask(request, url, redirects, requests)
            target = outcome.trip.headers.get("location", "")
            if not target:
                return outcome
            redirects = (*redirects, Redirect(301, target))
            url = target

    async def _ask(self, request: Request, url: str, redirects: tuple[Redirect, ...], requests: int) -> Outcome:
        site = url.split("/")[2]
        self.under_way[site] = self.under_way.get(site, 0) + 1
        assert self.under_way[site] == 1, f"two requests at a time to {site}"
        start = self.clock.now()
        try:
            await self.clock.sleep(self.takes.get(url, 0.5))
        finally:
            self.under_way[site] -= 1
            self.asked.append((url, start, self.clock.now()))
        usual = status(404) if url.endswith("/robots.txt") else page
        return self.answers.get(url, usual)(self._trip(request, url, start, redirects, requests))

    def _trip(self, request: Request, url: str, started: float, redirects: tuple[Redirect, ...], requests: int) -> Trip:
        now = self.clock.now()
        return Trip(
            url=request.url, final_url=url, started=started, finished=now, redirects=redirects, requests=requests
        )

    async def close(self) -> None:
        pass

    def urls(self) -> list[str]:
        return [url for url, _, _ in self.asked]

    def gaps(self, site: str = A) -> list[float]:
        mine = [(start, end) for url, start, end in self.asked if url.startswith(site)]
        return [after[0] - before[1] for before, after in itertools.pairwise(mine)]


def page(trip: Trip) -> Outcome:
    return Fetched(trip=trip, status=200, body=b"page")


def status(code: int, retry_after: float | None = None) -> Answer:
    return lambda trip: Rejected(trip=trip, status=code, retry_after=retry_after)


def failing(cause: Failure) -> Answer:
    return lambda trip: Failed(trip=trip, cause=cause, detail="no luck")


def robots(text: str) -> Answer:
    return lambda trip: Fetched(trip=trip, status=200, body=f"User-agent: *\n{text}\n".encode())


def moved(target: str) -> Answer:
    def answer(trip: Trip) -> Outcome:
        told = Trip(url=trip.url, final_url=trip.final_url, started=trip.started, finished=trip.finished,
                    redirects=trip.redirects, requests=trip.requests, headers={"location": target})  # fmt: skip
        return Rejected(trip=told, status=301)

    return answer


def crawl(url: str, **terms: object) -> Request:
    return Request(url=url, is_crawl=True, terms=Terms(**terms))  # type: ignore[arg-type]


class Scene:
    """A gate in front of the town."""

    def __init__(self, **more: object) -> None:
        self.clock = VirtualClock()
        self.town = Town(self.clock)
        self.gate: Gate = gate_to(self.town, self.clock, POLITE, **more)  # type: ignore[arg-type]

    def ask(self, *requests: Request) -> list[Outcome]:
        async def scene() -> list[Outcome]:
            return list(await asyncio.gather(*map(self.gate.fetch, requests)))

        return self.clock.run(scene())

    def one_after_the_other(self, *requests: Request) -> list[Outcome]:
        async def scene() -> list[Outcome]:
            return [await self.gate.fetch(request) for request in requests]

        return self.clock.run(scene())


def cause(outcome: Outcome) -> Failure:
    assert isinstance(outcome, Failed), outcome
    return outcome.cause


# --- pauses -----------------------------------------------------------------------------------------------------------


def test_a_site_is_asked_one_at_a_time_with_its_pause_between_end_and_start() -> None:
    scene = Scene(heeds_robots=False)
    scene.ask(*(crawl(f"{A}/{n}") for n in range(5)))
    assert scene.town.gaps() == [DELAY] * 4


class Busy:
    """A ledger in which somebody else has every site, whenever one looks."""

    def __init__(self) -> None:
        self.clock: VirtualClock | None = None

    async def take(self, _: str) -> TakenSite | float:
        assert self.clock is not None
        return self.clock.now() + 0.5

    async def leave(self, taken: TakenSite, *, next_allowed: float) -> None:
        raise AssertionError("nothing was taken")


@pytest.mark.parametrize(
    ("asks_again", "advice"),
    [(True, ""), (False, ": the daemon on the same store, as a rule; try again, or when it has less to ask there")],
)
def test_who_waited_in_vain_for_a_turn_is_told_how_long_and_who_had_it(asks_again: bool, advice: str) -> None:
    busy = Busy()
    scene = Scene(heeds_robots=False, ledger=busy, asks_again=asks_again)
    busy.clock = scene.clock
    (outcome,) = scene.ask(crawl(f"{A}/"))
    assert cause(outcome) is Failure.LATER
    assert str(outcome) == f"waited 30s for a turn at a.example, which another process is asking all the time{advice}"
    assert scene.town.asked == []


def test_sites_are_asked_side_by_side() -> None:
    scene = Scene(heeds_robots=False)
    scene.ask(*(crawl(f"{site}/{n}") for n in range(3) for site in (A, B)))
    assert scene.town.gaps(A) == scene.town.gaps(B) == [DELAY] * 2
    assert scene.clock.now() == 1_000_000.0 + 3 * 0.5 + 2 * DELAY


@pytest.mark.parametrize(
    ("own", "crawl_delay", "wish", "pause"),
    [
        (0.0, 0.0, None, DELAY),
        (9.0, 0.0, None, 9.0),
        (0.0, 7.0, None, 7.0),
        (9.0, 7.0, None, 9.0),
        (9.0, 7.0, 12.0, 12.0),
        (0.0, 0.0, 2.0, DELAY),
        (0.0, 7.0, 2.0, 7.0),
    ],
)
def test_the_pause_is_the_longest_that_anybody_asks_for(
    own: float, crawl_delay: float, wish: float | None, pause: float
) -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots(f"Crawl-delay: {crawl_delay}" if crawl_delay else "Disallow:")
    scene.town.answers[A + "/1"] = page if wish is None else status(429, wish)
    scene.one_after_the_other(*(crawl(f"{A}/{n}", pause=own) for n in range(3)))
    assert scene.town.gaps() == [max(DELAY, own, crawl_delay)] * 2 + [pause]


def test_a_retry_after_that_is_too_long_to_wait_for_is_no_request() -> None:
    scene = Scene()
    scene.town.answers[A + "/1"] = status(503, 3_600.0)
    _, later = scene.one_after_the_other(crawl(f"{A}/1"), crawl(f"{A}/2"))
    assert cause(later) is Failure.LATER
    assert isinstance(later, Failed)
    assert later.retry_after == pytest.approx(3_600.0)
    assert "a.example may not be asked for another 1h" in later.detail
    assert later.trip.requests == 0
    scene.clock.time += 3_600.0
    assert isinstance(scene.ask(crawl(f"{A}/2"))[0], Fetched)
    assert scene.town.urls() == [A + "/robots.txt", A + "/1", A + "/2"]


def test_a_site_can_be_left_alone_whatever_its_store_says() -> None:
    """As after a start at which nobody knows how much time has passed."""
    scene = Scene(heeds_robots=False)
    began = scene.clock.now()
    scene.gate.leave_alone("a.example", began + 20.0)
    scene.ask(crawl(f"{A}/1", leased="a.example"), crawl(f"{B}/1"))
    assert {url: start - began for url, start, _ in scene.town.asked} == {f"{A}/1": 20.0, f"{B}/1": 0.0}


def test_after_the_clock_was_set_back_a_pause_is_as_long_as_it_was() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /private")
    scene.ask(crawl(f"{A}/1"))
    scene.clock.time -= 30 * DAY
    set_back = scene.clock.now()
    assert isinstance(scene.ask(crawl(f"{A}/2"))[0], Fetched)  # rules read ahead of now are read anew
    assert scene.town.urls() == [A + "/robots.txt", A + "/1", A + "/robots.txt", A + "/2"]
    assert scene.town.asked[2][1] == pytest.approx(set_back + DELAY)
    assert scene.gate.ready_at(f"{A}/3") == pytest.approx(scene.clock.now() + DELAY)


def test_where_nobody_was_asked_nobody_is_spared() -> None:
    scene = Scene(heeds_robots=False)

    def refused(trip: Trip) -> Outcome:
        return Failed(trip=replace(trip, requests=0), cause=Failure.ADDRESS, detail="not a public address")

    scene.town.answers = {f"{A}/{n}": refused for n in range(4)}
    scene.ask(*(crawl(f"{A}/{n}") for n in range(5)))
    assert scene.town.gaps() == [0.0] * 4


def test_trouble_backs_off_and_is_forgiven() -> None:
    scene = Scene(heeds_robots=False, patience=DAY)
    for path, answer in zip("012345", (status(500), status(500), page, status(500), page, page), strict=True):
        scene.town.answers[f"{A}/{path}"] = answer
    scene.one_after_the_other(*(crawl(f"{A}/{n}") for n in range(6)))
    assert scene.town.gaps() == [60.0, 120.0, DELAY, 60.0, DELAY]


def test_who_gives_up_leaves_the_site_to_the_others_and_counts_as_a_request() -> None:
    scene = Scene(heeds_robots=False)

    async def play() -> None:
        asking = asyncio.create_task(scene.gate.fetch(crawl(f"{A}/1")))
        waiting = asyncio.create_task(scene.gate.fetch(crawl(f"{A}/2")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
        asking.cancel()
        await asyncio.wait((asking, waiting))
        await scene.gate.fetch(crawl(f"{A}/3"))

    scene.clock.run(play())
    assert scene.town.urls() == [A + "/1", A + "/3"]
    assert scene.town.gaps() == [DELAY]


def test_told_to_stop_nothing_more_is_asked() -> None:
    scene = Scene(heeds_robots=False)

    async def play() -> Outcome:
        await scene.gate.fetch(crawl(f"{A}/1"))
        waiting = asyncio.create_task(scene.gate.fetch(crawl(f"{A}/2")))
        await asyncio.sleep(0)
        scene.gate.stop()
        return await waiting

    assert cause(scene.clock.run(play())) is Failure.LATER
    assert scene.town.urls() == [A + "/1"]


def test_idle_sites_are_forgotten_and_pauses_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.engine.site_turns._MANY", 10)
    scene = Scene(heeds_robots=False)
    scene.gate._turns._many = 10
    scene.one_after_the_other(*(crawl(f"http://s{n}.example/") for n in range(60)))
    assert len(scene.gate._turns._sites) <= 22
    scene.ask(crawl("http://s59.example/again"))
    assert scene.town.gaps("http://s59.example") == [DELAY]


def test_who_is_let_in_too_late_does_not_ask() -> None:
    """Those in front took longer than anybody could expect, and no pause is left to wait for."""
    clock = VirtualClock()
    town = Town(clock)
    town.takes[f"{A}/slow"] = 200.0
    gate = gate_to(town, clock, PolitenessSettings(delay=0.0), heeds_robots=False)

    async def scene() -> Outcome:
        slow = asyncio.create_task(gate.fetch(crawl(f"{A}/slow")))
        await clock.sleep(1.0)
        outcome = await gate.fetch(crawl(f"{A}/1", until=clock.now() + 50.0))
        await slow
        return outcome

    assert cause(clock.run(scene())) is Failure.LATER
    assert town.urls() == [A + "/slow"]


# --- robots.txt -------------------------------------------------------------------------------------------------------


def test_robots_is_asked_first_and_once_by_many() -> None:
    scene = Scene()
    found = scene.ask(*(crawl(f"{A}/{n}") for n in range(4)))
    assert scene.town.urls().count(A + "/robots.txt") == 1
    assert scene.town.urls()[0] == A + "/robots.txt"
    assert scene.town.gaps() == [DELAY] * 4
    assert all(isinstance(outcome, Fetched) and outcome.trip.robots_read for outcome in found)


@pytest.mark.parametrize(
    "target", [A + "/rules.txt", "https://a.example/robots.txt", "http://www.a.example/robots.txt"]
)
@pytest.mark.parametrize("answer", [robots("Disallow:"), status(404), status(503)])
def test_a_robots_file_that_has_moved_is_read_once_by_many(target: str, answer: Answer) -> None:
    scene = Scene()
    scene.town.answers = {A + "/robots.txt": moved(target), target: answer}
    found = scene.ask(*(crawl(f"{A}/{n}") for n in range(8)))
    assert scene.town.urls()[:2] == [A + "/robots.txt", target]
    pages = scene.town.urls()[2:]
    if all(isinstance(outcome, Fetched) for outcome in found):
        assert sorted(pages) == [f"{A}/{n}" for n in range(8)]
    else:
        assert {cause(outcome) for outcome in found} == {Failure.LATER}
        assert pages == []
    assert all(gap >= DELAY for gap in scene.town.gaps())


def test_a_robots_file_is_read_by_another_where_the_first_gives_up() -> None:
    scene = Scene()
    scene.town.answers = {A + "/robots.txt": moved(A + "/rules.txt"), A + "/rules.txt": robots("Disallow:")}

    async def play() -> list[Outcome]:
        first, *others = [asyncio.create_task(scene.gate.fetch(crawl(f"{A}/{n}"))) for n in range(3)]
        await scene.clock.sleep(2.0)  # it waits for the pause before the hop
        first.cancel()
        return list(await asyncio.gather(*others))

    assert all(isinstance(outcome, Fetched) for outcome in scene.clock.run(play()))
    assert scene.town.urls()[:3] == [A + "/robots.txt", A + "/robots.txt", A + "/rules.txt"]
    assert min(scene.town.gaps()) >= DELAY


def test_what_is_forbidden_is_not_asked_for_until_robots_is_read_anew() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /no\nCrawl-delay: 7")
    refused, fetched = scene.one_after_the_other(crawl(f"{A}/no"), crawl(f"{A}/yes"))
    assert cause(refused) is Failure.ROBOTS
    assert isinstance(refused, Failed)
    assert (refused.trip.robots_read, refused.trip.crawl_delay, refused.trip.requests) == (True, 7.0, 0)
    assert refused.retry_after == pytest.approx(DAY)
    assert isinstance(fetched, Fetched)
    scene.town.answers[A + "/robots.txt"] = robots("Disallow:")
    scene.clock.time += DAY
    assert isinstance(scene.ask(crawl(f"{A}/no"))[0], Fetched)
    assert scene.town.urls() == [A + path for path in ("/robots.txt", "/yes", "/robots.txt", "/no")]


def test_what_robots_said_holds_for_its_day_in_every_process_of_a_store(tmp_path: Path) -> None:
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))
    town.answers = {
        A + "/robots.txt": moved("https://a.example/robots.txt"),
        "https://a.example/robots.txt": robots("Disallow: /no\nCrawl-delay: 7"),
    }

    def ask(url: str) -> Outcome:
        """In a process of its own."""
        return clock.run(gate_to(town, clock, POLITE, store=store).fetch(crawl(url)))

    rules = [A + "/robots.txt", "https://a.example/robots.txt"]
    assert isinstance(ask(A + "/1"), Fetched)
    assert town.urls() == [*rules, A + "/1"]
    told = ask("https://a.example/2")
    assert isinstance(told, Fetched)
    assert (told.trip.robots_read, told.trip.crawl_delay, told.trip.robots_requests) == (True, 7.0, 0)
    assert cause(ask(A + "/no")) is Failure.ROBOTS
    assert isinstance(ask(B + "/1"), Fetched)  # it has none
    assert isinstance(ask(B + "/2"), Fetched)
    assert town.urls()[3:] == ["https://a.example/2", B + "/robots.txt", B + "/1", B + "/2"]
    clock.time += DAY
    ask(A + "/3")
    assert town.urls()[7:] == [*rules, A + "/3"]
    store.close()


def test_what_could_not_be_read_is_not_kept(tmp_path: Path) -> None:
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))
    town.answers[A + "/robots.txt"] = status(503)
    for _ in range(2):
        gate = gate_to(town, clock, POLITE, store=store)
        assert cause(clock.run(gate.fetch(crawl(A + "/1", until=clock.now())))) is Failure.LATER
        clock.time += DELAY
    assert town.urls() == [A + "/robots.txt"] * 2
    store.close()


def test_a_store_that_is_away_keeps_nobody_from_reading_robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))

    def away(*_: object, **__: object) -> None:
        raise StoreAway("the disk is full")

    monkeypatch.setattr(store.robots, "kept", away)
    monkeypatch.setattr(store.robots, "keep", away)
    gate = gate_to(town, clock, POLITE, store=store)
    assert isinstance(clock.run(gate.fetch(crawl(A + "/1"))), Fetched)
    assert town.urls() == [A + "/robots.txt", A + "/1"]
    store.close()


@pytest.mark.parametrize("path", ["/no/robots.txt", "/no?x=/robots.txt"])
def test_what_only_looks_like_a_robots_file_is_bound_by_the_rules(path: str) -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /no")
    (refused,) = scene.ask(crawl(A + path))
    assert cause(refused) is Failure.ROBOTS
    assert scene.town.urls() == [A + "/robots.txt"]


@pytest.mark.parametrize("trouble", [status(503), status(500), status(429), failing(Failure.PROTOCOL)])
def test_not_known_is_not_forbidden_and_a_visit_comes_back_later(trouble: Answer) -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = trouble
    waits = []
    for _ in range(3):
        (outcome,) = scene.ask(crawl(f"{A}/1", leased="a.example"))
        assert cause(outcome) is Failure.LATER
        assert isinstance(outcome, Failed)
        assert outcome.detail.startswith("robots.txt could not be read: ")
        assert " asked again at " in outcome.detail
        waits.append(outcome.retry_after)
        scene.clock.time += outcome.retry_after or 0.0
    assert waits == pytest.approx([60.0, 120.0, 240.0])  # pauses that grow
    scene.town.answers[A + "/robots.txt"] = robots("Disallow:")
    assert isinstance(scene.ask(crawl(f"{A}/1", leased="a.example"))[0], Fetched)
    assert scene.town.urls() == [A + "/robots.txt"] * 4 + [A + "/1"]


def test_a_command_waits_for_a_robots_file_that_recovers_soon() -> None:
    clock = VirtualClock()
    town = Town(clock)
    gate = gate_to(town, clock, PolitenessSettings(delay=DELAY, trouble_wait=DELAY))
    times = itertools.count()

    def recovering(trip: Trip) -> Outcome:
        return status(503)(trip) if next(times) < 2 else robots("Disallow:")(trip)

    town.answers[A + "/robots.txt"] = recovering

    async def scene() -> list[Outcome]:
        return list(await asyncio.gather(*(gate.fetch(crawl(f"{A}/{n}")) for n in range(3))))

    assert all(isinstance(outcome, Fetched) for outcome in clock.run(scene()))
    assert town.urls()[:3] == [A + "/robots.txt"] * 3
    assert len(town.urls()) == 6
    assert min(town.gaps()) >= DELAY


@pytest.mark.parametrize("why", [Failure.DNS, Failure.CONNECT, Failure.TIMEOUT, Failure.TLS, Failure.OFFLINE])
def test_where_nobody_is_the_page_fails_for_that_reason(why: Failure) -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = failing(why)
    (outcome,) = scene.ask(crawl(f"{A}/1"))
    assert cause(outcome) is why
    assert scene.town.urls() == [A + "/robots.txt"]


@pytest.mark.parametrize("silence", ["the server is silent", "the answer takes too long"])
def test_a_robots_file_that_does_not_come_is_not_the_failure_of_the_page(silence: str) -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = lambda trip: Failed(trip=trip, cause=Failure.TIMEOUT, detail=silence)
    (outcome,) = scene.ask(crawl(f"{A}/1", leased="a.example"))
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.LATER
    assert outcome.detail.startswith("robots.txt could not be read: ")


def test_a_feed_takes_the_pace_from_robots_but_not_the_rules() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /\nCrawl-delay: 7")
    feed = Request(url=f"{A}/feed", terms=Terms(leased="a.example", is_shared=True))
    assert isinstance(scene.one_after_the_other(feed, feed)[1], Fetched)
    assert scene.town.gaps() == [7.0, 7.0]


def test_the_only_feed_of_a_site_asks_for_no_robots() -> None:
    scene = Scene()
    scene.ask(Request(url=f"{A}/feed", terms=Terms(leased="a.example", is_shared=False)))
    assert scene.town.urls() == [A + "/feed"]


def test_a_feed_is_not_kept_back_by_a_robots_file_that_fails() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = status(503)
    assert isinstance(scene.ask(Request(url=f"{A}/feed"))[0], Fetched)
    assert scene.town.gaps() == [DELAY]


def test_feeds_are_bound_where_the_settings_say_so() -> None:
    scene = Scene(binds_feeds=True)
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /feed")
    assert cause(scene.ask(Request(url=f"{A}/feed", terms=Terms(is_shared=False)))[0]) is Failure.ROBOTS


def test_a_robots_file_that_is_read_for_itself_need_not_be_asked_again() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /no\nCrawl-delay: 7")
    own, refused, fetched = scene.one_after_the_other(
        crawl(f"{A}/robots.txt", leased="a.example"), crawl(f"{A}/no"), crawl(f"{A}/yes")
    )
    assert (own.trip.robots_read, own.trip.crawl_delay) == (True, 7.0)  # the store is told as well
    assert cause(refused) is Failure.ROBOTS
    assert isinstance(fetched, Fetched)
    assert scene.town.urls() == [A + "/robots.txt", A + "/yes"]
    assert scene.town.gaps() == [7.0]


# --- redirects --------------------------------------------------------------------------------------------------------


def test_a_hop_into_a_forbidden_path_is_not_made() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /no")
    scene.town.answers[A + "/door"] = moved(A + "/no/room")
    (outcome,) = scene.ask(crawl(f"{A}/door"))
    assert cause(outcome) is Failure.ROBOTS
    assert isinstance(outcome, Failed)
    assert outcome.detail == f"robots.txt forbids where it leads: {A}/no/room (fetch.respect_robots)"
    assert scene.town.urls() == [A + "/robots.txt", A + "/door"]


def only_feed(url: str) -> Request:
    """The visit of a feed that is alone on its site."""
    site = url.split("/")[2]
    return Request(url=url, terms=Terms(leased=site, is_shared=False, held_until=1e9))


def test_a_subscribed_address_is_asked_for_but_not_where_it_leads_against_the_rules() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /")
    scene.town.answers[A + "/feed"] = moved(A + "/no/feed")
    [outcome] = scene.ask(only_feed(f"{A}/feed"))
    assert cause(outcome) is Failure.ROBOTS
    assert isinstance(outcome, Failed)
    assert outcome.detail == f"robots.txt forbids where it leads: {A}/no/feed (fetch.respect_robots)"
    assert scene.town.urls() == [A + "/feed", A + "/robots.txt"]


def test_a_feed_that_leads_to_another_site_asks_the_robots_of_that_one() -> None:
    scene = Scene()
    scene.town.answers[B + "/robots.txt"] = robots("Disallow: /no")
    scene.town.answers[A + "/1"] = moved(B + "/yes")
    scene.town.answers[A + "/2"] = moved(B + "/no")
    found = scene.one_after_the_other(only_feed(f"{A}/1"), only_feed(f"{A}/2"))
    assert [type(outcome) for outcome in found] == [Fetched, Failed]
    assert cause(found[1]) is Failure.ROBOTS
    assert scene.town.urls() == [A + "/1", B + "/robots.txt", B + "/yes", A + "/2"]


def test_where_a_feed_leads_is_asked_for_later_if_the_rules_cannot_be_read_now() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = status(503)
    scene.town.answers[A + "/feed"] = moved(A + "/new")
    [outcome] = scene.ask(only_feed(f"{A}/feed"))
    assert cause(outcome) is Failure.LATER
    assert isinstance(outcome, Failed)
    scene.clock.time += outcome.retry_after or 0.0
    scene.town.answers[A + "/robots.txt"] = robots("Disallow: /no")
    assert isinstance(scene.ask(only_feed(f"{A}/feed"))[0], Fetched)
    assert scene.town.urls() == [A + path for path in ("/feed", "/robots.txt", "/feed", "/robots.txt", "/new")]


@pytest.mark.parametrize(
    ("subscribed", "target"),
    [
        ("http://a.example/feed", "https://a.example/feed"),
        ("http://a.example/feed", "http://www.a.example/feed"),
        ("https://www.a.example/feed/", "https://a.example/feed"),
        ("http://a.example/?feed=rss", "https://www.a.example/?feed=rss"),
    ],
)
def test_another_spelling_of_the_subscribed_address_is_what_was_subscribed_to(subscribed: str, target: str) -> None:
    scene = Scene()
    scene.town.answers[subscribed] = moved(target)
    assert isinstance(scene.ask(only_feed(subscribed))[0], Fetched)
    assert scene.town.urls() == [subscribed, target]


@pytest.mark.parametrize(
    "target",
    ["http://a.example/feed2", "http://a.example/?feed=atom", "http://a.example:8080/feed", "http://b.a.example/feed"],
)
def test_what_is_spelt_like_it_and_is_another_address_is_not(target: str) -> None:
    scene = Scene()
    scene.town.answers[A + "/feed"] = moved(target)
    scene.ask(only_feed(f"{A}/feed"))
    assert [url for url in scene.town.urls() if url.endswith("/robots.txt")] != []


def test_a_hop_to_another_site_asks_its_robots_and_keeps_its_pause() -> None:
    scene = Scene()
    scene.town.answers[B + "/robots.txt"] = robots("Disallow: /no\nCrawl-delay: 9")
    scene.town.answers[A + "/1"] = moved(B + "/1")
    scene.town.answers[A + "/2"] = moved(B + "/no")
    found = scene.ask(crawl(f"{B}/0"), crawl(f"{A}/1"), crawl(f"{A}/2"))
    assert [type(outcome) for outcome in found] == [Fetched, Fetched, Failed]
    assert cause(found[2]) is Failure.ROBOTS
    assert scene.town.gaps(B) == [9.0, 9.0]
    assert min(scene.town.gaps(A)) >= DELAY


def test_a_hop_within_the_site_keeps_the_pause() -> None:
    scene = Scene()
    scene.town.answers[A + "/1"] = moved(A + "/2")
    scene.ask(crawl(f"{A}/1"))
    assert scene.town.urls() == [A + "/robots.txt", A + "/1", A + "/2"]
    assert scene.town.gaps() == [DELAY, DELAY]


def test_the_only_feed_of_a_site_keeps_the_crawl_delay_where_it_leads_on() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = robots("Crawl-delay: 9")
    scene.town.answers[A + "/1"] = moved(A + "/2")
    first, again = scene.one_after_the_other(only_feed(f"{A}/1"), only_feed(f"{A}/1"))
    assert scene.town.urls() == [A + path for path in ("/1", "/robots.txt", "/2", "/1", "/2")]
    assert scene.town.gaps() == [DELAY, 9.0, 9.0, 9.0], "before robots.txt is read nobody knows of it"
    assert (first.trip.robots_read, first.trip.crawl_delay) == (True, 9.0), "the store is told"
    assert again.trip.crawl_delay == 9.0


def test_what_another_site_wants_is_not_told_as_the_wish_of_the_first() -> None:
    scene = Scene()
    scene.town.answers[B + "/robots.txt"] = robots("Crawl-delay: 9")
    scene.town.answers[A + "/1"] = moved(B + "/1")
    [outcome] = scene.ask(only_feed(f"{A}/1"))
    assert (outcome.trip.robots_read, outcome.trip.crawl_delay) == (False, None)


def test_a_robots_file_that_is_elsewhere_keeps_both_sites_pauses() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = moved(B + "/robots.txt")
    scene.town.answers[B + "/robots.txt"] = robots("Crawl-delay: 9")
    scene.one_after_the_other(crawl(f"{A}/1"), crawl(f"{B}/1"), crawl(f"{B}/2"))
    assert scene.town.urls() == [A + "/robots.txt", B + "/robots.txt", A + "/1", B + "/1", B + "/2"]
    assert min(scene.town.gaps(A)) >= 9.0
    assert min(scene.town.gaps(B)) >= 9.0


def test_a_fetcher_of_a_list_heeds_a_robots_file_that_is_elsewhere() -> None:
    """RFC 9309 2.3.1.2: rules that are kept on another host hold, whoever has that host's list."""
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = moved(B + "/robots.txt")
    scene.town.answers[B + "/robots.txt"] = robots("Disallow: /no")
    request = replace(crawl(f"{A}/no", until=2_000_000.0), follows=False)
    assert cause(scene.ask(request)[0]) is Failure.ROBOTS
    assert scene.town.urls() == [A + "/robots.txt", B + "/robots.txt"]


# --- parts of a page --------------------------------------------------------------------------------------------------


class Browser(Town):
    """A client that asks for what a page wants besides, as parts of it."""

    def __init__(self, clock: VirtualClock, *parts: str) -> None:
        super().__init__(clock)
        self.parts = parts
        self.refused: dict[str, Failure] = {}

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        outcome = await super().fetch(request, hop=hop)
        if not request.render or hop is None:
            return outcome
        for url in self.parts:
            try:
                await hop(locate(url), is_part=True)
            except HopRefused as error:
                self.refused[url] = error.cause
            else:
                await self._ask(request, url, (), 1)
        return replace(outcome, trip=replace(outcome.trip, finished=self.clock.now()))


def rendered(*parts: str, before: tuple[Request, ...] = (), answers: dict[str, Answer]) -> tuple[Browser, Gate]:
    """After a visit of the page A, which wants these parts."""
    clock = VirtualClock()
    browser = Browser(clock, *parts)
    browser.answers = answers
    gate = gate_to(browser, clock, POLITE)

    async def scene() -> None:
        for request in before:
            await gate.fetch(request)
        assert isinstance(await gate.fetch(replace(crawl(f"{A}/page"), render=True)), Fetched)

    clock.run(scene())
    return browser, gate


def test_a_page_gets_no_part_that_the_rules_of_its_site_forbid() -> None:
    parts = (A + "/script", A + "/no/data", "https://a.example/no/data")
    browser, gate = rendered(*parts, answers={A + "/robots.txt": robots("Disallow: /no")})
    assert browser.urls() == [A + "/robots.txt", A + "/page", A + "/script"]
    assert browser.gaps() == [DELAY, 0.0], "a part belongs to the turn of its page"
    assert set(browser.refused.values()) == {Failure.ROBOTS}
    assert gate.ready_at(A) == browser.asked[-1][2] + DELAY


def test_a_page_that_has_moved_gets_its_parts_by_the_rules_of_where_it_is() -> None:
    answers = {A + "/page": moved(B + "/page"), B + "/robots.txt": robots("Disallow: /no")}
    browser, _ = rendered(B + "/no/data", B + "/script", "https://b.example/no/data", answers=answers)
    assert browser.urls()[-2:] == [B + "/page", B + "/script"]
    assert len(browser.refused) == 2


def test_what_is_known_of_another_site_holds_for_parts_of_a_page() -> None:
    answers = {B + "/robots.txt": robots("Disallow: /no")}
    browser, gate = rendered(B + "/no/data", B + "/script", B + "/style", before=(crawl(B + "/1"),), answers=answers)
    assert browser.refused == {B + "/no/data": Failure.ROBOTS}
    assert browser.urls()[-2:] == [B + "/script", B + "/style"]
    assert gate.ready_at(B) >= browser.asked[-1][1] + DELAY, "who comes next keeps the pause"


def test_a_site_that_wants_to_be_left_alone_is_not_asked_for_parts() -> None:
    answers = {B + "/1": status(429, 900.0), B + "/robots.txt": robots("Disallow:")}
    browser, _ = rendered(B + "/script", before=(crawl(B + "/1"),), answers=answers)
    assert browser.refused == {B + "/script": Failure.LATER}


# --- among processes --------------------------------------------------------------------------------------------------


def test_two_processes_on_one_store_ask_a_site_in_turn(tmp_path: Path) -> None:
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))
    gates = [gate_to(town, clock, POLITE, store=store, heeds_robots=False, patience=600.0) for _ in range(2)]

    async def scene() -> None:
        await asyncio.gather(*(gates[n % 2].fetch(crawl(f"{A}/{n}")) for n in range(6)))

    clock.run(scene())
    assert len(town.asked) == 6
    assert min(town.gaps()) >= DELAY
    store.close()


def test_the_operators_wish_for_a_site_counts_for_every_request(tmp_path: Path) -> None:
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))
    store.set_site_delay("a.example", 11.0)
    gate = gate_to(town, clock, POLITE, store=store, heeds_robots=False)

    async def scene() -> None:
        for n in range(3):
            await gate.fetch(crawl(f"{A}/{n}"))

    clock.run(scene())
    assert town.gaps() == [11.0, 11.0]
    store.close()


def test_a_hop_to_a_site_that_our_own_loop_holds_does_not_hold_it_up(tmp_path: Path) -> None:
    """The visit of a.example is led to b.example, whose lease another visit of the same process has."""
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))
    store.add([NewResource(url=f"{B}/1", site="b.example")], now=clock.now())
    [held] = store.lease(holder="loop", now=clock.now(), until=clock.now() + 300.0, limit=1)
    town.answers[A + "/1"] = moved(B + "/2")
    gate = gate_to(town, clock, POLITE, store=store, heeds_robots=False)

    async def scene() -> None:
        visit = asyncio.create_task(gate.fetch(crawl(f"{A}/1", leased="a.example")))
        await clock.sleep(3.0)
        await gate.fetch(crawl(f"{B}/1", leased="b.example"))
        store.release([held.id], now=clock.now())
        assert isinstance(await visit, Fetched)

    clock.run(scene())
    assert town.urls() == [A + "/1", B + "/1", B + "/2"]
    assert town.gaps(B)[0] >= DELAY
    assert clock.now() < 1_000_030.0
    store.close()


def test_who_has_the_lease_does_not_wait_for_rules_that_another_reads_without_it(tmp_path: Path) -> None:
    """A hop from a.example reads the rules of b.example, which redirect; then the loop has the lease of b.example."""
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))
    store.add([NewResource(url=f"{B}/1", site="b.example")], now=clock.now())
    town.answers = {A + "/1": moved(B + "/2"), B + "/robots.txt": moved(B + "/rules.txt")}
    gate = gate_to(town, clock, POLITE, store=store)

    async def scene() -> None:
        hop = asyncio.create_task(gate.fetch(Request(url=f"{A}/1", terms=Terms(leased="a.example", is_shared=False))))
        await clock.sleep(3.0)
        assert town.urls() == [A + "/1", B + "/robots.txt"]
        [held] = store.lease(holder="loop", now=clock.now() + DELAY, until=clock.now() + 300.0, limit=1)
        began = clock.now()
        assert isinstance(await gate.fetch(crawl(f"{B}/1", leased="b.example", held_until=held.until)), Fetched)
        assert clock.now() - began < 4 * DELAY
        store.release([held.id], now=clock.now())
        await hop

    clock.run(scene())
    assert min(town.gaps(B)) >= DELAY
    store.close()


def test_a_site_with_a_long_queue_is_not_waited_for_under_a_lease() -> None:
    scene = Scene(heeds_robots=False)
    visits = [crawl(f"http://s{n}.example/", leased=f"s{n}.example") for n in range(20)]
    for request in visits:
        scene.town.answers[request.url] = moved(f"{B}/{request.url[8:10]}")
    found = scene.ask(*visits)
    late = [outcome for outcome in found if isinstance(outcome, Failed)]
    assert 0 < len(late) < 20
    assert {outcome.cause for outcome in late} == {Failure.LATER}
    assert scene.clock.now() < 1_000_060.0
    assert min(scene.town.gaps(B)) >= DELAY


# --- what a visit under a lease means for its site --------------------------------------------------------------------


def test_what_waits_for_robots_does_not_hold_up_the_other_resources_of_its_site() -> None:
    scene = Scene()
    scene.town.answers[A + "/robots.txt"] = status(503)
    [outcome] = scene.ask(crawl(f"{A}/page", leased="a.example"))
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.LATER
    assert (outcome.retry_after or 0.0) > 50.0
    assert outcome.site_rest <= DELAY, "robots.txt was asked for: only the usual pause after it"
    assert next_allowed(outcome, manners=Manners(delay=DELAY)) <= scene.clock.now() + DELAY


def test_what_waits_for_the_pause_of_another_site_does_not_hold_up_its_own() -> None:
    scene = Scene(heeds_robots=False)
    scene.town.answers[A + "/1"] = moved(B + "/1")
    scene.town.answers[B + "/0"] = status(429, retry_after=900.0)
    _, outcome = scene.one_after_the_other(crawl(f"{B}/0"), crawl(f"{A}/1", leased="a.example"))
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.LATER
    assert (outcome.retry_after or 0.0) > 800.0
    assert outcome.site_rest <= DELAY


def test_a_site_that_asked_for_a_rest_is_left_alone_whoever_asks() -> None:
    scene = Scene(heeds_robots=False)
    scene.town.answers[A + "/0"] = status(429, retry_after=900.0)
    _, outcome = scene.one_after_the_other(crawl(f"{A}/0"), crawl(f"{A}/1", leased="a.example"))
    assert isinstance(outcome, Failed)
    assert outcome.site_rest == outcome.retry_after == 900.0
    assert next_allowed(outcome) == scene.clock.now() + 900.0


def test_a_redirect_within_the_leased_site_waits_for_its_next_turn_however_long_the_pause() -> None:
    scene = Scene(heeds_robots=False)
    scene.town.answers[A + "/1"] = moved(A + "/2")
    held = scene.clock.now() + 300.0
    [outcome] = scene.ask(crawl(f"{A}/1", leased="a.example", pause=100.0, held_until=held))
    assert isinstance(outcome, Fetched)
    assert scene.town.gaps() == [100.0]
    [outcome] = scene.ask(crawl(f"{A}/1", leased="a.example", pause=400.0, held_until=scene.clock.now() + 20.0))
    assert cause(outcome) is Failure.LATER, "a first request waits no longer than ever"


def test_a_redirect_does_not_outstay_the_lease() -> None:
    scene = Scene(heeds_robots=False)
    scene.town.answers[A + "/1"] = moved(A + "/2")
    [outcome] = scene.ask(crawl(f"{A}/1", leased="a.example", pause=290.0, held_until=scene.clock.now() + 300.0))
    assert cause(outcome) is Failure.LATER
    assert scene.town.urls() == [A + "/1"]


def test_requests_for_robots_are_told_with_the_first_that_needed_them() -> None:
    scene = Scene()
    scene.town.answers[A + "/1"] = moved(B + "/1")
    first, second = scene.one_after_the_other(crawl(f"{A}/1"), crawl(f"{A}/2"))
    assert (first.trip.requests, first.trip.robots_requests) == (2, 2)
    assert (second.trip.requests, second.trip.robots_requests) == (1, 0)


# --- what must not keep a site from everybody -------------------------------------------------------------------------


def test_rules_that_cannot_be_read_do_not_lock_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second asks the rules while it has a turn of the site, and they break."""
    usual = Rules.ruling

    def broken(rules: Rules, url: str, agent: str) -> Ruling:
        if url.endswith("/bad"):
            raise ValueError("a pattern that no library understands")
        return usual(rules, url, agent)

    monkeypatch.setattr(Rules, "ruling", broken)
    scene = Scene()

    async def play() -> Outcome:
        both = (scene.gate.fetch(crawl(f"{A}/1")), scene.gate.fetch(crawl(f"{A}/bad")))
        assert isinstance((await asyncio.gather(*both, return_exceptions=True))[1], ValueError)
        return await scene.gate.fetch(crawl(f"{A}/2"))

    assert isinstance(scene.clock.run(play()), Fetched)


class Slow:
    """Runs what it is given at once, and says so a second later."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    async def write(self, function: Callable[..., Any], *args: object, **named: object) -> Any:
        done = function(*args, **named)
        await self._clock.sleep(1.0)
        return done

    read = write


@pytest.mark.parametrize("after", [0.5, 1.7, 2.2])  # while it is taken, asked, left
def test_who_gives_up_leaves_no_site_taken(tmp_path: Path, after: float) -> None:
    clock = VirtualClock()
    town, store = Town(clock), open_store(str(tmp_path / "a.db"))
    gate = gate_to(town, clock, POLITE, store=store, executor=Slow(clock), heeds_robots=False)  # type: ignore[arg-type]

    async def scene() -> None:
        asking = asyncio.create_task(gate.fetch(crawl(f"{A}/1")))
        await clock.sleep(after)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    clock.run(scene())
    later = clock.now() + DELAY
    assert store.take_site("a.example", holder="another", now=later, until=later + 1.0) is not None
    store.close()
