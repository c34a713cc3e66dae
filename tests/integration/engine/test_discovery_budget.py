"""Who looks for feeds on the page *Add* makes requests, too: the budget counts them."""

import asyncio
from pathlib import Path

from afresh.base.settings import load_settings
from afresh.engine.daemon import running_daemon
from tests.fakes.counting_web import CountingWeb


def test_discovery_counts_in_the_budget(tmp_path: Path) -> None:
    asyncio.run(_discovers(tmp_path))


async def _discovers(folder: Path) -> None:
    given = {
        "store.url": str(folder / "afresh.db"),
        "fetch.allowed_networks": ["127.0.0.0/8"],
        "politeness.delay": "0s",
        "budget.requests_per_hour": 600,
    }
    async with CountingWeb(delay=0.0) as web, running_daemon(load_settings(overrides=given)) as daemon:
        steering = daemon.loop.budget.steer()
        steering.room(daemon.now())  # its account begins
        before = steering.ready_at()
        await daemon.add_discovered([web.url("plain-a", "/p1")], folder="", tags=())
        made = len(web.of(""))
        assert made >= 2, "robots.txt and the page at least"
        assert daemon.loop.budget.report(daemon.now()).used_last_hour == made
        assert steering.ready_at() > before, "visits wait for what it has used"
