"""Ten minutes of the real daemon on the living web, whose day takes a minute: is the budget held, and how?

Halfway all feeds begin to be polled as if they published twice as much (weights are doubled), the worst a price can be
told at once. The server counts; what would take hours elsewhere takes seconds here, the corrections of the price too.
"""

import asyncio
import math
import tempfile
import time
from pathlib import Path

from afresh.base.settings import load_settings
from afresh.engine.add import Wanted
from afresh.engine.daemon import running_daemon
from afresh.lab.demo import DELAY, SETTINGS
from afresh.lab.web import DemoWeb

PER_MINUTE = 240.0
SECONDS, SETTLING, WINDOW = 600.0, 60.0, 60.0


def measure(seconds: float = SECONDS) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="afresh-bench-") as folder:
        times, prices, breaches = asyncio.run(_run(Path(folder), seconds))
    shares = [_used(times, at, at + WINDOW) for at in _windows(SETTLING, seconds)]
    late = [price for at, price in prices if at > 0.75 * seconds]
    return {
        "use_mean": _used(times, SETTLING, seconds),
        "use_lowest_minute": min(shares),
        "use_highest_minute": max(shares),
        "price_swing": max(late) / min(late) if late else math.nan,
        "politeness_breaches": float(breaches),
    }


async def _run(folder: Path, seconds: float) -> tuple[list[float], list[tuple[float, float]], int]:
    overrides = {
        **SETTINGS,
        "store.url": str(folder / "budget.db"),
        "budget.requests_per_minute": PER_MINUTE,
        "budget.every": 2.0,
    }
    async with (
        DemoWeb(seed=5, polite_delay=DELAY) as web,
        running_daemon(load_settings(overrides=overrides), seed=1) as daemon,
    ):
        await daemon.add_wanted([Wanted(url=feed.url) for feed in web.feeds])
        begin, prices = time.time(), []

        async def watch() -> None:
            doubled = False
            while (at := time.time() - begin) < seconds:
                prices.append((at, daemon.loop.budget.price))
                if at > seconds / 2 and not doubled:
                    doubled = True
                    for resource in list(daemon.store.iterate()):
                        await daemon.run(daemon.store.update, resource.id, weight=2.0 * resource.weight)
                await asyncio.sleep(1.0)
            daemon.loop.stop()

        watching = asyncio.create_task(watch())
        await daemon.loop.run()
        await watching
        times = [seen.started - begin for seen in web.ledger.log]
        return times, prices, sum(web.ledger.breaches.values())


def _windows(start: float, end: float) -> list[float]:
    return [start + n * WINDOW for n in range(int((end - start) // WINDOW))]


def _used(times: list[float], start: float, end: float) -> float:
    """Requests in a stretch, as a share of what the budget allows."""
    return sum(start < at <= end for at in times) / (PER_MINUTE / 60.0 * (end - start))
