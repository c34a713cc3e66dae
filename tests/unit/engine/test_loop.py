"""The loop on a real store with a fake web and time by hand."""

import asyncio
import errno
import logging
import math
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from afresh.base.errors import ServerAway, StoreAway, StoreBusy
from afresh.base.models import Failed, Failure, Kind, Lease, Outcome, Report, Request, Result, Trip
from afresh.base.protocols import Store
from afresh.base.records.daemons import DaemonRecord
from afresh.base.records.pages import SitePlan
from afresh.base.settings import Settings
from afresh.base.settings.sections import LoopSettings, PolitenessSettings, PredictSettings
from afresh.base.troubles import SERVERS
from afresh.base.visits import Answer
from afresh.engine.add import Wanted, add
from afresh.engine.kinds import make_kinds
from afresh.engine.loop import Loop
from afresh.engine.visit import Concluder
from afresh.http.hop import Hop
from afresh.parse.url import Sites
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock, SteadyExecutor, rss
from tests.fakes.gates import gate_to

SETTINGS = Settings(
    politeness=PolitenessSettings(delay=5.0),
    loop=LoopSettings(flush=0.0),
    predict=PredictSettings(rule="fix:interval=2m"),
)


class Running:
    """A loop over a store in a temporary folder."""

    def __init__(self, folder: Path, settings: Settings = SETTINGS) -> None:
        self.clock = HandClock()
        self.web = FakeWeb(self.clock)
        self.store: Store = open_store(str(folder / "loop.db"))
        self.settings = settings
        self.pushed: Callable[[int, float], float | None] | None = None
        self.has_gate = False

    def add(self, *urls: str, kind: Kind = Kind.FEED) -> None:
        settings = Settings(politeness=self.settings.politeness)
        add(self.store, [Wanted(url=url, kind=kind) for url in urls], settings, now=self.clock.now())

    def run(self, *, until: float) -> Loop:
        """Runs until the hand clock has passed that many seconds."""
        end = self.clock.now() + until

        async def go() -> Loop:
            executor = SteadyExecutor(self.clock)
            kinds = make_kinds(self.settings, pushed=self.pushed)
            concluder = Concluder(self.settings, kinds, Sites(self.settings.politeness))
            gate = gate_to(self.web, self.clock, self.settings.politeness, store=self.store, executor=executor)
            loop = Loop(
                self.store,
                gate if self.has_gate else self.web,
                concluder,
                settings=self.settings,
                clock=self.clock,
                executor=executor,
                rng=random.Random(1),
            )

            async def watch() -> None:
                while self.clock.now() < end:
                    await asyncio.sleep(0.001)
                loop.stop()

            watching = asyncio.create_task(watch())
            await loop.run()
            await watching
            executor.close()
            return loop

        return asyncio.run(go())


def test_due_feeds_are_visited_once_and_again_when_due(tmp_path: Path) -> None:
    running = Running(tmp_path)
    urls = [f"https://host{n}.example/feed" for n in range(5)]
    running.add(*urls)
    for url in urls:
        running.web.document(url, rss("a", "b"))
    loop = running.run(until=3 * 120 + 30)
    asked = [request.url for _, request in running.web.requests]
    assert {url: asked.count(url) for url in urls} == dict.fromkeys(urls, 4)
    assert loop.health.recorded == 20
    assert len(running.store.entries(limit=100)) == 10
    running.store.close()


def test_a_busy_store_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    running.web.document("https://host.example/feed", rss("a"))
    lease, refusals = running.store.lease, iter([True, True])

    def busy(**named: Any) -> list[Lease]:
        if next(refusals, False):
            raise StoreBusy("loop.db is locked by another process")
        return lease(**named)

    monkeypatch.setattr(running.store, "lease", busy)
    assert running.run(until=60).health.recorded == 1
    running.store.close()


