"""Background work of a frontier: PageRank in batches, homes of sites."""

import numpy as np
import pytest

from afresh.base.records.frontier import FetcherAccount, ListRequest, PageReport, Seed, SiteReport
from afresh.base.records.frontier_store import FrontierStore
from afresh.frontier.orders.pagerank import pagerank
from afresh.frontier.place_table import read_places
from afresh.frontier.ranking import (
    PageRankBatches,
    assign_homes_by_geography,
    assign_homes_by_graph,
    assign_homes_by_round_trip,
    recompute_pageranks,
)
from afresh.store.frontier import open_frontier

NOW = 1_600_000_000.0
PAGES = {f"http://www.s{s}.org/{p}": f"www.s{s}.org" for s in range(8) for p in range(2)}


def account(name: str, **more: str) -> FetcherAccount:
    return FetcherAccount(
        uuid=f"00000000-0000-4000-8000-{name:0>12}", contact="o@example.org", name=name, registered=NOW, **more
    )


@pytest.fixture
def store():
    opened = open_frontier(":memory:", links=True)
    opened.add([Seed(url=url, site=site) for url, site in PAGES.items()], now=NOW)
    yield opened
    opened.close()


def visit_all(
    store: FrontierStore, fetcher: str, links: dict[str, tuple[str, ...]], trip: float | None = None, at: float = NOW
) -> None:
    request = ListRequest(fetcher=fetcher, sites=0, pages=0, default_delay=0.0, expires=at + 100.0)
    lists = store.lease(request, now=at)
    reports = [
        SiteReport(
            lease=one.lease,
            name=one.name,
            pages=tuple(PageReport(url=page.url, links=links.get(page.url, ())) for page in one.pages),
            round_trip=trip,
        )
        for one in lists
    ]
    store.report(fetcher, reports, key="", now=at, revisit_after=1.0)


def ring_links() -> dict[str, tuple[str, ...]]:
    """Sites 0-3 link among themselves, 4-7 too, and one link leads across."""
    urls = list(PAGES)
    links = {}
    for s in range(8):
        group = range(4) if s < 4 else range(4, 8)
        links[urls[2 * s]] = tuple(urls[2 * other] for other in group if other != s)
    links[urls[1]] = (urls[8],)
    return links


def test_pageranks_reach_pages_and_sites(store: FrontierStore) -> None:
    store.register(account("a"))
    visit_all(store, account("a").uuid, ring_links())
    done = recompute_pageranks(store)
    assert done.links == 25
    edges = np.array(list(store.edges()))
    numbers, places = np.unique(edges, return_inverse=True)
    places = places.reshape(edges.shape)
    wanted = pagerank(len(numbers), places[:, 0], places[:, 1]) * len(numbers)
    kept = {
        page.url: page.pagerank
        for one in store.lease(
            ListRequest(fetcher=account("a").uuid, sites=0, pages=0, default_delay=0.0, expires=NOW + 99.0),
            now=NOW + 9.0,
        )
        for page in one.pages
    }
    assert sorted(value for value in kept.values() if value) == pytest.approx(sorted(wanted.tolist()))
    site = store.site("www.s4.org")
    assert site is not None
    assert site.mean_pagerank == pytest.approx((kept["http://www.s4.org/0"] + kept["http://www.s4.org/1"]) / 2)


def test_an_empty_graph_has_no_ranks(store: FrontierStore) -> None:
    assert recompute_pageranks(store).pages == 0


def test_a_batch_is_due_after_so_many_visits(store: FrontierStore) -> None:
    batches = PageRankBatches(store, every=10)
    assert batches.run_if_due() is None
    store.register(account("a"))
    visit_all(store, account("a").uuid, ring_links())
    assert batches.run_if_due() is not None
    assert batches.run_if_due() is None
    visit_all(store, account("a").uuid, {}, at=NOW + 50.0)
    assert PageRankBatches(store, every=10).is_due()


def test_communities_get_one_home_each(store: FrontierStore) -> None:
    for name in ("a", "b"):
        store.register(account(name))
    visit_all(store, account("a").uuid, ring_links())
    assert assign_homes_by_graph(store) == 8
    homes = [store.site(f"www.s{s}.org").home for s in range(8)]  # type: ignore[union-attr]
    assert sorted(homes.count(account(name).uuid) for name in ("a", "b")) == [4, 4]
    assert len(set(homes[:4])) == len(set(homes[4:])) == 1


def test_without_fetchers_homes_are_taken_back(store: FrontierStore) -> None:
    store.register(account("a"))
    assert assign_homes_by_graph(store) == 8
    store.remove_fetcher(account("a").uuid, now=NOW)
    assert assign_homes_by_graph(store) == 0
    assert store.site("www.s0.org").home == ""  # type: ignore[union-attr]


def test_the_quicker_fetcher_gets_the_site(store: FrontierStore) -> None:
    for name, trip, at in (("a", 0.5, NOW), ("b", 0.1, NOW + 20.0)):
        store.register(account(name))
        visit_all(store, account(name).uuid, {}, trip=trip, at=at)
    assert assign_homes_by_round_trip(store, now=NOW + 30.0) == 8
    assert store.site("www.s3.org").home == account("b").uuid  # type: ignore[union-attr]
    store.remove_fetcher(account("b").uuid, now=NOW + 40.0)
    assert assign_homes_by_round_trip(store, now=NOW + 50.0) == 8
    assert store.site("www.s3.org").home == account("a").uuid  # type: ignore[union-attr]
    assert assign_homes_by_round_trip(store, now=NOW + 200_000.0) == 0  # measurements of yesterday do not count


def test_the_nearest_fetcher_gets_the_site(store: FrontierStore) -> None:
    table = read_places("place,here,50,10\nplace,there,-30,150\ntld,org,there\n")
    store.register(account("a", location="here"))
    store.register(account("b", location="there"))
    assert assign_homes_by_geography(store, table) == 8
    assert store.site("www.s0.org").home == account("b").uuid  # type: ignore[union-attr]
    assert assign_homes_by_geography(store, read_places("place,x,1,1\n")) == 0
    assert store.site("www.s0.org").home == ""  # type: ignore[union-attr]
