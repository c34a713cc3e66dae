"""The bridge from the async loop to the synchronous store and parser: three small thread pools.

One thread writes, so that writes keep their order; two read; two more read documents and judge, so that slow ones hold
up neither the event loop nor whoever asks the store (decision 0001).
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_TURNS = 10  # of the loop: a small request needs several, from its first byte to its answer


async def give_way() -> None:
    """Lets whoever waits for the loop go first."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)


class Executor:
    """Runs plain functions off the event loop."""

    def __init__(self) -> None:
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="afresh-write")
        self._readers = ThreadPoolExecutor(2, thread_name_prefix="afresh-read")
        self._judges = ThreadPoolExecutor(2, thread_name_prefix="afresh-judge")

    async def write(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """One after the other, in the order of the calls."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, partial(function, *args, **kwargs))

    async def read(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, partial(function, *args, **kwargs))

    async def judge(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What may take seconds because of what a stranger sent."""
        return await asyncio.get_running_loop().run_in_executor(self._judges, partial(function, *args, **kwargs))

    def close(self) -> None:
        self._judges.shutdown(wait=True, cancel_futures=True)
        self._readers.shutdown(wait=True, cancel_futures=True)
        self._writer.shutdown(wait=True)


class InPlace:
    """Runs plain functions where they are called, for a process that has nothing else to do.

    SQLite's driver gives up the interpreter at every row, so a busy event loop beside a store in a thread makes both
    wait for each other: for the frontier's hundreds of rows a request, calling in place is faster and costs less.
    """

    async def write(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        await asyncio.sleep(0)  # what has arrived meanwhile is read first
        return function(*args, **kwargs)

    async def read(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.write(function, *args, **kwargs)

    def close(self) -> None:
        """Nothing to end."""