def test_a_store_that_is_away_is_waited_for_beyond_every_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was fetched is recorded first: leased again before that, it would be refused and fetched again."""
    running = Running(tmp_path)
    urls = [f"https://host{n}.example/feed" for n in range(3)]
    running.add(*urls)
    for url in urls:
        running.web.document(url, rss(url))
    began, record = running.clock.now(), running.store.record

    def away(reports: list[Report]) -> list[bool | None]:
        if running.clock.now() < began + 2 * SETTINGS.loop.lease:
            raise StoreAway("the disk is full")
        return record(reports)

    monkeypatch.setattr(running.store, "record", away)
    loop = running.run(until=2 * SETTINGS.loop.lease + 60)
    asked = [at - began for at, _ in running.web.requests]
    assert len([at for at in asked if at < 2 * SETTINGS.loop.lease]) == len(urls), "it went on fetching"
    assert (loop.health.refused, len(running.store.entries(limit=100))) == (0, len(urls))
    assert loop.troubles.current() == ()
    running.store.close()


def test_a_server_that_is_away_keeps_nobody_but_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What belongs to the others is recorded at once, and visited again; what belongs to it, when it is back."""
    running = Running(tmp_path)
    urls = [f"https://host{n}.example/feed" for n in range(3)]
    running.add(*urls)
    for url in urls:
        running.web.document(url, rss(url))
    began, record, lost = running.clock.now(), running.store.record, 2 * SETTINGS.loop.lease
    found: list[int] = []

    def away(reports: list[Report]) -> list[bool | None]:
        if running.clock.now() >= began + lost:
            return record(reports)
        found.append(len(running.store.entries(limit=100)))
        there = [report for report in reports if report.resource.url != urls[0]]
        answers = iter(record(there) if there else [])
        return [None if report.resource.url == urls[0] else next(answers) for report in reports]

    monkeypatch.setattr(running.store, "record", away)
    loop = running.run(until=lost + 60)
    asked = [(at - began, request.url) for at, request in running.web.requests]
    assert [url for at, url in asked if at < lost].count(urls[0]) == 1, "it is not fetched again"
    assert [url for at, url in asked if at < lost].count(urls[1]) > 2, "the others are"
    assert found[-1] == len(urls) - 1
    assert (loop.health.refused, len(running.store.entries(limit=100))) == (0, len(urls))
    running.store.close()


def test_a_server_that_is_away_is_told_and_stops_no_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    running.web.document("https://host.example/feed", rss("a"))

    def short(*_: object, **__: object) -> None:
        raise ServerAway("db: its server db2:5432 does not answer", server="db2:5432")

    monkeypatch.setattr(Loop, "_look_at_strategies", short)
    loop = running.run(until=30)
    assert loop.health.recorded == 1
    [trouble] = loop.troubles.current()
    assert (trouble.what, "db2:5432" in trouble.why) == (SERVERS, True)
    running.store.close()


def test_what_was_fetched_outlasts_a_want_of_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads an answer is loaded when it is first needed, and that takes a descriptor."""
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    running.web.document("https://host.example/feed", rss("a"))
    conclude, wants = Concluder.conclude, iter(range(5))

    def short(self: Concluder, answer: Answer) -> Report:
        if next(wants, None) is not None:
            raise OSError(errno.EMFILE, "Too many open files")
        return conclude(self, answer)

    monkeypatch.setattr(Concluder, "conclude", short)
    loop = running.run(until=60)
    assert (loop.health.results, len(running.store.entries(limit=10))) == ({Result.NEW: 1}, 1)
    assert len(running.web.requests) == 1
    running.store.close()


def test_who_was_not_asked_for_want_of_descriptors_is_not_to_blame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    running.web.document("https://host.example/feed", rss("a"))
    fetch, wants = running.web.fetch, iter(range(2))

    async def short(request: Request, **named: Any) -> Outcome:
        if next(wants, None) is not None:
            raise OSError(errno.EMFILE, "Too many open files")
        return await fetch(request, **named)

    monkeypatch.setattr(running.web, "fetch", short)
    loop = running.run(until=600)
    assert Result.UNREACHABLE not in loop.health.results
    assert len(running.store.entries(limit=10)) == 1
    running.store.close()


def test_what_was_concluded_outlasts_a_want_of_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    running.web.document("https://host.example/feed", rss("a"))
    record, wants = running.store.record, iter(range(3))

    def short(reports: list[Report]) -> list[bool]:
        if next(wants, None) is not None:
            raise OSError(errno.EMFILE, "Too many open files")
        return record(reports)

    monkeypatch.setattr(running.store, "record", short)
    assert running.run(until=30).health.recorded == 1
    assert len(running.store.entries(limit=10)) == 1
    running.store.close()


def test_a_want_of_descriptors_does_not_end_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    running.web.document("https://host.example/feed", rss("a"))
    lease, wants = running.store.lease, iter(range(3))

    def short(**named: Any) -> list[Lease]:
        if next(wants, None) is not None:
            raise OSError(errno.EMFILE, "Too many open files")
        return lease(**named)

    monkeypatch.setattr(running.store, "lease", short)
    loop = running.run(until=30)
    assert loop.health.recorded == 1
    assert [trouble.what for trouble in loop.troubles.current()] == ["descriptors"]
    running.store.close()


def test_a_lease_lasts_for_as_long_as_its_answer_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leased again meanwhile, the site would be asked a second time and the first answer refused."""
    running = Running(tmp_path)
    running.add("https://host.example/feed", "https://other.example/feed")
    running.web.document("https://host.example/feed", rss("a"))
    running.web.document("https://other.example/feed", rss("b"))
    began, judge = running.clock.now(), SteadyExecutor.judge

    async def slow(executor: SteadyExecutor, function: Callable[..., Any], lease: Lease, *more: object) -> Any:
        while "host.example" in lease.resource.url and running.clock.now() < began + 3 * SETTINGS.loop.lease:
            await running.clock.sleep(5.0)
        return await judge(executor, function, lease, *more)

    monkeypatch.setattr(SteadyExecutor, "judge", slow)
    loop = running.run(until=3 * SETTINGS.loop.lease + 30)
    asked = [at - began for at, request in running.web.requests if "host.example" in request.url]
    assert len(asked) == 1 or asked[1] >= 3 * SETTINGS.loop.lease, asked
    assert loop.health.refused == 0
    assert {stored.entry.parsed.title for stored in running.store.entries(limit=9)} == {"a", "b"}
    running.store.close()


