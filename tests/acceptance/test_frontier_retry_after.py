"""What a server says about its rest outlives the fetcher that it told: real processes, counted by the server."""

import asyncio
import sys
from collections import Counter
from pathlib import Path

import aiohttp
from aiohttp import web

from tests.acceptance.test_frontier_crawl import LOOPBACK, call, frontier
from tests.fakes.ending import ended

WISH = 90
FETCHER = ("--name", "a", "--email", "ops@example.org", "--urls-per-site", "5")


async def started(address: str, folder: Path, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afresh", *LOOPBACK, "fetch", "--from", address, *FETCHER,
        "--state", str(folder / "a.json"), *options,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


def test_a_killed_fetcher_takes_no_retry_after_with_it(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    told = asyncio.Event()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        asked[request.path] += 1
        told.set()
        return web.Response(status=429, headers={"Retry-After": str(WISH)})

    async def free(address: str) -> None:
        async with aiohttp.ClientSession() as session, session.get(f"{address}api/v1/fetchers") as response:
            [account] = await response.json()
        await call(address, "POST", "/fetchers/restart", {"uuid": account["uuid"]})

    async def crawl() -> None:
        runner = web.ServerRunner(web.Server(answer))
        await runner.setup()
        place = web.TCPSite(runner, "127.0.0.1", 0)
        await place.start()
        url = f"http://busy.localhost:{runner.addresses[0][1]}"
        async with frontier(tmp_path) as address:
            await call(address, "PATCH", "/settings", {"default_crawl_delay": 0.2})
            await call(address, "POST", "/urls", {"urls": [f"{url}/{n}" for n in range(5)]})
            first = await started(address, tmp_path)
            await asyncio.wait_for(told.wait(), 30)
            await asyncio.sleep(0.5)  # it is told at once, not when the second that reports wait for company is over
            first.kill()
            await first.wait()
            await free(address)
            second = await started(address, tmp_path, "--for", "6s")
            await ended(second, None, within=60)
            assert sum(asked.values()) == 1
            [site] = (await call(address, "GET", "/sites?fqdn=busy.localhost", None))["items"]  # type: ignore[misc]
            assert (site["leased_by"], site["errors"]) == ("", 1)
        await runner.cleanup()

    asyncio.run(crawl())
