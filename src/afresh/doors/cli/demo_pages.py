"""``afresh demo --pages``: the real daemon on a web of pages, its prediction beside the server's truth."""

import asyncio
import tempfile
from dataclasses import asdict
from pathlib import Path

import click

from afresh.base.settings import Loaded, parse_override
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.output import print_json, print_table
from afresh.engine.daemon import running_daemon
from afresh.lab.page_demo import DELAY, PageDemo, settings_for
from afresh.lab.web.page_web import PageWeb

_VISITS = 3.5  # visits a page and demo day


def demo_pages(
    ctx: click.Context, *, pages: int, sites: int, seconds: float, seed: int, day: float, as_json: bool
) -> int:
    """Runs the demo for so many seconds and prints what came of it."""
    with tempfile.TemporaryDirectory(prefix="afresh-demo-") as folder:
        given = {parse_override(text)[0] for text in ctx.obj["assignments"]}  # --set goes before the demo's own
        own = {} if ctx.obj["store"] else {"store.url": str(Path(folder) / "demo.db")}
        wanted = {**settings_for(day, 60.0 * _VISITS * pages / day), **own}
        overrides = {name.replace(".", "__"): value for name, value in wanted.items() if name not in given}
        loaded = settings_of(ctx, **overrides)
        web = PageWeb(pages=pages, sites=sites, seed=seed, day=day, polite_delay=DELAY)
        return run_async(_demo(loaded, web, seconds, seed=seed, as_json=as_json))


async def _demo(loaded: Loaded, web: PageWeb, seconds: float, *, seed: int, as_json: bool) -> int:
    async with web, running_daemon(loaded, seed=seed) as daemon:
        demo = PageDemo(web, daemon)
        await demo.add()
        asyncio.get_running_loop().call_later(seconds, daemon.loop.stop)
        watching = asyncio.create_task(demo.watch(seconds=seconds))
        with ending_on_signals(daemon.loop.stop):
            await daemon.loop.run()
        until = web.clock()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        summary = await daemon.run(demo.summary, until=until)
    if as_json:
        print_json(asdict(summary))
    else:
        print_table(
            ["", ""], [(name.replace("_", " "), value) for name, value in asdict(summary).items() if value != ()]
        )
    return 0