def test_requests_to_one_site_keep_their_distance(tmp_path: Path) -> None:
    running = Running(tmp_path)
    urls = [f"https://one.example/feed{n}" for n in range(6)]
    running.add(*urls)
    for url in urls:
        running.web.document(url, rss("a"))
    running.run(until=60)
    times = [at for at, _ in running.web.requests]
    assert len(times) == 6
    assert all(later - earlier >= 5.0 for earlier, later in pairwise(times))
    running.store.close()


def test_feeds_go_on_while_the_pages_of_their_site_wait_for_robots(tmp_path: Path) -> None:
    running = Running(tmp_path)
    running.has_gate = True
    feed = "https://one.example/feed"
    running.add(feed)
    running.add("https://one.example/page", kind=Kind.PAGE)
    running.web.document(feed, rss("a"))
    running.web.status("https://one.example/robots.txt", 503)
    running.run(until=1200)
    asked = [request.url for _, request in running.web.requests]
    assert asked.count(feed) >= 9, "every two minutes"
    assert "https://one.example/page" not in asked
    assert asked.count("https://one.example/robots.txt") >= 2, "asked again, after pauses that grow"
    times = [at for at, _ in running.web.requests]
    assert all(later - earlier >= 5.0 for earlier, later in pairwise(times))
    running.store.close()


class Exploding(FakeWeb):
    async def fetch(self, request: Request) -> Outcome:
        if "bad" in request.url:
            raise RuntimeError("a bug in the fetcher")
        return await super().fetch(request)


def test_a_bug_at_one_feed_does_not_end_the_loop(tmp_path: Path) -> None:
    running = Running(tmp_path)
    running.web = Exploding(running.clock)
    running.add("https://bad.example/feed", "https://good.example/feed")
    running.web.document("https://good.example/feed", rss("a"))
    running.run(until=30)
    assert running.store.get("https://good.example/feed").counters.ok == 1
    bad = running.store.get("https://bad.example/feed")
    assert bad.counters.failures >= 1
    assert "internal error" in bad.error
    running.store.close()


