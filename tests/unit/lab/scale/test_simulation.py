"""A simulated crawl does what its machines would, and the formulas foresee it."""

from dataclasses import replace

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.lab.scale.bench import bench_crawl
from afresh.lab.scale.cluster import Cluster, draw_pages
from afresh.lab.scale.predicting import predict
from afresh.lab.scale.simulation import Outcome, Simulation

QUIET = Cluster(
    sites=2_000,
    pages=200_000,
    fetchers=4,
    parallel=50,
    servers=2,
    fetcher_fails=0.0,
    server_fails=0.0,
    leader_fails=0.0,
)


def crawled(cluster: Cluster, pages: list[int] | None = None, seed: int = 1) -> Outcome:
    rng = np.random.default_rng(seed)
    drawn = draw_pages(cluster, rng) if pages is None else np.array(pages)
    return Simulation(cluster, drawn, rng).run()


def test_one_site_by_hand() -> None:
    """250 pages, a delay of 2 s, lists of 100: three lists with a delay between them, and the database's time."""
    cluster = replace(QUIET, sites=1, pages=250, delay=2.0, servers=1, server_rate=1_000.0)
    outcome = crawled(cluster, [250])
    assert (outcome.fetched, outcome.lists) == (250, 3)
    assert outcome.end == pytest.approx(250 * 2.0 + 2 * 2.0 + 0.5 * 250 / 1_000.0)


def test_every_page_is_fetched_though_everybody_fails() -> None:
    failing = replace(QUIET, fetcher_fails=500.0, fetcher_away=30.0, server_fails=400.0, leader_fails=100.0)
    outcome = crawled(failing)
    assert outcome.fetched == int(draw_pages(failing, np.random.default_rng(1)).sum())
    assert outcome.twice == 0
    assert min(outcome.fetchers_died, outcome.servers_died, outcome.leaders_died, outcome.again) > 0
    assert 0.0 < outcome.longest_wait <= failing.server_away
    assert outcome.end > crawled(QUIET).end


def test_the_sum_of_pages_is_what_was_asked_for() -> None:
    pages = draw_pages(QUIET, np.random.default_rng(3))
    assert pages.sum() == pytest.approx(QUIET.pages, rel=1e-3)
    assert 1 <= pages.min() < pages.max() <= QUIET.largest


@pytest.mark.parametrize(
    ("changes", "wall"), [({}, "fetchers"), ({"server_rate": 50.0}, "databases"), ({"parallel": 5_000}, "sites")]
)
def test_predictions_hold(changes: dict[str, float], wall: str) -> None:
    """Another seed would stay within as much in all of twenty tries."""
    cluster = replace(QUIET, **changes)  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    pages = draw_pages(cluster, rng)
    expected, outcome = predict(cluster, pages), Simulation(cluster, pages, rng).run()
    assert expected.wall == wall
    if wall != "sites":  # there, slots are idle from the beginning
        assert outcome.bulk == pytest.approx(expected.bulk, rel=0.1)
        assert outcome.rate == pytest.approx(expected.rate, rel=0.1)
    assert outcome.end == pytest.approx(expected.end, rel=0.1)


def test_the_same_seed_gives_the_same_numbers() -> None:
    one, other = bench_crawl(replace(QUIET, fetcher_fails=500.0)), bench_crawl(replace(QUIET, fetcher_fails=500.0))
    for row in (one, other):
        row.pop("cpu_seconds")
    assert one == other


@pytest.mark.parametrize("wrong", [{"fetchers": 0}, {"pages": 10}, {"pages": 10**9}, {"lease": 10.0}])
def test_a_crawl_that_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        replace(QUIET, **wrong)  # type: ignore[arg-type]
