"""Notices reach a receiver on the wire, through kills of the daemon: each once, none lost."""

import asyncio
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from afresh.base.protocols import Store
from afresh.base.settings import Settings
from afresh.base.settings.sections import FetchSettings
from afresh.engine.add import Wanted, add
from afresh.feeds.queries.creating import create
from afresh.lab.demo import SETTINGS
from afresh.store import open_store
from tests.fakes.ending import ended
from tests.fakes.receiver import Receiver

PATIENCE = 40.0


class Feed:
    """A feed on loopback that grows on command."""

    def __init__(self) -> None:
        self.titles: list[str] = ["old"]
        self.status = 200
        self.polls = 0

    async def answer(self, _: web.Request) -> web.Response:
        self.polls += 1
        items = "".join(
            f"<item><title>{title}</title><guid>{title}</guid><link>http://example.org/{title}</link></item>"
            for title in reversed(self.titles)
        )
        text = f"<rss version='2.0'><channel><title>News</title>{items}</channel></rss>"
        return web.Response(text=text, content_type="application/rss+xml", status=self.status)


class Daemon:
    """``afresh`` as commands and as a process that can be killed."""

    def __init__(self, database: Path) -> None:
        self._database = database
        overrides = {
            **SETTINGS,
            "fetch.allowed_networks": "127.0.0.0/8;::1/128",
            "store.url": str(database),
            "politeness.delay": "200ms",
            "politeness.trouble_wait": "200ms",
            "errors.first_wait": "300ms",
            "errors.longest_wait": "500ms",
            "loop.lease": "2s",
            "notices.every": "500ms",
            "notices.first_wait": "500ms",
            "notices.lease": "2s",
        }
        self._words = [sys.executable, "-m", "afresh", *(f"--set={name}={value}" for name, value in overrides.items())]
        self._process: asyncio.subprocess.Process | None = None

    @contextmanager
    def store(self) -> Iterator[Store]:
        store = open_store(str(self._database))
        try:
            yield store
        finally:
            store.close()

    async def command(self, *words: str, code: int = 0) -> Any:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*self._words, *words, "--json", stdout=pipe, stderr=pipe)
        out, err = await ended(process, None)
        assert process.returncode == code, err
        return json.loads(out) if out.strip() else err

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *self._words, "run", "--port", "0", stderr=asyncio.subprocess.PIPE
        )
        assert self._process.stderr is not None
        line = await self._process.stderr.readline()
        assert b"watches" in line, line

    async def end(self, number: signal.Signals) -> None:
        assert self._process is not None
        await ended(self._process, number)


async def until(what: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():
            await asyncio.sleep(0.05)


@pytest.mark.slow
def test_notices_survive_kills(tmp_path: Path) -> None:
    async def scenario() -> None:
        feed, daemon = Feed(), Daemon(tmp_path / "notices.db")
        app = web.Application()
        app.router.add_get("/feed", feed.answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/feed"
        async with Receiver() as receiver:
            try:
                await _tell(feed, url, daemon, receiver)
            finally:
                await runner.cleanup()

    asyncio.run(scenario())


async def _tell(feed: Feed, url: str, daemon: Daemon, receiver: Receiver) -> None:
    with daemon.store() as store:
        now = time.time()
        settings = Settings(fetch=FetchSettings(allow_private=True))
        add(store, [Wanted(url=url, pinned=0.5)], settings, now=now)
        create(store, 'CREATE FEED news AS RETURN ALL WHERE TITLE CONTAINS "new"', now=now)
    made = await daemon.command("notice", "add", receiver.url, "--query", "news")
    assert made["secret"].startswith("whsec_")

    await daemon.start()
    await until(lambda: feed.polls >= 2)
    feed.titles += ["new 1", "new 2", "boring"]
    await until(lambda: len(receiver.events) == 2)
    await daemon.end(signal.SIGKILL)  # told and, most likely, noted

    await daemon.start()
    receiver.hold = asyncio.Event()
    receiver.arrived.clear()
    feed.titles += ["new 3"]
    await asyncio.wait_for(receiver.arrived.wait(), PATIENCE)
    await daemon.end(signal.SIGKILL)  # told, and not noted: the answer is still held back
    receiver.hold.set()
    receiver.hold = None

    feed.titles += ["new 4"]  # while nobody looks
    await daemon.start()
    await until(lambda: len(receiver.events) >= 4)
    receiver.answers = [503]
    feed.titles += ["new 5"]
    await until(lambda: len(receiver.events) >= 5 and not receiver.answers)
    polls = feed.polls
    await until(lambda: feed.polls >= polls + 3)
    await daemon.end(signal.SIGTERM)
    assert receiver.events == ["new 1", "new 2", "new 3", "new 4", "new 5"]
    [kept] = await daemon.command("notice", "list")
    assert (kept["sent"], kept["waiting"], kept["open"], kept["error"]) == (5, 0, 0, "")
    assert "whsec" not in json.dumps(kept)
