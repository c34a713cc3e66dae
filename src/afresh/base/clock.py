"""Wall time; apart from the daemon, so that a scheduler process starts without it."""

import asyncio
import time


class SystemClock:
    """Wall time."""

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
