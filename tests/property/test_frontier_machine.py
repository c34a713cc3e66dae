"""Any sequence of additions, lists, reports and waiting: the frontier does what plain dictionaries say."""

import math
from dataclasses import dataclass, field

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from afresh.base.records.frontier import (
    ListRequest,
    PageReport,
    PageResult,
    Seed,
    SiteList,
    SiteOrder,
    SiteReport,
    Standing,
)
from afresh.store.frontier import open_frontier

HOSTS = ("a.example", "b.example", "c.example")
FETCHERS = ("one", "two")
DELAY = 2.0
LEASE = 40.0
REVISIT = 15.0


@dataclass
class Site:
    """What the oracle knows of a site: nothing but the rules."""

    due: dict[str, float] = field(default_factory=dict)  # pages to fetch, by URL
    visited: dict[str, float] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    not_before: float = 0.0
    lease: int = 0
    until: float = 0.0

    def may_be_leased(self, now: float) -> bool:
        is_free = not self.lease or now >= self.until + DELAY
        return is_free and now >= self.not_before and any(due <= now for due in self.due.values())


@dataclass
class Held:
    """A list somebody has."""

    one: SiteList
    fetcher: str
    at: float
    until: float


class Frontier(RuleBasedStateMachine):
    """The store beside the oracle."""

    @initialize(
        order=st.sampled_from([SiteOrder.DUE, SiteOrder.RANDOM, SiteOrder.LARGE, SiteOrder.OLD]), big=st.booleans()
    )
    def begin(self, order: SiteOrder, big: bool) -> None:
        self.store = open_frontier(":memory:", big=2 if big else 1_000, seed=0)
        self.store.set_site_order(order)
        self.order = order
        self.now = 1_000.0
        self.sites = {host: Site() for host in HOSTS}
        self.held: list[Held] = []
        self.visits = 0
        self.last_lease = 0

    def teardown(self) -> None:
        if hasattr(self, "store"):
            assert not {name: count for name, count in self.store.recount().items() if count}
            self.store.close()

    @rule(host=st.sampled_from(HOSTS), pages=st.lists(st.integers(0, 7), max_size=5), wait=st.sampled_from([0.0, 5.0]))
    def add(self, host: str, pages: list[int], wait: float) -> None:
        site = self.sites[host]
        urls = [f"http://{host}/{page}" for page in pages]
        new = {url for url in urls if url not in site.due and url not in site.gone}
        imported = self.store.add([Seed(url, host, due=self.now + wait) for url in urls], now=self.now)
        assert imported.urls == len(new)
        site.due |= dict.fromkeys(new, self.now + wait)

    @rule(fetcher=st.sampled_from(FETCHERS), sites=st.integers(0, 3), pages=st.integers(0, 4))
    def lease(self, fetcher: str, sites: int, pages: int) -> None:
        request = ListRequest(
            fetcher=fetcher,
            sites=sites,
            pages=pages,
            site_order=self.order,
            default_delay=DELAY,
            expires=self.now + LEASE,
        )
        lists = self.store.lease(request, now=self.now)
        ready = {host for host, site in self.sites.items() if site.may_be_leased(self.now)}
        assert {one.name for one in lists} <= ready
        assert len(lists) == (min(sites, len(ready)) if sites else len(ready))
        for one in lists:
            self._check_list(one, pages)
            self.held.append(Held(one, fetcher, self.now, self.now + LEASE))

    def _check_list(self, one: SiteList, pages: int) -> None:
        site = self.sites[one.name]
        due = sorted(time for time in site.due.values() if time <= self.now)
        assert len(one.pages) == (min(pages, len(due)) if pages else len(due))
        assert sorted(site.due[page.url] for page in one.pages) == due[: len(one.pages)]
        assert all(page.last_visited == site.visited.get(page.url) for page in one.pages)
        assert one.lease > self.last_lease
        self.last_lease = one.lease
        site.lease, site.until = one.lease, self.now + LEASE
        site.not_before = self.now + len(one.pages) * DELAY

    @rule(
        data=st.data(),
        by_number=st.booleans(),
        impostor=st.integers(0, 9),
        skipped=st.sampled_from([PageResult.FETCHED, PageResult.FETCHED, PageResult.EXCLUDED, PageResult.SKIPPED]),
    )
    def report(self, data: st.DataObject, by_number: bool, impostor: int, skipped: PageResult) -> None:
        if not self.held:
            return
        held = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
        one = held.one
        count = data.draw(st.integers(0, len(one.pages)))
        results = [skipped if place == 0 else PageResult.FETCHED for place in range(count)]
        pages = tuple(
            PageReport(page.url, result=result, number=page.number if by_number else 0)
            for page, result in zip(one.pages, results, strict=False)
        )
        report = SiteReport(lease=one.lease, name=one.name, pages=pages)
        if not impostor:
            receipt = self.store.report("nobody", [report], key="", now=self.now, revisit_after=REVISIT)
            assert receipt.standings == (Standing.UNKNOWN,)
        receipt = self.store.report(held.fetcher, [report], key="", now=self.now, revisit_after=REVISIT)
        self._take_over(held, pages, receipt.standings[0])
        again = self.store.report(held.fetcher, [report], key="", now=self.now, revisit_after=REVISIT)
        assert (again.standings, again.visited) == ((Standing.UNKNOWN,), 0)

    def _take_over(self, held: Held, pages: tuple[PageReport, ...], standing: Standing) -> None:
        site = self.sites[held.one.name]
        is_late = site.lease != held.one.lease or held.until < self.now
        assert standing is (Standing.LATE if is_late else Standing.ACCEPTED)
        requested = 0
        for page in pages:
            if page.result is PageResult.FETCHED:
                requested += 1
                self.visits += 1
                site.visited[page.url] = self.now
                if page.url not in site.gone:
                    site.due[page.url] = self.now + REVISIT
                else:  # excluded by the report of another list in between: seen, so fetched again
                    site.gone.discard(page.url)
                    site.due[page.url] = self.now + REVISIT
            elif page.result is PageResult.EXCLUDED:
                site.due.pop(page.url, None)
                site.gone.add(page.url)
        allowed = max(held.at + requested * DELAY, self.now + DELAY) if requested else held.at
        if is_late:
            site.not_before = max(site.not_before, allowed)
        else:
            site.not_before, site.lease = allowed, 0

    @rule(seconds=st.sampled_from([0.5, 2.0, 7.0, 20.0, 50.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def expire(self) -> None:
        self.store.expire(now=self.now)
        for site in self.sites.values():
            if site.lease and site.until <= self.now:
                site.lease, site.not_before = 0, max(site.not_before, site.until + DELAY)

    @invariant()
    def totals(self) -> None:
        if not hasattr(self, "store"):
            return
        stats = self.store.stats()
        assert stats.urls == sum(len(site.due) + len(site.gone) for site in self.sites.values())
        assert stats.visits == self.visits
        visited = [time for site in self.sites.values() for time in site.visited.values()]
        assert stats.visited == len(visited)
        if visited:
            assert math.isclose(stats.mean_last_visited or 0.0, sum(visited) / len(visited))


Frontier.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestFrontier = Frontier.TestCase
