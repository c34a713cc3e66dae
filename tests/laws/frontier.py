"""The laws of a frontier's store: each a short function whose name is the law.

A law takes a function that opens the store; calling it again opens the same data once more, as another process
would. The store is empty when a law begins. The laws of orders and partitions are in ``frontier_orders``.
"""

from concurrent.futures import ThreadPoolExecutor

from afresh.base.errors import AfreshError
from tests.laws import frontier_adding, frontier_leasing, frontier_queues, frontier_reporting
from tests.laws.frontier_material import (
    DELAY,
    LEASE,
    NOW,
    OpenFrontier,
    filled,
    give_back,
    host,
    hosts,
    laws_of,
    missing_site,
    opened,
    seeds,
    take,
    url,
    wrong_sums,
)


def threads_and_processes_never_share_a_site(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=60, pages=2) as store:

        def work(number: int) -> list[str]:
            with opened(open_frontier) as mine:
                found: list[str] = []
                for _ in range(8):
                    found += hosts(take(mine, f"f{number}", sites=3))
                return found

        with ThreadPoolExecutor(6) as pool:
            taken = [name for part in pool.map(work, range(6)) for name in part]
        assert len(taken) == len(set(taken)) == 60
        assert store.stats().leased_sites == 60


def stats_count_what_there_is(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=3) as store:
        give_back(store, take(store, sites=1, pages=2), now=NOW + 4)
        take(store, sites=1)
        stats = store.stats()
        assert (stats.fetchers, stats.sites, stats.urls, stats.visited) == (2, 2, 6, 2)
        assert (stats.leased_sites, stats.visits, stats.mean_last_visited) == (1, 2, NOW + 4)


def leases_are_counted_by_fetcher(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=5, pages=1) as store:
        assert store.holdings() == {}
        lists = take(store, "one", sites=3)
        take(store, "two", sites=1, now=NOW + 7)
        assert store.holdings() == {"one": (3, NOW + LEASE), "two": (1, NOW + 7 + LEASE)}
        give_back(store, lists[:1], now=NOW + 9)
        assert store.holdings()["one"].sites == 2
        store.expire(now=NOW + LEASE)  # the lists stay for a while, to know a late report; nobody holds them
        assert store.holdings() == {"two": (1, NOW + 7 + LEASE)}


def sites_can_be_listed(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=5, pages=1) as store:
        first = store.sites(limit=3)
        rest = store.sites(after=first[-1].name, limit=3)
        assert [site.name for site in (*first, *rest)] == [host(number) for number in range(5)]
        assert store.site("nowhere.example") is None
        [one] = take(store, sites=1)
        facts = store.site(one.name) or missing_site()
        assert (facts.leased_by, facts.leased_until, facts.urls) == ("one", NOW + LEASE, 1)


def random_urls_are_known_ones(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=40) as store:
        every = {url(site, page) for site in range(3) for page in range(40)}
        some = store.random_urls(10, seed=1)
        assert len(set(some)) == 10
        assert set(some) <= every
        assert store.random_urls(10, seed=1) == some
        assert set(store.random_urls(500)) == every
        of_one = store.random_urls(5, site=host(1))
        assert len(of_one) == 5
        assert all(text.startswith("http://s1.") for text in of_one)
        assert store.random_urls(5, site="nowhere.example") == []


def settings_are_remembered(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        assert store.get_setting("a") is None
        store.put_setting("a", "1")
        store.put_setting("a", "2")
    with opened(open_frontier) as store:
        assert store.get_setting("a") == "2"


def clearing_can_be_partial(open_frontier: OpenFrontier) -> None:
    none = {"fetchers": False, "urls": False, "sites": False, "leases": False, "edges": False}
    with filled(open_frontier, sites=2) as store:
        take(store)
        store.clear(**none | {"leases": True})
        assert store.stats().leased_sites == 0
        assert len(take(store, now=NOW + 4 * DELAY)) == 2
        store.clear(**none | {"fetchers": True})
        assert store.stats().fetchers == 0
        assert store.stats().urls == 8
        store.clear(**none | {"urls": True})
        assert (store.stats().urls, store.stats().sites) == (0, 2)
        assert not wrong_sums(store)
        store.add(seeds(2, 4), now=NOW)
        assert not wrong_sums(store)
        store.clear(**dict.fromkeys(none, True))
        assert (store.stats().urls, store.stats().sites, store.stats().visited) == (0, 0, 0)
        store.add(seeds(2, 4), now=NOW)
        assert len(take(store)) == 2


def a_closed_frontier_says_so(open_frontier: OpenFrontier) -> None:
    store = open_frontier()
    store.close()
    store.close()
    for call in (store.stats, store.fetchers):
        try:
            call()
        except AfreshError:
            continue
        raise AssertionError(f"{call} answered after close")


LAWS = (
    *frontier_adding.LAWS,
    *frontier_leasing.LAWS,
    *frontier_queues.LAWS,
    *frontier_reporting.LAWS,
    *laws_of(globals()),
)
