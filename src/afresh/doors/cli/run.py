"""``afresh run``: the daemon with its pages and its REST interface.

The loop begins as soon as it can ask for something; what judges the answers is loaded while the first requests are
under way, and what people look at when somebody looks.
"""

import asyncio
import socket
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from typing import cast

import click

from afresh.base.compiled import interpret_until_prepared, prepare
from afresh.base.durations import parse_duration
from afresh.base.errors import StoreError
from afresh.base.lazy import attribute
from afresh.base.models import ResourceFilter, Status
from afresh.base.out_of_descriptors import is_shortage
from afresh.base.plain_numbers import counted
from afresh.base.settings import Loaded
from afresh.base.troubles import DESCRIPTORS
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.logs import set_up_logs
from afresh.doors.cli.output import json_option, print_json, sink_option
from afresh.doors.cli.patience import while_compiling
from afresh.doors.listening import address_of, bind, keep_address
from afresh.engine.daemon import Daemon, running_daemon

_AGAIN = 1.0  # seconds until doors are loaded again that could not be, for want of descriptors
_WANT = 60.0  # seconds for which such a want is shown
_HEAD_START = 5.0  # seconds the first request is given at most before anything else is loaded


@click.command("run")
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=int, help="Port to listen on (default: 8080; 0: any free one).")
@click.option("--grpc", metavar="HOST:PORT", help="Also a frontier for crawlers that speak URLFrontier's gRPC, there.")
@sink_option
@click.option("--for", "duration", metavar="DURATION", help="End after this long.")
@json_option
@click.pass_context
def run_command(
    ctx: click.Context,
    host: str | None,
    port: int | None,
    grpc: str | None,
    sinks: tuple[str, ...],
    duration: str | None,
    as_json: bool,
) -> int:
    """Watch everything that was added until interrupted; pages and REST on one port."""
    loaded = settings_of(ctx, service__host=host, service__port=port, grpc__listen=grpc, sinks__to=sinks or None)
    seconds = parse_duration(duration) if duration else None
    set_up_logs(loaded.settings.log.level)
    return run_async(_run(loaded, seconds, as_json=as_json))


async def _run(loaded: Loaded, seconds: float | None, *, as_json: bool) -> int:
    now = asyncio.get_running_loop().time
    end = None if seconds is None else now() + seconds
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(bind(loaded.settings.service))
        if loaded.settings.grpc.listen:
            beside = await asyncio.to_thread(attribute, "afresh.doors.cli.grpc_door:frontier_beside")
            await stack.enter_async_context(beside(loaded.settings))
        while await _run_once(loaded, listener, None if end is None else max(0.0, end - now()), as_json=as_json):
            pass
    return 0


async def _run_once(loaded: Loaded, listener: socket.socket, seconds: float | None, *, as_json: bool) -> bool:
    """A daemon from its start to its end; whether it wants to begin anew, because the clock was set back, say."""
    async with running_daemon(loaded) as daemon:
        if loaded.settings.sinks.to:
            await (await asyncio.to_thread(attribute, "afresh.doors.cli.running_sinks:attach_to"))(daemon)
        with ending_on_signals(daemon.loop.stop):
            if seconds is not None:
                asyncio.get_running_loop().call_later(seconds, daemon.loop.stop)
            await _announce(daemon, address_of(listener))
            await _watch(daemon, listener)
        if not daemon.loop.wants_anew:
            click.echo("stopped; what was fetched is recorded", err=True)
        if as_json and not daemon.loop.wants_anew:
            print_json(await daemon.run(daemon.store.stats, now=daemon.now()))
        return daemon.loop.wants_anew


async def _watch(daemon: Daemon, listener: socket.socket) -> None:
    """Until the loop ends. Its doors are loaded when somebody knocks: most daemons are looked at seldom."""
    interpret_until_prepared(daemon.step)  # answers are judged without compiled code until then, and recorded at once
    watching = asyncio.create_task(daemon.loop.run())
    try:
        asked = asyncio.create_task(daemon.loop.has_asked.wait())
        await asyncio.wait({watching, asked}, timeout=_HEAD_START, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        if watching.done():  # a store that cannot be used, say
            return
        preparing = asyncio.create_task(_prepare(daemon))  # a first start compiles: who knocks does not wait for that
        try:
            if await _knocked(listener, unless=watching):
                async with await _open_doors(daemon, listener, unless=watching):
                    await asyncio.wait({watching})
        finally:
            await preparing
    finally:
        daemon.loop.stop()
        await watching


async def _open_doors(
    daemon: Daemon, listener: socket.socket, *, unless: asyncio.Task[None]
) -> AbstractAsyncContextManager[object]:
    """The doors, loaded as soon as there are descriptors to load them with; nothing if that task ends before."""
    while not unless.done():
        try:
            serving = await asyncio.to_thread(attribute, "afresh.doors.cli.daemon_doors:serving")
            return cast(
                "AbstractAsyncContextManager[object]", serving(daemon, listener.dup())
            )  # it closes what it gets
        except Exception as error:
            if not is_shortage(error):
                raise
            daemon.loop.troubles.report(DESCRIPTORS, str(error), lasting=_WANT)
            await asyncio.wait({unless}, timeout=_AGAIN)
    return nullcontext()


async def _prepare(daemon: Daemon) -> None:
    with while_compiling():
        await asyncio.to_thread(prepare, daemon.step)


async def _knocked(listener: socket.socket, *, unless: asyncio.Task[None]) -> bool:
    """Whether somebody connects before that task ends; whoever it is waits to be let in."""
    loop = asyncio.get_running_loop()
    somebody = asyncio.Event()
    waiting = asyncio.create_task(somebody.wait())
    loop.add_reader(listener.fileno(), somebody.set)
    try:
        await asyncio.wait({unless, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        loop.remove_reader(listener.fileno())
        waiting.cancel()
    return somebody.is_set()


async def _announce(daemon: Daemon, address: str) -> None:
    with suppress(StoreError):  # a full disk: it is waited for, and who looks for us finds us by the settings
        await daemon.run(keep_address, daemon.store, daemon.loop.name, address)
    count = await daemon.run(daemon.store.count)
    active = await daemon.run(daemon.store.count, ResourceFilter(status=Status.ACTIVE))
    few = "" if active == count else f"{f'{active:,}' if active else 'none'} of "
    watched = f"{few}{counted(count, 'resource')}"
    click.echo(f"afresh {daemon.version} watches {watched} of {daemon.settings.store.shown}; see {address}", err=True)
    if count and not active:
        click.echo(
            "all of it is kept, and nothing visited: `afresh link add FILE` watches links that were saved,"
            " `afresh set NUMBER --resume` one thing",
            err=True,
        )
    if not count:
        click.echo("nothing to watch yet: `afresh add URL`, `afresh import FILE` or `afresh discover SITE`", err=True)
