"""Documents made to be slow, watched by a daemon in this process: how long do they keep its event loop from turning?"""

import asyncio
import gc
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from afresh.base.models import Kind
from afresh.base.settings import load_settings
from afresh.engine.add import Wanted
from afresh.engine.daemon import running_daemon
from afresh.parse.child_reader import SMALL
from tests.faults.process import SETTINGS

_TICK = 0.005  # seconds between two looks
_PATIENCE = 200.0


def documents() -> dict[str, bytes]:
    """By name of the file; each in a length that is read in this process, and in one that is not."""
    attributes = b"".join(b' a%d=""' % number for number in range(40_000))
    long = {
        "attributes.xml": b"<rss><channel><item " + attributes,
        "brackets.xml": b"<rss>" + b"<" * 900_000,
        "items.xml": b"<rss version='2.0'><channel><title>T</title>" + b"<item><title>x</title></item>" * 30_000,
        "entities.xml": b"<rss><channel><title>" + b"&amp;" * 150_000,
        "deep.json": b'{"version": "https://jsonfeed.org/version/1.1", "items": ' + b"[" * 300_000,
        "attributes.html": b"<p " + attributes,
        "deep.html": b"<div>" * 150_000,
        "options.html": b"<select>" + b"<option>" * 100_000,
        "tables.html": b"<table><tr><td>" * 50_000,
        "links.html": b"".join(b'<a href="/%d">x</a>' % number for number in range(40_000)),
        "words.html": b"<p>" + b"word " * 300_000,
        "quotes.html": b"<a b='" * 120_000,
    }
    return long | {f"short-{name}": body[:SMALL] for name, body in long.items()}


@contextmanager
def _served(folder: Path) -> Iterator[int]:
    """The port of another process that hands out the files of a folder."""
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"port (\d+)", server.stdout.readline())
        assert found is not None
        yield int(found[1])
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


@dataclass(slots=True)
class Gaps:
    """The longest between two turns of a loop, in seconds each.

    What holds the loop works meanwhile: in its own thread, or in another one that does not let go of the interpreter.
    By the clock a gap is longer wherever the machine had no time for us.
    """

    loop: float = 0.0  # work of the loop's own thread
    process: float = 0.0  # work of all threads, those beside the loop included
    clock: float = 0.0

    def note(self, loop: float, process: float, clock: float) -> None:
        self.loop, self.process = max(self.loop, loop), max(self.process, process)
        self.clock = max(self.clock, clock)


@asynccontextmanager
async def watched_loop() -> AsyncIterator[Gaps]:
    gaps = Gaps()

    async def watch() -> None:
        while True:
            own, work, clock = time.thread_time(), time.process_time(), time.perf_counter()
            await asyncio.sleep(_TICK)
            gaps.note(time.thread_time() - own, time.process_time() - work, time.perf_counter() - clock - _TICK)

    watching = asyncio.create_task(watch())
    try:
        yield gaps
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def slow_documents(folder: Path) -> Mapping[str, object]:
    """Each as a feed, a page and a link, at a daemon that has begun to work."""
    pages = folder / "pages"
    pages.mkdir()
    for name, body in documents().items():
        (pages / name).write_bytes(body)
    overrides = {**SETTINGS, "store.url": str(folder / "afresh.db"), "politeness.delay": 0.05}

    async def scenario(port: int) -> Gaps:
        async with running_daemon(load_settings(overrides=overrides), seed=1) as daemon:
            running = asyncio.create_task(daemon.loop.run())

            async def visit(names: list[str]) -> None:
                before = daemon.loop.health.recorded
                wanted = [
                    Wanted(url=f"http://{name.replace('.', '-')}-{kind}.localhost:{port}/{name}", kind=kind)
                    for name in names
                    for kind in (Kind.FEED, Kind.PAGE, Kind.LINK)
                ]
                assert all(one.is_new for one in await daemon.add_wanted(wanted))
                async with asyncio.timeout(_PATIENCE):
                    while daemon.loop.health.recorded < before + len(wanted):
                        await asyncio.sleep(0.05)

            await visit(["first.html", "first.xml"])  # loads and compiles what judges
            gc.collect()
            async with watched_loop() as gaps:
                await visit(list(documents()))
            daemon.loop.stop()
            await running
            return gaps

    for name in ("first.html", "first.xml"):
        (pages / name).write_bytes(documents()["items.xml"][:SMALL])
    with _served(pages) as port:
        gaps = asyncio.run(scenario(port))
    assert gaps.process < 0.5, f"the loop stood still for {gaps.process:.2f} s of work"
    return {
        "documents": 3 * len(documents()),
        "longest_gap_ms": round(1000 * gaps.loop, 1),
        "with_other_threads_ms": round(1000 * gaps.process, 1),
        "by_the_clock_ms": round(1000 * gaps.clock, 1),
    }
