"""What can be done to a running daemon from beside: each fault begins, lasts a while and is over.

Disk and descriptors are taken away by limits on the process, so nothing else on the machine notices, and a kill ends
them. The clock is the daemon's own (``afresh.lab.soak.shifted``) and stays wrong across a kill.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from afresh.lab.soak.process import DaemonProcess
from afresh.store import is_postgres

_DAY = 86_400.0
_STRANGERS = 300  # connections that say nothing
_LOCK_PATIENCE = 10.0  # seconds in which a writer's turn comes


class Shift:
    """The clock of a daemon, ahead by what a file says."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "ahead"
        self.by(0.0)

    def by(self, seconds: float) -> None:
        draft = self._file.with_suffix(".new")
        draft.write_text(repr(seconds), encoding="utf-8")
        draft.replace(self._file)

    def starter(self, patience: float) -> tuple[str, ...]:
        """How a daemon is started that goes by it and believes a jump after so many seconds."""
        return (sys.executable, "-P", "-m", "afresh.lab.soak.shifted", str(self._file), str(patience))


@dataclass(frozen=True, slots=True)
class Victim:
    """Where a daemon can be hit."""

    process: DaemonProcess
    store: str  # URL
    shift: Shift


Fault = Callable[[Victim], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def standstill(victim: Victim) -> AsyncIterator[None]:
    """It does not run at all, as on a laptop that sleeps."""
    _signal(victim, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal(victim, signal.SIGCONT)


@asynccontextmanager
async def wrong_clock(victim: Victim) -> AsyncIterator[None]:
    """Its clock is 30 days ahead."""
    victim.shift.by(30 * _DAY)
    try:
        yield
    finally:
        victim.shift.by(0.0)


@asynccontextmanager
async def full_disk(victim: Victim) -> AsyncIterator[None]:
    """Its files may not grow."""
    with _limited(victim, "RLIMIT_FSIZE", 0):
        yield


@asynccontextmanager
async def no_descriptors(victim: Victim) -> AsyncIterator[None]:
    """It may open nothing more."""
    with _limited(victim, "RLIMIT_NOFILE", 1):
        yield


@asynccontextmanager
async def busy_store(victim: Victim) -> AsyncIterator[None]:
    """Somebody else writes to its database and does not come to an end."""
    connection = sqlite3.connect(victim.store, timeout=_LOCK_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        with suppress(sqlite3.OperationalError):  # its turn did not come
            await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


@asynccontextmanager
async def strangers(victim: Victim) -> AsyncIterator[None]:
    """Many connect to its port and say nothing."""
    place = urlsplit(victim.process.address)
    async with AsyncExitStack() as stack:
        for _ in range(_STRANGERS):
            with suppress(OSError):  # it was killed meanwhile
                _, writer = await asyncio.open_connection(place.hostname, place.port)
                stack.callback(writer.transport.abort)
        yield


def possible_faults(store: str) -> Mapping[str, Fault]:
    """Those that can be done here, by name."""
    found: dict[str, Fault] = {"standstill": standstill, "clock": wrong_clock, "strangers": strangers}
    if sys.platform == "linux":
        found["descriptors"] = no_descriptors
    if not is_postgres(store):
        found["busy store"] = busy_store
        if sys.platform == "linux":
            found["disk"] = full_disk
    return found


def _signal(victim: Victim, number: signal.Signals) -> None:
    if victim.process.code is None:
        os.kill(victim.process.pid, number)


@contextmanager
def _limited(victim: Victim, name: str, soft: int) -> Iterator[None]:
    """The soft limit of a process is so low for a while; where it is killed there is nothing to take back."""
    import resource  # noqa: PLC0415 (not everywhere, and ``possible_faults`` knows)

    kind = getattr(resource, name)
    before = resource.getrlimit(kind)  # which it inherited, and raised to the hard one as it may

    def limit(to: tuple[int, int]) -> None:
        if victim.process.code is None:
            with suppress(ProcessLookupError):
                resource.prlimit(victim.process.pid, kind, to)

    limit((soft, before[1]))
    try:
        yield
    finally:
        limit((before[1], before[1]))
