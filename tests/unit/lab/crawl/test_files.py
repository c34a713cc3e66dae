"""Test projects as TOML, and what runs leave behind."""

import csv
import json
from pathlib import Path

import pytest

from afresh.base.errors import UsageError
from afresh.base.records.frontier import Partitioning
from afresh.doors.cli.main import run as afresh
from afresh.lab.crawl.executor import run_project
from afresh.lab.crawl.files import read_project, write_results
from tests.fakes.frontier_model import ModelFrontier

TEXT = """
[project]
name = "small"
repetition = 2
join_every = 4

[database]
fqdn_amount = 20
min_url_amount = 2
max_url_amount = 2
fixed_crawl_delay = 1

[fetcher]
crawling_speed_factor = 1
parallel_fetcher = 2
fqdn_amount = 5
long_term_part_mode = ["none", "fqdn_hash"]
"""


def test_a_project_is_read() -> None:
    project = read_project(TEXT)
    assert (project.name, project.repetition, project.join_every) == ("small", 2, 4)
    assert project.example.fqdn_amount == 20
    assert [one.long_term_part_mode for _, one in project.cases()] == [Partitioning.NONE] * 2 + [
        Partitioning.SITE_HASH
    ] * 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[project", "TOML"),
        ("[project]\ncolour = 1", "colour"),
        ("[database]\nfqdns = 1", "fqdns"),
        ("[fetcher]\nfqdn_amount = []", "empty list"),
        ("[fetcher]\nfqdn_amounts = 1", "fqdn_amounts"),
        ('[fetcher]\nlong_term_prio_mode = ["large_sites_first", "huge"]', "huge"),
        ("[other]\na = 1", "other"),
        ("project = 1", r"\[project\]"),
        ('[database]\nfqdn_amount = "many"', "type"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_project(text)


def test_four_files_are_written(tmp_path: Path) -> None:
    results = list(run_project(read_project(TEXT), seed=0, store=ModelFrontier))
    written = write_results(results, tmp_path / "out")
    tables = {path.name: list(csv.DictReader(path.read_text().splitlines())) for path in written}
    assert len(tables["summary.csv"]) == 4
    assert {row["run"] for row in tables["iterations.csv"]} == {"0", "1", "2", "3"}
    assert {row["part"] for row in tables["cpu.csv"]} >= {"lease", "report", "register", "partition"}
    assert float(tables["samples.csv"][-1]["visited_ratio"]) > 0.0


def test_the_command_runs_a_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "project.toml"
    path.write_text(TEXT)
    assert afresh(["lab", "crawl", str(path), "--json", "-o", str(tmp_path / "out")]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["violations"] for row in rows] == [0] * 4
    assert (tmp_path / "out" / "cpu.csv").exists()


def test_a_missing_project_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert afresh(["lab", "crawl", str(tmp_path / "none.toml")]) != 0
    assert "none.toml" in capsys.readouterr().err
