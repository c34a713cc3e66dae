"""The laws of a frontier's store: each a short function whose name is the law.

A law takes a function that opens the store; calling it again opens the same data once more, as another process
would. The store is empty when a law begins. The laws of orders and partitions are in ``frontier_orders``.
"""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from afresh.checks.frontier_material import (
    DELAY,
    LEASE,
    NOW,
    OpenFrontier,
    account,
    fetched,
    filled,
    give_back,
    host,
    hosts,
    opened,
    seeds,
    take,
    url,
    urls,
    wrong_sums,
)
from afresh.core.frontier.models import ListRequest, PageOrder, PageReport, PageResult, Seed, SiteReport, Standing
from afresh.core.frontier.protocols import Reported
from afresh.errors import AfreshError

# --- fetchers --------------------------------------------------------------------------------------------------------


def a_fetcher_registers_once(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        first = account("a")
        assert store.register(first)
        assert not store.register(first)
        assert not store.register(account("b", name="a"))  # the contact and name of another
        assert store.register(account("b"))
        assert store.fetcher("a") == first
        assert store.fetcher("c") is None


def fetchers_are_listed_by_registration(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        for uuid, registered in (("c", 3.0), ("b", 1.0), ("a", 3.0)):
            store.register(account(uuid, registered=registered))
        assert [one.uuid for one in store.fetchers()] == ["b", "a", "c"]


def a_fetcher_can_be_changed(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.register(account("a"))
        store.register(account("b"))
        changed = replace(account("a"), location="Berlin", tld_preference="de", address="192.0.2.1", token_digest="ff")  # noqa: S106 (no secret)
        assert store.replace_fetcher(changed)
        assert store.fetcher("a") == changed
        assert not store.replace_fetcher(account("c"))
        assert not store.replace_fetcher(replace(changed, name="b"))
        assert store.fetcher("a") == changed


def removing_a_fetcher_frees_its_sites_but_keeps_their_delay(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1) as store:
        assert take(store, pages=3)
        assert store.remove_fetcher("one", now=NOW + 1)
        assert not store.remove_fetcher("one", now=NOW + 1)
        assert store.stats().reserved_sites == 0
        assert not take(store, "two", now=NOW + 3 * DELAY - 0.1)
        assert take(store, "two", now=NOW + 3 * DELAY)


def a_fetcher_is_seen_when_it_asks_or_reports(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        lists = take(store, now=NOW + 5)
        assert (store.fetcher("one") or account("")).last_seen == NOW + 5
        give_back(store, lists, now=NOW + 6)
        assert (store.fetcher("one") or account("")).last_seen == NOW + 6


# --- adding ----------------------------------------------------------------------------------------------------------


def adding_never_overwrites(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        first = store.add([Seed(url(0, 0), host(0), pagerank=0.5, due=NOW)], now=NOW)
        assert (first.urls, first.sites, first.known) == (1, 1, 0)
        again = store.add([Seed(url(0, 0), host(0), pagerank=9.0, due=NOW + 99), Seed(url(0, 1), host(0))], now=NOW + 1)
        assert (again.urls, again.sites, again.known) == (1, 0, 1)
        [one] = take(store, now=NOW + 1)
        [page] = [page for page in one.pages if page.url == url(0, 0)]
        assert (page.pagerank, page.due, page.discovered) == (0.5, NOW, NOW)
        assert store.stats().urls == 2


def a_url_added_twice_at_once_is_one_page(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        added = store.add([Seed(url(0, 0), host(0), pagerank=0.25), Seed(url(0, 0), host(0))], now=NOW)
        assert (added.urls, added.known) == (1, 1)
        [one] = take(store)
        assert [page.pagerank for page in one.pages] == [0.25]


def urls_that_cannot_be_kept_are_refused(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        odd = ["http://a.example/" + "x" * 2_048, "http://a.example/\0", "http://a.example/\ud800", ""]
        added = store.add([*(Seed(text, "a.example") for text in odd), Seed("http://b.example/", "")], now=NOW)
        assert (added.urls, added.refused) == (0, 5)
        added = store.add([Seed("http://a.example/ä", "a.example"), Seed(odd[0], "a.example")], now=NOW)
        assert (added.urls, added.refused) == (1, 1)
        assert urls(take(store)) == ["http://a.example/ä"]
        assert not wrong_sums(store)


def excluded_pages_are_known_but_not_handed_out(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([Seed(url(0, 0), host(0), bot_excluded=True), Seed(url(0, 1), host(0))], now=NOW)
        store.add([Seed(url(1, 0), host(1), bot_excluded=True)], now=NOW)
        assert urls(take(store)) == [url(0, 1)]
        assert store.stats().urls == 3


def a_page_that_is_not_due_waits(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([Seed(url(0, 0), host(0), due=NOW + 50), Seed(url(0, 1), host(0), due=NOW + 60)], now=NOW)
        assert not take(store, now=NOW + 49)
        assert urls(take(store, now=NOW + 50)) == [url(0, 0)]


def a_page_found_later_makes_its_site_ready(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([Seed(url(0, 0), host(0), due=NOW + 50)], now=NOW)
        assert not take(store)
        store.add([Seed(url(0, 1), host(0))], now=NOW)
        assert urls(take(store)) == [url(0, 1)]


# --- leasing ---------------------------------------------------------------------------------------------------------


def a_list_says_what_is_known(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        seed = Seed(
            url(0, 0), host(0), pagerank=0.5, discovered=NOW - 9, last_visited=NOW - 5, due=NOW - 1, crawl_delay=3.0
        )
        store.add([seed, Seed(url(0, 1), host(0), pagerank=1.5, due=NOW)], now=NOW)
        [one] = take(store, pages=1)
        assert (one.fqdn, one.tld, one.crawl_delay, one.url_count) == (host(0), "example", 3.0, 2)
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
        assert store.stats().reserved_sites == 3


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


def expire_frees_what_has_expired(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        take(store, sites=2)
        assert store.expire(now=NOW + LEASE - 1) == 0
        assert store.expire(now=NOW + LEASE) == 2
        assert store.expire(now=NOW + LEASE) == 0
        assert store.stats().reserved_sites == 0


def a_blocked_site_is_not_handed_out(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2) as store:
        store.block(host(0), NOW + 500)
        assert hosts(take(store)) == [host(1)]
        assert hosts(take(store, now=NOW + 499)) == [host(1)]
        assert hosts(take(store, now=NOW + 500)) == [host(0)]


def a_block_outlasts_the_report_of_the_list(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=9) as store:
        lists = take(store, pages=1)
        store.block(host(0), NOW + 5_000)
        give_back(store, lists, now=NOW + 1)
        assert not take(store, now=NOW + 4_999)
        store.block(host(0), 0.0)
        assert take(store, now=NOW + 100)


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


# --- reporting -------------------------------------------------------------------------------------------------------


def a_report_frees_the_site_and_sets_when_pages_are_due(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        receipt = give_back(store, take(store), now=NOW + 10, revisit_after=1_000.0)
        assert (receipt.standings, receipt.visited, receipt.ignored) == ((Standing.ACCEPTED,), 2, 0)
        assert store.stats().reserved_sites == 0
        assert not take(store, now=NOW + 1_009)
        [one] = take(store, now=NOW + 1_010)
        assert {page.last_visited for page in one.pages} == {NOW + 10}


def pages_not_reported_go_back_to_the_queue(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=3) as store:
        [one] = take(store)
        report = fetched(one)._replace(pages=fetched(one).pages[:1])
        store.report("one", [report], key="", now=NOW, revisit_after=1e6)
        assert sorted(urls(take(store, now=NOW + DELAY))) == sorted(urls([one])[1:])


def a_report_without_numbers_is_understood(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=3) as store:
        [one] = take(store)
        pages = tuple(PageReport(page.url) for page in one.pages)
        receipt = store.report(
            "one", [SiteReport(lease=0, fqdn=one.fqdn, pages=pages)], key="", now=NOW, revisit_after=1e6
        )
        assert (receipt.standings, receipt.visited) == ((Standing.ACCEPTED,), 3)
        assert store.stats().visited == 3


def the_same_key_again_changes_nothing(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        lists = take(store, sites=2)
        first = give_back(store, lists, now=NOW + 1, key="k")
        assert not first.repeated
        stats = store.stats()
        again = give_back(store, lists, now=NOW + 2, key="k")
        assert again == replace(first, repeated=True)
        assert store.stats() == stats
        other = give_back(store, lists, "two", now=NOW + 2, key="k")  # keys are a fetcher's own
        assert other.standings == (Standing.UNKNOWN,) * 2
        assert store.forget_keys(before=NOW + 5) == 2
        assert give_back(store, lists, now=NOW + 6, key="k").standings == (Standing.UNKNOWN,) * 2


def a_report_without_a_key_counts_once_too(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        lists = take(store)
        give_back(store, lists, now=NOW + 1)
        again = give_back(store, lists, now=NOW + 2)
        assert (set(again.standings), again.visited, again.ignored) == ({Standing.UNKNOWN}, 0, 12)
        assert store.stats().visits == 12


def several_reports_at_once_are_as_one_after_another(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=4) as store:
        one = take(store, "one", sites=2)
        two = take(store, "two", sites=2)
        reports = [
            Reported("one", [fetched(part) for part in one], "k"),
            Reported("two", [fetched(part) for part in two], "k"),
            Reported("one", [fetched(part) for part in one], "k"),
            Reported("one", [fetched(part) for part in one], ""),
        ]
        receipts = store.report_many(reports, now=NOW, revisit_after=1e6)
        assert [receipt.visited for receipt in receipts] == [8, 8, 8, 0]
        assert [receipt.repeated for receipt in receipts] == [False, False, True, False]
        assert receipts[3].standings == (Standing.UNKNOWN,) * 2
        assert store.stats().visits == 16
        assert not wrong_sums(store)


def several_requests_at_once_are_as_one_after_another(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=5) as store:
        ask = [ListRequest(fetcher=name, sites=3, pages=1, expires=NOW + LEASE) for name in ("one", "two", "one")]
        lists = store.lease_many(ask, now=NOW)
        assert [len(part) for part in lists] == [3, 2, 0]
        assert len({name for part in lists for name in hosts(part)}) == 5


def a_late_report_keeps_its_visits_and_frees_nothing(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        before = take(store)
        again = take(store, "two", now=NOW + LEASE + DELAY)
        receipt = give_back(store, before, now=NOW + LEASE + DELAY + 1)
        assert (receipt.standings, receipt.visited) == ((Standing.LATE,), 2)
        assert store.stats().reserved_sites == 1
        assert (store.site(host(0)) or one_fact()).leased_by == "two"
        receipt = give_back(store, again, "two", now=NOW + LEASE + DELAY + 2)
        assert receipt.standings == (Standing.ACCEPTED,)
        assert store.stats().visits == 4
        assert not wrong_sums(store)


def one_fact() -> Any:
    raise AssertionError("there is no such site")


def what_was_never_leased_is_not_taken_over(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2) as store:
        [one] = take(store, sites=1)
        stats = store.stats()
        forged = give_back(store, [one], "two", now=NOW)
        assert (forged.standings, forged.visited, forged.ignored) == ((Standing.UNKNOWN,), 0, 4)
        for lease, name in ((one.lease + 1, one.fqdn), (0, host(1)), (one.lease, host(1)), (0, "x\0"), (2**62, "a")):
            receipt = store.report(
                "one",
                [SiteReport(lease=lease, fqdn=name, pages=fetched(one).pages)],
                key="",
                now=NOW,
                revisit_after=1.0,
            )
            assert receipt.standings == (Standing.UNKNOWN,), (lease, name)
        assert store.stats() == stats


def pages_that_are_not_of_the_list_are_ignored(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=4) as store:
        one, other = take(store, pages=2)
        rest = {url(0, page) for page in range(4)} | {url(1, page) for page in range(4)}
        rest -= set(urls([one]))
        strange = [PageReport(text) for text in sorted(rest)] + [PageReport(url(7, 7)), PageReport("\ud800")]
        false_numbers = [PageReport(page.url, number=page.number) for page in other.pages]
        twice = [*fetched(one).pages, *fetched(one).pages]
        report = SiteReport(lease=one.lease, fqdn=one.fqdn, pages=(*strange, *false_numbers, *twice))
        receipt = store.report("one", [report], key="", now=NOW, revisit_after=1e6)
        assert (receipt.standings, receipt.visited, receipt.ignored) == ((Standing.ACCEPTED,), 2, 12)
        assert store.stats().visited == 2
        assert not wrong_sums(store)


def a_reservation_may_outlast_its_report(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=4) as store:
        [one] = take(store, pages=2, release_on_report=False)
        half = fetched(one)._replace(pages=fetched(one).pages[:1])
        for visited in (1, 0):
            receipt = store.report("one", [half], key="", now=NOW, revisit_after=1e6)
            assert (receipt.standings, receipt.visited) == ((Standing.ACCEPTED,), visited)
        assert store.stats().reserved_sites == 1
        assert not take(store, "two", now=NOW + LEASE)
        assert take(store, "two", now=NOW + LEASE + DELAY)
        assert not wrong_sums(store)


def times_of_a_wrong_clock_are_put_right(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=3) as store:
        [one] = take(store)
        times = (NOW - 1e9, NOW + 1e9, float("nan"))
        pages = tuple(PageReport(page.url, fetched=time) for page, time in zip(one.pages, times, strict=True))
        report = SiteReport(lease=one.lease, fqdn=one.fqdn, pages=pages)
        store.report("one", [report], key="", now=NOW + 10, revisit_after=100.0)
        [one] = take(store, now=NOW + 500)
        assert sorted(page.last_visited or 0.0 for page in one.pages) == [NOW, NOW + 10, NOW + 10]


def links_are_discovered_once(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=2) as store:
        found = [url(0, 1), url(9, 0), url(9, 1), "http://s9.example:80x/" + "x" * 3_000, "ftp://a.example/", ""]
        lists = take(store, sites=1, pages=1)
        receipt = give_back(store, lists, now=NOW, links=found)
        assert (receipt.discovered, receipt.known, receipt.refused) == (2, 1, 3)
        receipt = give_back(store, take(store, sites=1, pages=1), now=NOW, links=found[:3])
        assert (receipt.discovered, receipt.known) == (0, 3)
        assert sorted(urls(take(store))) == [url(9, 0), url(9, 1)]
        assert not wrong_sums(store)


def results_decide_what_becomes_of_a_page(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=7) as store:
        [one] = take(store)
        results = dict(zip([page.url for page in one.pages], PageResult, strict=True))
        pages = tuple(PageReport(page.url, result=results[page.url], number=page.number) for page in one.pages)
        report = SiteReport(lease=one.lease, fqdn=one.fqdn, pages=pages)
        receipt = store.report("one", [report], key="", now=NOW, revisit_after=1e5)
        assert receipt.visited == 3
        by_url = dict(results.items())
        [soon] = take(store, now=NOW + 4 * DELAY)
        assert [by_url[page.url] for page in soon.pages] == [PageResult.SKIPPED]
        give_back(store, [soon], now=NOW + 4 * DELAY, result=PageResult.SKIPPED)
        [later] = take(store, now=NOW + 9e6)
        assert {by_url[page.url] for page in later.pages} == {
            PageResult.FETCHED,
            PageResult.NOT_MODIFIED,
            PageResult.SKIPPED,
            PageResult.ERROR,
            PageResult.NOT_FOUND,
        }
        assert not wrong_sums(store)


def a_page_that_fails_again_and_again_is_given_up(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        now, tries = NOW, 0
        while lists := take(store, now=now):
            give_back(store, lists, now=now, result=PageResult.ERROR)
            now += 1e7
            tries += 1
        assert tries == 5


def a_change_is_learnt_from_the_content(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        now = NOW
        for step in range(6):
            [one] = take(store, now=now)
            pages = tuple(
                PageReport(page.url, content_hash=str(step) if page.url == url(0, 0) else "same", number=page.number)
                for page in one.pages
            )
            report = SiteReport(lease=one.lease, fqdn=one.fqdn, pages=pages)
            store.report("one", [report], key="", now=now, revisit_after=1_000.0)
            now += 1_000.0
        [one] = take(store, now=now, pages=1, page_order=PageOrder.CHANGE_RATE)
        assert [page.url for page in one.pages] == [url(0, 0)]
        assert one.pages[0].content_hash == "5"
        assert (store.site(host(0)) or one_fact()).mean_change_rate > 1e-4
        assert not wrong_sums(store)


def without_a_fixed_interval_a_changing_page_is_due_earlier(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        now = NOW
        for _ in range(8):
            [one] = take(store, now=now)
            pages = tuple(PageReport(page.url, changed=page.url == url(0, 0), number=page.number) for page in one.pages)
            report = SiteReport(lease=one.lease, fqdn=one.fqdn, pages=pages)
            store.report("one", [report], key="", now=now, revisit_after=None)
            now += 100 * 86_400.0
        [one] = take(store, now=now + 1e9)
        due = {page.url: page.due for page in one.pages}
        assert NOW < due[url(0, 0)] < due[url(0, 1)]


# --- the whole -------------------------------------------------------------------------------------------------------


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
        assert store.stats().reserved_sites == 60


def stats_count_what_there_is(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=3) as store:
        give_back(store, take(store, sites=1, pages=2), now=NOW + 4)
        take(store, sites=1)
        stats = store.stats()
        assert (stats.fetchers, stats.sites, stats.urls, stats.visited) == (2, 2, 6, 2)
        assert (stats.reserved_sites, stats.visits, stats.mean_last_visited) == (1, 2, NOW + 4)


def sites_can_be_listed(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=5, pages=1) as store:
        first = store.sites(limit=3)
        rest = store.sites(after=first[-1].fqdn, limit=3)
        assert [site.fqdn for site in (*first, *rest)] == [host(number) for number in range(5)]
        assert store.site("nowhere.example") is None
        [one] = take(store, sites=1)
        facts = store.site(one.fqdn) or one_fact()
        assert (facts.leased_by, facts.leased_until, facts.urls) == ("one", NOW + LEASE, 1)


def random_urls_are_known_ones(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=40) as store:
        every = {url(site, page) for site in range(3) for page in range(40)}
        some = store.random_urls(10, seed=1)
        assert len(set(some)) == 10
        assert set(some) <= every
        assert store.random_urls(10, seed=1) == some
        assert set(store.random_urls(500)) == every
        of_one = store.random_urls(5, fqdn=host(1))
        assert len(of_one) == 5
        assert all(text.startswith("http://s1.") for text in of_one)
        assert store.random_urls(5, fqdn="nowhere.example") == []


def settings_are_remembered(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        assert store.get_setting("a") is None
        store.put_setting("a", "1")
        store.put_setting("a", "2")
    with opened(open_frontier) as store:
        assert store.get_setting("a") == "2"


def clearing_can_be_partial(open_frontier: OpenFrontier) -> None:
    none = {"fetchers": False, "urls": False, "sites": False, "reservations": False, "edges": False}
    with filled(open_frontier, sites=2) as store:
        take(store)
        store.clear(**none | {"reservations": True})
        assert store.stats().reserved_sites == 0
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


LAWS: tuple[Callable[[OpenFrontier], None], ...] = tuple(
    law
    for name, law in list(globals().items())
    if getattr(law, "__annotations__", {}) == {"open_frontier": OpenFrontier, "return": None}
)
