"""Test projects read from TOML, and what their runs leave behind: four CSV files.

[project]
name = "partition"
repetition = 2

[database]
fqdn_amount = 4000
min_url_amount = 5
max_url_amount = 5

[fetcher]
parallel_fetcher = 16
long_term_part_mode = ["fqdn_hash", "consistent_hashing"]    # a list: every value is a case
"""

import csv
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from afresh.base.errors import UsageError
from afresh.lab.crawl.database import ExampleSettings
from afresh.lab.crawl.results import RunResult, summary_csv
from afresh.lab.crawl.settings import Project, SimulatorSettings


def read_project(text: str) -> Project:
    """The project; UsageError names what cannot be read."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the project is not TOML: {error}") from error
    head = _section(told, "project", {"name", "repetition", "join_every", "change_interval"})
    example = _section(told, "database", {item.name for item in fields(ExampleSettings)})
    fetcher = _section(told, "fetcher", None)
    if unknown := sorted(set(told) - {"project", "database", "fetcher"}):
        raise UsageError(f"a project has the sections project, database and fetcher, not {unknown[0]}")
    vary = {name: value for name, value in fetcher.items() if isinstance(value, list)}
    if empty := [name for name, value in vary.items() if not value]:
        raise UsageError(f"{empty[0]} is an empty list: there would be no case")
    base = SimulatorSettings.of({name: value for name, value in fetcher.items() if name not in vary})
    try:
        project = Project(
            name=str(head.get("name", "project")),
            example=ExampleSettings(**example),
            base=base,
            vary=vary,
            repetition=int(head.get("repetition", 1)),
            join_every=head.get("join_every"),
            change_interval=head.get("change_interval"),
        )
        list(project.cases())  # a case that makes no sense is refused before the first runs
    except TypeError as error:
        raise UsageError(f"a value of the project has the wrong type: {error}") from error
    return project


def _section(told: Mapping[str, Any], name: str, known: set[str] | None) -> dict[str, Any]:
    section = told.get(name, {})
    if not isinstance(section, dict):
        raise UsageError(f"{name} is a section of the project: write [{name}]")
    if known is not None and (unknown := sorted(set(section) - known)):
        raise UsageError(f"[{name}] has no {unknown[0]}; there are {', '.join(sorted(known))}")
    return section


def write_results(results: Sequence[RunResult], folder: Path) -> list[Path]:
    """summary.csv (a line a run), iterations.csv, samples.csv and cpu.csv (processor time of each part over time)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.csv").write_text(summary_csv(results), encoding="utf-8")
    tables = {
        "iterations.csv": [_numbered(n, asdict(one)) for n, result in enumerate(results) for one in result.iterations],
        "samples.csv": [
            _numbered(n, {**asdict(one), "visited_ratio": one.visited_ratio})
            for n, result in enumerate(results)
            for one in result.samples
        ],
        "cpu.csv": [_numbered(n, dict(one)) for n, result in enumerate(results) for one in result.curves],
    }
    for name, rows in tables.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else ["run"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return [folder / "summary.csv", *(folder / name for name in tables)]


def _numbered(number: int, row: dict[str, Any]) -> dict[str, Any]:
    return {"run": number, **row}
