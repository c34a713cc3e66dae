"""Clocks for tests: one that stands still until told, one that jumps from sleeper to sleeper, one that is real."""

import asyncio
import time
from collections.abc import Coroutine
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")


class StillClock:
    """Time passes only by ``advance`` and by sleeping, which takes no time at all."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.time = now
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += max(0.0, seconds)
        await asyncio.sleep(0)


class RealClock:
    """The wall clock."""

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class VirtualClock:
    """Time that jumps to the next sleeper as soon as nobody else has anything to do; for scenes of many at once.

    clock.run(scene()) plays a scene to its end.
    """

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.time = now
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        waking = asyncio.get_running_loop().create_future()
        heappush(self._sleepers, (self.time + max(0.0, seconds), next(self._numbers), waking))
        await waking

    def run(self, scene: Coroutine[Any, Any, T]) -> T:
        async def play() -> T:
            task = asyncio.ensure_future(scene)
            while not task.done():
                for _ in range(50):  # until everybody waits
                    await asyncio.sleep(0)
                if self._sleepers and not task.done():
                    at, _, waking = heappop(self._sleepers)
                    if not waking.done():
                        self.time = max(self.time, at)
                        waking.set_result(None)
            return task.result()

        return asyncio.run(play())
