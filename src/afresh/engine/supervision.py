"""Supervision: what runs beside the loop. What fails is logged, counted, and started again after a growing pause."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from afresh.base.clock import first_of
from afresh.base.errors import StoreAway
from afresh.base.models import Result
from afresh.base.politeness import backoff
from afresh.base.troubles import Troubles
from afresh.engine.activity_log import ActivityLog

if TYPE_CHECKING:
    from afresh.base.protocols import Clock

log = logging.getLogger("afresh.supervision")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0  # seconds before a companion is started again
_HURRIED = 0.2  # the same, once everything is coming to its end
_WITHOUT_STORE = 5.0  # the longest pause while the store is away: that is known, and passes
_PROOF = 10.0  # seconds a companion must have worked since its last failure to be called well


@dataclass(slots=True)
class Companion:
    """How one companion of the loop is doing."""

    is_running: bool = False  # False: it has ended, or waits to be started again
    failures: int = 0
    error: str = ""  # of the last failure


@dataclass(slots=True)
class LoopHealth:
    """What the loop says of itself, counted since the start: for status pages, metrics and tests."""

    started: float = 0.0
    last_turn: float = 0.0
    in_flight: int = 0
    visits: int = 0
    recorded: int = 0
    refused: int = 0  # reports that came too late
    is_offline: bool = False  # the last visit found our own network down
    results: dict[Result, int] = field(default_factory=dict)
    companions: dict[str, Companion] = field(default_factory=dict)  # what runs beside the loop, by name
    activity: ActivityLog = field(default_factory=ActivityLog)  # for the log


class Supervision:
    """Runs companions until each has ended by itself, or the block is left.

    async with Supervision(clock) as beside:
        beside.start("housekeeping", housekeep)
    """

    def __init__(self, clock: Clock, troubles: Troubles | None = None) -> None:
        self._clock = clock
        self._troubles = troubles or Troubles(clock.now)
        self._group = asyncio.TaskGroup()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ending = asyncio.Event()
        self.companions: dict[str, Companion] = {}

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks.values():
            task.cancel()
        await self._group.__aexit__(None, None, None)  # an error of the block itself goes its way unwrapped

    def start(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Runs it beside the block; when it returns it is not started again."""
        self.companions[name] = Companion()
        self._tasks[name] = self._group.create_task(self._keep_running(name, run), name=name)

    async def finish(self, name: str, *, within: float) -> bool:
        """Waits until it has ended by itself; False: it did not in so many seconds, and was stopped.

        From now on nobody pauses for long: what failed shall have another chance before the end.
        """
        self._ending.set()
        task = self._tasks[name]
        done, _ = await asyncio.wait({task}, timeout=within)
        task.cancel()
        return bool(done)

    async def _keep_running(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        companion, in_a_row = self.companions[name], 0
        while True:
            started = self._clock.now()
            companion.is_running = True
            try:
                await run()
                return
            except Exception as error:  # the outermost place that can go on
                in_a_row = 1 if self._clock.now() - started > _LONGEST_PAUSE else in_a_row + 1
                pause = self._note(name, error, in_a_row)
            finally:
                companion.is_running = False
            await self._rest(pause)

    def _note(self, name: str, error: Exception, in_a_row: int) -> float:
        """Counts and tells; how long it pauses."""
        companion = self.companions[name]
        companion.failures += 1
        companion.error = f"{type(error).__name__}: {error}"
        if isinstance(error, StoreAway):  # a trouble of its own, told by whoever works with the store
            return backoff(in_a_row, base=_FIRST_PAUSE, cap=_WITHOUT_STORE)
        pause = backoff(in_a_row, base=_FIRST_PAUSE, cap=_LONGEST_PAUSE)
        log.exception("%s failed and is started again in %.1f s", name, pause)
        self._troubles.report(name, companion.error, lasting=pause + _PROOF)
        return pause

    async def _rest(self, pause: float) -> None:
        if self._ending.is_set():
            await asyncio.sleep(_HURRIED)
            return
        await first_of(self._ending.wait(), self._clock.sleep(pause))
