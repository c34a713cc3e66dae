"""The laws of a frontier's lists: which sites are handed out, when, and to whom."""

from collections import Counter

from afresh.base.records.frontier import PageOrder, PageResult, Seed, Standing
from afresh.base.records.queues import DEFAULT_CRAWL
from tests.laws.frontier_material import (
    DELAY,
    LEASE,
    NOW,
    OpenFrontier,
    fetched,
    filled,
    give_back,
    host,
    hosts,
    laws_of,
    opened,
    seeds,
    take,
    url,
    urls,
    wrong_sums,
)

# --- leasing ---------------------------------------------------------------------------------------------------------


def a_list_says_what_is_known(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        seed = Seed(
            url(0, 0), host(0), pagerank=0.5, discovered=NOW - 9, last_visited=NOW - 5, due=NOW - 1, crawl_delay=3.0
        )
        store.add([seed, Seed(url(0, 1), host(0), pagerank=1.5, due=NOW)], now=NOW)
        [one] = take(store, pages=1)
        assert (one.name, one.tld, one.crawl_delay, one.url_count) == (host(0), "example", 3.0, 2)
        assert one.avg_pagerank == 1.0
        [page] = one.pages
        found = (page.url, page.pagerank, page.discovered, page.last_visited, page.due)
        assert found == (url(0, 0), 0.5, NOW - 9, NOW - 5, NOW - 1)


def as_many_as_asked_for(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=5, pages=4) as store:
        lists = take(store, sites=2, pages=3)
        assert [len(one.pages) for one in lists] == [3, 3]
        rest = take(store)
        assert [len(one.pages) for one in rest] == [4, 4, 4]
        assert len({*hosts(lists), *hosts(rest)}) == 5


def a_site_is_reserved_once(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store, opened(open_frontier) as other:
        first = take(store, sites=2)
        second = take(other, "two")
        assert len(first) == 2
        assert len(second) == 1
        assert not set(hosts(first)) & set(hosts(second))
        assert not take(store, "two")
        assert store.stats().leased_sites == 3


def lease_numbers_only_grow(open_frontier: OpenFrontier) -> None:
    seen: list[int] = []
    for step in range(3):
        with opened(open_frontier) as store:
            store.add(seeds(2, 2), now=NOW)
            lists = take(store, now=NOW + 2_000 * step)
            seen += [one.lease for one in lists]
            give_back(store, lists, now=NOW + 2_000 * step)
    assert len(seen) == 6
    assert seen == sorted(set(seen))
    assert seen[0] > 0


def a_site_is_not_handed_out_before_its_delay_has_passed(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=6) as store:
        lists = take(store, pages=3)
        give_back(store, lists, now=NOW)
        assert not take(store, "two", now=NOW + 3 * DELAY - 0.01)
        assert len(take(store, "two", now=NOW + 3 * DELAY)) == 1


def a_late_last_request_counts_its_delay_too(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=6) as store:
        lists = take(store, pages=2)
        give_back(store, lists, now=NOW + 50, fetched=NOW + 40)
        assert not take(store, now=NOW + 40 + DELAY - 0.01)
        assert take(store, now=NOW + 40 + DELAY)


def a_page_not_requested_costs_no_delay(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=6) as store:
        give_back(store, take(store, pages=5), now=NOW + 1, result=PageResult.SKIPPED)
        assert len(take(store, now=NOW + 1)[0].pages) == 6


def delays_survive_a_restart(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=6) as store:
        lists = take(store, sites=1, pages=3)
        give_back(store, lists, now=NOW)
        held = take(store, pages=3)
    with opened(open_frontier) as store:
        assert not take(store, now=NOW + 3 * DELAY - 0.01)
        assert hosts(take(store, now=NOW + 3 * DELAY)) == hosts(lists)
        assert give_back(store, held, now=NOW + 10).standings == (Standing.ACCEPTED,)


def a_stated_delay_counts(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=6) as store:
        store.set_delay(host(0), 7.0)
        [one] = take(store, pages=2)
        assert one.crawl_delay == 7.0
        report = fetched(one)._replace(crawl_delay=11.0)
        store.report("one", [report], key="", now=NOW, revisit_after=1e6)
        assert not take(store, now=NOW + 13.9)
        [one] = take(store, now=NOW + 14.0, pages=2)
        assert one.crawl_delay == 11.0


def an_expired_reservation_is_handed_out_again(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        before = take(store)
        assert not take(store, "two", now=NOW + LEASE)
        after = take(store, "two", now=NOW + LEASE + DELAY)
        assert sorted(urls(after)) == sorted(urls(before))
        assert after[0].lease > before[0].lease


def a_list_holds_no_more_than_fits_into_its_reservation(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([*seeds(1, 120), *(Seed(url(1, page), host(1), crawl_delay=1e-320) for page in range(120))], now=NOW)
        store.add([Seed(url(2, page), host(2), crawl_delay=3.0 * LEASE) for page in range(3)], now=NOW)
        for orders in ({}, {"page_order": PageOrder.OLD}, {"revisit_share": 0.5}):
            for pages in (0, 110):
                lists = {one.name: one for one in take(store, pages=pages, **orders)}
                assert len(lists[host(0)].pages) == LEASE / DELAY
                assert len(lists[host(1)].pages) == (pages or 120)
                assert len(lists[host(2)].pages) == 1  # however slow, a site is not left out
                give_back(store, list(lists.values()), result=PageResult.SKIPPED)


def a_vanished_fetcher_keeps_a_site_for_its_reservation(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=500) as store:
        take(store)
        assert not take(store, "two", now=NOW + LEASE + DELAY - 0.01)
        assert take(store, "two", now=NOW + LEASE + DELAY)
        store.remove_fetcher("two", now=NOW + LEASE + DELAY)
        assert take(store, now=NOW + 2 * LEASE + DELAY)


def expire_frees_what_has_expired(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        take(store, sites=2)
        assert store.expire(now=NOW + LEASE - 1) == 0
        assert store.expire(now=NOW + LEASE) == 2
        assert store.expire(now=NOW + LEASE) == 0
        assert store.stats().leased_sites == 0


def a_blocked_site_is_not_handed_out(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2) as store:
        store.block(host(0), NOW + 500, now=NOW)
        assert hosts(take(store)) == [host(1)]
        assert hosts(take(store, now=NOW + 499)) == [host(1)]
        assert hosts(take(store, now=NOW + 500)) == [host(0)]


def a_block_outlasts_the_report_of_the_list(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=9) as store:
        lists = take(store, pages=1)
        store.block(host(0), NOW + 5_000, now=NOW)
        give_back(store, lists, now=NOW + 1)
        assert not take(store, now=NOW + 4_999)
        store.block(host(0), 0.0, now=NOW)
        assert take(store, now=NOW + 100)


def pages_of_a_site_are_visited_again_when_somebody_says_so(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=4) as store:
        first, second = sorted(take(store), key=lambda one: one.name)
        give_back(store, [first, second], now=NOW, revisit_after=1e6)
        gone = fetched(second, PageResult.NOT_FOUND)
        assert not take(store, now=NOW + 1_000)
        assert store.visit_again(DEFAULT_CRAWL, host(0), now=NOW + 1_000) == 4
        assert store.visit_again(DEFAULT_CRAWL, host(0), now=NOW + 1_000) == 0
        assert store.visit_again(DEFAULT_CRAWL, "nobody.example", now=NOW) is None
        [again] = take(store, now=NOW + 1_000)
        assert (again.name, len(again.pages)) == (host(0), 4)
        assert store.visit_again(DEFAULT_CRAWL, host(0), now=NOW + 1_001) == 0  # it is out, and due as before
        give_back(store, [again], now=NOW + 1_001, revisit_after=1e6)
        store.visit_again(DEFAULT_CRAWL, host(1), now=NOW + 1_001)
        store.block(host(1), NOW + 2_000, now=NOW)
        assert not take(store, now=NOW + 1_500)
        [other] = take(store, now=NOW + 2_000, sites=1, site=host(1))
        store.report("one", [gone._replace(lease=other.lease)], key="", now=NOW + 2_001, revisit_after=1e6)
        assert store.visit_again(DEFAULT_CRAWL, host(1), now=NOW + 3_000) == 0  # what is gone is not asked for
        assert not wrong_sums(store)


def two_queues_share_a_list(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        old = [Seed(url(0, page), host(0), last_visited=NOW - 9) for page in range(10)]
        store.add([*old, *(Seed(url(0, page), host(0)) for page in range(10, 20))], now=NOW)
        [one] = take(store, pages=10, revisit_share=0.3)
        assert Counter(page.last_visited is not None for page in one.pages) == {True: 3, False: 7}
        give_back(store, [one], now=NOW)
        [one] = take(store, pages=10, now=NOW + 100, revisit_share=0.3)
        assert Counter(page.last_visited is not None for page in one.pages) == {True: 7, False: 3}


def a_big_site_is_served_like_a_small_one(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        pages = [Seed(url(0, page), host(0), due=NOW - page) for page in range(2_500)]
        store.add(pages[:900], now=NOW)
        store.add(pages[900:], now=NOW)
        [one] = take(store, pages=5)
        assert [page.url for page in one.pages] == [url(0, page) for page in range(2_499, 2_494, -1)]
        give_back(store, [one], now=NOW, revisit_after=50.0)
        [one] = take(store, pages=5, now=NOW + 49)
        assert [page.url for page in one.pages] == [url(0, page) for page in range(2_494, 2_489, -1)]
        assert not wrong_sums(store)


LAWS = laws_of(globals())
