"""Many simulated fetchers in virtual time, over a real store: the same leases and reports, without the waiting.

One heap of events owns time. A fetcher asks for a list, its pool takes as long as the delays say, then it reports and
asks again; nothing sleeps. Processor time is real: what the store and the partitioning cost is measured as they run.
"""

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from afresh.base.errors import UsageError
from afresh.base.records.frontier import FetcherAccount, ListRequest, PageReport, PageResult, SiteList, SiteReport
from afresh.base.records.frontier_store import FrontierStore
from afresh.frontier.partitionings import partition_for
from afresh.lab.crawl.changes import ChangingWeb
from afresh.lab.crawl.database import simulated_fetcher
from afresh.lab.crawl.draws import draw_tlds
from afresh.lab.crawl.links import LinkMaker, Stock
from afresh.lab.crawl.meters import Meter, memory_of
from afresh.lab.crawl.pool import Job, schedule
from afresh.lab.crawl.results import Iteration, RunResult, Sample
from afresh.lab.crawl.settings import SimulatorSettings

#: site and the URLs of its list -> the links of each page
Links = Callable[[str, Sequence[str]], Sequence[tuple[str, ...]]]

#: seconds from the request for a list to the visit of each page of one site
_Spell = list[float]

#: seconds a reservation lasts; longer than any run, as in the thesis's tests
_RESERVED = 10.0 * 365.0 * 86_400.0


@dataclass(slots=True)
class _Watch:
    """Counts what must not happen: two fetchers on a site at once."""

    held: dict[str, tuple[str, float]] = field(default_factory=dict)
    violations: int = 0

    def leased(self, fetcher: str, lists: Sequence[SiteList], now: float, until: float) -> None:
        for one in lists:
            holder = self.held.get(one.name)
            if holder is not None and holder[1] > now:
                self.violations += 1
            self.held[one.name] = (fetcher, until)

    def released(self, lists: Sequence[SiteList]) -> None:
        for one in lists:
            self.held.pop(one.name, None)


