"""Runs in virtual time: over the plain model here, over SQLite in ``replication/test_gaebeler``."""

import csv
import gc
from dataclasses import replace

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.base.records.frontier import Partitioning, SiteOrder
from afresh.lab.crawl.changes import ChangingWeb
from afresh.lab.crawl.database import ExampleSettings
from afresh.lab.crawl.executor import run_project
from afresh.lab.crawl.results import RunResult, summary_csv
from afresh.lab.crawl.settings import Project, SimulatorSettings
from afresh.lab.crawl.start import START, Start
from afresh.lab.crawl.virtual import VirtualCrawl
from tests.fakes.frontier_model import ModelFrontier

SMALL = Project(
    name="small",
    example=ExampleSettings(fqdn_amount=60, min_url_amount=3, max_url_amount=3, fixed_crawl_delay=2.0),
    base=SimulatorSettings(
        crawling_speed_factor=1.0,
        parallel_process=5,
        parallel_fetcher=3,
        iterations=2,
        fqdn_amount=10,
        min_links_per_page=2,
        max_links_per_page=2,
    ),
)


def run(project: Project, seed: int = 0) -> list[RunResult]:
    return list(run_project(project, seed=seed, store=ModelFrontier))


def test_all_sites_are_visited_once() -> None:
    (result,) = run(SMALL)
    assert result.visits == result.stats.visited == 180
    assert result.stats.urls == 180 + 360
    assert result.share == pytest.approx(1 / 3)
    assert result.violations == 0
    assert result.seconds == 2 * 2 * 3 * 2.0  # iterations, rounds of the pool, pages, delay
    assert result.parts["lease"].calls == result.parts["report"].calls == 6


def test_a_run_repeats_to_the_last_digit() -> None:
    project = replace(SMALL, base=replace(SMALL.base, int_vs_ext_threshold=0.5, new_vs_exist_threshold=0.5))
    one, other = run(project)[0], run(project)[0]
    assert [sample.visited for sample in one.samples] == [sample.visited for sample in other.samples]
    assert (one.stats, one.seconds) == (other.stats, other.seconds)
    assert run(project, seed=1)[0].stats != one.stats


def test_cases_side_by_side_come_to_the_same_in_the_same_order() -> None:
    project = replace(SMALL, vary={"fqdn_amount": [4, 10]}, repetition=2)
    alone = run(project)
    told: list[str] = []
    beside = list(run_project(project, seed=0, store=ModelFrontier, progress=told.append, jobs=2))
    assert [(one.settings, one.repetition, one.stats, one.seconds) for one in beside] == [
        (one.settings, one.repetition, one.stats, one.seconds) for one in alone
    ]
    assert told[0] == "small: 4, repetition 1"
    assert len(told) == 4


def test_the_speed_of_a_run_is_told() -> None:
    (result,) = run(SMALL)
    row = result.row(())
    assert result.speed_factor == result.seconds / result.wall_seconds > 1.0
    assert row["speed_factor"] == pytest.approx(result.speed_factor, rel=1e-3)
    assert float(str(row["cpu_seconds"])) > 0.0
    assert replace(result, wall_seconds=0.0).speed_factor == 0.0


def test_the_collector_is_as_it_was_after_a_run() -> None:
    gc.unfreeze()  # what other tests have frozen
    before = gc.get_threshold(), gc.get_freeze_count()
    run(SMALL)
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


def test_every_permutation_is_a_case_and_is_repeated() -> None:
    project = replace(SMALL, vary={"fqdn_amount": [4, 8], "parallel_processes": [1, 2, 3]}, repetition=2)
    cases = list(project.cases())
    assert len(cases) == 12
    assert len({(one.fqdn_amount, one.parallel_process) for _, one in cases}) == 6
    assert project.varying() == ("fqdn_amount", "parallel_process")


@pytest.mark.parametrize(
    ("vary", "needed"),
    [
        ({}, False),
        ({"long_term_prio_mode": ["avg_pagerank", "random"]}, False),  # ranks come with the example
        ({"long_term_prio_mode": ["random", "avg_opic"]}, True),
        ({"short_term_prio_mode": ["in_degree"]}, True),
        ({"long_term_part_mode": ["none", "graph"]}, True),
    ],
)
def test_the_link_graph_is_kept_where_an_order_or_a_partitioning_needs_it(
    vary: dict[str, list[str]], needed: bool
) -> None:
    assert replace(SMALL, vary=vary).needs_links() is needed


