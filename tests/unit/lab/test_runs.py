"""Experiments beside a daemon: in turn, in processes of their own, and their reports."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from afresh.base.errors import UsageError
from afresh.lab import experiments
from afresh.lab.experiments import catalogue, experiment, experiment_names
from afresh.lab.runs import Run, Runs, RunState

UPDATING = os.environ.get("AFRESH_UPDATE") == "1"  # read before the environment is scrubbed
KEPT = Path(experiments.__file__).with_name("catalogue.json")


async def wait_for(run: Run, *states: RunState) -> None:
    async with asyncio.timeout(120):
        while run.state not in states:
            await asyncio.sleep(0.05)


def test_a_run_ends_with_its_report_and_the_next_waits_for_it() -> None:
    async def main() -> None:
        runs = Runs()
        try:
            first = runs.start("merge-bound", seed=0, scale=0.1)
            second = runs.start("merge-bound", seed=1, scale=0.1)
            await wait_for(first, RunState.RUNNING)
            assert second.state is RunState.WAITING
            runs.end(second)
            await wait_for(first, RunState.DONE, RunState.FAILED)
            assert first.state is RunState.DONE, list(first.lines)
            report = first.report()
            assert report is not None
            assert report["name"] == "merge-bound"
            assert report["rows"]
            assert second.state is RunState.ENDED
            assert second.report() is None
            assert [run.number for run in runs.all()] == [2, 1]
        finally:
            await runs.close()

    asyncio.run(main())


def test_a_running_one_can_be_ended() -> None:
    async def main() -> None:
        runs = Runs()
        run = runs.start("reichert-comparison", seed=0, scale=1.0)
        await wait_for(run, RunState.RUNNING)
        while run.process is None:
            await asyncio.sleep(0.01)
        runs.end(run)
        await runs.close()
        assert run.state is RunState.ENDED
        assert run.process.returncode is not None

    asyncio.run(main())


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown experiment 'nonsense'"):
        Runs().start("nonsense", seed=0, scale=1.0)


def test_the_catalogue_says_what_the_experiments_say() -> None:
    """Titles are known without loading an experiment, hence without the lab; ``AFRESH_UPDATE=1`` writes them anew."""
    takes = {row["name"]: row["takes"] for row in catalogue()}  # as it was measured
    said = {
        name: {"title": experiment(name).title, "source": experiment(name).source, "takes": takes[name]}
        for name in experiment_names()
    }
    if UPDATING:
        KEPT.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        catalogue.cache_clear()
    assert {row["name"]: {key: row[key] for key in ("title", "source", "takes")} for row in catalogue()} == said
    assert all(takes.values())


def test_titles_are_there_without_the_lab() -> None:
    code = "import sys; from afresh.lab.experiments import catalogue as c; print(len(c()), 'numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.split() == [str(len(experiment_names())), "False"]
