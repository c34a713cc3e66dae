"""Simulated fetchers against a real scheduler process over HTTP: the same run as in virtual time."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from afresh.base.errors import AccessDenied
from afresh.base.records.frontier import Partitioning, SiteOrder
from afresh.lab.crawl.database import ExampleSettings
from afresh.lab.crawl.executor import run_live, run_project
from afresh.lab.crawl.live import LiveCrawl
from afresh.lab.crawl.serving import served_frontier
from afresh.lab.crawl.settings import Project, SimulatorSettings
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_door import FrontierDoor
from tests.fakes.served import served

PROJECT = Project(
    name="live",
    example=ExampleSettings(fqdn_amount=120, min_url_amount=3, max_url_amount=3, fixed_crawl_delay=1.0),
    base=SimulatorSettings(
        crawling_speed_factor=50.0,
        parallel_process=10,
        parallel_fetcher=4,
        iterations=3,
        fqdn_amount=10,
        long_term_prio_mode=SiteOrder.OLD,
        min_links_per_page=2,
        max_links_per_page=2,
        int_vs_ext_threshold=0.9,
        new_vs_exist_threshold=0.9,
    ),
    vary={"long_term_part_mode": [Partitioning.NONE, Partitioning.CONSISTENT]},
)


@pytest.fixture(scope="module")
def frontier():
    with served_frontier() as served:
        yield served


def test_live_and_virtual_runs_agree(frontier) -> None:
    live = list(run_live(PROJECT, seed=0, base=frontier.base, scheduler=frontier.pids))
    virtual = list(run_project(PROJECT, seed=0, store=lambda: open_frontier(":memory:", links=True)))
    assert live[0].visits == virtual[0].visits == 360
    assert [result.violations for result in live] == [0, 0]
    assert live[0].share == pytest.approx(virtual[0].share, abs=0.02)
    for result in live:
        assert result.stats.fetchers == 4
        assert 3 * 3 / 50.0 <= result.seconds < 20.0
        assert result.parts["scheduler"].cpu_seconds > 0.0
        assert result.samples[-1].memory
        assert all(one.iter_load_duration > 0.0 for one in result.iterations)


def test_fetchers_join_a_live_run_of_fixed_time(frontier) -> None:
    chosen = replace(PROJECT.base, time_limit=1.0, release_on_submit=True, revisit_after=1.0, pause=0.05)
    crawl = LiveCrawl(
        base=frontier.base, rng=np.random.default_rng(0), settings=chosen, join_every=0.2, scheduler=frontier.pids
    )
    before = asyncio.run(_members(frontier.base))
    result = asyncio.run(crawl.run())
    assert result.stats.fetchers >= before + 4 + 2
    assert result.violations == 0


def test_who_is_not_let_in_hears_which_token_is_wanted() -> None:
    door = FrontierDoor(names=("127.0.0.1",), tokens=("administrator-0123456789",))
    with served(door.app) as base, pytest.raises(AccessDenied, match="give it with --token or AFRESH_TOKEN"):
        asyncio.run(_members(base))
    door.store.close()


async def _members(base: str) -> int:
    import aiohttp

    from afresh.lab.crawl.http import FrontierApi

    async with aiohttp.ClientSession() as session:
        api = FrontierApi(base, session)
        await api.restore(())
        return (await api.stats()).fetchers
