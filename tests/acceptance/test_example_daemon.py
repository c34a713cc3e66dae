"""Pages somebody names while the daemon is at work on the same site: each waits for its turn, and the daemon for it."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path

from aiohttp import web

from afresh.base.models import Kind
from afresh.base.records.links import NewVersion, Origin
from afresh.base.settings import load_settings
from afresh.engine.add import Wanted
from afresh.engine.daemon import running_daemon

DELAY = 0.25
LINKS, EXAMPLES = 5, 3


class Site:
    """A site that remembers when it was asked for what."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, str]] = []

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append((time.monotonic(), request.path))
        if request.path == "/robots.txt":
            return web.Response(status=404)
        text = f"<title>Page {request.path}</title><p>The harbour was rebuilt in stone after the storm.</p>"
        return web.Response(text=text, content_type="text/html")


async def ask_beside_the_daemon(folder: Path) -> tuple[Site, list[NewVersion]]:
    site = Site()
    runner = web.ServerRunner(web.Server(site.answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    settings = {
        "store.url": str(folder / "links.db"),
        "fetch.allowed_networks": "127.0.0.0/8",
        "politeness.delay": f"{DELAY}s",
        "links.probe": "false",
    }
    try:
        async with running_daemon(load_settings(overrides=settings)) as daemon:
            await daemon.add_wanted([Wanted(url=f"{base}/link/{n}", kind=Kind.LINK) for n in range(LINKS)])
            running = asyncio.create_task(daemon.loop.run())
            pages = await asyncio.gather(*(daemon.fetch_page(f"{base}/example/{n}") for n in range(EXAMPLES)))
            async with asyncio.timeout(60):
                while sum(path.startswith("/link/") for _, path in site.asked) < LINKS:
                    await asyncio.sleep(0.05)
            daemon.loop.stop()
            await running
    finally:
        await runner.cleanup()
    return site, pages


def test_no_two_requests_are_closer_than_the_site_is_to_be_left_alone(tmp_path: Path) -> None:
    site, pages = asyncio.run(ask_beside_the_daemon(tmp_path))
    assert [(page.title, page.origin) for page in pages] == [
        (f"Page /example/{n}", Origin.EXAMPLE) for n in range(EXAMPLES)
    ]
    paths = [path for _, path in site.asked if path != "/robots.txt"]
    assert sorted(paths) == [f"/example/{n}" for n in range(EXAMPLES)] + [f"/link/{n}" for n in range(LINKS)]
    gaps = [after - before for (before, _), (after, _) in pairwise(site.asked)]
    assert min(gaps) >= DELAY * 0.98, site.asked
