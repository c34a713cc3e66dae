"""Experiments run beside a daemon, each in a process of its own: started, watched, ended, and their reports read."""

import asyncio
import atexit
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from afresh.errors import UsageError
from afresh.lab.experiments import experiment_names

_LINES = 200  # of its progress, kept
_KEPT = 50  # runs remembered
_NICE = 10  # a visit due now goes before an experiment


class RunState(StrEnum):
    """How far a run has come."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    ENDED = "ended"  # by whoever started it


@dataclass(slots=True)
class Run:
    """One experiment being run; lives as long as the daemon."""

    number: int
    name: str
    seed: int
    scale: float
    folder: Path
    asked: float
    state: RunState = RunState.WAITING
    started: float | None = None
    ended: float | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))
    process: asyncio.subprocess.Process | None = None

    def report(self) -> Mapping[str, Any] | None:
        """What it came to; None before it is done."""
        if self.state is not RunState.DONE:
            return None
        loaded: Mapping[str, Any] = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        return loaded


class Runs:
    """One experiment at a time: two would only make each other slow and every timing wrong."""

    def __init__(self) -> None:
        self._runs: dict[int, Run] = {}
        self._folder: Path | None = None
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._catalogue: Sequence[Mapping[str, str]] | None = None
        self._asking: threading.Thread | None = None

    async def catalogue(self, *, patience: float | None = None) -> Sequence[Mapping[str, str]]:
        """Name, title and source of every experiment. Asked of another process: loading them all takes memory.

        Of one, however many ask: any page a browser shows can make it ask a thousand times at once. Whoever has only
        so many seconds of ``patience`` gets the names alone until the answer is there.
        """
        if self._asking is None:
            # A thread of its own, not a task: it may outlive whoever asked first.
            self._asking = threading.Thread(target=self._ask_catalogue, name="afresh-catalogue", daemon=True)
            self._asking.start()
        end = time.monotonic() + (math.inf if patience is None else patience)
        while self._catalogue is None and self._asking.is_alive() and time.monotonic() < end:
            await asyncio.sleep(0.02)
        return self._catalogue or [{"name": name, "title": "", "source": ""} for name in experiment_names()]

    def _ask_catalogue(self) -> None:
        asked = subprocess.run(  # noqa: S603 (our own command)
            _afresh("lab", "list", "--json"), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if asked.returncode:
            self._catalogue = [{"name": name, "title": name, "source": ""} for name in experiment_names()]
        else:
            self._catalogue = json.loads(asked.stdout)["experiments"]

    def start(self, name: str, *, seed: int, scale: float) -> Run:
        """A new run, waiting for its turn; UsageError for an unknown experiment or too many waiting."""
        if name not in experiment_names():
            raise UsageError(f"unknown experiment {name!r}; /lab shows them all")
        if sum(run.state in (RunState.WAITING, RunState.RUNNING) for run in self._runs.values()) >= _KEPT:
            raise UsageError("too many experiments are waiting; end some, or wait")
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="afresh-lab-"))
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)  # should nobody close us
        number = max(self._runs, default=0) + 1
        folder = self._folder / str(number)
        run = Run(number=number, name=name, seed=seed, scale=scale, folder=folder, asked=time.time())
        self._runs[number] = run
        self._forget()
        task = asyncio.create_task(self._run(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    def get(self, number: int) -> Run | None:
        return self._runs.get(number)

    def all(self) -> list[Run]:
        """Newest first."""
        return sorted(self._runs.values(), key=lambda run: -run.number)

    def end(self, run: Run) -> None:
        """Ends a run that has not ended by itself."""
        if run.state in (RunState.WAITING, RunState.RUNNING):
            run.state = RunState.ENDED
            run.ended = time.time()
            if run.process is not None:
                with suppress(ProcessLookupError):
                    run.process.kill()

    async def close(self) -> None:
        for run in self._runs.values():
            self.end(run)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _run(self, run: Run) -> None:
        async with self._turn:
            if run.state is not RunState.WAITING:
                return
            run.state, run.started = RunState.RUNNING, time.time()
            command = _afresh(
                "lab", "run", run.name, "--output", str(run.folder), "--progress", "--seed", str(run.seed), "--scale",
                str(run.scale),
            )  # fmt: skip
            run.process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                preexec_fn=_be_nice if os.name == "posix" else None,
            )
            assert run.process.stderr is not None
            async for line in run.process.stderr:
                run.lines.append(line.decode("utf-8", "replace").strip()[:500])
            code = await run.process.wait()
            if run.state is RunState.RUNNING:
                run.state = RunState.FAILED if code else RunState.DONE
                run.ended = time.time()

    def _forget(self) -> None:
        done = [run for run in self._runs.values() if run.state not in (RunState.WAITING, RunState.RUNNING)]
        for run in done[: max(0, len(self._runs) - _KEPT)]:
            del self._runs[run.number]


def _afresh(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", "afresh", *arguments)


def _be_nice() -> None:
    os.nice(_NICE)
