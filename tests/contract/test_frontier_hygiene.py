"""Crawler hygiene on every store: budgets with a backlog, slow and failing sites."""

from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.records.frontier import PageReport, PageResult, SiteReport
from afresh.base.settings.sections import Hygiene
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_stores import empty_frontier
from tests.laws.frontier_material import DELAY, NOW, give_back, host, seeds, take, url, urls, wrong_sums


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty_frontier(request.param, tmp_path)


def test_pages_over_a_budget_wait_until_other_sites_link_there(place: str) -> None:
    hygiene = Hygiene(budget=3, budget_per_referral=2.0)
    with closing(open_frontier(place, links=True, hygiene=hygiene)) as store:
        added = store.add(seeds(1, 8), now=NOW)
        assert (added.urls, added.backlog) == (8, 5)
        assert store.stats().backlog == 5
        assert len(urls(take(store))) == 3
        store.add([seed for seed in seeds(2, 2) if seed.site == host(1)], now=NOW)
        [other] = take(store)
        pages = [PageReport(page.url, links=[url(0, 0), url(0, 7)]) for page in other.pages[:1]]
        store.report("one", [SiteReport(other.lease, other.name, pages)], key="", now=NOW, revisit_after=1e6)
        assert store.stats().backlog == 1  # two links from another site, two pages each
        assert not wrong_sums(store)


def test_links_of_a_site_to_itself_do_not_raise_its_budget(place: str) -> None:
    with closing(open_frontier(place, links=True, hygiene=Hygiene(budget=2))) as store:
        store.add(seeds(1, 2), now=NOW)
        receipt = give_back(store, take(store), now=NOW, links=[url(0, page) for page in range(2, 40)])
        assert receipt.discovered == 38
        assert store.stats().backlog == 38
        assert not take(store, now=NOW + 100)
        assert not wrong_sums(store)


def test_a_slow_site_is_visited_less_often(place: str) -> None:
    with closing(open_frontier(place, hygiene=Hygiene(slow_after=5.0, slow_pause=10.0))) as store:
        store.add(seeds(2, 4), now=NOW)
        for one in take(store, pages=1):
            seconds = 20.0 if one.name == host(0) else 0.2
            give_back(store, [one], now=NOW, seconds=seconds)
        assert [one.name for one in take(store, now=NOW + 199, pages=1)] == [host(1)]
        assert [one.name for one in take(store, now=NOW + 200, pages=1)] == [host(0)]


def test_a_failing_site_is_left_alone_for_longer_and_longer(place: str) -> None:
    with closing(open_frontier(place, hygiene=Hygiene(site_errors=2, retry=100.0))) as store:
        store.add(seeds(1, 9), now=NOW)
        give_back(store, take(store, pages=2), now=NOW, result=PageResult.ERROR)
        assert not take(store, now=NOW + 99)
        lists = take(store, now=NOW + 100, pages=2)
        give_back(store, lists, now=NOW + 100, result=PageResult.ERROR)
        assert not take(store, now=NOW + 299)
        lists = take(store, now=NOW + 300, pages=1)
        give_back(store, lists, now=NOW + 300)
        assert take(store, now=NOW + 300 + DELAY, pages=1)


def test_a_few_bad_pages_that_are_tried_again_keep_nobody_from_the_others(place: str) -> None:
    with closing(open_frontier(place, hygiene=Hygiene(site_errors=3, retry=100.0))) as store:
        store.add(seeds(1, 2), now=NOW)
        now = NOW
        for _ in range(3):  # both fail, are tried again, and fail again
            give_back(store, take(store, now=now), now=now, result=PageResult.ERROR)
            now += 1_000.0
        store.add(seeds(1, 3), now=now - 999.0)
        assert [page.url for one in take(store, now=now - 990.0, pages=1) for page in one.pages] == [url(0, 2)]


def test_soft_404s_count_like_not_found(place: str) -> None:
    with closing(open_frontier(place)) as store:
        store.add(seeds(1, 1), now=NOW)
        now = NOW
        for _ in range(2):
            give_back(store, take(store, now=now), now=now, soft_404=True)
            assert not take(store, now=now + 29 * 86_400.0)
            now += 1e7
        assert not take(store, now=now)
        assert store.stats().visits == 2


def test_the_second_look_can_be_left_out(place: str) -> None:
    with closing(open_frontier(place, hygiene=Hygiene(second_look=0.0))) as store:
        store.add(seeds(1, 1), now=NOW)
        give_back(store, take(store), now=NOW, result=PageResult.NOT_FOUND)
        assert not take(store, now=NOW + 1e9)
        assert not wrong_sums(store)
