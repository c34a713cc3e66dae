"""The measurement of the frontier, small: nothing shared, hurried or lost, whatever is asked for or killed."""

import pytest

from afresh.base.records.frontier import PageOrder, Partitioning, SiteOrder
from afresh.lab.bench_frontier import lease_curve, run_bench
from afresh.lab.bench_frontier.options import BenchOptions

SMALL = {
    "sites": 1500,
    "urls": 15_000,
    "fetchers": 56,
    "sites_per_list": 10,
    "urls_per_site": 5,
    "delay": 0.05,
    "plain_seconds": 0.2,
}


def check(figures: dict[str, object], fetched: int) -> None:
    assert (figures["violations"], figures["lost"], figures["doubled"]) == (0, 0, 0), figures
    assert (figures["unknown"], figures["ignored"]) == (0, 0), figures
    assert isinstance(figures["acknowledged"], int)
    assert figures["acknowledged"] >= fetched, figures
    assert isinstance(figures["fairness"], float)
    assert 0.0 < figures["fairness"] <= 1.0, figures
    shares = [figures[name] for name in ("of_plain", "import_of_plain", "cpu_of_plain", "import_cpu_of_plain")]
    assert all(isinstance(share, float) and share > 0.0 for share in shares), figures


def test_every_order_and_partitioning_at_once() -> None:
    """Each of the 56 fetchers goes through the combinations from a place of its own: 56 strategies at any moment."""
    options = BenchOptions(**SMALL, seconds=6.0, site_order="all", page_order="all", partitioning="all")  # type: ignore[arg-type]
    assert [len(modes) for modes in options.modes] == [len(SiteOrder), len(PageOrder), len(Partitioning)]
    check(run_bench(options), 2_000)


def test_killed_schedulers_lose_nothing() -> None:
    figures = run_bench(BenchOptions(**SMALL, seconds=9.0, kill_every=3.0, links=5))  # type: ignore[arg-type]
    check(figures, 1_000)
    assert figures["kills"], figures


@pytest.mark.postgres
def test_several_schedulers_on_one_postgresql() -> None:
    figures = run_bench(BenchOptions(**SMALL, store="postgresql", seconds=8.0, kill_every=3.0))  # type: ignore[arg-type]
    check(figures, 1_000)
    assert figures["kills"], figures


def test_the_curve_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.lab.bench_frontier.curve._SIZES", (1_000, 2_000))
    rows = lease_curve(BenchOptions(sites_per_list=5))
    assert [row["sites"] for row in rows] == [1_000, 2_000]
    assert all(row["lease_p50_ms"] > 0 for row in rows)
