"""Stores against the plain model: same sites in the same order, under every order and partitioning."""

from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest

from afresh.base.records.frontier import (
    FetcherAccount,
    ListRequest,
    PageOrder,
    PageReport,
    Partitioning,
    Seed,
    SiteOrder,
    SiteReport,
)
from afresh.base.records.frontier_store import FrontierStore
from afresh.frontier.partitionings import partition_for
from afresh.lab.crawl.changes import ChangingWeb
from afresh.lab.crawl.database import ExampleSettings, example_fetchers, example_seeds
from afresh.lab.crawl.settings import SimulatorSettings
from afresh.lab.crawl.start import START, Start
from afresh.lab.crawl.virtual import VirtualCrawl
from afresh.lab.experiments.gaebeler.combinations import combination
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_model import ModelFrontier
from tests.laws.site_orders import KEYS

EXAMPLE = ExampleSettings(fqdn_amount=60, min_url_amount=1, max_url_amount=6, visited_ratio=0.4, spread_pagerank=True)
SEEDS = tuple(example_seeds(EXAMPLE, np.random.default_rng(2), START))
MEMBERS = example_fetchers(replace(EXAMPLE, fetcher_amount=4), np.random.default_rng(3), START)


def filled(store: FrontierStore) -> FrontierStore:
    for member in MEMBERS:
        store.register(member)
    store.add(SEEDS, now=START)
    return store


@pytest.fixture
def stores():
    real = filled(open_frontier(":memory:", links=True))
    yield real, filled(ModelFrontier())
    real.close()


def asked(member: FetcherAccount, **more: object) -> ListRequest:
    return ListRequest(fetcher=member.uuid, sites=15, pages=2, expires=START + 1e6, **more)


@pytest.mark.parametrize("order", sorted(KEYS))
@pytest.mark.parametrize("first", [True, False], ids=["set", "only asked for"])
def test_sites_come_in_the_order_that_was_meant(order: SiteOrder, first: bool) -> None:
    """By the definition in ``tests.laws.site_orders``; sites of equal rank may come in any order."""
    store = filled(open_frontier(":memory:", links=True))
    if first:
        store.set_site_order(order)
    now = START + 100.0
    facts = {one.name: one for one in store.sites(limit=1_000)}
    lists = store.lease(asked(MEMBERS[0], site_order=order), now=now)
    keys = [KEYS[order](facts[one.name], now) for one in lists]
    best = sorted(KEYS[order](site, now) for site in facts.values())[: len(keys)]
    assert len(keys) == 15
    assert keys == pytest.approx(best, rel=1e-9)
    store.close()


LEARNT = (SiteOrder.CHANGE_RATE, SiteOrder.WEBFOUNTAIN, SiteOrder.FRESHNESS, SiteOrder.IN_DEGREE, SiteOrder.OPIC)


@pytest.mark.parametrize("order", LEARNT)
def test_orders_by_what_was_learnt(order: SiteOrder) -> None:
    """After a crawl of pages that change and link: rates, links and cash differ from site to site."""
    store = open_frontier(":memory:", links=True)
    Start(SEEDS).restore(store)
    chosen = SimulatorSettings(
        crawling_speed_factor=1.0,
        default_crawl_delay=1.0,
        parallel_fetcher=4,
        parallel_process=20,
        fqdn_amount=20,
        url_amount=3,
        long_term_prio_mode=SiteOrder.RANDOM,
        int_vs_ext_threshold=0.5,
        new_vs_exist_threshold=0.0,
        release_on_submit=True,
        revisit_after=5.0,
        time_limit=600.0,
    )
    web = ChangingWeb(np.random.default_rng(5), mean_interval=100.0)
    VirtualCrawl(store=store, settings=chosen, rng=np.random.default_rng(6), started=START, web=web).run()
    now = START + 1_000.0
    member = replace(MEMBERS[0], name="afterwards")
    store.register(member)
    facts = {one.name: one for one in store.sites(limit=1_000)}
    lists = store.lease(asked(member, site_order=order), now=now)
    keys = [KEYS[order](facts[one.name], now) for one in lists]
    assert len(set(keys)) > 3
    assert keys == pytest.approx(sorted(KEYS[order](site, now) for site in facts.values())[:15], rel=1e-6)
    store.close()


