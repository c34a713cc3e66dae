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
RATE = PER_MINUTE / 60  # a second
SETTLING, MEASURED = 20.0, 30.0  # the ten-minute run is a bench: `python -m tests.bench budget`
PATIENCE = 200.0  # seconds: where a machine is slow, or compiles first, the budget is met later
SAVED_UP = 2.4 * 2.0 * RATE


STRATEGIES: dict[str, dict[str, object]] = {
    "priced": {},
    "2steps": {
        "refresh.strategy": "2steps",
        "refresh.estimator": "single:prior=0.05",  # entries a second: on this web a day takes a minute
        "refresh.round": 1.0,
        "predict.longest": 120.0,  # else it would be time, and not the strategy, that decides
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_daemon_holds_its_budget(strategy: str, tmp_path: Path) -> None:
    """A web whose day takes a minute: what takes hours elsewhere takes seconds here, the price's corrections too."""
    overrides = {
        **{name: value for name, value in SETTINGS.items() if name != "predict.rule"},  # what people run: the default
        "store.url": str(tmp_path / "budget.db"),
        "budget.requests_per_minute": PER_MINUTE,
        "budget.price": 20.0,  # about what it will be: the price need not first be found
        "budget.every": 2.0,
        **STRATEGIES[strategy],
    }
    loaded = load_settings(overrides=overrides)
    assert loaded.settings.predict.rule == "priced"

    async def scenario() -> tuple[list[float], float, int]:
        async with DemoWeb(seed=5, polite_delay=DELAY) as web, running_daemon(loaded, seed=1) as daemon:
            await daemon.add_wanted([Wanted(url=feed.url) for feed in web.feeds])
            begin = time.time()

            def times() -> list[float]:
                return [seen.started - begin for seen in web.ledger.log]

            async def watch() -> None:
                await asyncio.sleep(SETTLING + MEASURED)
                while time.time() - begin < PATIENCE and not is_used(times(), time.time() - begin):
                    await asyncio.sleep(1.0)
                daemon.loop.stop()

            watching = asyncio.create_task(watch())
            await daemon.loop.run()
            await watching
            assert daemon.health()["budget_per_hour"] == PER_MINUTE * 60
            governed = daemon.loop.strategies.made if daemon.loop.strategies else None
            assert (governed is not None and len(governed.rounds) > 10) is (strategy != "priced")
            return times(), time.time() - begin, sum(web.ledger.breaches.values())

    times, lasted, violations = asyncio.run(scenario())
    assert violations == 0
    assert lasted < PATIENCE, "never within 5 % of the budget"
    assert most_above(times) <= SAVED_UP, "never above the hard cap, at any time"


def is_used(times: list[float], now: float) -> bool:
    """Whether what arrived lately is the budget, within 5 %."""
    used, allowed = sum(now - MEASURED < at <= now for at in times), RATE * MEASURED
    return 0.95 * allowed - 2 <= used <= 1.05 * allowed + 2


def most_above(times: list[float]) -> float:
    """The most that had arrived beyond the budget and 5 % of it, at any time since the start."""
    return max(number - 1.05 * RATE * at for number, at in enumerate(sorted(times), start=1))


def test_what_is_above_the_budget_is_seen() -> None:
    even = [second / RATE for second in range(200)]
    assert is_used(even, 50.0)
    assert most_above(even) <= SAVED_UP
    twice = sorted(even + even)
    assert not is_used(twice, 50.0)
    assert most_above(twice) > SAVED_UP
    assert not is_used(even[::2], 50.0)
