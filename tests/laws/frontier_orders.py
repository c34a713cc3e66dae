"""The laws of orders and partitions: which site, which page, for whom."""

from collections import Counter
from typing import Any

from afresh.base.hashing import bucket_of, site_hash
from afresh.base.records.frontier import (
    HashArcs,
    HashClass,
    Home,
    PageOrder,
    PageReport,
    PageResult,
    Seed,
    SiteList,
    SiteOrder,
    SiteReport,
    TopLevelDomain,
)
from afresh.base.records.frontier_store import FrontierStore
from afresh.store.buckets import BUCKETS
from tests.laws.frontier_material import (
    NOW,
    OpenFrontier,
    filled,
    give_back,
    host,
    hosts,
    laws_of,
    missing_site,
    opened,
    take,
    url,
    wrong_sums,
)

#: Four sites with ascending numbers, for sites that are equal come by number: those of a bucket each, in their order.
_SITES = sorted({bucket_of(host(site), BUCKETS): site for site in range(20)}.items())[:4]
_HOSTS = [host(site) for _, site in _SITES]
_PAGES = (3, 5, 2, 4)  # of sites 0 … 3
_SEEN = (NOW - 50, NOW - 10, None, NOW - 30)  # last visit of one page of each
_RANKS = (0.2, 0.4, 0.1, 0.3)
_FOUND = (NOW - 3, NOW - 1, NOW - 2, NOW - 4)

#: What each order makes of ``_four_sites``.
EXPECTED = {
    SiteOrder.LARGE: [1, 3, 0, 2],
    SiteOrder.SMALL: [2, 0, 3, 1],
    SiteOrder.OLD: [2, 0, 3, 1],
    SiteOrder.NEW: [1, 3, 0, 2],
    SiteOrder.PAGERANK: [1, 3, 0, 2],
    SiteOrder.BREADTH: [3, 0, 2, 1],
    SiteOrder.WEBFOUNTAIN: [2, 1, 3, 0],
    SiteOrder.DUE: [0, 1, 2, 3],
}


def _four_sites(store: FrontierStore) -> None:
    seeds = [
        Seed(
            url(_SITES[site][1], page),
            _HOSTS[site],
            pagerank=_RANKS[site],
            discovered=_FOUND[site] + page,
            last_visited=_SEEN[site] if page == 0 else None,
            due=NOW - 100 + site,
        )
        for site in range(4)
        for page in range(_PAGES[site])
    ]
    store.add(seeds, now=NOW)


