"""Scrapy with afresh as its scheduler beside Scrapy with its own disk queue (JOBDIR): the same spider, the same web.

Both as a person starts them, alternating; one request at a time a site and no pause, so that the scheduler is what
differs. Pages a second are counted by the server, from the first request to the last. The server shares the machine, so
CPU seconds tell more than the clock where others use it; ratios are of medians.

    python -m tests.bench scrapy --json
"""

import asyncio
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.fakes.crawl_web import CrawlWeb
from tests.fakes.scrapy_project.running import AFRESH, ROOT, command, environment

SITES, PAGES = 100, 20
_RUNS = 3  # of each
_COMMON = {"CONCURRENT_REQUESTS": 32, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "ROBOTSTXT_OBEY": False}


class Spent(NamedTuple):
    """What one run took."""

    pages_per_second: float
    cpu: float  # seconds, of Scrapy and what it has started
    pages: int


async def _run(settings: dict[str, object], *, sites: int, pages: int) -> Spent:
    async with CrawlWeb(sites=sites, pages=pages, polite_delay=0.0, crawl_delay=0.0) as web:
        process = subprocess.Popen(
            command("follow", {**_COMMON, "LOG_LEVEL": "ERROR", **settings}, start=web.seed_url),
            cwd=ROOT,
            env=environment(),
        )
        _, status, used = await asyncio.to_thread(os.wait4, process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, settings
        assert not web.unvisited(), len(web.unvisited())
        times = [seen.started for seen in web.ledger.log]
        took = max(times) - min(times)
        return Spent(len(times) / took, used.ru_utime + used.ru_stime, len(times))


def measure(*, sites: int = SITES, pages: int = PAGES, runs: int = _RUNS) -> dict[str, float]:
    """Numbers by name."""
    ours: list[Spent] = []
    own: list[Spent] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run in range(runs):
            own.append(asyncio.run(_run({"JOBDIR": folder / f"job{run}"}, sites=sites, pages=pages)))
            settings = {**AFRESH, "AFRESH_FRONTIER": folder / f"{run}.db", "AFRESH_DELAY": 0}
            ours.append(asyncio.run(_run(settings, sites=sites, pages=pages)))
    return (
        _figures("afresh", ours)
        | _figures("disk_queue", own)
        | {
            "times_disk_queue": _median(ours).pages_per_second / _median(own).pages_per_second,
            "cpu_times_disk_queue": _median(ours).cpu / _median(own).cpu,
        }
    )


def _figures(name: str, runs: list[Spent]) -> dict[str, float]:
    return {f"{name}_{field}": value for field, value in _median(runs)._asdict().items()}


def _median(runs: list[Spent]) -> Spent:
    return Spent(*(statistics.median(values) for values in zip(*runs, strict=True)))
