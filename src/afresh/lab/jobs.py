"""Commands of afresh run beside a daemon, each in a process of its own: started in turn, watched, ended."""

import asyncio
import atexit
import os
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from afresh.base.errors import NotFound, UsageError

_LINES = 200  # of its progress, kept
_KEPT = 50  # jobs remembered
_NICE = 10  # a visit due now goes before a job
_SAID = "said"  # what it printed


class JobNotFound(NotFound):
    """No run or training of that number."""

    words = "no {} since afresh was started"


class RunState(StrEnum):
    """How far a job has come."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    ENDED = "ended"  # by whoever started it


@dataclass(slots=True, kw_only=True)
class Job:
    """One command being run; lives as long as the daemon."""

    number: int
    folder: Path  # of its own
    asked: float
    state: RunState = RunState.WAITING
    started: float | None = None
    ended: float | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))
    process: asyncio.subprocess.Process | None = None

    @property
    def is_over(self) -> bool:
        return self.state not in (RunState.WAITING, RunState.RUNNING)

    def command(self) -> tuple[str, ...]:
        """What is run; its progress is what it says on standard error."""
        raise NotImplementedError

    def environment(self) -> Mapping[str, str]:
        """What it finds in its environment beside what we have ourselves: secrets are no arguments."""
        return {}

    def is_done(self, code: int) -> bool:
        """Whether it did its work, by the code it ended with."""
        return code == 0

    def said(self) -> str:
        """What it printed."""
        return (self.folder / _SAID).read_text(encoding="utf-8")


J = TypeVar("J", bound=Job)


class Jobs(Generic[J]):
    """One job at a time: two would only make each other slow, and every timing wrong."""

    def __init__(self) -> None:
        self._jobs: dict[int, J] = {}
        self._folder: Path | None = None
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, make: Callable[[int, Path, float], J]) -> J:
        """A new job of that number, folder and time, waiting for its turn; UsageError if too many wait."""
        if sum(not job.is_over for job in self._jobs.values()) >= _KEPT:
            raise UsageError("too many are waiting; end some, or wait")
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="afresh-lab-"))
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)  # should nobody close us
        number = max(self._jobs, default=0) + 1
        job = make(number, self._folder / str(number), time.time())
        self._jobs[number] = job
        self._forget()
        task = asyncio.create_task(self._run(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def known(self, number: int, noun: str) -> J:
        """The job of that number; JobNotFound where there is none."""
        if number not in self._jobs:
            raise JobNotFound(f"{noun} {number}")
        return self._jobs[number]

    def all(self) -> list[J]:
        """Newest first."""
        return sorted(self._jobs.values(), key=lambda job: -job.number)

    def end(self, job: J) -> None:
        """Ends a job that has not ended by itself."""
        if not job.is_over:
            job.state = RunState.ENDED
            job.ended = time.time()
            if job.process is not None:
                with suppress(ProcessLookupError):
                    job.process.kill()

    async def close(self) -> None:
        for job in self._jobs.values():
            self.end(job)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _run(self, job: J) -> None:
        async with self._turn:
            if job.is_over:
                return
            job.state, job.started = RunState.RUNNING, time.time()
            try:
                is_done = await self._work(job)
            except (OSError, ValueError) as error:  # no process, or no room for what it prints
                job.lines.append(f"could not be run: {error}")
                is_done = False
            if job.state is RunState.RUNNING:
                job.state = RunState.DONE if is_done else RunState.FAILED
                job.ended = time.time()

    async def _work(self, job: J) -> bool:
        job.folder.mkdir(parents=True, exist_ok=True)
        with (job.folder / _SAID).open("wb") as printed:
            job.process = await asyncio.create_subprocess_exec(
                *job.command(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=printed,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, **job.environment()},
                preexec_fn=_be_nice if os.name == "posix" else None,
            )
            assert job.process.stderr is not None
            async for line in job.process.stderr:
                job.lines.append(line.decode("utf-8", "replace").strip()[:500])
            return job.is_done(await job.process.wait())

    def _forget(self) -> None:
        over = [job for job in self._jobs.values() if job.is_over]
        for job in over[: max(0, len(self._jobs) - _KEPT)]:
            shutil.rmtree(job.folder, ignore_errors=True)
            del self._jobs[job.number]


def afresh_command(*arguments: str) -> tuple[str, ...]:
    """This very afresh with other arguments."""
    return (sys.executable, "-P", "-m", "afresh", *arguments)


def _be_nice() -> None:
    os.nice(_NICE)
