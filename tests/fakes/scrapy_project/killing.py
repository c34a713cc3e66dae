"""Two Scrapy processes share a crawl, and one of them is killed in the middle of it: what the server saw of that."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.fakes.crawl_web import CrawlWeb
from tests.fakes.ending import ended
from tests.fakes.scrapy_project.running import AFRESH, ROOT, command, environment

DELAY = 0.1  # seconds, a site's pause; every third asks for twice that
AT_ONCE = 16  # requests of a process
LEASE = 4.0  # seconds


class Seen(NamedTuple):
    """What became of it."""

    pages: int  # that were to be fetched
    missed: int  # of these, not asked for
    unprocessed: int  # of these, without a callback
    twice: int  # asked for twice: they were under way when their process was killed
    more: int  # asked for more often than that
    violations: int  # of politeness, Crawl-delay and robots.txt
    by_killed: int  # pages that the killed process had processed
    seconds: float


async def scrapy(spider: str, settings: dict[str, object], **arguments: object) -> asyncio.subprocess.Process:
    """A Scrapy process that has begun; what it says comes at its end."""
    given = {**AFRESH, "AFRESH_DELAY": DELAY, "AFRESH_LEASE": LEASE, "CONCURRENT_REQUESTS": AT_ONCE, **settings}
    return await asyncio.create_subprocess_exec(
        *command(spider, given, **arguments),
        cwd=ROOT,
        env=environment(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def until(condition: Callable[[], bool], *, within: float = 120.0) -> None:
    async with asyncio.timeout(within):
        while not condition():
            await asyncio.sleep(0.02)


def notes(*files: Path) -> list[Any]:
    """What spiders wrote down."""
    return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]


def wrongs(web: CrawlWeb) -> int:
    """How often the server was pressed, or asked for what it forbids."""
    trespasses = sum("/private/" in url or "/hidden/" in url for url in web.visits)
    return sum(web.ledger.breaches.values()) + web.ledger.crawl_delay_ignored + trespasses


async def crawl_with_a_kill(folder: Path, frontier: str, *, sites: int, pages: int, within: float = 280.0) -> Seen:
    """``frontier``: a file or a PostgreSQL; the crawl has ``sites * (pages + 2)`` pages."""
    async with CrawlWeb(sites=sites, pages=pages, polite_delay=DELAY, crawl_delay=2 * DELAY) as web:
        files = [folder / "one", folder / "two"]
        settings: dict[str, object] = {"AFRESH_FRONTIER": frontier, "ROBOTSTXT_OBEY": True}
        both = [await scrapy("follow", settings, start=web.seed_url, notes=file) for file in files]
        started = time.monotonic()
        third = len(web.reachable) / 3
        await until(lambda: all(file.exists() for file in files) and len(web.visits) > third, within=within)
        both[0].kill()
        await both[0].wait()
        by_killed = len(notes(files[0]))
        _, log = await ended(both[1], None, within=within)
        assert both[1].returncode == 0, log
        assert "Traceback" not in log, log
        processed = set(notes(*files)) | {url for url in web.visits if "/moved" in url}  # no callback gets a redirect
        times = list(web.visits.values())
        return Seen(
            pages=len(web.reachable),
            missed=len(web.unvisited()),
            unprocessed=len(web.reachable - processed),
            twice=times.count(2),
            more=sum(count > 2 for count in times),
            violations=wrongs(web),
            by_killed=by_killed,
            seconds=time.monotonic() - started,
        )
