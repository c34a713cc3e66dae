"""The same simulated fetchers against a live frontier, over HTTP and in real time.  [G20] §7.1.3.

All fetchers are tasks of one process; each reads the settings at start, registers, and then asks, works and reports.
What the scheduler uses is read from the operating system, so it can be anything that speaks the interface.
"""

import asyncio
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import numpy as np

from afresh.base.records.frontier import FrontierStats, PageReport
from afresh.lab.crawl.changes import ChangingWeb
from afresh.lab.crawl.draws import draw_tlds
from afresh.lab.crawl.http import FrontierApi
from afresh.lab.crawl.links import KNOWN, LinkMaker
from afresh.lab.crawl.meters import Meter, Use, cpu_of, memory_of
from afresh.lab.crawl.pool import Job, work
from afresh.lab.crawl.results import Iteration, RunResult, Sample
from afresh.lab.crawl.settings import SimulatorSettings


@dataclass(slots=True)
class LiveCrawl:
    """One run of one case against a frontier that has been restored. ``run`` may be called once."""

    base: str
    rng: np.random.Generator
    settings: SimulatorSettings
    repetition: int = 0
    scheduler: Sequence[int] = ()  # processes to measure
    sample_every: float = 1.0
    join_every: float | None = None
    web: ChangingWeb | None = None
    token: str = ""
    meter: Meter = field(default_factory=lambda: Meter(slice_seconds=1.0))
    violations: int = 0
    _held: dict[str, int] = field(default_factory=dict)
    _iterations: list[Iteration] = field(default_factory=list)
    _samples: list[Sample] = field(default_factory=list)
    _started: float = 0.0
    _names: "itertools.count[int]" = field(default_factory=itertools.count)

    async def run(self) -> RunResult:
        """Stores the settings, lets the fetchers work, and says what came of it."""
        limits = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=limits, timeout=aiohttp.ClientTimeout(total=120.0)) as session:
            api = FrontierApi(self.base, session, token=self.token)
            await api.put_settings(self.settings)
            self._started = time.time()
            begun, cpu = time.perf_counter(), self._scheduler_cpu()
            watch = [asyncio.create_task(self._watch(api)), asyncio.create_task(self._joins(api))]
            try:
                async with asyncio.TaskGroup() as group:
                    for number in range(self.settings.parallel_fetcher):
                        group.create_task(self._fetcher(api, number))
            finally:
                for task in watch:
                    task.cancel()
                await asyncio.gather(*watch, return_exceptions=True)
            seconds = time.perf_counter() - begun
            stats = await api.stats()
            self._samples.append(self._sample(stats, seconds))
        parts = {**self.meter.parts, "scheduler": Use(calls=1, cpu_seconds=self._scheduler_cpu() - cpu)}
        return RunResult(
            settings=self.settings,
            repetition=self.repetition,
            seconds=seconds,
            iterations=self._iterations,
            samples=self._samples,
            stats=stats,
            parts=parts,
            curves=self.meter.rows(),
            violations=self.violations,
            wall_seconds=seconds,
        )

    async def _fetcher(self, api: FrontierApi, number: int) -> None:
        chosen = await api.settings()
        rng = np.random.default_rng(self.rng.integers(1 << 63))
        uuid, token = await self._register(api, rng)
        stock: list[str] = []
        maker = LinkMaker(chosen, rng, lambda count: [stock.pop() for _ in range(min(count, len(stock)))])
        external = chosen.int_vs_ext_threshold < 1.0 and chosen.new_vs_exist_threshold < 1.0
        for iteration in itertools.count():
            limit = self.settings.time_limit
            if iteration >= chosen.iterations if limit is None else time.time() >= self._started + limit:
                return
            if external and len(stock) < KNOWN // 2:
                stock += await api.random_urls(KNOWN)
            await self._round(api, chosen, maker, (number, iteration, uuid, token))
            await asyncio.sleep(self.settings.pause)

    async def _register(self, api: FrontierApi, rng: np.random.Generator) -> tuple[str, str]:
        return await api.register(f"simulated-{next(self._names)}", draw_tlds(rng, 1)[0])

    async def _round(
        self, api: FrontierApi, chosen: SimulatorSettings, maker: LinkMaker, who: tuple[int, int, str, str]
    ) -> None:
        """Ask, work, report."""
        number, iteration, uuid, token = who
        asked = time.perf_counter()
        lists = await api.lease(uuid, token)
        loaded = time.perf_counter() - asked
        self._hold(number, lists)
        began, cpu = time.time(), time.process_time()
        pages = await self._work(chosen, maker, lists)
        worked, cpu = time.time() - began, time.process_time() - cpu
        if chosen.release_on_submit:
            self._let_go(lists)  # before the report is sent: once it is answered anybody may have the site
        submitted = time.perf_counter()
        if lists:
            await api.report(uuid, token, lists, pages, f"{uuid}/{iteration}")
        self._iterations.append(
            Iteration(
                fetcher=number,
                iteration=iteration,
                iter_fetch_start=began - self._started,
                iter_load_duration=loaded,
                iter_fetch_duration=worked,
                iter_fetch_cpu_time=cpu / self.settings.parallel_fetcher,  # the process is everybody's
                iter_submit_duration=time.perf_counter() - submitted,
                lists=len(lists),
                urls=sum(len(found) for found in pages),
            )
        )

    async def _work(
        self, chosen: SimulatorSettings, maker: LinkMaker, lists: Sequence[dict[str, Any]]
    ) -> list[list[PageReport]]:
        delays = [
            chosen.default_crawl_delay if one["fqdn_crawl_delay"] is None else one["fqdn_crawl_delay"] for one in lists
        ]
        jobs = [
            Job(len(one["url_list"]), delay / chosen.crawling_speed_factor)
            for one, delay in zip(lists, delays, strict=True)
        ]
        links = [maker.links(one["fqdn"], [page["url"] for page in one["url_list"]]) for one in lists]
        found: list[list[PageReport]] = [[] for _ in lists]

        def visit(site: int, place: int) -> None:
            page = lists[site]["url_list"][place]
            now = time.time()
            found[site].append(
                PageReport(
                    url=page["url"],
                    number=page["number"],
                    fetched=now,
                    links=links[site][place],
                    changed=self.web.visit(page["url"], now) if self.web else None,
                )
            )

        await work(jobs, chosen.parallel_process, visit, clock=time.perf_counter)
        return found

    def _hold(self, number: int, lists: Sequence[dict[str, Any]]) -> None:
        for one in lists:
            self.violations += one["fqdn"] in self._held
            self._held[one["fqdn"]] = number

    def _let_go(self, lists: Sequence[dict[str, Any]]) -> None:
        for one in lists:
            self._held.pop(one["fqdn"], None)

    async def _joins(self, api: FrontierApi) -> None:
        """Fetchers that register and ask for nothing ([G20] §7.2.3, T3b)."""
        while self.join_every is not None:
            await asyncio.sleep(self.join_every)
            await self._register(api, self.rng)

    async def _watch(self, api: FrontierApi) -> None:
        """The store and the scheduler's processor time, at intervals."""
        before = self._scheduler_cpu()
        while True:
            seconds = time.time() - self._started
            stats = await api.stats()
            self._samples.append(self._sample(stats, seconds))
            used = self._scheduler_cpu()
            self.meter.slices["scheduler", int(seconds // self.meter.slice_seconds)] = used - before
            before = used
            await asyncio.sleep(self.sample_every)

    def _sample(self, stats: FrontierStats, seconds: float) -> Sample:
        fresh = self.web.freshness(time.time(), stats.urls) if self.web else None
        return Sample.of(stats, seconds=seconds, started=self._started, fresh=fresh, memory=self._memory())

    def _scheduler_cpu(self) -> float:
        return sum(cpu_of(pid) or 0.0 for pid in self.scheduler)

    def _memory(self) -> int | None:
        return sum(memory_of(pid) or 0 for pid in self.scheduler) if self.scheduler else None
