"""The laws of what fetchers report to a frontier."""

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from afresh.base.records.frontier import (
    KeyTaken,
    ListRequest,
    PageFailure,
    PageOrder,
    PageReport,
    PageResult,
    Receipt,
    Seed,
    SiteReport,
    Standing,
    UrlStanding,
)
from afresh.base.records.frontier_store import FrontierStore, Reported
from afresh.base.records.queues import DEFAULT_CRAWL, NEVER_AGAIN, Put
from afresh.base.timekeeping import TimeBounds
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
    missing_site,
    opened,
    take,
    url,
    urls,
    wrong_sums,
)

# --- reporting -------------------------------------------------------------------------------------------------------


def a_report_frees_the_site_and_sets_when_pages_are_due(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        receipt = give_back(store, take(store), now=NOW + 10, revisit_after=1_000.0)
        assert (receipt.standings, receipt.visited, receipt.ignored) == ((Standing.ACCEPTED,), 2, 0)
        assert store.stats().leased_sites == 0
        assert not take(store, now=NOW + 1_009)
        [one] = take(store, now=NOW + 1_010)
        assert {page.last_visited for page in one.pages} == {NOW + 10}


def pages_that_are_well_failed_or_left_out_are_counted_apart(open_frontier: OpenFrontier) -> None:
    def told() -> tuple[int, ...]:
        assert not wrong_sums(store)
        site, stats = store.site(host(0)) or missing_site(), store.stats()
        assert (site.visited_well, site.failed, site.left_out) == (stats.visited_well, stats.failed, stats.left_out)
        return stats.visited_well, stats.failed, stats.left_out, stats.waiting

    with filled(open_frontier, sites=1, pages=8) as store:
        [one] = take(store, pages=7)
        pages = [
            PageReport(page.url, result=result, number=page.number)
            for page, result in zip(one.pages, PageResult, strict=True)
        ]
        pages[0] = pages[0]._replace(soft_404=True)
        store.report("one", [SiteReport(one.lease, one.name, pages)], key="", now=NOW, revisit_after=1e6)
        # a soft 404, a 404, an error, a refused one; skipped ones wait still
        assert told() == (1, 4, 1, 2)
        assert store.stats().visited == 3  # as ever: soft 404s and 404s among them
        store.add([Seed(page.url, one.name) for page in one.pages], now=NOW)  # those given up are tried again
        assert told() == (1, 4, 1, 2)
        give_back(store, take(store, now=NOW + 90_000), now=NOW + 90_000, revisit_after=1e7)
        assert told() == (8, 0, 0, 0)
        assert not store.failures(host(0), limit=9)
        give_back(store, take(store, now=NOW + 2e7), now=NOW + 2e7, result=PageResult.ERROR)
        assert told() == (0, 8, 0, 0)
        store.add(
            [Seed(url(0, 100), host(0), last_visited=NOW), Seed(url(0, 101), host(0), bot_excluded=True)], now=NOW
        )
        assert told() == (1, 8, 1, 0)
        store.put(DEFAULT_CRAWL, [Put(url(0, 101), host(0), is_known=True, due=NOW)], now=NOW)
        assert told() == (1, 8, 0, 1)
        store.remove_some(DEFAULT_CRAWL, host(0), before=NOW + 1e9, after=0, limit=99)
        assert told() == (0, 0, 0, 0)


def a_fetcher_may_say_when_a_page_is_due_again(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=3) as store:
        first, second = take(store)
        soon, done, missing = first.pages
        pages = (
            PageReport(soon.url, number=soon.number, due=NOW + 5_000.0),
            PageReport(done.url, number=done.number, due=NEVER_AGAIN),
            PageReport(missing.url, result=PageResult.EXCLUDED, number=missing.number, due=NOW + 1.0),
        )
        dated = SiteReport(lease=first.lease, name=first.name, pages=pages)
        store.report("one", [dated, fetched(second)], key="", now=NOW, revisit_after=100.0)
        assert urls(take(store, now=NOW + 4_999.0)) == urls([second])
        assert urls(take(store, now=NOW + 5_000.0)) == [soon.url]  # the excluded one, when robots.txt is read anew
        facts = store.page_facts("DEFAULT", first.name, done.url)
        assert facts is not None
        assert (facts.status, facts.due) == ("completed", NEVER_AGAIN)
        assert store.queue_stats("DEFAULT", first.name, now=NOW).completed == 1
        assert not wrong_sums(store)


def a_time_that_a_fetcher_gave_is_not_taken_for_a_wrong_clock(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        far = NOW + 3e8
        give_back(store, take(store), due=far)
        store.pull_back(now=NOW, bounds=TimeBounds(intervals={"page": 1e6}, pause=1e6, delay=DELAY, lease=1e6))
        assert not take(store, now=far - 1.0)
        assert len(take(store, now=far)) == 1


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
            "one", [SiteReport(lease=0, name=one.name, pages=pages)], key="", now=NOW, revisit_after=1e6
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


def a_key_stands_for_one_report(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2) as store:
        one, other = take(store)
        first = Reported("one", [fetched(one)], "k", "digest of one")
        second = Reported("one", [fetched(other)], "k", "digest of other")
        [answer, refused] = store.report_many([first, second], now=NOW, revisit_after=1e6)
        assert isinstance(answer, Receipt)
        assert isinstance(refused, KeyTaken)
        [again, refused] = store.report_many([first, second], now=NOW + 1, revisit_after=1e6)
        assert again == replace(answer, repeated=True)
        assert isinstance(refused, KeyTaken)
        [other_count] = store.report_many([first._replace(sites=[], digest="")], now=NOW + 2, revisit_after=1e6)
        assert isinstance(other_count, KeyTaken)
        [answer] = store.report_many([second._replace(key="l")], now=NOW + 3, revisit_after=1e6)
        assert isinstance(answer, Receipt)
        assert answer.standings == (Standing.ACCEPTED,)


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
        receipts = [
            answer
            for answer in store.report_many(reports, now=NOW, revisit_after=1e6)
            if not isinstance(answer, KeyTaken)
        ]
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
        assert store.stats().leased_sites == 1
        assert (store.site(host(0)) or missing_site()).leased_by == "two"
        receipt = give_back(store, again, "two", now=NOW + LEASE + DELAY + 2)
        assert receipt.standings == (Standing.ACCEPTED,)
        assert store.stats().visits == 4
        assert not wrong_sums(store)


def what_was_never_leased_is_not_taken_over(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2) as store:
        [one] = take(store, sites=1)
        [free] = {host(0), host(1)} - {one.name}
        stats = store.stats()
        forged = give_back(store, [one], "two", now=NOW)
        assert (forged.standings, forged.visited, forged.ignored) == ((Standing.UNKNOWN,), 0, 4)
        for lease, name in ((one.lease + 1, one.name), (0, free), (one.lease, free), (0, "x\0"), (2**62, "a")):
            receipt = store.report(
                "one",
                [SiteReport(lease=lease, name=name, pages=fetched(one).pages)],
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
        report = SiteReport(lease=one.lease, name=one.name, pages=(*strange, *false_numbers, *twice))
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
        assert store.stats().leased_sites == 1
        assert not take(store, "two", now=NOW + LEASE)
        assert take(store, "two", now=NOW + LEASE + DELAY)
        assert not wrong_sums(store)


def a_partial_report_keeps_the_rest_and_renews(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=4) as store:
        [one] = take(store)
        told = fetched(one)
        some = told._replace(pages=told.pages[:1], is_partial=True)
        receipt = store.report("one", [some], key="k", now=NOW + 90, revisit_after=1e6)
        assert (receipt.standings, receipt.visited, receipt.until) == ((Standing.ACCEPTED,), 1, NOW + 90 + LEASE)
        again = store.report("one", [some], key="k", now=NOW + 91, revisit_after=1e6)
        assert again == replace(receipt, repeated=True)
        assert store.expire(now=NOW + LEASE + 1) == 0
        assert not take(store, "two", now=NOW + 90 + LEASE)
        assert (store.site(host(0)) or missing_site()).leased_until == NOW + 90 + LEASE
        renewal = told._replace(pages=(), is_partial=True)
        assert store.report("one", [renewal], key="", now=NOW + 180, revisit_after=1e6).until == NOW + 180 + LEASE
        rest = told._replace(pages=told.pages[1:], is_partial=True)  # nothing is left, so it is the end
        receipt = store.report("one", [rest], key="", now=NOW + 270, revisit_after=1_000.0)
        assert (receipt.standings, receipt.visited, receipt.until) == ((Standing.ACCEPTED,), 3, None)
        assert store.stats().leased_sites == 0
        assert not take(store, now=NOW + 1_269)
        assert len(take(store, now=NOW + 1_270)[0].pages) == 3
        assert not wrong_sums(store)


def a_partial_report_that_nothing_follows_expires(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=4) as store:
        [one] = take(store)
        told = fetched(one)
        some = told._replace(pages=told.pages[:1], is_partial=True)
        store.report("one", [some], key="", now=NOW + 90, revisit_after=1e6)
        [rest] = take(store, "two", now=NOW + 90 + LEASE + DELAY)
        assert sorted(urls([rest])) == sorted(urls([one])[1:])
        late = store.report("one", [told._replace(is_partial=True)], key="", now=NOW + 200, revisit_after=1e6)
        assert (late.standings, late.until) == ((Standing.LATE,), None)
        assert (store.site(host(0)) or missing_site()).leased_by == "two"
        assert not wrong_sums(store)


def times_of_a_wrong_clock_are_put_right(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=3) as store:
        [one] = take(store)
        times = (NOW - 1e9, NOW + 1e9, float("nan"))
        pages = tuple(PageReport(page.url, fetched=time) for page, time in zip(one.pages, times, strict=True))
        report = SiteReport(lease=one.lease, name=one.name, pages=pages)
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


def _crawl(
    store: FrontierStore,
    links: Mapping[str, Sequence[str]],
    *,
    now: float = NOW,
    depth: int,
    sent: str = "",
    sites: int = 0,
) -> Receipt | None:
    """Visits what is due and tells what it links to; ``sent``: where all of it redirects to. None: nothing is due."""
    reports = [
        SiteReport(
            lease=one.lease,
            name=one.name,
            pages=tuple(PageReport(page.url, links=links.get(page.url, ()), redirect=sent) for page in one.pages),
        )
        for one in take(store, now=now, sites=sites, pages=sites)
    ]
    if not reports:
        return None
    [receipt] = store.report_many([Reported("one", reports)], now=now, revisit_after=1e6, depth=depth)
    assert isinstance(receipt, Receipt)
    return receipt


def _known(store: FrontierStore) -> set[str]:
    return {one.url for one in store.stored_urls(DEFAULT_CRAWL, limit=999).urls}


def links_are_followed_as_far_as_a_crawl_goes(open_frontier: OpenFrontier) -> None:
    chain = [url(site, 0) for site in range(9)]
    links = {source: [target, chain[0]] for source, target in itertools.pairwise(chain)}
    with filled(open_frontier, sites=1, pages=1) as store:
        receipts = [_crawl(store, links, now=NOW + 10 * n, depth=2) for n in range(4)]
        assert [one and (one.refused, one.too_far) for one in receipts] == [(0, 0), (0, 0), (2, 2), None]
        assert _known(store) == set(chain[:3])
        # An operator who names a page begins there: what it led to is followed, and nobody is asked again for that.
        store.add([Seed(chain[2], host(2))], now=NOW + 40)
        assert store.follow_open_links(now=NOW + 40, depth=2) == 1
        for n in range(5, 9):
            _crawl(store, links, now=NOW + 10 * n, depth=2)
        assert _known(store) == set(chain[:5])
        # A limit that is raised, and one that is taken back.
        assert [store.follow_open_links(now=NOW + 90, depth=3) for _ in range(2)] == [1, 0]
        _crawl(store, links, now=NOW + 100, depth=3)
        assert _known(store) == set(chain[:6])
        assert store.follow_open_links(now=NOW + 110, depth=0) == 1
        assert _known(store) == set(chain[:7])
        assert not wrong_sums(store)


def a_shorter_way_that_is_found_later_counts(open_frontier: OpenFrontier) -> None:
    """0 leads over 1 to 4, and over 2 and 3, which are visited first."""
    ways = {0: [1, 2], 1: [4], 2: [3], 3: [4], 4: [5], 5: [6], 6: [7]}
    links = {url(source, 0): [url(target, 0) for target in targets] for source, targets in ways.items()}
    with filled(open_frontier, sites=1, pages=1) as store:
        _crawl(store, links, depth=4)
        store.block(host(1), NOW + 100, now=NOW)
        for n in range(1, 9):
            _crawl(store, links, now=NOW + 10 * n, depth=4)
        assert _known(store) == {url(n, 0) for n in range(6)}
        for n in range(11, 15):
            _crawl(store, links, now=NOW + 10 * n, depth=4)
        assert _known(store) == {url(n, 0) for n in range(7)}
        assert store.stats().visits == 7, "nobody was asked twice"


def a_redirect_is_no_step_of_the_way(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        _crawl(store, {url(0, 0): [url(1, 0)]}, depth=1, sent=url(1, 0))
        _crawl(store, {url(1, 0): [url(2, 0)]}, now=NOW + 10, depth=1)
        _crawl(store, {url(2, 0): [url(3, 0)]}, now=NOW + 20, depth=1)
        assert _known(store) == {url(0, 0), url(1, 0), url(2, 0)}


def what_is_removed_or_cleared_is_not_far_away(open_frontier: OpenFrontier) -> None:
    chain = [url(site, 0) for site in range(4)]
    links = {source: [target] for source, target in itertools.pairwise(chain)}
    with filled(open_frontier, sites=1, pages=1) as store:
        for n in range(3):
            _crawl(store, links, now=NOW + 10 * n, depth=2)
        store.remove_some(DEFAULT_CRAWL, host(2), before=None, after=0, limit=9)
        store.add([Seed(chain[2], host(2))], now=NOW + 30)
        _crawl(store, links, now=NOW + 30, depth=1)
        assert _known(store) == set(chain)
        store.clear(fetchers=False, urls=True, sites=False, leases=False, edges=False)
        store.add([Seed(chain[1], host(1))], now=NOW + 100)
        _crawl(store, links, now=NOW + 100, depth=1)
        assert _known(store) == {chain[1], chain[2]}


def a_crawl_reaches_what_a_search_by_breadth_does(open_frontier: OpenFrontier) -> None:
    """In whichever order its sites are visited, and each page once."""
    rng = random.Random(3)
    pages = [url(site, page) for site in range(8) for page in range(10)]
    links = {page: rng.sample(pages, rng.randrange(4)) for page in pages}

    def reached(depth: int) -> set[str]:
        found = {pages[0]}
        for _ in range(depth):
            found |= {target for page in found for target in links[page]}
        return found

    with filled(open_frontier, sites=1, pages=1) as store:
        clock = itertools.count(NOW, 10.0)
        for depth in (3, 5):
            while store.follow_open_links(now=next(clock), depth=depth):
                pass
            while _crawl(store, links, now=next(clock), depth=depth, sites=1):
                pass
            assert _known(store) == reached(depth) < set(pages)
        assert store.stats().visits == len(reached(5))


def results_decide_what_becomes_of_a_page(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=7) as store:
        [one] = take(store)
        results = dict(zip([page.url for page in one.pages], PageResult, strict=True))
        pages = tuple(PageReport(page.url, result=results[page.url], number=page.number) for page in one.pages)
        report = SiteReport(lease=one.lease, name=one.name, pages=pages)
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
            PageResult.EXCLUDED,
            PageResult.REFUSED,
        }
        assert not wrong_sums(store)


def why_a_page_failed_is_known_until_it_is_well(open_frontier: OpenFrontier) -> None:
    """Whichever process asks, and after a restart."""
    with filled(open_frontier, sites=2, pages=2) as store:
        first, second = sorted(take(store), key=attrgetter("name"))
        give_back(store, [first], now=NOW, result=PageResult.ERROR, why="HTTP 500")
        give_back(store, [second], now=NOW)
    with opened(open_frontier) as store:
        failed = store.failures(limit=9)
        assert {(one.url, one.site) for one in failed} == {(page.url, first.name) for page in first.pages}
        assert {one.failure for one in failed} == {PageFailure(NOW, PageResult.ERROR, "HTTP 500", "one")}
        assert {one.due for one in failed} == {NOW + 300.0}
        listed = store.stored_urls("DEFAULT", limit=9).urls
        assert {(one.key, one.standing, one.visited) for one in listed} == {
            (first.name, UrlStanding.FAILED, None),
            (second.name, UrlStanding.VISITED_WELL, NOW),
        }
        assert len(store.failures(limit=1)) == 1
        alike = (PageResult.ERROR, "HTTP 500")
        assert store.count_failures(newest=9) == store.count_failures(first.name, newest=9) == [(*alike, 2)]
        assert store.count_failures(newest=1) == [(*alike, 1)]
        assert store.count_failures(second.name, newest=9) == store.count_failures("nobody.example", newest=9) == []
        assert (len(store.failures(first.name, limit=9)), store.failures(second.name, limit=9)) == (2, [])
        assert [site.failure for site in store.sites()] == [failed[0].failure, None]
        facts = store.page_facts("DEFAULT", first.name, first.pages[0].url)
        assert facts is not None
        assert facts.failure == failed[0].failure
        give_back(store, take(store, now=NOW + 400.0), now=NOW + 400.0)
        assert store.failures(limit=9) == store.failures(first.name, limit=9) == []
        assert [site.failure for site in store.sites()] == [None, None]
        facts = store.page_facts("DEFAULT", first.name, first.pages[0].url)
        assert facts is not None
        assert facts.failure is None


def what_nobody_was_asked_for_shows_at_its_site(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        [one] = take(store)
        forbidden, rests = one.pages
        pages = (
            PageReport(rests.url, PageResult.SKIPPED, number=rests.number, why="robots.txt: HTTP 503"),
            PageReport(forbidden.url, PageResult.EXCLUDED, number=forbidden.number),
        )
        store.report("one", [SiteReport(one.lease, one.name, pages)], key="", now=NOW, revisit_after=1e6)
        assert store.failures(limit=9) == store.count_failures(newest=9) == []
        assert {page.url for page in store.failures(one.name, limit=9)} == {forbidden.url, rests.url}
        counts = {(PageResult.SKIPPED, "robots.txt: HTTP 503", 1), (PageResult.EXCLUDED, "", 1)}
        assert set(store.count_failures(one.name, newest=9)) == counts
        [site] = store.sites()
        assert site.failure == PageFailure(NOW, PageResult.SKIPPED, "robots.txt: HTTP 503", "one")
        store.forget_keys(before=NOW + 1.0)  # a page has not failed because its site could not be asked
        assert {page.url for page in store.failures(one.name, limit=9)} == {forbidden.url}


def a_removed_page_has_not_failed(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=2) as store:
        give_back(store, take(store), now=NOW, result=PageResult.ERROR)
        store.remove_some("DEFAULT", host(0), before=None, after=0, limit=10)
        assert {page.site for page in store.failures(limit=9)} == {host(1)}
        store.clear(fetchers=False, urls=True, sites=False, leases=False, edges=False)
        assert store.failures(limit=9) == []
        assert [site.failure for site in store.sites()] == [None]


def a_page_that_is_not_there_is_gone_at_once_and_asked_for_once_more(open_frontier: OpenFrontier) -> None:
    """Nobody is asked five times for what a server that works says is not there."""
    month = 30 * 86_400.0
    with filled(open_frontier, sites=1, pages=2) as store:
        give_back(store, take(store), now=NOW, result=PageResult.NOT_FOUND)
        facts = store.page_facts("DEFAULT", host(0), url(0, 0))
        assert facts is not None
        assert (facts.status, facts.failures, facts.due) == ("gone", 1, NOW + month)
        assert take(store, now=NOW + month - 1.0) == []
        [one] = take(store, now=NOW + month)
        back, gone = one.pages
        pages = (
            PageReport(back.url, number=back.number),
            PageReport(gone.url, PageResult.NOT_FOUND, number=gone.number),
        )
        store.report("one", [SiteReport(one.lease, one.name, pages)], key="", now=NOW + month, revisit_after=100.0)
        assert urls(take(store, now=NOW + 99 * month)) == [back.url]
        facts = store.page_facts("DEFAULT", host(0), gone.url)
        assert facts is not None
        assert (facts.status, facts.due) == ("gone", math.inf)
        assert not wrong_sums(store)


def a_page_that_was_gone_and_fails_is_tried_again(open_frontier: OpenFrontier) -> None:
    later = NOW + 30 * 86_400.0
    with filled(open_frontier, sites=1, pages=1) as store:
        give_back(store, take(store), now=NOW, result=PageResult.NOT_FOUND)
        give_back(store, take(store, now=later), now=later, result=PageResult.ERROR)
        facts = store.page_facts("DEFAULT", host(0), url(0, 0))
        assert facts is not None
        assert (facts.status, facts.failures, facts.due) == ("active", 2, later + 600.0)


def an_excluded_page_is_looked_at_again_when_robots_is_read_anew(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        give_back(store, take(store), now=NOW, result=PageResult.EXCLUDED)
        assert take(store, now=NOW + 86_000.0) == []
        [one] = take(store, now=NOW + 86_400.0)
        assert len(one.pages) == 2
        give_back(store, [one], now=NOW + 86_400.0)  # allowed by now
        assert store.stats().visits == 2
        assert not wrong_sums(store)


def a_page_that_a_fetcher_refuses_is_put_off_and_never_given_up(open_frontier: OpenFrontier) -> None:
    """One fetcher's guard says nothing of the page: another one may ask, and an error is the page's first."""
    with filled(open_frontier, sites=1, pages=1) as store:
        now = NOW
        for wait in (300.0, 600.0, 1_200.0, 2_400.0, 4_800.0, 9_600.0):
            give_back(store, take(store, now=now), now=now, result=PageResult.REFUSED)
            facts = store.page_facts("DEFAULT", host(0), url(0, 0))
            assert facts is not None
            assert (facts.status, facts.due) == ("refused", now + wait)
            assert take(store, "two", now=now + wait - 1.0) == []
            now += wait
        give_back(store, take(store, "two", now=now), "two", now=now, result=PageResult.ERROR)
        facts = store.page_facts("DEFAULT", host(0), url(0, 0))
        assert facts is not None
        assert (facts.status, facts.failures, facts.due) == ("active", 1, now + 300.0)
        assert not wrong_sums(store)


def an_error_behind_rules_that_allow_it_again_is_tried_again(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        give_back(store, take(store), now=NOW, result=PageResult.EXCLUDED)
        later = NOW + 86_400.0
        give_back(store, take(store, now=later), now=later, result=PageResult.ERROR)
        assert len(take(store, now=later + 300.0)) == 1


def a_site_that_asks_for_it_is_left_alone(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        [one] = take(store, pages=1)
        skipped = tuple(PageReport(page.url, result=PageResult.SKIPPED, number=page.number) for page in one.pages)
        for wish in (float("nan"), float("inf"), -5.0, None, 600.0):
            report = SiteReport(lease=one.lease, name=one.name, pages=skipped, retry_after=wish)
            store.report("one", [report], key="", now=NOW, revisit_after=1e5)
            if wish != 600.0:
                [one] = take(store, now=NOW, pages=1)
                skipped = tuple(
                    PageReport(page.url, result=PageResult.SKIPPED, number=page.number) for page in one.pages
                )
        assert take(store, now=NOW + 599.0) == []
        assert len(take(store, now=NOW + 600.0)) == 1
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
            report = SiteReport(lease=one.lease, name=one.name, pages=pages)
            store.report("one", [report], key="", now=now, revisit_after=1_000.0)
            now += 1_000.0
        [one] = take(store, now=now, pages=1, page_order=PageOrder.CHANGE_RATE)
        assert [page.url for page in one.pages] == [url(0, 0)]
        assert one.pages[0].content_hash == "5"
        assert (store.site(host(0)) or missing_site()).mean_change_rate > 1e-4
        assert not wrong_sums(store)


def without_a_fixed_interval_a_changing_page_is_due_earlier(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        now = NOW
        for _ in range(8):
            [one] = take(store, now=now)
            pages = tuple(PageReport(page.url, changed=page.url == url(0, 0), number=page.number) for page in one.pages)
            report = SiteReport(lease=one.lease, name=one.name, pages=pages)
            store.report("one", [report], key="", now=now, revisit_after=None)
            now += 100 * 86_400.0
        [one] = take(store, now=now + 1e9)
        due = {page.url: page.due for page in one.pages}
        assert NOW < due[url(0, 0)] < due[url(0, 1)]


def a_second_look_within_minutes_puts_nothing_off_for_months(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        store.report("one", [fetched(one) for one in take(store)], key="", now=NOW, revisit_after=60.0)
        [one] = take(store, now=NOW + 240.0)
        pages = tuple(PageReport(page.url, changed=page.url == url(0, 0), number=page.number) for page in one.pages)
        report = SiteReport(lease=one.lease, name=one.name, pages=pages)
        store.report("one", [report], key="", now=NOW + 240.0, revisit_after=None)
        [one] = take(store, now=NOW + 1e9)
        waits = {page.url: (page.due - NOW - 240.0) / 86_400.0 for page in one.pages}
        assert 0.1 < waits[url(0, 0)] < waits[url(0, 1)] < 4.0


LAWS = laws_of(globals())