@pytest.mark.parametrize("mode", [Partitioning.NONE, Partitioning.TLD, Partitioning.SITE_HASH, Partitioning.CONSISTENT])
def test_partitions_hold_the_same_sites(stores: tuple[FrontierStore, FrontierStore], mode: Partitioning) -> None:
    for member in MEMBERS:
        request = replace(asked(member, partition=partition_for(mode, member.uuid, MEMBERS)), sites=0, pages=0)
        real, model = (store.lease(request, now=START + 1.0) for store in stores)
        assert {one.name: {page.url for page in one.pages} for one in real} == {
            one.name: {page.url for page in one.pages} for one in model
        }


@pytest.mark.parametrize("order", sorted({PageOrder.OLD, PageOrder.NEW, PageOrder.PAGERANK, PageOrder.DUE}))
def test_pages_come_in_the_order_that_was_meant(stores: tuple[FrontierStore, FrontierStore], order: PageOrder) -> None:
    request = replace(asked(MEMBERS[0], site_order=SiteOrder.LARGE, page_order=order), sites=0, pages=3)

    def keys(store: FrontierStore) -> dict[str, list[tuple[float, float | None]]]:
        lists = store.lease(request, now=START + 1.0)
        shown = {PageOrder.PAGERANK: lambda page: page.pagerank, PageOrder.DUE: lambda page: page.due}
        return {
            one.name: [shown.get(order, lambda page: page.last_visited)(page) for page in one.pages] for one in lists
        }

    real, model = (keys(store) for store in stores)
    assert real == model


def test_the_same_run_over_both_comes_to_the_same() -> None:
    chosen = SimulatorSettings(
        crawling_speed_factor=1.0,
        parallel_fetcher=3,
        iterations=4,
        fqdn_amount=8,
        url_amount=2,
        long_term_prio_mode=SiteOrder.LARGE,
        min_links_per_page=2,
        max_links_per_page=2,
        release_on_submit=True,
        revisit_after=50.0,
    )
    found = []
    for store in (open_frontier(":memory:", links=True), ModelFrontier()):
        Start(SEEDS).restore(store)
        result = VirtualCrawl(store=store, settings=chosen, rng=np.random.default_rng(1), started=START).run()
        found.append((result.visits, result.stats.urls, result.stats.sites, result.violations))
        store.close()
    assert found[0] == found[1]
    assert found[0][3] == 0


@pytest.mark.parametrize(("order", "mode"), list(zip(SiteOrder, cycle(Partitioning), strict=False)))
def test_56_fetchers_never_share_a_site(order: SiteOrder, mode: Partitioning) -> None:
    """Claim 16. Sites are released and leased again; `afresh lab run gaebeler-combinations` runs every pair."""
    assert combination(order, mode).violations == 0


def linked(store: FrontierStore, links: tuple[str, ...], at: float) -> str:
    """One page is visited and found to link to these; its site."""
    [one] = store.lease(replace(asked(MEMBERS[0]), sites=1, pages=1, default_delay=0.0), now=at)
    page = PageReport(url=one.pages[0].url, links=links, number=one.pages[0].number)
    report = SiteReport(lease=one.lease, name=one.name, pages=(page,))
    store.report(MEMBERS[0].uuid, [report], key="", now=at, revisit_after=0.0)
    return one.name


def test_cash_flows_along_links_and_is_never_lost() -> None:
    """[APC03]: a page starts with a unit of cash; a visit passes a page's cash on, to each link alike."""
    store = open_frontier(":memory:", links=True)
    store.register(MEMBERS[0])
    store.add([Seed(url=f"http://www.s{n}.org/", site=f"www.s{n}.org", crawl_delay=0.0) for n in range(4)], now=START)
    before = {site.name: site.cash for site in store.sites()}
    assert set(before.values()) == {1.0}
    visited = linked(store, ("http://www.t0.org/", "http://www.t1.org/"), START + 1.0)
    after = {site.name: site.cash for site in store.sites()}
    assert after[visited] == pytest.approx(0.0, abs=1e-9)
    assert after["www.t0.org"] == after["www.t1.org"] == pytest.approx(1.0 + before[visited] / 2)
    assert sum(after.values()) == pytest.approx(sum(before.values()) + 2.0)  # two pages became known
    assert not any(store.recount().values())
    store.close()


def test_a_link_counts_once_however_often_it_is_reported() -> None:
    store = open_frontier(":memory:", links=True)
    store.register(MEMBERS[0])
    store.add([Seed(url="http://www.s.org/", site="www.s.org", crawl_delay=0.0)], now=START)
    for at in (START + 1.0, START + 2.0):
        linked(store, ("http://www.s.org/page",), at)
    facts = store.site("www.s.org")
    assert facts is not None
    assert facts.mean_in_degree * facts.urls == pytest.approx(1.0)
    assert store.stats().edges == 1
    store.close()
