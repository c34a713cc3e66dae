"""What is measured is what runs: the daemon and the policy ``afresh`` of the lab make the same visits on one web."""

import asyncio
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from afresh.base.models import Fetched, Kind, Outcome, Request, Trip
from afresh.base.protocols import Store
from afresh.base.settings import Settings
from afresh.base.settings.sections import LoopSettings, PolitenessSettings
from afresh.engine.add import Wanted, add
from afresh.engine.kinds import make_kinds
from afresh.engine.loop import Loop
from afresh.engine.supervision import LoopHealth
from afresh.engine.visit import Concluder
from afresh.lab.revisit.daemon import Crawl, DaemonPolicy
from afresh.lab.revisit.histories import Histories
from afresh.pages.planner import PagePlanner
from afresh.pages.site_plans import Replanner
from afresh.parse.url import Sites
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock, SteadyExecutor, with_headers

HOUR, DAY = 3_600.0, 86_400.0
START = 1_700_000_000.0
DELAY = 200.0
EPOCH = DAY
PRICES = (60.0, 20.0, 8.0, 40.0, 40.0)
END = START + 4 * DAY
#: pages of each site: one that is small, one of a page, one that is full and one of more pages than are compared
SIZES = (12, 1, 5, 80)
RATES = (3.0, 1.0, 60.0, 0.7)  # changes a day of a page, about
#: pages that people chose are looked at again before the next one of their site would have appeared: one a site
ALONE = (1, 1, 1, 1)


class Steady:
    """Random numbers that are all alike: the order in which visits draw them does not matter."""

    def random(self) -> float:
        return 0.5


def small_web(sizes: tuple[int, ...] = SIZES) -> Histories:
    """Pages that appear one after the other and then change by chance."""
    rng = np.random.default_rng(7)
    site = np.repeat(np.arange(len(sizes)), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    born = START + place * DELAY + site * 7.0
    parts = []
    for page, begin in enumerate(born):
        rate = RATES[site[page]] * rng.uniform(0.3, 1.7) / DAY
        gaps = rng.exponential(1.0 / rate, size=int(40 * DAY * rate) + 20)
        times = begin + DAY * 0.3 + np.cumsum(gaps)
        parts.append(times[times < END])
    count = len(born)
    return Histories(
        page_ids=np.arange(count),
        site=site.astype(np.int64),
        site_names=tuple(f"s{number}.example" for number in range(len(sizes))),
        born=born,
        ends=np.full(count, END),
        scored=born,
        weight=np.ones(count),
        offsets=np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64),
        changes=np.concatenate(parts),
    )


