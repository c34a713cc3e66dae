"""``afresh demo``: the real daemon on a small living web that it serves itself; works offline."""

import asyncio
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from afresh.base.compiled import interpret_until_prepared, prepare
from afresh.base.durations import format_duration, parse_duration
from afresh.base.models import Kind, ResourceFilter, Status
from afresh.base.settings import Loaded, parse_override
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.daemon_doors import serving
from afresh.doors.cli.demo_links import bookmarks, let_years_pass
from afresh.doors.cli.demo_pages import demo_pages
from afresh.doors.cli.demo_soak import options_of, soak
from afresh.doors.cli.demo_web import demo_web
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.output import clean, console, json_option, print_json, print_table
from afresh.doors.listening import bind
from afresh.doors.presenting.times import upcoming
from afresh.engine.add import Wanted
from afresh.engine.daemon import Daemon, running_daemon
from afresh.lab.demo import DELAY, DemoSummary, settings, summarise, tally
from afresh.lab.pgserver import stoppable_postgres
from afresh.lab.soak.run import FORGETFUL, Hardship
from afresh.lab.web import DemoWeb
from afresh.lab.web.links import BOOKMARKS, LinkWeb

_SOAK = 600.0  # seconds that a soak lasts unless told otherwise


@click.command("demo")
@click.option("--for", "duration", metavar="DURATION", help="End by itself after this long (default: until Ctrl-C).")
@click.option(
    "--port",
    type=int,
    default=0,
    show_default=True,
    help="Port of the pages (of the web with --web-only); 0: any free one.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, another web.")
@click.option("--day", default="60s", show_default=True, help="How long a day of the demo web lasts.")
@click.option("--pages", type=click.IntRange(0, 20_000), default=0, help="Watch so many pages instead of feeds.")
@click.option("--sites", type=click.IntRange(1, 1_000), default=50, show_default=True, help="Sites of these pages.")
@click.option("--kill-every", metavar="DURATION", help="Kill the daemon this long after each of its starts.")
@click.option("--faults", is_flag=True, help="Do to it what goes wrong in the long run, in random order: see above.")
@click.option(
    "--postgres", is_flag=True, help="Keep everything in a PostgreSQL of its own; with --faults it is stopped."
)
@click.option(
    "--web-only", is_flag=True, help="Serve the small web and watch nothing: to try commands on, see the tutorials."
)
@json_option
@click.pass_context
def demo_command(
    ctx: click.Context,
    duration: str | None,
    port: int,
    seed: int,
    day: str,
    pages: int,
    sites: int,
    kill_every: str | None,
    faults: bool,
    postgres: bool,
    web_only: bool,
    as_json: bool,
) -> int:
    """Watch a small living web on this machine: all update patterns, all bad manners, a day a minute.

    With --pages a web of pages instead: freshness as predicted by the daemon and as measured by the server.

    With --kill-every or --faults the daemon has a hard time: it is killed and started again; its disk is full, its
    clock is 30 days ahead, it has no descriptors, somebody else keeps its database busy or spoils a row of it, its
    housekeeping fails, its database server is away, strangers occupy its port, or it stands still, for some seconds
    each. At the end the server's own accounts: nothing that was acknowledged may be lost or there twice, no site
    pressed, and memory flat after five minutes; else the exit code is 1.
    """
    seconds = parse_duration(duration) if duration else None
    if web_only:
        return demo_web(port=port, seed=seed, day=parse_duration(day), seconds=seconds, as_json=as_json)
    if pages:
        return demo_pages(
            ctx, pages=pages, sites=sites, seconds=seconds or 120.0, seed=seed, day=parse_duration(day), as_json=as_json
        )
    with tempfile.TemporaryDirectory(prefix="afresh-demo-") as folder, ExitStack() as stack:
        given = {parse_override(text)[0] for text in ctx.obj["assignments"]}  # --set goes before the demo's own
        server = stack.enter_context(stoppable_postgres()) if postgres else None
        place = server.url if server is not None else str(Path(folder) / "demo.db")
        own = {} if ctx.obj["store"] else {"store.url": place}
        wanted = {**settings(parse_duration(day)), **own, "service.port": port}
        overrides = {name.replace(".", "__"): value for name, value in wanted.items() if name not in given}
        loaded = settings_of(ctx, **overrides)
        web = DemoWeb(seed, parse_duration(day), polite_delay=DELAY)
        if kill_every or faults:
            plan = Hardship(seconds or _SOAK, parse_duration(kill_every) if kill_every else None, faults)
            wanted = {**FORGETFUL, **wanted}
            options = options_of(ctx, {name: value for name, value in wanted.items() if name not in given})
            return run_async(soak(loaded, options, web, plan, folder=Path(folder), server=server, as_json=as_json))
        return run_async(_demo(loaded, web, seconds, as_json=as_json))


