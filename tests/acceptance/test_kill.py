"""``kill -9`` at any moment loses nothing that was acknowledged, and presses no server."""

import asyncio
import random
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from afresh.base.settings import load_settings
from afresh.engine.add import Wanted, add
from afresh.lab.demo import DELAY, SETTINGS, every_entry
from afresh.lab.web import DemoWeb
from afresh.store import opened_store

KILLS = 20


async def killed_daemon(
    overrides: dict[str, object], seconds: float, *, works: Callable[[], bool] | None = None
) -> None:
    """Runs ``afresh run`` as a real process and kills it so long after it was started, or after it ``works``."""
    arguments = [f"--set={name}={value}" for name, value in overrides.items()]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "afresh",
        *arguments,
        "run",
        "--port",
        "0",
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    line = await process.stderr.readline()
    assert b"watches" in line, line
    async with asyncio.timeout(200):  # a first start compiles
        while works is not None and not works():
            await asyncio.sleep(0.01)
    await asyncio.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.timeout(900)  # twenty starts on a machine that has no time
def test_twenty_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    database = tmp_path / "kill.db"
    overrides: dict[str, object] = {
        **SETTINGS,
        "fetch.allowed_networks": "127.0.0.0/8;::1/128",
        "store.url": str(database),
        # A Retry-After that arrives in the moment of the kill is lost with it; the lease is what then keeps us away,
        # so it must outlast what the demo's servers ask for (6 s).
        "loop.lease": 8.0,
    }
    settings = load_settings(overrides=overrides).settings
    rng = random.Random(7)

    async def scenario() -> None:
        async with DemoWeb(seed=3, polite_delay=DELAY) as web:
            with opened_store(settings, makes=True) as store:
                add(store, [Wanted(url=feed.url) for feed in web.feeds], settings, now=web.clock())
                known: dict[int, bytes] = {}
                visits = 0
                for turn in range(KILLS):

                    def works(before: int = visits) -> bool:
                        return int(store.stats(now=web.clock())["visits_total"]) > before

                    # every fifth time while it still starts
                    await killed_daemon(overrides, rng.uniform(0.05, 0.9), works=works if turn % 5 else None)
                    entries = list(every_entry(store))
                    now_known = {item.seq: item.entry.uid for item in entries}
                    assert known.items() <= now_known.items(), "an acknowledged entry was lost or changed"
                    assert len({(i.resource, i.entry.uid, i.entry.found) for i in entries}) == len(entries)
                    count = int(store.stats(now=web.clock())["visits_total"])
                    assert count >= visits, "an acknowledged visit was lost"
                    known, visits = now_known, count
                assert len(known) > 100
                assert visits > KILLS
            assert sum(web.ledger.breaches.values()) == 0, list(web.ledger.violations)

    asyncio.run(scenario())
    with sqlite3.connect(database) as check:
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    check.close()
