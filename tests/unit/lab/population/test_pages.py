"""Synthetic histories of pages: rates as they were drawn, sites that resemble themselves, one history a seed."""

import json
from pathlib import Path

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.doors.cli.main import run
from afresh.lab.population.pages import generate_pages
from afresh.lab.revisit.histories import histories_of
from afresh.lab.traces import read_page_trace


def test_pages_change_at_the_rates_they_were_drawn_with() -> None:
    trace = generate_pages(3_000, seed=3, days=200.0)
    rates = np.array([float(text) for text in trace.columns["rate_per_day"]])
    changes = np.diff(trace.offsets) - 1
    assert changes.sum() == pytest.approx(rates.sum() * 200.0, rel=0.02)  # 4 sigma of a Poisson sum
    assert rates.max() <= 24.0
    assert all((np.diff(trace.versions(page)) >= 0).all() for page in range(len(trace)))
    logs, hosts = np.log(rates), np.array(trace.columns["host"])
    within = np.mean([logs[hosts == host].std() for host in set(hosts) if (hosts == host).sum() > 20])
    assert within < 0.85 * logs.std(), "pages of a site resemble each other"


def test_the_same_seed_gives_the_same_history() -> None:
    one, two, other = (generate_pages(50, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.times, two.times)
    assert not np.array_equal(one.times[:40], other.times[:40])


@pytest.mark.parametrize(("count", "days"), [(0, 10.0), (10, 0.0), (10, 4_000.0)])
def test_what_is_no_population_is_refused(count: int, days: float) -> None:
    with pytest.raises(ModelError):
        generate_pages(count, 0, days)


def test_the_lab_revisits_what_was_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "pages")
    assert run(["lab", "generate", "pages", "--count", "200", "--sites", "4", "-o", folder, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["pages"], told["sites"]) == (200, 4)
    read = read_page_trace(folder)
    assert len(read) == 200
    assert len(histories_of(read)) == 200, "long enough for a replay"
    assert run(["lab", "generate", "pages", "-o", folder]) == 2, "nothing is written over"
