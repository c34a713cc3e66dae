"""Experiments beside a daemon: in turn, in processes of their own, and their reports."""

import asyncio
import subprocess
import sys
import threading
from typing import Any

import pytest

from afresh.base.errors import UsageError
from afresh.lab.runs import Run, Runs, RunState


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


def test_many_who_ask_for_the_catalogue_start_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    run = subprocess.run

    def counted(command: tuple[str, ...], **options: Any) -> subprocess.CompletedProcess[bytes]:
        started.append(command)
        return run([sys.executable, "-c", "raise SystemExit(1)"], **options)

    async def main() -> None:
        runs = Runs()
        found = await asyncio.gather(*(runs.catalogue() for _ in range(20)))
        assert all(rows == found[0] for rows in found)
        assert found[0]

    monkeypatch.setattr(subprocess, "run", counted)
    asyncio.run(main())
    assert len(started) == 1


def test_whoever_cannot_wait_gets_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def slow(*_: Any, **__: Any) -> subprocess.CompletedProcess[bytes]:
        gate.wait(20)
        return subprocess.CompletedProcess((), 0, b'{"experiments": [{"name": "n", "title": "t", "source": "s"}]}')

    async def main() -> None:
        runs = Runs()
        early = await runs.catalogue(patience=0.05)
        assert {"name": "merge-bound", "title": "", "source": ""} in early
        gate.set()
        assert await runs.catalogue() == [{"name": "n", "title": "t", "source": "s"}]

    monkeypatch.setattr(subprocess, "run", slow)
    asyncio.run(main())
