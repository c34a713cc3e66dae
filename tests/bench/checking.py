"""``afresh check`` of loopback links: 5 kB pages on 100 hosts, no pause, status and soft-404 verdict.

The command as a whole, as a person starts it: interpreter, imports, robots.txt of every host, pages, verdicts, JSON.
The server shares the machine. CPU seconds tell more than the clock where others use it, too.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import uvloop

from afresh.base.clock import SystemClock
from afresh.base.pacing import Manners
from afresh.base.settings.fetching import LOOPBACK, FetchSettings
from afresh.base.settings.watching import PolitenessSettings
from afresh.engine.gate import Gate
from afresh.http.client import AiohttpFetcher
from afresh.links.judging import JudgingProcess
from afresh.links.judging_start import JudgingChild
from afresh.parse.sites import Sites
from tests.bench.page_server import serving
from tests.fakes.checking import check_all

LINKS, HOSTS = 10_000, 100
_RUNS = 2  # of the command; the better one counts, for the machine may be busy


def _urls(port: int) -> list[str]:
    return [f"http://h{n % HOSTS}.localhost:{port}/{n}" for n in range(LINKS)]


async def _check(port: int) -> tuple[float, int]:
    """The checker alone: no start, no robots.txt, no output."""
    clock, sites = SystemClock(), Sites(PolitenessSettings())
    begin = time.perf_counter()
    async with AsyncExitStack() as stack:
        client = AiohttpFetcher(FetchSettings(allowed_networks=LOOPBACK, concurrency=64), clock=clock)
        await stack.enter_async_context(client)
        gate = Gate(client, clock=clock, site_of=sites.of, manners=Manners(delay=0.0, backoff_base=0.0))
        process = await stack.enter_async_context(JudgingProcess(stack.enter_context(JudgingChild())))
        results = await check_all(gate, _urls(port), process=process)
        seconds = time.perf_counter() - begin
    return seconds, sum(result.standing == "ok" for result in results)


def _command(port: int, folder: Path) -> tuple[float, float]:
    """Seconds by the clock and of the processor, of one run of the command and the process it starts."""
    file = folder / "links.txt"
    file.write_text("\n".join(_urls(port)))
    environment = {**os.environ, "AFRESH_FETCH_ALLOWED_NETWORKS": ";".join(LOOPBACK)}
    arguments = ["check", str(file), "--json", "--delay", "0s"]
    cpu, begin = _cpu_of_children(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "afresh", *arguments], capture_output=True, check=True, cwd=folder, env=environment
    )
    seconds, cpu = time.perf_counter() - begin, _cpu_of_children() - cpu
    assert sum(row["standing"] == "ok" for row in json.loads(done.stdout)) == LINKS
    return seconds, cpu


def _cpu_of_children() -> float:
    """Of those that have ended."""
    told = os.times()
    return told.children_user + told.children_system


def measure() -> dict[str, float]:
    before = _cpu_of_children()
    with tempfile.TemporaryDirectory() as folder, serving() as port:
        runs = [_command(port, Path(folder)) for _ in range(_RUNS)]
    server = _cpu_of_children() - before - sum(cpu for _, cpu in runs)
    seconds, client = min(runs)
    with serving() as port, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        alone, well = runner.run(_check(port))
    assert well == LINKS
    return {
        "links_per_second": LINKS / seconds,
        "client_cpu_seconds": client,
        "server_cpu_seconds": server / _RUNS,
        "checker_links_per_second": LINKS / alone,
    }


if __name__ == "__main__":
    print(measure())