@dataclass(slots=True)
class VirtualCrawl:
    """One run of one case. ``run`` may be called once."""

    store: FrontierStore
    settings: SimulatorSettings
    rng: np.random.Generator
    started: float
    repetition: int = 0
    join_every: float | None = None
    web: ChangingWeb | None = None
    keep_order: bool = False
    sample_every: float = 60.0
    links: Links | None = None  # what links pages carry; None: made up by the settings
    after_report: Callable[[float], None] = lambda _: None  # background work, such as computing PageRank
    meter: Meter = field(default_factory=Meter)
    _watch: _Watch = field(default_factory=_Watch)
    _events: list[tuple[float, int, Callable[[float], None]]] = field(default_factory=list)
    _count: int = 0
    _working: int = 0
    _registered: int = 0
    _members: list[FetcherAccount] = field(default_factory=list)
    _iterations: list[Iteration] = field(default_factory=list)
    _samples: list[Sample] = field(default_factory=list)
    _order: list[tuple[float, str]] = field(default_factory=list)
    _finished: float = 0.0

    def run(self) -> RunResult:
        """Registers the fetchers, lets them work, and says what came of it."""
        begun, cpu = time.perf_counter(), time.process_time()
        self.store.set_site_order(self.settings.long_term_prio_mode)
        for number in range(self.settings.parallel_fetcher):
            self._start(number)
        self._count_members(self.started)
        if self.join_every is not None:
            self._at(self.started + self.join_every, self._join)
        self._at(self.started, self._sample)
        while self._events and self._working:
            now, _, happen = heapq.heappop(self._events)
            happen(now)
        self._sample(self._finished or self.started, again=False)
        return RunResult(
            settings=self.settings,
            repetition=self.repetition,
            seconds=max(0.0, self._finished - self.started),
            iterations=self._iterations,
            samples=self._samples,
            stats=self.store.stats(),
            parts=self.meter.parts,
            curves=self.meter.rows(),
            violations=self._watch.violations,
            wall_seconds=time.perf_counter() - begun,
            cpu_seconds=time.process_time() - cpu,
            order=tuple(url for _, url in sorted(self._order)),
        )

    def _at(self, when: float, happen: Callable[[float], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (when, self._count, happen))

    def _register(self, now: float) -> FetcherAccount:
        account = simulated_fetcher(self.rng, self._registered, draw_tlds(self.rng, 1)[0], now)
        self._registered += 1
        with self.meter.part("register", now - self.started):
            taken = not self.store.register(account)
        if taken:
            raise UsageError(f"the store has a fetcher called {account.name} already; restore it before a run")
        return account

    def _join(self, now: float) -> None:
        """One more fetcher registers, which asks for nothing ([G20] §7.2.3, T3b)."""
        self._register(now)
        self._count_members(now)
        self._at(now + (self.join_every or 0.0), self._join)

    def _count_members(self, now: float) -> None:
        with self.meter.part("members", now - self.started):
            self._members = self.store.fetchers()

    def _start(self, number: int) -> None:
        account = self._register(self.started)
        known = Stock(self._known)
        made_up = LinkMaker(self.settings, np.random.default_rng(self.rng.integers(1 << 63)), known.take)
        maker = self.links or made_up.links
        self._working += 1
        self._at(self.started, lambda now: self._ask(number, account, maker, 0, now))

    def _known(self, count: int) -> Sequence[str]:
        return self.store.random_urls(count, seed=int(self.rng.integers(1 << 31)))

    def _ask(self, number: int, account: FetcherAccount, maker: Links, iteration: int, now: float) -> None:
        """A fetcher asks for a list and sets to work, or stops."""
        limit = self.settings.time_limit
        over = iteration >= self.settings.iterations if limit is None else now >= self.started + limit
        if over:
            self._working -= 1
            return
        begun = time.perf_counter()
        lists = self._lease(account, now)
        loaded = time.perf_counter() - begun
        if not lists:  # nothing to do: the round is lost; with a time limit it asks again a second later
            wait = self.settings.pause or (1.0 if limit is not None else 0.0)
            self._at(now + wait, lambda then: self._ask(number, account, maker, iteration + 1, then))
            return
        spells, seconds = self._plan(lists)
        if limit is not None:  # what cannot be visited in time goes back unvisited
            seconds = min(seconds, self.started + limit - now)

        def submit(then: float) -> None:
            cpu = time.process_time()
            reports = self._visit(maker, lists, spells, now, until=then)
            cpu = time.process_time() - cpu
            submitted = self._report(account, lists, reports, then)
            self._iterations.append(
                Iteration(
                    fetcher=number,
                    iteration=iteration,
                    iter_fetch_start=now - self.started,
                    iter_load_duration=loaded,
                    iter_fetch_duration=seconds,
                    iter_fetch_cpu_time=cpu,
                    iter_submit_duration=submitted,
                    lists=len(lists),
                    urls=sum(page.result is PageResult.FETCHED for one in reports for page in one.pages),
                )
            )
            again = then + self.settings.pause
            self._at(again, lambda later: self._ask(number, account, maker, iteration + 1, later))

        self._at(now + seconds, submit)

    def _lease(self, account: FetcherAccount, now: float) -> list[SiteList]:
        chosen = self.settings
        with self.meter.part("partition", now - self.started):
            partition = partition_for(chosen.long_term_part_mode, account.uuid, self._members)
        request = ListRequest(
            fetcher=account.uuid,
            sites=chosen.fqdn_amount,
            pages=chosen.url_amount,
            site_order=chosen.long_term_prio_mode,
            page_order=chosen.short_term_prio_mode,
            partition=partition,
            default_delay=chosen.default_crawl_delay,
            release_on_report=chosen.release_on_submit,
            expires=now + _RESERVED,
        )
        with self.meter.part("lease", now - self.started):
            lists = self.store.lease(request, now=now)
        self._watch.leased(account.uuid, lists, now, request.expires)
        return lists

    def _plan(self, lists: Sequence[SiteList]) -> tuple[list[_Spell], float]:
        """When each page will be visited, in seconds from now, and how long the pool takes."""
        chosen = self.settings
        delays = [chosen.default_crawl_delay if one.crawl_delay is None else one.crawl_delay for one in lists]
        jobs = [
            Job(len(one.pages), delay / chosen.crawling_speed_factor) for one, delay in zip(lists, delays, strict=True)
        ]
        done = schedule(jobs, chosen.parallel_process)
        spells = [
            [spell.begun + (place + 1) * job.delay for place in range(job.pages)]
            for job, spell in zip(jobs, done, strict=True)
        ]
        return spells, max((spell.finished for spell in done), default=0.0)

    def _visit(
        self, maker: Links, lists: Sequence[SiteList], spells: Sequence[_Spell], asked: float, *, until: float
    ) -> list[SiteReport]:
        """What the fetcher reports when its time is over."""
        reports = []
        for one, spell in zip(lists, spells, strict=True):
            times = [asked + seconds for seconds in spell]
            done = sum(at <= until + 1e-6 for at in times)
            urls = [page.url for page in one.pages[:done]]
            visited = [
                PageReport(
                    url=page.url,
                    fetched=at,
                    links=links,
                    changed=self.web.visit(page.url, at) if self.web else None,
                    number=page.number,
                )
                for page, at, links in zip(one.pages[:done], times, maker(one.name, urls), strict=False)
            ]
            skipped = [
                PageReport(url=page.url, result=PageResult.SKIPPED, number=page.number) for page in one.pages[done:]
            ]
            if self.keep_order:
                self._order.extend(zip(times, urls, strict=False))
            reports.append(SiteReport(lease=one.lease, name=one.name, pages=(*visited, *skipped)))
        return reports

    def _report(
        self, account: FetcherAccount, lists: Sequence[SiteList], reports: Sequence[SiteReport], now: float
    ) -> float:
        begun = time.perf_counter()
        with self.meter.part("report", now - self.started):
            self.store.report(account.uuid, reports, key="", now=now, revisit_after=self.settings.revisit_after)
        if self.settings.release_on_submit:
            self._watch.released(lists)
        self._finished = now
        self.after_report(now)
        return time.perf_counter() - begun

    def _sample(self, now: float, *, again: bool = True) -> None:
        stats = self.store.stats()
        fresh = self.web.freshness(now, stats.urls) if self.web else None
        self._samples.append(
            Sample.of(stats, seconds=now - self.started, started=self.started, fresh=fresh, memory=memory_of())
        )
        if again:
            self._at(now + self.sample_every, self._sample)