def sites_come_in_the_order_that_is_set(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        _four_sites(store)
        for order, expected in EXPECTED.items():
            store.set_site_order(order)
            lists = [take(store, sites=1, site_order=order) for _ in range(5)]
            assert [hosts(part) for part in lists] == [*([_HOSTS[site]] for site in expected), []], order
            _put_back(store, [one for part in lists for one in part])


def ranks_that_grow_with_time_are_those_of_now(open_frontier: OpenFrontier) -> None:
    """Site 1 has waited longer, more of site 0 is waiting: at first one comes first, later the other."""
    found, seen = (NOW, NOW - 100.0, NOW - 10_000.0), (1, 3, 1)
    with opened(open_frontier) as store:
        store.add(
            [
                Seed(
                    url(site, page), host(site), discovered=found[site], last_visited=NOW if page < seen[site] else None
                )
                for site in range(3)
                for page in range(4)
            ],
            now=NOW,
        )
        order = SiteOrder.FRESHNESS
        store.set_site_order(order)
        assert hosts(take(store, sites=1, site_order=order)) == [host(2)]
        assert hosts(take(store, now=NOW + 90.0, sites=1, site_order=order)) == [host(0)]


def sites_come_in_the_order_that_is_asked_for(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        _four_sites(store)
        for kept in (SiteOrder.DUE, SiteOrder.RANDOM, SiteOrder.LARGE):
            store.set_site_order(kept)
            for order, expected in EXPECTED.items():
                lists = take(store, site_order=order)
                assert hosts(lists) == [_HOSTS[site] for site in expected], (kept, order)
                _put_back(store, lists)


def _put_back(store: FrontierStore, lists: list[SiteList]) -> None:
    """As if nothing had been handed out: no delay either, since nothing was requested."""
    give_back(store, lists, result=PageResult.SKIPPED)


def every_order_serves_every_site(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=6, pages=2) as store:
        now = NOW
        for order in SiteOrder:
            now += 10_000
            store.set_site_order(order)
            for asked in (order, SiteOrder.DUE, SiteOrder.LARGE):
                lists = [one for _ in range(4) for one in take(store, now=now, sites=2, site_order=asked)]
                assert sorted(hosts(lists)) == [host(site) for site in range(6)], (order, asked)
                give_back(store, lists, now=now, revisit_after=100.0, changed=True)
                now += 1_000
            assert not wrong_sums(store), order


def a_random_order_is_fair(open_frontier: OpenFrontier) -> None:
    # With 120 draws of 1 in 6 a fair order gives a site fewer than 4 or more than 44 turns once in a million runs.
    with filled(open_frontier, sites=6, pages=1) as store:
        store.set_site_order(SiteOrder.RANDOM)
        turns: Counter[str] = Counter()
        now = NOW
        for _ in range(120):
            now += 100
            lists = take(store, now=now, sites=1, site_order=SiteOrder.RANDOM)
            turns.update(hosts(lists))
            give_back(store, lists, now=now, revisit_after=0.0, result=PageResult.SKIPPED)
        assert set(turns) == {host(site) for site in range(6)}
        assert all(4 <= count <= 44 for count in turns.values()), turns


def an_available_site_moves_when_it_grows(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=2) as store:
        store.set_site_order(SiteOrder.LARGE)
        give_back(store, take(store, sites=1, pages=1, site_order=SiteOrder.LARGE), now=NOW, result=PageResult.SKIPPED)
        store.add([Seed(url(2, page), host(2)) for page in range(9)], now=NOW)
        assert hosts(take(store, sites=1, site_order=SiteOrder.LARGE)) == [host(2)]
        assert not wrong_sums(store)


def pages_come_in_the_order_asked_for(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        facts = [(0, NOW - 5, 0.3, 3.0), (1, None, 0.2, 1.0), (2, NOW - 9, 0.1, 2.0)]  # page, visit, PageRank, due
        store.add([Seed(url(0, n), host(0), rank, None, seen, due) for n, seen, rank, due in facts], now=NOW)
        expected: dict[PageOrder, list[int]] = {
            PageOrder.OLD: [1, 2, 0],
            PageOrder.NEW: [0, 2, 1],
            PageOrder.PAGERANK: [0, 1, 2],
            PageOrder.DUE: [1, 2, 0],
        }
        for pages in (0, 2, 3):
            for order, numbers in expected.items():
                lists = take(store, page_order=order, pages=pages)
                found = [page.url for page in lists[0].pages]
                assert found == [url(0, number) for number in numbers][: pages or None], (order, pages)
                give_back(store, lists, result=PageResult.SKIPPED)
        for order in PageOrder:
            lists = take(store, page_order=order, pages=2)
            assert len(lists[0].pages) == 2, order
            give_back(store, lists, result=PageResult.SKIPPED)


def a_partition_limits_what_is_handed_out(open_frontier: OpenFrontier) -> None:
    names = [f"a{number}.{tld}" for number in range(12) for tld in ("de", "org")]
    with opened(open_frontier) as store:
        store.add([Seed(f"http://{name}/", name) for name in names], now=NOW)
        for order in (SiteOrder.DUE, SiteOrder.RANDOM, SiteOrder.SMALL):
            store.set_site_order(order)

            def of(partition: Any, asked: SiteOrder = order) -> list[str]:
                lists = take(store, partition=partition, site_order=asked)
                give_back(store, lists, result=PageResult.SKIPPED)
                return sorted(hosts(lists))

            assert of(TopLevelDomain("de")) == sorted(name for name in names if name.endswith("de"))
            assert of(TopLevelDomain("fr")) == []
            shares = [of(HashClass(index, 3)) for index in range(3)]
            assert sorted(name for share in shares for name in share) == sorted(names)
            assert all(site_hash(name) % 3 == index for index, share in enumerate(shares) for name in share)
            half = 1 << 62
            low, high = of(HashArcs(((0, half // 2), (half // 2, half)))), of(HashArcs(((half, 1 << 63),)))
            assert low == sorted(name for name in names if site_hash(name) < half)
            assert sorted(low + high) == sorted(names)
            assert of(HashArcs(())) == []
            many = tuple((place << 52, (place + 1) << 52) for place in range(600))
            assert of(HashArcs(many)) == sorted(name for name in names if site_hash(name) < 600 << 52)


def homes_keep_others_out(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=1) as store:
        store.put_homes([(host(0), "one"), (host(1), "two"), ("nowhere.example", "one")])
        assert hosts(take(store, "one", partition=Home("one"))) == [host(0), host(2)]
        assert (store.site(host(1)) or missing_site()).home == "two"
        store.put_homes([(host(1), "")])
        assert hosts(take(store, "one", partition=Home("one"))) == [host(1)]


def removing_a_fetcher_leaves_no_home_behind(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        store.put_homes([(host(0), "two")])
        store.remove_fetcher("two", now=NOW)
        assert hosts(take(store, "one", partition=Home("one"))) == [host(0)]


def round_trips_are_medians(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        for step, (fetcher, seconds) in enumerate((("one", 9.0), ("one", 1.0), ("two", 4.0), ("one", 2.0))):
            now = NOW + 1_000 * step
            [one] = take(store, fetcher, now=now)
            report = SiteReport(
                lease=one.lease, name=one.name, pages=(PageReport(one.pages[0].url),), round_trip=seconds
            )
            store.report(fetcher, [report], key="", now=now, revisit_after=10.0)
        assert list(store.round_trips(since=NOW)) == [(host(0), "one", 2.0), (host(0), "two", 4.0)]
        assert list(store.round_trips(since=NOW + 1_000)) == [(host(0), "one", 1.5), (host(0), "two", 4.0)]
        assert list(store.round_trips(since=NOW + 9_000)) == []


def mirrors_share_their_content(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=3) as store:
        for one in take(store):
            pages = [
                PageReport(
                    page.url, number=page.number, content_hash=page.url[-1] + ("z" if one.name == host(2) else "")
                )
                for page in one.pages
            ]
            store.report("one", [SiteReport(one.lease, one.name, pages)], key="", now=NOW, revisit_after=1e6)
        assert store.mirrors() == [(host(0), host(1), 3)]


def page_ranks_are_put_by_number(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=2) as store:
        lists = take(store)
        store.put_pageranks((page.number, 0.5 if one.name == host(1) else 0.25) for one in lists for page in one.pages)
        assert (store.site(host(1)) or missing_site()).mean_pagerank == 0.5
        give_back(store, lists, result=PageResult.SKIPPED)
        found = take(store, site_order=SiteOrder.PAGERANK)
        assert hosts(found) == [host(1), host(0)]
        assert found[0].pages[0].pagerank == 0.5
        assert not wrong_sums(store)


ORDER_LAWS = laws_of(globals())
