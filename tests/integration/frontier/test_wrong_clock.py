"""A frontier whose clock is far ahead for a while: nothing is forgotten, and all is handed out when it should be."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from afresh.base.clock import SystemClock, WatchedClock
from afresh.base.records.frontier import SiteReport
from afresh.base.settings.sections import FrontierOptions
from afresh.frontier.scheduling import Frontier, Wish
from afresh.frontier.service import running_frontier
from tests.fakes.frontier_stores import empty_frontier
from tests.laws.frontier_material import fetched, seeds

DAY = 86_400.0
PATIENCE = 120.0  # seconds until something that should happen is given up


class _Shifted(SystemClock):
    ahead = 0.0

    def now(self) -> float:
        return time.time() + self.ahead


class _Clock(WatchedClock, _Shifted):
    """Ahead by what a test says, believed at once; housekeeping need not wait."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.ahead, self.rounds = ahead, 0
        super().__init__(patience=0.0)

    async def sleep(self, seconds: float) -> None:
        self.rounds += 1
        await asyncio.sleep(0.001)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty_frontier(request.param, tmp_path)


@asynccontextmanager
async def _served(url: str, clock: _Clock) -> AsyncIterator[tuple[Frontier, str]]:
    """A frontier with a fetcher, by its UUID."""
    async with running_frontier(FrontierOptions(url=url, keep_keys=DAY), clock=clock) as frontier:
        known = await frontier.fetchers()
        if not known:
            await frontier.register(contact="a@b.example", name="one")
        yield frontier, (await frontier.fetchers())[0].uuid


async def _work(frontier: Frontier, uuid: str, key: str) -> list[SiteReport]:
    handout = await frontier.hand_out(Wish(uuid=uuid, sites=10, pages=10))
    reports = [fetched(one) for one in handout.sites]
    await frontier.report(uuid, reports, key=key)
    return reports


async def _turns(clock: _Clock) -> None:
    """Until house was kept twice."""
    goal = clock.rounds + 3
    async with asyncio.timeout(PATIENCE):
        while clock.rounds < goal:
            await asyncio.sleep(0.01)


def test_a_year_ahead_forgets_no_key(url: str) -> None:
    async def scene() -> tuple[bool, bool]:
        clock = _Clock()
        async with _served(url, clock) as (frontier, uuid):
            await frontier.add(seeds(1, 2))
            reports = await _work(frontier, uuid, "k")
        clock = _Clock(365 * DAY)
        for _ in range(2):  # also not after another start
            async with _served(url, clock):
                await _turns(clock)
        clock = _Clock()
        async with _served(url, clock) as (frontier, uuid):
            kept = (await frontier.report(uuid, reports, key="k")).repeated
            frontier.store.put_setting("clock.no_pruning_before", "0")
        async with _served(url, clock) as (frontier, uuid):
            clock.ahead = 2.0  # no jump
            frontier.store.forget_keys(before=clock.now())
            return kept, (await frontier.report(uuid, reports, key="k")).repeated

    assert asyncio.run(scene()) == (True, False)


def test_what_was_planned_ahead_is_pulled_back_when_the_clock_is_right_again(url: str) -> None:
    async def scene() -> tuple[str, float]:
        clock = _Clock(30 * DAY)
        async with _served(url, clock) as (frontier, uuid):
            await frontier.add(seeds(2, 2))
            assert await _work(frontier, uuid, "k")
            clock.ahead = 0.0
            async with asyncio.timeout(PATIENCE):
                while not any("pulled back" in trouble.why for trouble in frontier.troubles.current()):
                    await asyncio.sleep(0.05)
            ready = max(site.ready or 0.0 for site in await frontier.run(frontier.store.sites))
            return frontier.troubles.why("clock"), ready - clock.now()

    why, furthest = asyncio.run(scene())
    assert "2 due times and pauses were pulled back" in why
    assert furthest < 8 * DAY


def test_what_a_clock_wrote_that_was_ahead_is_pulled_back_at_the_start(url: str) -> None:
    async def scene() -> tuple[str, float]:
        async with _served(url, _Clock(30 * DAY)) as (frontier, uuid):
            await frontier.add(seeds(2, 2))
            await frontier.hand_out(Wish(uuid=uuid, sites=10, pages=10))
        clock = _Clock()
        async with _served(url, clock) as (frontier, _):
            ready = max(site.ready or 0.0 for site in await frontier.run(frontier.store.sites))
            return frontier.troubles.why("clock"), ready - clock.now()

    why, furthest = asyncio.run(scene())
    assert "2 due times and pauses were pulled back" in why
    assert furthest < 2 * 3_600.0
