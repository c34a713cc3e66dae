"""Pools, links, meters, the idle worker, expectations: the parts of a simulated fetcher."""

import asyncio
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.lab.crawl import expectations, idle
from afresh.lab.crawl.changes import ChangingWeb
from afresh.lab.crawl.links import LinkMaker, Stock, link_counts
from afresh.lab.crawl.meters import Meter, cpu_of, memory_of
from afresh.lab.crawl.pool import Job, ideal_duration, schedule, work
from afresh.lab.crawl.settings import SimulatorSettings

jobs = st.lists(st.builds(Job, st.integers(0, 5), st.integers(0, 4).map(float)), max_size=12)


# --- pool ---


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only when everybody sleeps."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        select = self._selector.select

        def skip(timeout: float | None) -> object:
            self.now += timeout or 0.0
            return select(0)

        self._selector.select = skip

    def time(self) -> float:
        return self.now


@given(jobs, st.integers(1, 4))
def test_real_and_virtual_pools_agree(given_jobs: list[Job], workers: int) -> None:
    seen: Counter[int] = Counter()
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        runner.run(work(given_jobs, workers, lambda number, _: seen.update([number]), clock=loop.time))
        took = loop.time()
    assert [seen[number] for number in range(len(given_jobs))] == [job.pages for job in given_jobs]
    ideal = max((done.finished for done in schedule(given_jobs, workers)), default=0.0)
    assert took == pytest.approx(ideal, abs=1e-3)


@given(st.integers(1, 50), st.integers(1, 30))
def test_equal_lists_take_the_ideal_time(lists: int, workers: int) -> None:
    done = schedule([Job(5, 0.5)] * lists, workers)
    assert max(one.finished for one in done) == pytest.approx(ideal_duration(lists, workers, 5, 0.5))


@given(jobs, st.integers(1, 4))
def test_no_more_lists_at_once_than_workers(given_jobs: list[Job], workers: int) -> None:
    done = [one for one in schedule(given_jobs, workers) if one.finished > one.begun]
    for one in done:
        assert sum(other.begun <= one.begun < other.finished for other in done) <= workers


# --- links ---


def settings(**values: object) -> SimulatorSettings:
    return SimulatorSettings.of(values)


def kinds(chosen: SimulatorSettings, pages: int = 400) -> Counter[str]:
    known = [f"http://www.known{n}.org/" for n in range(5)]
    maker = LinkMaker(chosen, np.random.default_rng(1), lambda count: (known * count)[:count])
    urls = [f"http://www.own.org/{n}" for n in range(pages)]
    found: Counter[str] = Counter()
    for links in maker.links("www.own.org", urls):
        for link in links:
            site = "internal" if link.startswith("http://www.own.org/") else "external"
            found[f"{'known' if link in urls or link in known else 'new'} {site}"] += 1
    return found


def test_links_are_internal_and_new_in_the_shares_asked_for() -> None:
    found = kinds(
        settings(min_links_per_page=5, max_links_per_page=5, int_vs_ext_threshold=0.8, new_vs_exist_threshold=0.6)
    )
    total = sum(found.values())
    assert total == 2_000
    assert found["new internal"] / total == pytest.approx(0.48, abs=0.04)
    assert found["known internal"] / total == pytest.approx(0.32, abs=0.04)
    assert found["new external"] / total == pytest.approx(0.12, abs=0.03)
    assert found["known external"] / total == pytest.approx(0.08, abs=0.03)


def test_all_new_and_internal_by_default() -> None:
    assert kinds(settings()) == {"new internal": 400}


def test_links_within_the_site_are_drawn_alike_one_by_one_and_together() -> None:
    """The short cut for links that are all new and internal takes the same numbers and paths as the long way."""
    shares = {"min_links_per_page": 700, "max_links_per_page": 700}  # more than a stock of paths in three pages
    urls = [f"http://www.own.org/{n}" for n in range(3)]
    almost = settings(**shares, int_vs_ext_threshold=1.0 - 1e-15)
    quick, slow = (LinkMaker(chosen, np.random.default_rng(4), lambda _: []) for chosen in (settings(**shares), almost))
    for _ in range(2):
        assert quick.links("www.own.org", urls) == slow.links("www.own.org", urls)


def test_a_frontier_that_knows_nothing_gives_pages_of_the_list() -> None:
    chosen = settings(int_vs_ext_threshold=0.0, new_vs_exist_threshold=0.0)
    maker = LinkMaker(chosen, np.random.default_rng(0), lambda _: [])
    assert maker.links("www.own.org", ["http://www.own.org/"]) == [("http://www.own.org/",)]


def test_known_urls_are_asked_for_by_the_hundred() -> None:
    asked: list[int] = []

    def ask(count: int) -> list[str]:
        asked.append(count)
        return [f"{len(asked)}/{place}" for place in range(min(count, 250))]

    stock = Stock(ask, 100)
    assert stock.take(60) + stock.take(40) == [f"1/{place}" for place in range(100)]
    assert stock.take(1) == ["2/0"]
    assert len(stock.take(400)) == 99 + 250  # all there are
    assert asked == [100, 100, 400]


