"""The daemon put together: store, fetcher, loop, and what the doors ask of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from urllib.parse import urlsplit, urlunsplit

from afresh import __version__
from afresh.base.clock import WatchedClock
from afresh.base.errors import StoreAway
from afresh.base.executor import Executor
from afresh.base.lazy import Once, WhenUsed
from afresh.base.settings import Loaded
from afresh.base.settings.sections import RevisitSettings
from afresh.base.timekeeping import Timekeeper
from afresh.base.troubles import DESCRIPTORS, STORE, Troubles
from afresh.engine import accepted_values as values
from afresh.engine.add import AddResult, Wanted, add, named_by_document
from afresh.engine.budget import Budget, Counted
from afresh.engine.domains import Domains
from afresh.engine.fetching import make_gate
from afresh.engine.gate import Gate
from afresh.engine.kinds import let_know, make_kinds
from afresh.engine.loop import Loop
from afresh.engine.times import WatchedTimes
from afresh.engine.visit import Concluder
from afresh.feeds.kind import rule_of
from afresh.parse.child_reader import reading_apart
from afresh.parse.url import Sites
from afresh.store import opened_store

if TYPE_CHECKING:
    from afresh.base.models import Explanation
    from afresh.base.protocols import Clock, Step, Store
    from afresh.base.records.links import NewVersion
    from afresh.base.records.sinks import Stream
    from afresh.engine.budget_report import BudgetReport
    from afresh.engine.refreshing import Refreshing
    from afresh.notices.websub import Pushes
    from afresh.pages.planner import PagePlanner

P = ParamSpec("P")
T = TypeVar("T")

_MOMENT = 1.0  # seconds that a door waits for a store that is away
_LOOK = 5.0  # seconds between two looks whether a strategy was chosen for some feeds
_SHORTAGE = 15.0  # seconds for which a want of descriptors is shown after it was last met with


class Daemon:
    """A store, its loop, and what the doors ask of them."""

    def __init__(
        self,
        loaded: Loaded,
        store: Store,
        *,
        fetcher: Gate,
        executor: Executor,
        clock: Clock,
        seed: int | None = None,
        troubles: Troubles | None = None,
    ) -> None:
        settings = loaded.settings
        self.settings, self.origins, self.store, self.clock = settings, loaded.origins, store, clock
        self.version = __version__
        self._executor, self._fetcher = executor, fetcher
        budget = Budget.resumed(settings.budget, store)
        budget.recall(store, clock.now())
        self._domains = Domains(
            settings,
            store,
            fetcher=fetcher,
            executor=executor,
            clock=clock,
            price=lambda: budget.price,
            poke=self.poke,
            leads=lambda: self.loop.sharing.is_leading,
            troubles=lambda: self.loop.troubles,
            seed=seed,
        )
        rule_of(settings.predict.rule, settings.predict.bounds)  # an unknown one is refused now, not at the first visit
        if settings.revisit != RevisitSettings():
            from afresh.pages.policies import check_policy  # noqa: PLC0415 (few say which)

            check_policy(settings.revisit.policy, settings.revisit.objective)
        if settings.refresh.has_rounds:
            from afresh.engine.choose_refresh import check_usual  # noqa: PLC0415 (few say which)

            check_usual(settings.refresh)
        pushes = self.pushes if settings.push.callback else self._domains.pushes.look()
        self.kinds = make_kinds(
            settings,
            store=store,
            price=budget.price_for,
            pages=self._domains.pages,
            pushed=None if pushes is None else pushes.slowest,
            checks=self._domains.link_visits,
            oddness=self._domains.instead_of_itself,
        )
        let_know(budget, self.kinds)
        self.loop = Loop(
            store,
            fetcher,
            Concluder(settings, self.kinds, Sites(settings.politeness)),
            settings=settings,
            clock=clock,
            executor=executor,
            budget=budget,
            rng=random.Random(seed),  # noqa: S311 (jitter, not a secret)
            no_cache=settings.fetch.no_cache,
            troubles=troubles,
        )
        self.loop.strategies = self.loop.sharing.strategies = self._strategies(budget)
        companions = self.loop.companions
        companions.revisiting, companions.courier, companions.pushes = (
            self._domains.revisiting,
            self._domains.courier,
            pushes,
        )
        self.loop.sharing.pages = self._domains.pages
        if isinstance(clock, WatchedClock):
            self._watch_clock(clock, fetcher)

    def _strategies(self, budget: Budget) -> Once[Refreshing]:
        """Made when a strategy other than that of rules and a price is chosen, here or for some feeds."""

        def make() -> Refreshing:
            from afresh.engine.refreshing import Refreshing  # noqa: PLC0415 (most stores have no need of it)

            return Refreshing(self.store, self.kinds, budget, self.settings)

        if self.settings.refresh.has_rounds:
            return Once(make)
        return WhenUsed(make, store=self.store, part="choices", every=_LOOK)

    def _watch_clock(self, clock: WatchedClock, gate: Gate) -> None:
        """Before anything is planned: what a wrong clock left in the store is put right, and the clock is watched."""
        loop = self.loop
        loop.companions.timekeeper = keeper = Timekeeper(
            clock,
            WatchedTimes(self.store, self.settings, leave_alone=gate.leave_alone),
            executor=self._executor,
            troubles=loop.troubles,
            begin_anew=loop.begin_anew,
        )
        self._domains.may_prune = keeper.may_prune
        keeper.begin()

    @property
    def pages(self) -> PagePlanner:
        """Who plans the visits of pages."""
        return self._domains.pages()

    @property
    def pushes(self) -> Pushes:
        """Who hears what hubs tell."""
        return self._domains.pushes()

    @property
    def hub(self) -> str:
        """The WebSub hub of our own query feeds; empty: none."""
        return self.settings.push.hub

    def public_address(self, url: str) -> str:
        """One of our own addresses as others reach it."""
        parts = urlsplit(url)
        base = self.settings.push.callback.rstrip("/")
        return base + urlunsplit(("", "", parts.path, parts.query, "")) if base else url

    async def announce(self, urls: Sequence[str], *, signal: str) -> int:
        """Somebody says that these pages have changed; how many watched pages that was news about."""
        heralds = self._domains.revisiting().heralds
        found = await self.run(heralds.announce, urls, signal=signal, now=self.now())
        self.loop.poke()
        return found

    async def fetch_page(self, url: str, *, render: bool = False) -> NewVersion:
        """A page as it is now, or as its scripts make it, in its site's turn."""
        return await self._domains.examples().fetch(url, render=render)

    @property
    def beside(self) -> Mapping[str, str]:
        """What another afresh finds in its environment to work on the same store."""
        return {"AFRESH_STORE_URL": self.settings.store.url}

    def now(self) -> float:
        return self.clock.now()

    @property
    def step(self) -> Step:
        """The function of the rule that feeds go by, to be compiled beside the loop (``base.compiled.prepare``)."""
        return type(rule_of(self.settings.predict.rule, self.settings.predict.bounds)).step

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """A store call, off the event loop. A store that is known to be away is not waited for: doors answer soon."""
        asking = asyncio.ensure_future(self._executor.read(function, *args, **kwargs))
        try:
            while not (await asyncio.wait({asking}, timeout=_MOMENT))[0]:
                if STORE in self.loop.troubles:
                    raise StoreAway(self.loop.troubles.why(STORE))
            return asking.result()
        finally:
            asking.cancel()

    async def add_wanted(self, wanted: Sequence[Wanted]) -> list[AddResult]:
        results = await self.run(add, self.store, wanted, self.settings, now=self.now())
        self.loop.poke()
        return results

    async def take_address(self, resource_id: int, url: str) -> None:
        """A link whose page is elsewhere now; it is looked at there as soon as politeness allows."""
        from afresh.engine.take_address import take_address  # noqa: PLC0415 (where somebody says so)

        await self.run(take_address, self.store, resource_id, url, self.settings, now=self.now())
        self.loop.poke()

    async def change_address(self, resource_id: int, url: str) -> None:
        """Of any kind; what is kept of it stays with it."""
        from afresh.engine.take_address import change_address  # noqa: PLC0415 (where somebody says so)

        await self.run(change_address, self.store, resource_id, url, self.settings, now=self.now())
        self.loop.poke()

    async def add_discovered(self, sites: Sequence[str], *, folder: str, tags: tuple[str, ...]) -> list[AddResult]:
        """Watch the feeds that these sites announce."""
        values.check({"folder": folder, "tags": tags})  # before anybody is asked for anything
        from afresh.feeds.discovery import Discoverer  # noqa: PLC0415 (people discover; the loop does not)

        found = await Discoverer(Counted(self._fetcher, self.loop.budget)).discover(sites)
        wanted = [named_by_document(feed.url, title=feed.title, below=folder, tags=tags) for feed in found.feeds]
        failed = [
            AddResult(wanted=item.url, url=item.url, error=item.error)
            for item in (*found.unreachable, *found.barren, *found.dead)
        ]
        return [*await self.add_wanted(wanted), *failed]

    async def take_announced(self, resource_id: int) -> list[AddResult]:
        """Watch the feeds that a page announces in the place of the page, which was taken for one of them."""
        page = await self.run(self.store.get, resource_id)
        results = await self.add_discovered([page.url], folder=page.folder, tags=page.tags)
        if any(item.id is not None and item.id != page.id for item in results):
            await self.run(self.store.remove, [page.id])
        return results

    async def explain(self, resource: int) -> Explanation:
        from afresh.engine.explaining import explain_resource  # noqa: PLC0415 (where somebody asks)

        budget, settings = self.loop.budget, self.settings
        return await self.run(
            explain_resource, self.store, self.kinds, budget, resource, now=self.now(), settings=settings
        )

    def poke(self) -> None:
        """Something became due by our own doing: the loop looks again at once."""
        self.loop.poke()

    def check_target(self, target: str) -> None:
        """Raises UsageError for a target of notices that nothing could be sent to."""
        self._domains.sender().check(target)

    async def test_notice(self, number: int) -> str:
        """Send a test to the target of a notice; empty: it was taken, else what went wrong."""
        from afresh.notices.delivery import try_target  # noqa: PLC0415 (few are tried)

        error = await try_target(self.store, self._domains.sender(), number, clock=self.clock, executor=self._executor)
        if not error:
            self._domains.courier().poke()
        return error

    def use_sinks(self, streams: Sequence[Stream]) -> None:
        """What the streams show leaves for the sinks of the settings; of many daemons the leader carries it."""
        from afresh.sinks.forwarding import make_forwarders  # noqa: PLC0415 (where there are sinks)

        async def leads() -> bool:
            return self.loop.sharing.is_leading

        self.loop.companions.forwarders = make_forwarders(
            self.settings.sinks,
            streams,
            self.store,
            clock=self.clock,
            executor=self._executor,
            troubles=self.loop.troubles,
            leads=leads,
        )

    async def close(self) -> None:
        await self._domains.close()

    async def visit_now(self, resource: int) -> None:
        """It takes the next request; its site's pace still holds, and the budget."""
        from afresh.engine.edit_resource import change  # noqa: PLC0415 (loaded when somebody changes anything)

        await self.run(change, self.store, resource, {}, now=self.now(), at_once=True)
        self.loop.poke()

    def options(self) -> list[tuple[str, str, str, str]]:
        """Name, value, origin and meaning of every setting; secrets hidden."""
        return [(item.name, item.shown, item.source, item.option.help) for item in self.origins]

    def health(self) -> dict[str, object]:
        """What the loop says of itself."""
        health = self.loop.health
        return {
            "loop_alive": health.started > 0 and not self.loop.has_ended,
            "troubles": (troubles := self.loop.current_troubles()),
            "degraded": bool(troubles),
            "daemons": self.loop.sharing.known,
            "last_turn": health.last_turn or None,
            "queue": health.in_flight,
            "offline": health.is_offline,
            "started": health.started or None,
            "visits": health.visits,
            "recorded": health.recorded,
            "refused": health.refused,
            "companions": health.companions,
            "companion_failures": sum(companion.failures for companion in health.companions.values()),
            **self._budget(),
        }

    def budget(self) -> BudgetReport:
        """Price, use, and what more would buy."""
        return self.loop.sharing.report()

    def _budget(self) -> dict[str, object]:
        report = self.budget()
        return {
            "price": report.price,
            "budget_per_hour": report.requests_per_hour,
            "used_last_hour": report.used_last_hour,
            "mean_delay_lately": report.mean_delay,
            "delay_with_ten_percent_more": report.delay_with_ten_percent_more,
        }


@asynccontextmanager
async def running_daemon(
    loaded: Loaded, *, clock: Clock | None = None, seed: int | None = None, purpose: str = ""
) -> AsyncIterator[Daemon]:
    """A daemon with its store and fetcher open; the caller runs ``daemon.loop``. ``purpose``: see ``open_store``."""
    executor = Executor()
    with opened_store(loaded.settings, makes=True, exclusive=True, purpose=purpose) as store, reading_apart():
        clock = clock or WatchedClock()
        troubles = Troubles(clock.now)
        tell = partial(troubles.report, DESCRIPTORS, lasting=_SHORTAGE)
        gate = make_gate(loaded.settings, store=store, executor=executor, clock=clock, on_shortage=tell)
        daemon = None
        try:
            daemon = Daemon(loaded, store, fetcher=gate, executor=executor, clock=clock, seed=seed, troubles=troubles)
            daemon.loop.on_stop = gate.stop_waiting
            yield daemon
        finally:
            if daemon is not None:
                await daemon.close()
            await gate.close()
            executor.close()
