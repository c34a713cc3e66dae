"""The daemon holds a budget on the demo web; the server counts."""

import asyncio
import time
from pathlib import Path

import pytest

from afresh.base.settings import load_settings
from afresh.engine.add import Wanted
from afresh.engine.daemon import running_daemon
from afresh.lab.demo import DELAY, SETTINGS
from afresh.lab.web import DemoWeb

PER_MINUTE = 240.0
SETTLING, MEASURED = 20.0, 30.0  # the ten-minute run is a bench: `python -m tests.bench budget`


@pytest.mark.slow
def test_the_daemon_holds_its_budget(tmp_path: Path) -> None:
    """A web whose day takes a minute: what takes hours elsewhere takes seconds here, the price's corrections too."""
    overrides = {
        **{name: value for name, value in SETTINGS.items() if name != "predict.rule"},  # what people run: the default
        "store.url": str(tmp_path / "budget.db"),
        "budget.requests_per_minute": PER_MINUTE,
        "budget.price": 20.0,  # about what it will be: the price need not first be found
        "budget.every": 2.0,
    }
    loaded = load_settings(overrides=overrides)
    assert loaded.settings.predict.rule == "priced"

    async def scenario() -> tuple[list[float], int]:
        async with DemoWeb(seed=5, polite_delay=DELAY) as web, running_daemon(loaded, seed=1) as daemon:
            await daemon.add_wanted([Wanted(url=feed.url) for feed in web.feeds])
            loop = asyncio.get_running_loop()
            loop.call_later(SETTLING + MEASURED, daemon.loop.stop)
            begin = time.time()
            await daemon.loop.run()
            times = [seen.started - begin for seen in web.ledger.log]
            assert daemon.health()["budget_per_hour"] == PER_MINUTE * 60
            return times, sum(web.ledger.breaches.values())

    times, violations = asyncio.run(scenario())
    used = sum(SETTLING < at <= SETTLING + MEASURED for at in times)
    allowed = PER_MINUTE / 60 * MEASURED
    assert violations == 0
    assert 0.95 * allowed - 2 <= used <= 1.05 * allowed + 2, (used, allowed)
    whole = PER_MINUTE / 60 * (SETTLING + MEASURED)
    assert len(times) <= 1.05 * whole + 2.4 * 2.0 * PER_MINUTE / 60, "never above the hard cap"