@pytest.mark.parametrize(
    ("kind", "likely"), [("discrete", [0.25] * 4), ("linear_smaller", [0.4, 0.3, 0.2, 0.1]), ("power_law", None)]
)
def test_numbers_of_links(kind: str, likely: list[float] | None) -> None:
    chosen = settings(min_links_per_page=2, max_links_per_page=5, lpp_distribution_type=kind)
    counts = link_counts(chosen, np.random.default_rng(0), 20_000)
    shares = np.bincount(counts, minlength=6)[2:] / 20_000
    squares = np.array([1.0, 1 / 4, 1 / 9, 1 / 16])
    assert shares == pytest.approx(squares / squares.sum() if likely is None else likely, abs=0.015)


# --- the idle worker ([G20] §4.2.1, Fig. 9; claim 12) ---


def test_large_first_waits_a_second_and_a_half_small_first_three_times_as_long() -> None:
    sites = (4, 3, 2, 1)
    large = idle.crawl(sites, delay=2.5, seconds=1.0, rank=idle.large_first, patient=True)
    small = idle.crawl(sites, delay=2.5, seconds=1.0, rank=idle.small_first)
    greedy = idle.crawl(sites, delay=2.5, seconds=1.0, rank=idle.large_first)
    assert (large.total, large.idle) == (11.5, 1.5)
    assert [when for when, site in large.visits if site == 0] == [0.0, 3.5, 7.0, 10.5]
    assert (small.total, small.idle) == (14.5, 4.5)
    assert (greedy.total, greedy.idle) == (12.0, 2.0)


@given(st.lists(st.integers(0, 4), max_size=5), st.booleans(), st.booleans())
def test_every_page_is_fetched_once_and_politely(sites: list[int], large: bool, patient: bool) -> None:
    rank = idle.large_first if large else idle.small_first
    spell = idle.crawl(sites, delay=2.5, seconds=1.0, rank=rank, patient=patient)
    assert Counter(site for _, site in spell.visits) == {site: count for site, count in enumerate(sites) if count}
    assert spell.total == pytest.approx(sum(sites) + spell.idle)
    for site in range(len(sites)):
        times = [when for when, other in spell.visits if other == site]
        assert all(later - sooner >= 3.5 for sooner, later in pairwise(times))


# --- expectations (specification §6.10) ---

T3 = expectations.Capacity(sites=4_000, pages=5, fetchers=16, room=250, links=5)


def test_expected_shares_of_t3() -> None:
    rng = np.random.default_rng(0)
    assert expectations.everybody(T3).mean == pytest.approx(1 / 6)
    assert expectations.by_hash(T3, rng, 200).mean == pytest.approx(0.1660, abs=2e-4)
    assert expectations.by_tld(T3, rng, 400).mean == pytest.approx(0.1445, abs=2.5e-3)


@pytest.mark.parametrize(("positions", "share"), [(1, 0.153), (32, 0.1645), (128, 0.1654), (512, 0.1658)])
def test_more_places_on_the_ring_are_fairer(positions: int, share: float) -> None:
    found = expectations.by_ring(T3, positions, np.random.default_rng(0), 60)
    assert found.mean == pytest.approx(share, abs=1.2e-3)
    assert found.low <= found.mean <= found.high


def test_expected_shares_of_t4() -> None:
    slots = expectations.Slots(sites=4_000, pages=5, rounds=20, lists=200, links=0.95, new_sites=0.1425)
    assert slots.share("large") == pytest.approx(20 / 39)
    assert slots.share("random") == pytest.approx(0.449, abs=2e-3)
    assert slots.share("small") == pytest.approx(0.401, abs=2e-3)


# --- meters and the changing web ---


def test_a_meter_books_by_part_and_slice() -> None:
    ticks = iter([1.0, 1.5, 10.0, 10.25])
    meter = Meter(slice_seconds=60.0, clock=lambda: next(ticks))
    with meter.part("lease", 30.0):
        pass
    with meter.part("lease", 90.0):
        pass
    assert (meter.parts["lease"].calls, meter.parts["lease"].cpu_seconds) == (2, 0.75)
    assert meter.parts["lease"].mean_ms() == 375.0
    assert meter.curve("lease") == ([0.0, 60.0], [0.5 / 60, 0.25 / 60])
    assert meter.rows()[1] == {"part": "lease", "seconds": 60.0, "cpu_seconds": 0.25}


def test_the_operating_system_tells_of_processes() -> None:
    import os

    assert (memory_of() or 0) > 1_000_000
    assert (cpu_of(os.getpid()) or 0.0) > 0.0
    assert memory_of(2**22 + 1) is None
    assert cpu_of(2**22 + 1) is None


def test_a_page_is_fresh_when_seen_and_fades() -> None:
    web = ChangingWeb(np.random.default_rng(0), mean_interval=100.0)
    assert web.freshness(0.0, 10) == 0.0
    assert web.visit("http://a/", 0.0) is True
    assert web.freshness(0.0, 1) == pytest.approx(1.0)
    assert web.freshness(0.0, 4) == pytest.approx(0.25)
    assert 0.0 < web.freshness(1e3, 1) < web.freshness(10.0, 1) < 1.0
    assert web.visit("http://a/", 0.0) is False


def test_rates_belong_to_urls_and_spread_around_the_middle() -> None:
    web = ChangingWeb(np.random.default_rng(0), mean_interval=100.0)
    rates = np.array([web.rate(f"http://{n}/") for n in range(2_000)])
    assert web.rate("http://7/") == rates[7]
    assert np.median(rates) == pytest.approx(0.01, rel=0.15)
    assert 100.0 < rates.max() / rates.min() < 100_000.0
