"""``afresh run`` as a real process that may be killed at any moment, and is started again."""

from __future__ import annotations

import asyncio
import re
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from afresh.lab.jobs import afresh_command

_LONGEST_LINE = 1 << 20
_LINES = 20  # of what it says that are kept
_GOOD_ORDER = 120.0  # seconds an end in good order may take
_STATUS = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)


class DaemonProcess:
    """One life of a daemon."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.said: deque[str] = deque(maxlen=_LINES)
        self.address = ""  # of its door; empty: it has not said yet
        self._ready = asyncio.Event()
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def started(cls, options: Sequence[str], *, starter: Sequence[str] = ()) -> DaemonProcess:
        """A daemon on its way, with these options of ``afresh``; it may not even have opened its store."""
        command = (*(starter or afresh_command()), *options, "run")
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, limit=_LONGEST_LINE
            )
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def code(self) -> int | None:
        """How it ended; None: it lives."""
        return self._process.returncode

    async def ready(self) -> None:
        """Until it says that it watches, or has ended."""
        await self._ready.wait()

    async def kill(self) -> None:
        """At once, with no chance to say good-bye; harmless where it has ended."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._gone()

    async def end(self) -> int:
        """In good order; its exit code."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._gone(), _GOOD_ORDER)
        except TimeoutError:
            await self.kill()
        return self._process.returncode or 0

    async def ended(self) -> None:
        await self._process.wait()

    async def _gone(self) -> None:
        await self._process.wait()
        await self._listening

    def megabytes(self) -> float | None:
        """What it holds in memory; None: it has ended, or this system does not tell."""
        try:
            found = _STATUS.search(Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8"))
        except OSError:
            return None
        return int(found[1]) / 1024.0 if found else None

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while line := (await self._process.stderr.readline()).decode(errors="replace"):
            self.said.append(line.rstrip())
            if not self.address and (found := re.search(r"watches .* see (\S+)", line)):
                self.address = found[1]
                self._ready.set()
        self._ready.set()
