"""The end of a daemon: whatever failed beside the loop, what was fetched is recorded before the process ends."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afresh.base.errors import StoreBusy, StoreError
from afresh.base.models import Report
from afresh.base.settings import load_settings
from afresh.engine.add import Wanted
from afresh.engine.daemon import Daemon, running_daemon
from afresh.store import opened_store
from tests.fakes.fake_web import rss

FEEDS = 5
BODY = rss("one", "two")
HEAD = (
    f"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nContent-Length: {len(BODY)}\r\nConnection: close\r\n\r\n"
)


class SlowWeb:
    """Answers nobody before all have asked and somebody has said that it may."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.all_asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = await reader.readline()
        while await reader.readline() not in (b"\r\n", b""):
            pass
        self.asked.append(line.decode().split()[1])
        if len(self.asked) == FEEDS:
            self.all_asked.set()
        await self.may_answer.wait()
        writer.write(HEAD.encode() + BODY)
        await writer.drain()
        writer.close()


def busy_once(call: Callable[..., Any], failures: int = 1) -> Callable[..., Any]:
    """The same, but somebody else is writing the first time."""
    left = iter(range(failures))

    def tried(*args: object, **named: object) -> object:
        if next(left, None) is not None:
            raise StoreBusy("afresh.db is locked by another process; try again later")
        return call(*args, **named)

    return tried


def stopped_while_fetching(folder: Path, prepare: Callable[[Daemon], None]) -> tuple[int, Daemon]:
    """A daemon that is stopped when all its requests are under way: how many were made, and the daemon."""
    overrides = {
        "store.url": str(folder / "afresh.db"),
        "fetch.allowed_networks": "127.0.0.0/8",
        "politeness.delay": 0.0,
        "predict.rule": "mavsync",
    }

    async def scenario() -> tuple[int, Daemon]:
        web = SlowWeb()
        server = await asyncio.start_server(web.serve, "0.0.0.0", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, running_daemon(load_settings(overrides=overrides), seed=1) as daemon:
            prepare(daemon)
            await daemon.add_wanted([Wanted(url=f"http://127.0.0.{n}:{port}/feed") for n in range(1, FEEDS + 1)])
            running = asyncio.create_task(daemon.loop.run())
            await asyncio.wait_for(web.all_asked.wait(), 30)
            daemon.loop.stop()
            web.may_answer.set()
            await asyncio.wait_for(running, 60)
            return len(web.asked), daemon

    return asyncio.run(scenario())


def recorded(folder: Path) -> tuple[int, int]:
    """Visits and entries that a new process finds."""
    with opened_store(load_settings(overrides={"store.url": str(folder / "afresh.db")}).settings) as store:
        return len(store.visits(limit=100)), len(store.entries(limit=100))


def test_busy_housekeeping_costs_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(daemon: Daemon) -> None:
        monkeypatch.setattr(daemon.store, "prune", busy_once(daemon.store.prune))

    requests, daemon = stopped_while_fetching(tmp_path, prepare)
    assert requests == FEEDS
    assert recorded(tmp_path) == (FEEDS, 2 * FEEDS)
    companions = daemon.loop.health.companions
    assert companions["housekeeping"].failures == 1
    assert daemon.health()["companion_failures"] == 1


def test_a_store_that_is_busy_at_the_end_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(daemon: Daemon) -> None:
        monkeypatch.setattr(daemon.store, "record", busy_once(daemon.store.record, failures=3))

    requests, daemon = stopped_while_fetching(tmp_path, prepare)
    assert (requests, recorded(tmp_path)) == (FEEDS, (FEEDS, 2 * FEEDS))
    assert daemon.loop.health.companions["recording"].failures == 3


def test_what_is_leased_in_the_moment_of_the_stop_is_recorded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All else was recorded before, so nothing but the lease under way says that there is more to come."""

    def prepare(daemon: Daemon) -> None:
        lease, loop, moment = daemon.store.lease, asyncio.get_running_loop(), threading.Event()

        calls = iter(range(10**6))

        def last(**named: Any) -> object:
            if next(calls) < 2:  # recording has begun by then
                return []
            leases = lease(**named)
            if leases:
                loop.call_soon_threadsafe(daemon.loop.stop)
                loop.call_soon_threadsafe(
                    daemon.loop.recorder._reported.set
                )  # as by a report that has just been written
                moment.wait(0.5)
            return leases

        monkeypatch.setattr(daemon.store, "lease", last)

    requests, _ = stopped_while_fetching(tmp_path, prepare)
    assert (requests, recorded(tmp_path)) == (FEEDS, (FEEDS, 2 * FEEDS))


def test_a_report_no_store_takes_does_not_keep_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(daemon: Daemon) -> None:
        record = daemon.store.record

        def broken(reports: list[Report]) -> list[bool]:
            if any("127.0.0.3" in report.resource.url for report in reports):
                raise TypeError("a fault of ours")
            return record(reports)

        monkeypatch.setattr(daemon.store, "record", broken)

    requests, _ = stopped_while_fetching(tmp_path, prepare)
    assert (requests, recorded(tmp_path)) == (FEEDS, (FEEDS - 1, 2 * (FEEDS - 1)))


def test_a_store_that_cannot_be_used_ends_the_loop_with_what_was_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(daemon: Daemon) -> None:
        lease, leased = daemon.store.lease, []

        def failing(**named: Any) -> object:
            if leased:
                raise StoreError("the disk is gone")
            leased.extend(found := lease(**named))
            return found

        monkeypatch.setattr(daemon.store, "lease", failing)

    with pytest.raises(StoreError, match="the disk is gone"):
        stopped_while_fetching(tmp_path, prepare)
    assert recorded(tmp_path) == (FEEDS, 2 * FEEDS)


def test_a_visit_that_waits_for_its_turn_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """A feed that has moved within its site, which wants a pause of more than three minutes before it is followed."""
    overrides = {
        "store.url": str(tmp_path / "afresh.db"),
        "fetch.allowed_networks": "127.0.0.0/8",
        "politeness.delay": 200.0,
        "predict.rule": "mavsync",
    }
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split()[1])
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def scenario() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, running_daemon(load_settings(overrides=overrides), seed=1) as daemon:
            await daemon.add_wanted([Wanted(url=f"http://127.0.0.1:{port}/here")])
            running = asyncio.create_task(daemon.loop.run())
            while not asked:
                await asyncio.sleep(0.01)
            daemon.loop.stop()
            await asyncio.wait_for(running, 100)

    asyncio.run(scenario())
    assert asked == [b"/here"]
    assert recorded(tmp_path) == (0, 0), "it was given up on its way: the next run makes the whole visit"
