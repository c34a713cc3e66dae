"""``afresh run``: the daemon with its pages and its REST interface."""

import asyncio
import logging
from contextlib import ExitStack

import click

from afresh.base.durations import parse_duration
from afresh.base.settings import Loaded
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.output import json_option, print_json
from afresh.doors.cli.patience import while_compiling
from afresh.doors.cli.serving import bind, ending_on_signals, run_async, serving
from afresh.engine.daemon import running_daemon


@click.command("run")
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=int, help="Port to listen on (default: 8080; 0: any free one).")
@click.option("--for", "duration", metavar="DURATION", help="End after this long.")
@json_option
@click.pass_context
def run_command(ctx: click.Context, host: str | None, port: int | None, duration: str | None, as_json: bool) -> int:
    """Watch everything that was added until interrupted; pages and REST on one port."""
    loaded = settings_of(ctx, service__host=host, service__port=port)
    seconds = parse_duration(duration) if duration else None
    logging.basicConfig(
        level=loaded.settings.log.level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    return run_async(_run(loaded, seconds, as_json=as_json))


async def _run(loaded: Loaded, seconds: float | None, *, as_json: bool) -> int:
    with bind(loaded.settings.service) as listener, ExitStack() as starting:
        starting.enter_context(while_compiling())
        async with running_daemon(loaded) as daemon, serving(daemon, listener) as address:
            starting.close()
            count = await daemon.run(daemon.store.count)
            watched = f"{count:,} resource{'s' if count != 1 else ''}"
            click.echo(
                f"afresh {daemon.version} watches {watched} of {loaded.settings.store.shown}; see {address}", err=True
            )
            if not count:
                click.echo(
                    "nothing to watch yet: `afresh add URL`, `afresh import FILE` or `afresh discover SITE`", err=True
                )
            if seconds is not None:
                asyncio.get_running_loop().call_later(seconds, daemon.loop.stop)
            with ending_on_signals(daemon):
                await daemon.loop.run()
            if as_json:
                print_json(await daemon.run(daemon.store.stats, now=daemon.now()))
    return 0
