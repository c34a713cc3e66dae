"""Entries and results leave for sinks: ``kill -9`` of either side loses no line and doubles none."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from afresh.base.protocols import Store
from afresh.lab.soak.process import DaemonProcess
from afresh.store import open_store
from tests.fakes.crawl_web import CrawlWeb
from tests.fakes.nats_server import NatsServer, needs_nats, running_nats
from tests.fakes.stores import postgres_store
from tests.laws.store_material import entry, feeds, report, take

__all__ = ["postgres_store"]

KILLS = 3
ENTRIES = 3_000
WITHIN = 200.0  # seconds: a machine that has no time


class Feeds:
    """Two feeds that the test has leased, so that no daemon visits them; their entries are recorded as it likes."""

    def __init__(self, url: str) -> None:
        self._url = url
        with self._opened() as store:
            now = time.time()
            store.add(feeds(2, due=now), now=now)
            self._leases = take(store, now=now, until=now + 3_600.0)

    def record(self, first: int, count: int) -> None:
        now = time.time()
        found = tuple(entry(f"e{number}", found=now) for number in range(first, first + count))
        with self._opened() as store:
            [is_taken] = store.record([report(self._leases.pop(), now, entries=found)])
            assert is_taken

    def _opened(self) -> AbstractContextManager[Store]:
        return closing(open_store(self._url))


def lines(folder: Path) -> list[dict[str, Any]]:
    """Of all files; a torn last line is none yet."""
    text = b"".join(path.read_bytes() for path in sorted(folder.glob("*.ndjson")))
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


async def until(is_so: Callable[[], bool], daemon: DaemonProcess) -> None:
    async with asyncio.timeout(WITHIN):
        while not is_so():
            assert daemon.code is None, daemon.said
            await asyncio.sleep(0.01)


@asynccontextmanager
async def daemon(url: str, *sinks: str) -> AsyncIterator[DaemonProcess]:
    to = ";".join(sinks)
    options = [f"--set=store.url={url}", f"--set=sinks.to={to}", "--set=service.port=0", "--set=sinks.every=50ms"]
    process = await DaemonProcess.started([*options, "--set=sinks.longest_wait=1s"])
    try:
        yield process
    finally:
        await process.kill()


async def troubles(address: str) -> tuple[str, list[dict[str, Any]]]:
    """The status and the troubles of a daemon's health."""
    async with aiohttp.ClientSession() as session, session.get(f"{address}api/v1/health") as response:
        found = await response.json()
        return found["status"], found["troubles"]


def check(found: list[dict[str, Any]]) -> None:
    assert [line["seq"] for line in found] == list(range(1, ENTRIES + 1))
    assert len({line["key"] for line in found}) == ENTRIES
    assert {line["title"] for line in found} == {f"e{number}" for number in range(ENTRIES)}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_daemon_killed_while_it_writes(tmp_path: Path) -> None:
    url, out = f"sqlite:///{tmp_path}/store.db", tmp_path / "out"
    Feeds(url).record(0, ENTRIES)

    async def scenario() -> None:
        for turn in range(KILLS):
            before = len(lines(out))
            async with daemon(url, f"ndjson:{out}?lines=5&rotate=50kB") as process:
                await until(lambda before=before, turn=turn: len(lines(out)) > before + 100 * turn, process)
        assert len(lines(out)) < ENTRIES  # else nobody was killed at work
        async with daemon(url, f"ndjson:{out}?lines=500&rotate=50kB") as process:
            await until(lambda: len(lines(out)) >= ENTRIES, process)
            assert await process.end() == 0

    asyncio.run(scenario())
    check(lines(out))
    assert len(list(out.glob("*.ndjson"))) > 3


@needs_nats
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_nats_server_killed_while_it_takes_lines(tmp_path: Path) -> None:
    """Its cursor waits, another sink's does not, health says so; then nothing is lost or doubled."""
    url, out = f"sqlite:///{tmp_path}/store.db", tmp_path / "out"
    feeds_of = Feeds(url)
    feeds_of.record(0, ENTRIES // 2)

    async def scenario(server: NatsServer) -> None:
        address = f"nats://127.0.0.1:{server.port}/afresh.entries?lines=10"
        async with daemon(url, address, f"ndjson:{out}") as process:
            await process.ready()
            await until(lambda: bool(messages(server)), process)
            server.kill()
            await asyncio.to_thread(feeds_of.record, ENTRIES // 2, ENTRIES - ENTRIES // 2)
            await until(lambda: len(lines(out)) == ENTRIES, process)  # the other sink goes on
            async with asyncio.timeout(WITHIN):
                while not (told := [item for item in (await troubles(process.address))[1] if "nats" in item["what"]]):
                    await asyncio.sleep(0.05)
            assert (await troubles(process.address))[0] == "degraded"
            assert "wait in the store" in told[0]["why"]
            assert told[0]["since"]
            server.start()
            await until(lambda: messages(server) == ENTRIES, process)
            assert await process.end() == 0
        async with daemon(url, address) as process:  # killed and started again, it sends nothing twice
            await process.ready()
        found = await server.keys("afresh.entries")
        assert found == [line["key"] for line in lines(out)]
        assert len(set(found)) == ENTRIES

    with running_nats(tmp_path / "nats") as server:
        asyncio.run(scenario(server))


@needs_nats
@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_two_daemons_on_postgresql_of_which_the_leader_is_killed(tmp_path: Path, postgres_store: str) -> None:
    Feeds(postgres_store).record(0, ENTRIES)

    async def scenario(server: NatsServer) -> None:
        address = f"nats://127.0.0.1:{server.port}/entries?lines=10"
        async with daemon(postgres_store, address) as first:
            await first.ready()
            async with daemon(postgres_store, address) as second:
                await second.ready()
                await until(lambda: bool(messages(server)), first)
                await first.kill()
                await until(lambda: messages(server) == ENTRIES, second)
        found = await server.keys("entries")
        assert len(found) == len(set(found)) == ENTRIES

    with running_nats(tmp_path / "nats") as server:
        asyncio.run(scenario(server))


def messages(server: NatsServer) -> int:
    """How many the stream holds; 0: there is none yet, or nobody to ask."""
    return server.count()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_results_of_a_frontier_that_is_killed(tmp_path: Path) -> None:
    """Every page that was fetched and reported leaves once, though the scheduler is killed meanwhile."""
    from tests.acceptance.test_frontier_crawl import begin, check, fetcher
    from tests.fakes.serve_process import serving

    out = tmp_path / "out"

    async def scenario() -> None:
        async with CrawlWeb(polite_delay=0.2) as web:
            async with serving(tmp_path, f"--sink=ndjson:{out}?lines=3") as service:
                await begin(service.address, web, revisit_after=3_600.0)
                crawling = asyncio.create_task(fetcher(service.address, tmp_path, 0, "--idle", "6s"))
                async with asyncio.timeout(WITHIN):
                    while not lines(out):
                        await asyncio.sleep(0.01)
                await service.kill()
                await service.start()
                await crawling
                check(web, 1)
            found = lines(out)
            assert len({line["key"] for line in found}) == len(found)
            assert sorted(line["url"] for line in found if line["result"] != "excluded") == sorted(web.reachable)
            assert {line["result"] for line in found} >= {"fetched", "excluded", "not_found"}
            assert any(line["links"] for line in found)

    asyncio.run(scenario())
