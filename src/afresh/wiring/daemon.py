"""The daemon put together: store, fetcher, loop, and what the doors ask of them."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from afresh import __version__
from afresh.app.add import AddResult, Wanted, add
from afresh.app.budget import Budget
from afresh.app.discover import Discoverer
from afresh.app.executor import Executor
from afresh.app.loop import Loop
from afresh.app.plan import Planner, predictor_of
from afresh.app.profiles import Profiles
from afresh.app.sites import Sites
from afresh.app.visit import Concluder
from afresh.config import Loaded, Settings
from afresh.core.models import Explanation, Kind
from afresh.core.protocols import Clock, Fetcher, Store
from afresh.fetch.client import AiohttpFetcher
from afresh.fetch.health import HealthFetcher, NetworkHealth
from afresh.fetch.robots_cache import RobotsCache, RobotsFetcher
from afresh.wiring.stores import opened_store

P = ParamSpec("P")
T = TypeVar("T")


class SystemClock:
    """Wall time."""

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def make_fetcher(settings: Settings) -> Fetcher:
    """The way to the web: limits and guard, a sense for our own outages, robots.txt where it counts for feeds."""
    clock = SystemClock()
    fetcher: Fetcher = HealthFetcher(
        AiohttpFetcher(settings.fetch, clock=clock, hop_pause=settings.politeness.delay), NetworkHealth(), clock=clock
    )
    if settings.fetch.respect_robots_for_feeds:
        agent = settings.fetch.user_agent.partition("/")[0]
        cache = RobotsCache(fetcher, clock=clock, agent=agent)
        fetcher = RobotsFetcher(fetcher, cache, clock=clock, delay=settings.politeness.delay)
    return fetcher


def make_planner(settings: Settings, store: Store, budget: Budget) -> Planner:
    planner = Planner(
        settings.predict,
        settings.errors,
        store.entry_counts,
        budget.price_for,
        Profiles(store, period=settings.predict.retrain),
    )
    predictor_of(
        settings.predict.rule, settings.predict.bounds
    )  # an unknown rule is refused now, not at the first visit
    return planner


class Daemon:
    """A store, its loop, and what the doors ask of them."""

    def __init__(
        self,
        loaded: Loaded,
        store: Store,
        *,
        fetcher: Fetcher,
        executor: Executor,
        clock: Clock,
        seed: int | None = None,
    ) -> None:
        settings = loaded.settings
        self.settings, self.origins, self.store, self.clock = settings, loaded.origins, store, clock
        self.version = __version__
        self._executor, self._fetcher = executor, fetcher
        budget = Budget.resumed(settings.budget, store)
        self.planner = make_planner(settings, store, budget)
        budget.bounds = self.planner.bounds
        self.loop = Loop(
            store,
            fetcher,
            Concluder(settings.watch, self.planner, Sites(settings.politeness)),
            settings=settings.watch,
            clock=clock,
            executor=executor,
            budget=budget,
            rng=random.Random(seed),  # noqa: S311 (jitter, not a secret)
            no_cache=settings.fetch.no_cache,
        )

    def now(self) -> float:
        return self.clock.now()

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """A store call, off the event loop."""
        return await self._executor.read(function, *args, **kwargs)

    async def add_wanted(self, wanted: Sequence[Wanted]) -> list[AddResult]:
        results = await self.run(add, self.store, wanted, self.settings.politeness, now=self.now())
        self.loop.poke()
        return results

    async def add(
        self, urls: Sequence[str], *, kind: Kind, folder: str, tags: tuple[str, ...], title: str, discover: bool
    ) -> list[AddResult]:
        """Watch URLs; with ``discover`` the feeds that these sites announce."""
        if discover:
            return await self._add_discovered(urls, folder=folder, tags=tags)
        return await self.add_wanted(
            [Wanted(url=url, kind=kind, folder=folder, tags=tags, title=title) for url in urls]
        )

    async def _add_discovered(self, sites: Sequence[str], *, folder: str, tags: tuple[str, ...]) -> list[AddResult]:
        discoverer = Discoverer(self._fetcher, delay=self.settings.politeness.delay)
        found = await discoverer.discover(sites)
        wanted = [Wanted(url=feed.url, folder=folder, tags=tags, title=feed.title) for feed in found.feeds]
        failed = [
            AddResult(wanted=item.url, url=item.url, error=item.error) for item in (*found.unreachable, *found.dead)
        ]
        return [*await self.add_wanted(wanted), *failed]

    async def explain(self, resource: int) -> Explanation:
        known = await self.run(self.store.get, resource)
        return await self.run(self.planner.explain, known, now=self.now())

    async def poll_now(self, resource: int) -> None:
        """Make a resource due; its site's pace still holds."""
        await self.run(self.store.update, resource, due=self.now())
        self.loop.poke()

    def options(self) -> list[tuple[str, str, str, str]]:
        """Name, value, origin and meaning of every setting; secrets hidden."""
        return [(item.name, item.shown, item.source, item.option.help) for item in self.origins]

    def health(self) -> dict[str, object]:
        """What the loop says of itself."""
        health = self.loop.health
        return {
            "loop_alive": health.started > 0 and not self.loop.has_ended,
            "last_turn": health.last_turn or None,
            "queue": health.in_flight,
            "offline": health.is_offline,
            "started": health.started or None,
            "visits": health.visits,
            "recorded": health.recorded,
            "refused": health.refused,
            **self._budget(),
        }

    def _budget(self) -> dict[str, object]:
        report = self.loop.budget.report(self.now())
        return {
            "price": report.price,
            "budget_per_hour": report.requests_per_hour,
            "used_last_hour": report.used_last_hour,
            "mean_delay_lately": report.mean_delay,
            "delay_with_ten_percent_more": report.delay_with_ten_percent_more,
        }


@asynccontextmanager
async def running_daemon(
    loaded: Loaded, *, clock: Clock | None = None, seed: int | None = None
) -> AsyncIterator[Daemon]:
    """A daemon with its store and fetcher open; the caller runs ``daemon.loop``."""
    executor = Executor()
    with opened_store(loaded.settings, exclusive=True) as store:
        fetcher = make_fetcher(loaded.settings)
        try:
            yield Daemon(loaded, store, fetcher=fetcher, executor=executor, clock=clock or SystemClock(), seed=seed)
        finally:
            await fetcher.close()
            executor.close()