async def _demo(loaded: Loaded, web: DemoWeb, seconds: float | None, *, as_json: bool) -> int:
    town = LinkWeb(web.seed, polite_delay=DELAY)
    with bind(loaded.settings.service) as listener:
        async with web, town, running_daemon(loaded, seed=web.seed) as daemon, serving(daemon, listener) as address:
            await daemon.add_wanted(
                [Wanted(url=feed.url, folder=str(feed.pattern), tags=(feed.manners,)) for feed in web.feeds]
                + bookmarks(town)
            )
            turning = asyncio.create_task(let_years_pass(town))
            if seconds is not None:
                asyncio.get_running_loop().call_later(seconds, daemon.loop.stop)
            interpret_until_prepared(daemon.step)
            preparing = asyncio.create_task(asyncio.to_thread(prepare, daemon.step))  # a first start compiles
            with ending_on_signals(daemon.loop.stop):
                watching = None if as_json else asyncio.create_task(_live(daemon, web, address))
                await daemon.loop.run()
            until = time.time()
            turning.cancel()
            await preparing
            if watching:
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
            results = tally(daemon.loop.health.results)
            summary = await daemon.run(summarise, web, daemon.store, results, until=until, beside=town.ledger)
    if as_json:
        print_json(asdict(summary))
    else:
        _tell(summary)
    return 0


async def _live(daemon: Daemon, web: DemoWeb, address: str) -> None:
    """The table people watch; on something that is no terminal, a line every few seconds."""
    screen = console()
    if not screen.is_terminal:
        click.echo(
            f"watching {len(web.feeds)} feeds on {len(web.sites)} sites of a web on port {web.port}, and"
            f" {len(BOOKMARKS)} links; pages at {address}"
        )
        while True:
            await asyncio.sleep(5)
            results = tally(daemon.loop.health.results)
            click.echo(f"{sum(results.values())} polls, {await _known(daemon)} entries known")
    with Live(console=screen, refresh_per_second=4, screen=False) as live:
        while True:
            live.update(Group(*await _picture(daemon, web, address, height=screen.height)))
            await asyncio.sleep(0.5)


async def _known(daemon: Daemon) -> int:
    """With those that were there when their feed was first visited; the summary counts what was published since."""
    stats = await daemon.run(daemon.store.stats, now=daemon.now())
    return int(stats.get("entries_total", 0))


async def _picture(daemon: Daemon, web: DemoWeb, address: str, *, height: int) -> tuple[Text, Table, Text]:
    now = daemon.now()
    patterns = {feed.url: feed for feed in web.feeds}
    resources = await daemon.run(daemon.store.list_resources, ResourceFilter(kind=Kind.FEED), limit=100)
    resources.sort(key=lambda item: item.last_visit or 0.0, reverse=True)
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for name, ratio in (
        ("feed", 5),
        ("publishes", 2),
        ("manners", 3),
        ("entries", 1),
        ("last visit", 2),
        ("next", 2),
        ("why", 9),
    ):
        table.add_column(name, ratio=ratio, no_wrap=True, justify="right" if name == "entries" else "left")
    for item in resources[: max(5, height - 6)]:
        feed = patterns.get(item.url)
        style = "" if item.last_result is None or item.last_result.is_success else "red"
        table.add_row(
            Text(item.url.removeprefix("http://").replace(f":{web.port}", "")),
            Text(str(feed.pattern) if feed else ""),
            Text(feed.manners if feed else ""),
            Text(str(item.counters.entries)),
            Text(str(item.last_result or "-")),
            Text(upcoming(item.due, now) if item.status is Status.ACTIVE else str(item.status)),
            Text(clean(item.error or item.reason)),
            style=style,
        )
    results = tally(daemon.loop.health.results)
    head = Text(
        f"afresh demo  {format_duration(now - web.began)}  {sum(results.values())} polls  "
        f"{results['not_modified']} not modified  {await _known(daemon)} entries known  "
        f"{sum(web.ledger.breaches.values())} politeness violations  (Ctrl-C ends)",
        style="bold",
    )
    return head, table, Text(f"pages: {address}   the web: http://localhost:{web.port}/", style="dim")


def _tell(summary: DemoSummary) -> None:
    print_table(
        ["", ""],
        [
            (
                name.replace("_", " "),
                ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value,
            )
            for name, value in asdict(summary).items()
            if value not in ((), None)
        ],
    )
