"""The laws of times that a wrong clock wrote in a frontier: brought to where they would be, the others stay."""

import math
from dataclasses import replace

from afresh.base.records.frontier import PageReport, PageResult, Seed, SiteReport
from afresh.base.records.frontier_store import FrontierStore
from afresh.base.timekeeping import SKEW, SeenTimes, TimeBounds
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
    urls,
    wrong_sums,
)

DAY = 86_400.0
AHEAD = NOW + 30 * DAY
BOUNDS = TimeBounds(intervals={"page": 7 * DAY}, pause=DAY, delay=DELAY, lease=LEASE)


def _pull_back(store: FrontierStore, now: float = NOW, bounds: TimeBounds = BOUNDS) -> int:
    count = store.pull_back(now=now, bounds=bounds)
    assert not store.seen_times().are_ahead(now, bounds)
    assert not wrong_sums(store)
    assert store.pull_back(now=now, bounds=bounds) == 0
    return count


def the_latest_times_are_known(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        assert store.seen_times() == SeenTimes(None, None, None, None)
    with filled(open_frontier, sites=2) as store:
        assert not store.seen_times().are_ahead(NOW, BOUNDS)
        give_back(store, take(store, now=NOW + 10.0), now=NOW + 20.0, key="k", revisit_after=100.0)
        seen = store.seen_times()
        assert (seen.visited, seen.added, seen.ready) == (NOW + 20.0, NOW, NOW + 120.0)
        assert not seen.are_ahead(NOW + 20.0, BOUNDS)
        assert seen.are_ahead(NOW - 2 * SKEW, BOUNDS)


def what_is_in_order_stays(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=4) as store:
        give_back(store, take(store, sites=2), revisit_after=6 * DAY)
        take(store, sites=1)
        store.block(host(3), NOW + 300 * DAY, now=NOW)
        before = store.sites()
        assert _pull_back(store) == 0
        assert store.sites() == before


def pages_visited_ahead_keep_their_interval(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2) as store:
        lists = take(store, now=AHEAD)
        give_back(store, lists, now=AHEAD + 10.0, revisit_after=1_000.0, key="k")
        assert store.seen_times().are_ahead(NOW + 12.0, BOUNDS)
        assert _pull_back(store, NOW + 12.0) == 2
        assert not take(store, now=NOW + 1_000.0)
        assert sorted(urls(take(store, now=NOW + 1_013.0))) == sorted(urls(lists))
        assert store.stats().mean_last_visited == NOW + 12.0


def pages_of_a_big_site_follow(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([Seed(f"http://s0.example/{page}", host(0)) for page in range(1_200)], now=NOW)
        lists = take(store, now=AHEAD, pages=20)
        give_back(store, lists, now=AHEAD + 10.0, revisit_after=1_000.0)
        _pull_back(store)
        rest = take(store, now=NOW + 900.0, default_delay=0.0)  # without a pause all of them fit into one list
        assert not set(urls(rest)) & set(urls(lists))
        give_back(store, rest, now=NOW + 901.0, revisit_after=DAY)
        assert sorted(urls(take(store, now=NOW + 20_000.0))) == sorted(urls(lists))


def pages_planned_past_their_bound_are_cut(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add(seeds(1, 2, due=NOW + 300 * DAY), now=NOW)
        assert _pull_back(store) == 1
        assert not take(store, now=NOW + 6 * DAY)
        assert len(urls(take(store, now=NOW + 7 * DAY + 1.0))) == 2


def a_pause_keeps_its_rest(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1) as store:
        [one] = take(store, now=AHEAD)
        report = fetched(one)._replace(retry_after=600.0)
        store.report("one", [report], key="", now=AHEAD + 10.0, revisit_after=0.0)
        assert _pull_back(store) == 1
        assert not take(store, now=NOW + 599.0)
        assert take(store, now=NOW + 601.0)


def a_pause_that_nobody_can_tell_is_cut_at_its_bound(open_frontier: OpenFrontier) -> None:
    """Failures are no visits, and the list has been reported: nothing says when the site was asked."""
    with filled(open_frontier, sites=1, pages=1) as store:
        give_back(store, take(store, now=AHEAD), now=AHEAD + 10.0, result=PageResult.ERROR)
        assert _pull_back(store) == 1
        assert not take(store, now=NOW + DAY - 1.0)
        assert take(store, now=NOW + DAY + 1.0)


def what_failed_or_was_excluded_ahead_waits_as_long_as_it_would(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=2) as store:
        lists = take(store, now=AHEAD)
        for one, result in zip(lists, (PageResult.ERROR, PageResult.EXCLUDED), strict=True):
            well, other = one.pages
            pages = (PageReport(other.url, result, number=other.number), PageReport(well.url, number=well.number))
            report = SiteReport(one.lease, one.name, pages)
            store.report("one", [report], key="", now=AHEAD + 10.0, revisit_after=2 * DAY)
        _pull_back(store)
        assert not take(store, now=NOW + 299.0)
        [first] = take(store, now=NOW + 311.0)
        assert urls([first]) == [lists[0].pages[1].url]
        give_back(store, [first], now=NOW + 312.0, revisit_after=2 * DAY)
        [second] = take(store, now=NOW + DAY + 11.0)
        assert urls([second]) == [lists[1].pages[1].url]


def what_was_gone_ahead_is_asked_for_once_more_in_time(open_frontier: OpenFrontier) -> None:
    month = 30 * DAY
    with filled(open_frontier, sites=2, pages=1) as store:
        give_back(store, take(store, now=NOW, sites=1), now=NOW, result=PageResult.NOT_FOUND)
        give_back(store, take(store, now=AHEAD - DAY), now=AHEAD - DAY, result=PageResult.NOT_FOUND)
        assert _pull_back(store, bounds=replace(BOUNDS, intervals={"page": 40 * DAY})) == 1
        assert not take(store, now=NOW + month - 1.0)
        assert len(take(store, now=NOW + month + 1.0)) == 2


def what_failed_ahead_failed_now(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        give_back(store, take(store, now=AHEAD), now=AHEAD + 10.0, result=PageResult.ERROR)
        _pull_back(store)
        assert [page.failure.at for page in store.failures(limit=9)] == [NOW]


def a_lease_of_then_ends_in_time(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1) as store:
        assert take(store, now=AHEAD)
        assert _pull_back(store) == 1
        store.expire(now=NOW + LEASE - 1.0)
        assert not take(store, "two", now=NOW + LEASE - 1.0)
        store.expire(now=NOW + LEASE + 1.0)
        assert hosts(take(store, "two", now=NOW + LEASE + DELAY + 1.0)) == [host(0)]


def a_report_of_a_list_of_then_is_taken(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1) as store:
        lists = take(store, now=AHEAD)
        _pull_back(store)
        receipt = give_back(store, lists, now=NOW + 5.0)
        assert receipt.visited == len(urls(lists))
        assert not wrong_sums(store)


def a_block_lasts_as_long_as_was_said(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3) as store:
        store.block(host(0), AHEAD + 500.0, now=AHEAD)
        store.block(host(1), math.inf, now=AHEAD)
        store.block(host(2), NOW + 200 * DAY, now=NOW)
        assert _pull_back(store) == 2
        assert not take(store, now=NOW + 499.0)
        assert hosts(take(store, now=NOW + 501.0)) == [host(0)]


def what_was_added_ahead_is_handed_out(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add(seeds(2, 2), now=AHEAD)
        assert store.seen_times().are_ahead(NOW, BOUNDS)
        _pull_back(store)
        assert len(urls(take(store, now=NOW))) == 4
        assert {site.first_discovered for site in store.sites()} == {NOW}


def keys_of_then_are_known_and_forgotten_in_time(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1) as store:
        lists = take(store, now=AHEAD)
        give_back(store, lists, now=AHEAD + 10.0, key="k")
        _pull_back(store)
        assert give_back(store, lists, now=NOW + 20.0, key="k").repeated
        assert store.forget_keys(before=NOW - 1.0) == 0
        assert store.forget_keys(before=NOW + 1.0) == 1


LAWS = laws_of(globals())