def price_at(now: float) -> float:
    """The price falls and rises again."""
    return PRICES[int((now - START) // EPOCH)]


def replayed(web: Histories, *, is_chosen: bool) -> Crawl:
    """The web as the lab crawls it."""
    settings = replace(DaemonPolicy().settings, shortest=DELAY)
    share = web.scored_rates()
    crawl = Crawl(
        web, share, settings, delay=DELAY, draw=Steady().random, epoch=EPOCH, price=price_at, is_chosen=is_chosen
    )
    crawl.visits = []
    crawl.run()
    return crawl


class LeapingClock(HandClock):
    """Time that leaps to the moment at which a site becomes ready, or to the end of the run."""

    def __init__(self, now: float) -> None:
        super().__init__(now)
        self.end = now
        self.store: Store | None = None
        self.health = LoopHealth()

    async def sleep(self, seconds: float) -> None:
        while self.at_work or self.health.in_flight or self.health.recorded < self.health.visits:
            await asyncio.sleep(0)
        assert self.store is not None
        ready = self.store.next_ready()
        self._now = max(self._now, min(self.end, math.inf if ready is None else ready))
        await asyncio.sleep(0)


class ChangingWeb(FakeWeb):
    """Pages whose text is the number of changes they have had by now."""

    def __init__(self, clock: HandClock, web: Histories) -> None:
        super().__init__(clock)
        self._histories = web

    async def fetch(self, request: Request) -> Outcome:
        now = self.clock.now()
        self.requests.append((now, request))
        page = int(request.url.rsplit("/", 1)[1])
        first, last = self._histories.offsets[page : page + 2]
        version = int(np.searchsorted(self._histories.changes[first:last], now, side="right"))
        trip = Trip(url=request.url, final_url=request.url, started=now, finished=now)
        body = f"<p>version {version}</p>".encode()
        return Fetched(trip=with_headers(trip, {"content-type": "text/html"}), status=200, body=body)


class Crawler:
    """The daemon's loop, planner, concluder and store on that web, at the prices of the lab."""

    def __init__(self, folder: Path, web: Histories, prices: list[tuple[float, float]], *, is_chosen: bool) -> None:
        self.is_chosen = is_chosen
        revisit = replace(DaemonPolicy().settings, shortest=DELAY)
        self.settings = Settings(
            politeness=PolitenessSettings(delay=DELAY),
            loop=LoopSettings(flush=0.0),
            revisit=revisit,
        )
        self.web, self.prices, self.price = web, prices, DAY
        self.clock = LeapingClock(START)
        self.server = ChangingWeb(self.clock, web)
        self.store = self.clock.store = open_store(str(folder / "daemon.db"))
        self.pages = PagePlanner(revisit)
        self.pages.resume(self.store)
        self.replanner = Replanner(self.store, self.pages, lambda: self.price, DELAY)
        kinds = make_kinds(self.settings, price=lambda _: self.price, pages=lambda: self.pages)
        self.concluder = Concluder(self.settings, kinds, Sites(self.settings.politeness))

    def url(self, page: int) -> str:
        return f"https://{self.web.site_names[self.web.site[page]]}/{page}"

    def run(self) -> list[tuple[float, int]]:
        """Everything that happens, in the order of time; the visits behind the first of each page."""
        births = [(float(at), 0, page) for page, at in enumerate(self.web.born)]
        plans = [(at, 1, price) for at, price in self.prices]
        for at, kind, what in sorted(births + plans):
            self._until(at)
            if kind == 0:
                wanted = [Wanted(url=self.url(int(what)), kind=Kind.PAGE, is_listed=not self.is_chosen)]
                settings = Settings(politeness=self.settings.politeness)
                assert not any(item.error for item in add(self.store, wanted, settings, now=at))
                self._until(at + 1e-4)
            else:
                self.price = float(what)
                while self.replanner.step(at):
                    pass
        self._until(END)
        self.store.close()
        seen: Counter[int] = Counter()
        visits = []
        for at, request in self.server.requests:
            page = int(request.url.rsplit("/", 1)[1])
            seen[page] += 1
            if seen[page] > 1:
                visits.append((at, page))
        return visits

    def _until(self, end: float) -> None:
        """Runs the loop up to a moment; what is due at that moment is left for the next run."""
        self.clock.end = end

        async def go() -> None:
            executor = SteadyExecutor(self.clock)
            loop = Loop(
                self.store, self.server, self.concluder, settings=self.settings, clock=self.clock, executor=executor,
                rng=Steady(),  # type: ignore[arg-type]
            )  # fmt: skip

            self.clock.health = loop.health

            async def watch() -> None:
                while self.clock.now() < end:
                    await asyncio.sleep(0)
                loop.stop()

            watching = asyncio.create_task(watch())
            await loop.run()
            await watching
            executor.close()

        if self.clock.now() < end:
            asyncio.run(go())


@pytest.mark.parametrize("is_chosen", [False, True])
def test_the_daemon_and_the_lab_make_the_same_visits(tmp_path: Path, is_chosen: bool) -> None:
    web = small_web(ALONE if is_chosen else SIZES)
    crawl = replayed(web, is_chosen=is_chosen)
    assert crawl.visits is not None
    made = Crawler(tmp_path, web, crawl.prices, is_chosen=is_chosen).run()
    assert len(made) > 200 or is_chosen
    assert len(made) > 40
    for (here, page), (there, other) in zip(crawl.visits, made, strict=True):
        assert (page, here) == (other, pytest.approx(there, abs=1e-3))
