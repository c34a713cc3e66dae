"""A frontier that answers 500 to the report of one page: real processes, and a server between them that does so."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from aiohttp import web

from tests.acceptance.test_frontier_crawl import DELAY, begin, call, check, fetcher, frontier
from tests.fakes.crawl_web import CrawlWeb

BAD = "/page/2"  # of the first list of its site that has several pages


@asynccontextmanager
async def between(address: str, refused: list[str]) -> AsyncIterator[str]:
    """Passes everything on to a frontier, but reports of one page of the second site."""

    async def pass_on(request: web.Request) -> web.Response:
        body = await request.read()
        if request.path == "/api/v1/results":
            urls = [page["url"] for site in json.loads(body)["fqdns"] for page in site["url_list"]]
            if any(url.startswith("http://s1.") and url.endswith(BAD) for url in urls):
                refused.append(request.path)
                return web.json_response({"detail": "an odd page"}, status=500)
        headers = {name: value for name, value in request.headers.items() if name in ("Authorization", "Content-Type")}
        async with aiohttp.ClientSession() as session:
            where = address.rstrip("/") + request.path_qs
            async with session.request(request.method, where, data=body, headers=headers) as answer:
                return web.Response(body=await answer.read(), status=answer.status, content_type="application/json")

    app = web.Application(client_max_size=64_000_000)
    app.router.add_route("*", "/{rest:.*}", pass_on)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


def test_one_bad_report_holds_up_nobody(tmp_path: Path) -> None:
    async def crawl() -> None:
        refused: list[str] = []
        async with (
            CrawlWeb(polite_delay=DELAY) as pages,
            frontier(tmp_path) as address,
            between(address, refused) as door,
        ):
            await begin(address, pages, revisit_after=3_600.0)
            done = await fetcher(door, tmp_path, 1, "--idle", "4s")
            bad = f"http://s1.localhost:{pages.port}{BAD}"
            assert refused
            assert done["put_aside"] == 1
            check(pages, 1)  # nothing was handed out again
            stats = await call(address, "GET", "/stats", None)
            missing = len(pages.names)  # one link of each site leads nowhere
            assert stats["failed_amount"] == missing + 1
            assert stats["visits"] == len(pages.reachable) - 1  # each but the bad one, and each once
            assert stats["visited_well_amount"] == len(pages.reachable) - missing - 1
            assert stats["reserved_fqdn_amount"] == 0
            why = "its report could not be taken: 500: an odd page"
            state = await call(address, "GET", f"/urls?url={bad}", None)
            assert state["why"] == f"{why}: it is tried again"
            health = await call(address, "GET", "/health", None)
            [trouble] = health["troubles"]  # type: ignore[misc]  # a list
            assert trouble["what"] == "reports"
            assert f"the last, {bad}: {why}" in trouble["why"]
            async with aiohttp.ClientSession() as session, session.get(f"{address}fetchers") as answer:
                assert "1 report of the last day put aside by fetchers" in await answer.text()
            [line] = (tmp_path / "f1.aside.ndjson").read_text().splitlines()
            kept = json.loads(line)
            assert kept["why"] == "500: an odd page"
            assert kept["report"]["url_list"][0]["url"] == bad

    asyncio.run(crawl())
