"""What the options of a frontier come to in its store."""

import asyncio
from pathlib import Path

import pytest

from afresh.base.records.frontier import Imported, Seed
from afresh.base.settings import load_settings
from afresh.base.settings.sections import FrontierOptions, Hygiene
from afresh.frontier.service import running_frontier

SEEDS = [Seed(f"http://www.example.org/{page}", "www.example.org") for page in range(5)]


def imported(place: Path, hygiene: Hygiene | None, *, links: bool = False) -> Imported:
    async def work() -> Imported:
        async with running_frontier(FrontierOptions(url=str(place), links=links), hygiene=hygiene) as frontier:
            return await frontier.add(SEEDS)

    return asyncio.run(work())


def test_the_defaults_are_the_ones_of_the_options() -> None:
    assert load_settings().settings.hygiene == Hygiene()


def test_a_budget_reaches_the_store(tmp_path: Path) -> None:
    settings = load_settings(environment={"AFRESH_HYGIENE_BUDGET": "2"}).settings
    assert imported(tmp_path / "a.db", settings.hygiene).backlog == 3
    assert imported(tmp_path / "b.db", None).backlog == 0


def test_a_budget_that_cannot_grow_is_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    imported(tmp_path / "a.db", Hygiene(budget=2), links=True)
    imported(tmp_path / "b.db", Hygiene())
    assert not caplog.records
    imported(tmp_path / "c.db", Hygiene(budget=2))
    assert "frontier.links=true" in caplog.text