def test_learning_survives_a_restart(tmp_path: Path) -> None:
    running = Running(tmp_path)
    running.add("https://x.example/feed")
    running.web.document("https://x.example/feed", rss("a"), etag='"1"')
    running.run(until=30)
    before = running.store.get("https://x.example/feed")
    running.store.close()
    running.store = open_store(str(tmp_path / "loop.db"))
    after = running.store.get("https://x.example/feed")
    for name in ("due", "window", "validators", "counters", "facts", "last_ok", "reason", "state_of"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.state.tolist() == before.state.tolist()
    running.web.not_modified("https://x.example/feed")
    running.run(until=120 + 30)
    assert running.web.requests[-1][1].etag == '"1"'
    running.store.close()


def test_pages_are_planned_at_the_price_of_their_site_where_that_is_dearer(tmp_path: Path) -> None:
    running = Running(tmp_path)
    urls = {host: f"https://{host}.example/" for host in ("one", "other")}
    wanted = [Wanted(url=url, kind=Kind.PAGE) for url in urls.values()]
    add(running.store, wanted, Settings(politeness=running.settings.politeness), now=running.clock.now())
    for turn in range(4):
        if turn == 3:
            number = running.store.pages.site_pages()[0].site
            running.store.pages.plan_sites([SitePlan(site=number, price=1e6, frequency=1e-4)], now=running.clock.now())
        for url in urls.values():
            running.web.document(url, f"<p>version {turn}</p>".encode(), content_type="text/html")
            running.store.update(running.store.get(url).id, due=running.clock.now())
        running.run(until=30)
        running.clock.advance(86_400.0)
    prices, intervals = [], []
    for host, url in urls.items():
        site = running.store.site(f"{host}.example")
        assert site is not None
        prices.append(site.state.price)
        intervals.append(running.store.get(url).last_interval or math.nan)
    (cheap, short), (dear, long) = sorted(zip(prices, intervals, strict=True))
    assert (cheap, dear) == (0.0, 1e6)
    assert long > 5 * short, (long, short)
    running.store.close()


def test_a_feed_whose_hub_tells_is_polled_as_a_safety_net(tmp_path: Path) -> None:
    running = Running(tmp_path)
    running.pushed = lambda resource, now: 600.0
    running.add("https://x.example/feed")
    running.web.document("https://x.example/feed", rss("a"))
    start = running.clock.now()
    running.run(until=1900)
    asked = [at - start for at, _ in running.web.requests]
    assert asked == pytest.approx([0, 600, 1200, 1800], abs=5.0), "the rule alone would have polled every two minutes"
    running.store.close()


def test_what_still_waits_for_its_turn_at_the_end_was_not_visited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate sends it back; it is due as before, and its lease is not left behind."""
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    stopped: list[Loop] = []
    stop = Loop.stop

    def stopping(loop: Loop) -> None:
        stop(loop)
        stopped.append(loop)

    async def waiting(request: Request) -> Outcome:
        began = running.clock.now()
        await running.clock.sleep(60.0)
        while not stopped:
            await asyncio.sleep(0.001)
        trip = Trip(url=request.url, final_url=request.url, started=began, finished=running.clock.now(), requests=0)
        return Failed(trip=trip, cause=Failure.LATER, detail="it waited for its turn")

    monkeypatch.setattr(Loop, "stop", stopping)
    monkeypatch.setattr(running.web, "fetch", waiting)
    before = running.store.list_resources(limit=1)
    running.run(until=30)
    assert running.store.list_resources(limit=1) == before
    assert running.store.visits() == []
    again = running.store.lease(holder="b", now=running.clock.now(), until=1e12, limit=1)
    assert [lease.resource for lease in again] == before
    running.store.close()


def test_a_visit_given_up_at_the_end_after_its_robots_txt_is_not_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It waits for the pause after robots.txt when all ends: no server saw it, and its site is free after the pause."""
    caplog.set_level(logging.INFO, logger="afresh.loop")
    running = Running(tmp_path)
    urls = ["https://host.example/one", "https://host.example/two"]
    running.add(*urls)
    before = running.store.list_resources(limit=2)
    settings, store, clock = running.settings, running.store, running.clock

    async def go() -> None:
        executor = SteadyExecutor(clock)
        gate = gate_to(running.web, clock, settings.politeness, store=store, executor=executor)
        concluder = Concluder(settings, make_kinds(settings), Sites(settings.politeness))
        loop = Loop(store, gate, concluder, settings=settings, clock=clock, executor=executor, rng=random.Random(1))
        loop.on_stop = gate.stop_waiting
        fetch = running.web.fetch

        async def asked(request: Request, *, hop: Hop | None = None) -> Outcome:
            if request.url.endswith("/robots.txt"):
                asyncio.get_running_loop().call_soon(loop.stop)
            return await fetch(request, hop=hop)

        running.web.fetch = asked  # type: ignore[method-assign]
        await loop.run()
        executor.close()

    asyncio.run(go())
    assert [request.url for _, request in running.web.requests] == ["https://host.example/robots.txt"]
    assert store.list_resources(limit=2) == before
    assert store.visits() == []
    said = [message for message in caplog.messages if not message.startswith("ending")]  # none if it ended in time
    assert not said, "nothing is said to have failed"
    assert store.next_ready() == pytest.approx(running.web.requests[0][0] + 5.0, abs=0.1)
    store.close()


def test_what_a_killed_daemon_had_out_is_visited_after_a_pause(tmp_path: Path) -> None:
    """Its leases would have lasted five minutes. Whether it asked a moment ago, and was told to wait, nobody knows."""
    running = Running(tmp_path)
    running.add("https://host.example/feed")
    running.web.document("https://host.example/feed", rss("a"))
    began = running.clock.now()
    running.store.daemons.beat(DaemonRecord(name="vm:7", since=began, seen=began, requests=1, leads_since=began))
    assert running.store.lease(holder="vm:7", now=began, until=began + SETTINGS.loop.lease, limit=1)
    running.run(until=60)
    assert running.web.requests[0][0] == pytest.approx(began + 30.0, abs=2.0)
    running.store.close()
