"""Two processes that have sites of their own and borrow a turn of the other's; here two gates in one virtual time."""

import asyncio
import itertools
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from afresh.base.models import Failed, Failure, Fetched, Outcome, Redirect, Request, TakenSite, Trip
from afresh.base.settings.sections import PolitenessSettings
from afresh.engine.gate import Gate, manners_of
from afresh.engine.second_process import Neighbour
from afresh.http.failures import HopRefused
from afresh.http.hop import Hop
from afresh.http.location import locate
from afresh.http.robots import RobotsMemory
from afresh.parse.url import Sites
from tests.fakes.clocks import VirtualClock

DELAY = 5.0
POLITE = PolitenessSettings(delay=DELAY)
OURS, THEIRS = "http://ours.example", "http://theirs.example"


class Web:
    """What both processes ask: a request takes half a second, and is noted with who asked."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.asked: list[tuple[str, str, float, float]] = []
        self.robots = ""
        self.sent: dict[str, str] = {}  # redirects

    def client(self, who: str) -> "Client":
        return Client(self, who)

    def gaps(self, site: str) -> list[float]:
        mine = sorted((start, end) for _, url, start, end in self.asked if url.startswith(site))
        return [after[0] - before[1] for before, after in itertools.pairwise(mine)]

    def by(self, site: str) -> list[str]:
        return [who for who, url, _, _ in sorted(self.asked, key=lambda one: one[2]) if url.startswith(site)]


class Client:
    def __init__(self, web: Web, who: str) -> None:
        self._web, self._who = web, who

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        assert hop is not None
        clock, url, redirects = self._web.clock, request.url, ()
        while True:
            start = clock.now()
            try:
                await hop(locate(url))
            except HopRefused as error:
                return error.outcome(Trip(url=request.url, final_url=url, started=start, finished=clock.now()))
            start = clock.now()
            await clock.sleep(0.5)
            self._web.asked.append((self._who, url, start, clock.now()))
            if (target := self._web.sent.get(url)) is None:
                break
            redirects, url = (*redirects, Redirect(302, target)), target
        body = self._web.robots.encode() if url.endswith("/robots.txt") else b"page"
        trip = Trip(url=request.url, final_url=url, started=start, finished=clock.now(), redirects=redirects)
        return Fetched(trip=trip, status=200, body=body)

    async def close(self) -> None:
        pass


class Scene:
    """Two processes; the first has the site that is "ours"."""

    def __init__(self, *, patience: float = 30.0, heeds_robots: bool = False) -> None:
        self.clock = VirtualClock()
        self.web = Web(self.clock)
        self._patience, self._heeds = patience, heeds_robots
        self.heard: list[bytes] = []

    def play(self, scene: Callable[["Gate", "Gate"], Coroutine[Any, Any, None]]) -> None:
        async def both() -> None:
            async with self.two() as (mine, other):
                await scene(mine, other)

        self.clock.run(both())

    @asynccontextmanager
    async def two(self) -> AsyncIterator[tuple[Gate, Gate]]:
        ends = socket.socketpair()
        self.neighbours = (
            Neighbour(ends[0], is_ours=lambda site: site == "ours.example", hear=self.heard.append),
            Neighbour(ends[1], is_ours=lambda site: site != "ours.example", hear=self.heard.append),
        )
        gates = [self._gate(f"process {n}", one) for n, one in enumerate(self.neighbours)]
        for one, gate in zip(self.neighbours, gates, strict=True):
            await one.meet(gate)
        try:
            yield gates[0], gates[1]
        finally:
            for one in self.neighbours:
                await one.part()

    def _gate(self, who: str, neighbour: Neighbour) -> Gate:
        return Gate(
            self.web.client(who),
            clock=self.clock,
            site_of=Sites(POLITE).of,
            manners=manners_of(POLITE),
            robots=RobotsMemory() if self._heeds else None,
            ledger=neighbour,
            patience=self._patience,
        )


def test_both_ask_all_sites_and_nobody_comes_closer_than_the_pause() -> None:
    scene = Scene(patience=1e6)

    async def ask(mine: Gate, other: Gate) -> None:
        urls = [f"{site}/{n}" for site in (OURS, THEIRS) for n in range(4)]
        outcomes = await asyncio.gather(*(gate.fetch(Request(url=url)) for gate in (mine, other) for url in urls))
        assert all(isinstance(outcome, Fetched) for outcome in outcomes)

    scene.play(ask)
    for site in (OURS, THEIRS):
        assert len(scene.web.gaps(site)) == 7
        assert min(scene.web.gaps(site)) >= DELAY
        assert {*scene.web.by(site)} == {"process 0", "process 1"}


def test_a_redirect_to_a_site_of_the_other_waits_for_its_turn() -> None:
    scene = Scene()
    scene.web.sent[OURS + "/old"] = THEIRS + "/new"

    async def ask(mine: Gate, other: Gate) -> None:
        await asyncio.gather(other.fetch(Request(url=THEIRS + "/")), mine.fetch(Request(url=OURS + "/old")))

    scene.play(ask)
    assert scene.web.by(THEIRS) == ["process 1", "process 0"]
    assert scene.web.gaps(THEIRS) == [pytest.approx(DELAY)]


def test_a_crawl_delay_that_the_other_knows_of_is_kept() -> None:
    scene = Scene(heeds_robots=True)
    scene.web.robots = "User-agent: *\nCrawl-delay: 20\n"

    async def ask(mine: Gate, other: Gate) -> None:
        await other.fetch(Request(url=THEIRS + "/", is_crawl=True))
        await mine.fetch(Request(url=THEIRS + "/more", is_crawl=True))
        await other.fetch(Request(url=THEIRS + "/again", is_crawl=True))

    scene.play(ask)
    assert min(scene.web.gaps(THEIRS)) >= 20.0


def test_who_would_have_to_wait_too_long_is_told_so() -> None:
    scene = Scene(patience=10.0)

    async def ask(mine: Gate, other: Gate) -> None:
        other.leave_alone("theirs.example", scene.clock.now() + 100.0)
        outcome = await mine.fetch(Request(url=THEIRS + "/"))
        assert isinstance(outcome, Failed)
        assert (outcome.cause, outcome.retry_after) == (Failure.LATER, pytest.approx(100.0))
        assert "theirs.example may not be asked for another" in outcome.detail

    scene.play(ask)
    assert scene.web.asked == []


def test_a_turn_that_nobody_wants_any_more_is_given_back() -> None:
    scene = Scene()

    async def ask(mine: Gate, other: Gate) -> None:
        first = asyncio.create_task(other.fetch(Request(url=THEIRS + "/")))
        await asyncio.sleep(0)
        asking = asyncio.create_task(mine.fetch(Request(url=THEIRS + "/gone")))
        await scene.clock.sleep(0.1)
        asking.cancel()
        await asyncio.wait((asking,))
        await first
        assert isinstance(await other.fetch(Request(url=THEIRS + "/2")), Fetched)

    scene.play(ask)
    assert scene.web.by(THEIRS) == ["process 1", "process 1"]


def test_who_finds_the_other_gone_has_all_sites() -> None:
    scene = Scene()

    async def ask(mine: Gate, other: Gate) -> None:
        lent = await mine.lend("ours.example")  # in the name of the other, which ends without giving it back
        scene.neighbours[0]._lent[7] = lent
        other.leave_alone("theirs.example", scene.clock.now() + 20.0)
        waiting = asyncio.create_task(mine.fetch(Request(url=THEIRS + "/")))
        await scene.clock.sleep(1.0)
        await scene.neighbours[1].part()
        assert isinstance(await waiting, Fetched)
        await scene.neighbours[0].gone.wait()
        assert isinstance(await mine.fetch(Request(url=OURS + "/")), Fetched)
        assert isinstance(await mine.fetch(Request(url=THEIRS + "/2")), Fetched)
        assert await scene.neighbours[0].take("theirs.example") == TakenSite(0, 0.0)

    scene.play(ask)
    assert [*scene.web.by(THEIRS), *scene.web.by(OURS)] == ["process 0"] * 3


def test_a_turn_that_comes_when_the_other_is_gone_is_not_lent_for_ever() -> None:
    scene = Scene()

    async def ask(mine: Gate, other: Gate) -> None:
        first = asyncio.create_task(mine.fetch(Request(url=OURS + "/")))
        asking = asyncio.create_task(other.fetch(Request(url=OURS + "/theirs")))
        await scene.clock.sleep(0.1)  # it is in the queue
        asking.cancel()
        await scene.neighbours[1].part()
        assert isinstance(await first, Fetched)
        async with asyncio.timeout(10.0):
            assert isinstance(await mine.fetch(Request(url=OURS + "/2")), Fetched)

    scene.play(ask)
    assert scene.web.by(OURS) == ["process 0", "process 0"]


@pytest.mark.parametrize("noise", [b"\0\0\0\3?[]", b"\0\0\0\2.[", b"\0\0\0\5.[9,0", b"\xff\xff\xff\xff"])
def test_nonsense_means_that_the_other_is_gone(noise: bytes) -> None:
    scene = Scene()

    async def ask(mine: Gate, _: Gate) -> None:
        scene.neighbours[1]._writer.write(noise)
        if noise.startswith(b"\xff"):
            await scene.neighbours[1].part()
        await scene.neighbours[0].gone.wait()
        assert isinstance(await mine.fetch(Request(url=THEIRS + "/")), Fetched)
        if not noise.startswith(b"\xff"):  # which hung up by itself; the others are told, and must not go on asking
            async with asyncio.timeout(10.0):
                await scene.neighbours[1].gone.wait()

    scene.play(ask)


def test_what_is_told_besides_is_heard_in_order() -> None:
    scene = Scene()

    async def tell(_: Gate, __: Gate) -> None:
        scene.neighbours[0].tell(b"one")
        scene.neighbours[0].tell(b"")
        await scene.clock.sleep(0.1)

    scene.play(tell)
    assert scene.heard == [b"one", b""]
