"""Wall time and waiting; apart from the daemon, so that a scheduler process starts without it."""

import asyncio
import time
from collections.abc import Awaitable


class SystemClock:
    """Wall time."""

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def first_of(*waits: Awaitable[object]) -> None:
    """Until the first of these has come; the others are called off."""
    tasks = {asyncio.ensure_future(wait) for wait in waits}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