def test_a_restored_store_is_as_it_was() -> None:
    store = ModelFrontier()
    start = Start.of(SMALL, 0)
    start.restore(store)
    before = store.stats(), store.sites(limit=1_000)
    VirtualCrawl(store=store, settings=SMALL.base, rng=np.random.default_rng(0), started=START).run()
    assert store.stats() != before[0]
    start.restore(store)
    assert (store.stats(), store.sites(limit=1_000)) == before


def test_a_run_by_time_goes_on_until_then() -> None:
    chosen = replace(SMALL.base, time_limit=200.0, release_on_submit=True, revisit_after=1.0)
    (result,) = run(replace(SMALL, base=chosen))
    assert result.seconds == 200.0
    assert all(one.iter_fetch_start + one.iter_fetch_duration <= 200.0 for one in result.iterations)
    assert result.visits > result.stats.visited
    assert result.violations == 0


def test_fetchers_join_while_others_work() -> None:
    (result,) = run(
        replace(SMALL, join_every=5.0, base=replace(SMALL.base, long_term_part_mode=Partitioning.CONSISTENT))
    )
    assert result.stats.fetchers == 3 + int(result.seconds // 5.0)
    assert result.violations == 0


def test_empty_lists_end_the_run() -> None:
    (result,) = run(replace(SMALL, base=replace(SMALL.base, iterations=50)))
    assert result.stats.visited == 180
    (nobody,) = run(replace(SMALL, base=replace(SMALL.base, parallel_fetcher=0)))
    assert (nobody.visits, nobody.seconds) == (0, 0.0)


def test_freshness_is_measured_where_pages_change() -> None:
    store = ModelFrontier()
    Start.of(SMALL, 0).restore(store)
    web = ChangingWeb(np.random.default_rng(3), mean_interval=60.0)
    chosen = replace(
        SMALL.base,
        time_limit=120.0,
        release_on_submit=True,
        revisit_after=20.0,
        min_links_per_page=0,
        max_links_per_page=0,
    )
    crawl = VirtualCrawl(
        store=store, settings=chosen, rng=np.random.default_rng(0), started=START, web=web, sample_every=10.0
    )
    fresh = [sample.true_freshness for sample in crawl.run().samples]
    assert fresh[0] == 0.0
    assert all(value is not None and 0.0 <= value <= 1.0 for value in fresh)
    assert max(value or 0.0 for value in fresh) > 0.3


def test_the_order_of_visits_can_be_kept() -> None:
    store = ModelFrontier()
    Start.of(SMALL, 0).restore(store)
    chosen = replace(SMALL.base, long_term_prio_mode=SiteOrder.LARGE)
    crawl = VirtualCrawl(store=store, settings=chosen, rng=np.random.default_rng(0), started=START, keep_order=True)
    order = crawl.run().order
    assert len(order) == len(set(order)) == 180


def test_the_summary_has_every_setting_and_figure() -> None:
    results = run(replace(SMALL, vary={"long_term_prio_mode": ["random", "small_sites_first"]}))
    rows = list(csv.DictReader(summary_csv(results).splitlines()))
    assert [row["long_term_prio_mode"] for row in rows] == ["random", "small_sites_first"]
    wanted = {"crawling_speed_factor", "seconds", "db_url_amount", "visited_pages", "freshness_prime", "utilisation"}
    assert wanted | {"throughput", "cpu_lease", "cpu_report", "memory", "iter_load_duration"} <= set(rows[0])


def test_settings_know_the_names_of_both_appendices() -> None:
    chosen = SimulatorSettings.of({"parallel_processes": 7, "internal_vs_external_threshold": 0.5})
    assert (chosen.parallel_process, chosen.int_vs_ext_threshold) == (7, 0.5)
    assert SimulatorSettings.of(chosen.plain()) == chosen


@pytest.mark.parametrize(
    "wrong",
    [
        {"paralel_process": 3},
        {"long_term_prio_mode": "biggest"},
        {"lpp_distribution_type": "even"},
        {"min_links_per_page": 3, "max_links_per_page": 2},
        {"crawling_speed_factor": 0.0},
        {"int_vs_ext_threshold": 2.0},
    ],
)
def test_senseless_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        SimulatorSettings.of(wrong)
