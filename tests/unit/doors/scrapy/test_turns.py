"""Turns at a site within one process."""

import asyncio
import time
from itertools import pairwise

from afresh.doors.scrapy.turns import Turns

PAUSE = 0.05


async def ask(turns: Turns, site: str, log: list[tuple[str, float, float]], *, wish: float = 0.0) -> None:
    await turns.take(site)
    start = time.monotonic()
    await asyncio.sleep(0.01)
    log.append((site, start, time.monotonic()))
    turns.leave(site, wish=wish)


def gaps(log: list[tuple[str, float, float]], site: str) -> list[float]:
    times = sorted((start, end) for name, start, end in log if name == site)
    return [later[0] - before[1] for before, later in pairwise(times)]


def test_one_at_a_time_and_a_pause() -> None:
    async def run() -> None:
        turns, log = Turns(PAUSE), []  # type: tuple[Turns, list[tuple[str, float, float]]]
        await asyncio.gather(*(ask(turns, site, log) for site in "aab" for _ in range(2)))
        assert len(gaps(log, "a")) == 3
        assert min(gaps(log, "a")) >= PAUSE
        first = {site: min(start for name, start, _ in log if name == site) for site in "ab"}
        assert abs(first["a"] - first["b"]) < PAUSE  # sites do not wait for each other

    asyncio.run(run())


def test_a_site_may_ask_for_more() -> None:
    async def run() -> None:
        turns, log = Turns(PAUSE), []  # type: tuple[Turns, list[tuple[str, float, float]]]
        assert turns.rest("a") == 0.0
        await ask(turns, "a", log, wish=4 * PAUSE)
        assert 3 * PAUSE < turns.rest("a") <= 4 * PAUSE
        await ask(turns, "a", log)
        assert gaps(log, "a")[0] >= 4 * PAUSE
        assert turns.slow_down("a", 3 * PAUSE)
        assert not turns.slow_down("a", 2 * PAUSE)
        assert turns.rest("a") > PAUSE
        await ask(turns, "a", log)
        assert gaps(log, "a")[1] >= 3 * PAUSE

    asyncio.run(run())


def test_who_gives_up_waiting_keeps_nobody() -> None:
    async def run() -> None:
        turns, log = Turns(PAUSE), []  # type: tuple[Turns, list[tuple[str, float, float]]]
        await ask(turns, "a", log, wish=60.0)
        waiting = asyncio.create_task(turns.take("a"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        turns._sites["a"].free = 0.0
        await asyncio.wait_for(turns.take("a"), 5.0)

    asyncio.run(run())
