"""What can be done to a running daemon from beside: each fault begins, lasts a while and is over.

Disk and descriptors are taken away by limits on the process, so nothing else on the machine notices, and a kill ends
them. The clock is the daemon's own (``afresh.lab.soak.shifted``) and stays wrong across a kill. What is done to the
database from beside is done to a SQLite file; a PostgreSQL is stopped and started again.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from afresh.base.errors import StoreError
from afresh.base.store_url import is_postgres
from afresh.lab.soak.process import DaemonProcess
from afresh.store import open_store

_DAY = 86_400.0
_STRANGERS = 300  # connections that say nothing
_LOCK_PATIENCE = 10.0  # seconds in which a writer's turn comes
_AGAIN = 0.5  # seconds between two tries
_NEVER_FORGET = (
    "CREATE TRIGGER IF NOT EXISTS never_forget BEFORE DELETE ON visit BEGIN SELECT RAISE(ABORT, 'a fault'); END"
)
_FORGET = "DROP TRIGGER IF EXISTS never_forget"
#: Columns of a resource and what spoils them.
DAMAGES: Sequence[tuple[str, object]] = (
    ("facts", '{"ttl": '),
    ("state", b"\x01\x02\x03"),
    ("tags", "daily"),
    ("kind", "gopher"),
    ("announced", "nonsense"),
)


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


class Server(Protocol):
    """A database server that may be stopped."""

    def stop(self) -> None: ...

    def start(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """Where a daemon can be hit."""

    process: DaemonProcess
    store: str  # URL
    shift: Shift
    rng: random.Random
    begin_again: Callable[[], Awaitable[object]]  # kills it, and waits until the next one is there
    server: Server | None = None  # the database, if it is ours to stop


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
    connection = _opened(victim.store)
    try:
        with suppress(sqlite3.OperationalError):  # its turn did not come
            await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


@asynccontextmanager
async def damaged_row(victim: Victim) -> AsyncIterator[None]:
    """Somebody spoils a row of its database, which is set aside until it is mended, as by ``afresh doctor --repair``.

    Not the window of a feed: without it nobody can tell which entries are known.
    """
    column, value = victim.rng.choice(DAMAGES)
    with closing(_opened(victim.store)) as connection, suppress(sqlite3.OperationalError):
        row = "SELECT id FROM resource ORDER BY id LIMIT 1 OFFSET abs(?) % (SELECT count(*) FROM resource)"
        place = (value, victim.rng.getrandbits(31))
        await asyncio.to_thread(connection.execute, f"UPDATE resource SET {column} = ? WHERE id = ({row})", place)
    try:
        yield
    finally:
        await _until_done(lambda: _mend(victim.store))


@asynccontextmanager
async def failing_companion(victim: Victim) -> AsyncIterator[None]:
    """Its housekeeping fails whenever it is tried: the database forgets no visit."""
    await _until_done(lambda: _execute(victim.store, _NEVER_FORGET))
    try:
        await victim.begin_again()  # it keeps house when it starts, and every hour
        yield
    finally:
        await _until_done(lambda: _execute(victim.store, _FORGET))


@asynccontextmanager
async def server_away(victim: Victim) -> AsyncIterator[None]:
    """Its database server is stopped."""
    assert victim.server is not None
    await asyncio.to_thread(victim.server.stop)
    try:
        yield
    finally:
        await asyncio.to_thread(victim.server.start)


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


def possible_faults(store: str, server: Server | None = None) -> Mapping[str, Fault]:
    """Those that can be done here, by name."""
    found: dict[str, Fault] = {"standstill": standstill, "clock": wrong_clock, "strangers": strangers}
    if sys.platform == "linux":
        found["descriptors"] = no_descriptors
    if not is_postgres(store):
        found |= {"busy store": busy_store, "damaged row": damaged_row, "companion": failing_companion}
        if sys.platform == "linux":
            found["disk"] = full_disk
    if server is not None:
        found["server away"] = server_away
    return found


def _opened(store: str) -> sqlite3.Connection:
    return sqlite3.connect(store, timeout=_LOCK_PATIENCE, isolation_level=None, check_same_thread=False)


def _execute(store: str, text: str) -> None:
    with closing(_opened(store)) as connection:
        connection.execute(text)


def _mend(store: str) -> None:
    with closing(open_store(store)) as opened:
        opened.damage.repair_damage()


async def _until_done(action: Callable[[], None]) -> None:
    """In a thread, and again while the database is busy: a fault of one kind must not outlast its time."""
    while True:
        try:
            return await asyncio.to_thread(action)
        except (sqlite3.OperationalError, StoreError):
            await asyncio.sleep(_AGAIN)


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
