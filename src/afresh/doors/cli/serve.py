"""``afresh serve``: the frontier, for fetchers that come and ask."""

import asyncio
import gc
import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

import click

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import ConfigError
from afresh.base.passwords import hide_password
from afresh.base.settings import Settings
from afresh.base.settings.sections import FrontierOptions
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.grpc_door import grpc_door, need_grpc
from afresh.doors.cli.logs import set_up_logs
from afresh.doors.cli.output import json_option, sink_option
from afresh.doors.cli.quiet_server import serving_quietly
from afresh.doors.cli.running_sinks import carrying_results
from afresh.doors.cli.seeding import add_seeds, seeds_named
from afresh.doors.listening import address_of, bind
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.frontier.app import create_frontier_app
from afresh.doors.rest.frontier.door import Door, ExampleMaker
from afresh.doors.rest.queue_metrics import QueueMetrics
from afresh.doors.rest.who_asks import Doorkeeper
from afresh.frontier.scheduling import Frontier
from afresh.frontier.scope import Stay
from afresh.frontier.service import running_frontier
from afresh.frontier.shared_counters import Tallies
from afresh.frontier.workers import Workers, outlive_not


@click.command("serve")
@click.option("--store", metavar="URL", help="SQLite file or postgresql://… (default: frontier.db).")
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=int, help="Port to listen on (default: 8080; 0: any free one).")
@click.option("--grpc", metavar="HOST:PORT", help="Also for crawlers that speak URLFrontier's gRPC, there.")
@click.option("--workers", type=int, help="Scheduler processes on PostgreSQL (default: 1).")
@click.option(
    "--seed",
    "seeds",
    multiple=True,
    metavar="URL|FILE",
    help="Where to begin: a URL, or a file with one a line (- reads standard input); may be repeated.",
)
@click.option(
    "--delay", metavar="DURATION", help="Pause between two requests to a site that asks for none; kept (at first: 10s)."
)
@click.option(
    "--stay",
    type=click.Choice([stay.value for stay in Stay]),
    help="Follow links everywhere, or only to the hosts or domains of seeds and of what is added (frontier.stay).",
)
@click.option("--include", multiple=True, metavar="PATTERN", help="Only links that match; a regular expression.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Never what matches; a regular expression.")
@sink_option
@click.option("--dev", is_flag=True, help="Also generate and delete example databases over REST.")
@click.option("--for", "duration", metavar="DURATION", help="End after this long.")
@click.option("--fd", type=int, hidden=True, help="An inherited listening socket.")
@click.option(
    "--lifeline", type=int, hidden=True, help="An inherited pipe that ends with the process at its other end."
)
@click.option("--tallies", type=int, hidden=True, help="An inherited file of numbers that all processes count.")
@click.option("--place", type=int, default=0, hidden=True, help="Which of these processes it is.")
@json_option
@click.pass_context
def serve_command(
    ctx: click.Context,
    store: str | None,
    host: str | None,
    port: int | None,
    grpc: str | None,
    workers: int | None,
    seeds: tuple[str, ...],
    delay: str | None,
    stay: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    sinks: tuple[str, ...],
    dev: bool,
    duration: str | None,
    fd: int | None,
    lifeline: int | None,
    tallies: int | None,
    place: int,
    as_json: bool,
) -> int:
    """Hand out lists of URLs to fetchers and take their results: the frontier alone, on one port."""
    store = store or ctx.obj["store"]
    loaded = settings_of(
        ctx,
        service__host=host,
        service__port=port,
        frontier__url=store,
        frontier__workers=workers,
        frontier__stay=stay,
        frontier__include=include or None,
        frontier__exclude=exclude or None,
        grpc__listen=grpc,
        sinks__to=sinks or None,
    )
    settings = loaded.settings
    seconds = parse_duration(duration) if duration else None
    set_up_logs(settings.log.level)
    need_grpc(settings)
    begin = Beginning(seeds_named(seeds), None if delay is None else parse_duration(delay))
    if settings.frontier.workers > 1 and fd is None:
        return _supervise(ctx, settings, seconds, begin.seeds, delay=delay, dev=dev, as_json=as_json)
    _spare_the_collector()
    listener = socket.socket(fileno=fd) if fd is not None else bind(settings.service)
    with listener:
        announce = None if fd is not None else partial(_announce, settings, listener, as_json=as_json)
        numbers = Tallies(tallies, place=place)
        return run_async(
            _serve(settings, listener, seconds, begin, numbers, dev=dev, announce=announce, lifeline=lifeline)
        )


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is done once, before anybody comes."""

    seeds: Sequence[str]
    delay: float | None  # None: as the frontier has it

    async def set_pace(self, frontier: Frontier) -> float:
        """Seconds between two requests to a site that asks for no pause, from now on."""
        settings = await frontier.settings()
        if self.delay is not None and self.delay != settings.default_delay:
            settings = await frontier.put_settings(replace(settings, default_delay=self.delay))
        return settings.default_delay


async def _serve(
    settings: Settings,
    listener: socket.socket,
    seconds: float | None,
    begin: Beginning,
    tallies: Tallies,
    *,
    dev: bool,
    announce: Callable[[], None] | None,  # None: it is one of several, and the first of them has said it
    lifeline: int | None,
) -> int:
    ended = asyncio.Event()
    if lifeline is not None:
        loop = asyncio.get_running_loop()
        outlive_not(lifeline, lambda: loop.call_soon_threadsafe(ended.set))
    metrics = QueueMetrics(tallies)
    async with (
        running_frontier(settings.frontier, hygiene=settings.hygiene, tallies=tallies) as frontier,
        carrying_results(frontier, settings.sinks),
        serving_frontier(frontier, settings, listener, dev=dev, metrics=metrics),
        grpc_door(frontier, settings, metrics=metrics, is_worker=announce is None),
    ):
        with ending_on_signals(ended.set):
            pause = await begin.set_pace(frontier)
            if announce is not None:
                announce()
                click.echo(f"{format_duration(pause)} between two requests to a site that asks for no pause", err=True)
            if begin.seeds:
                await add_seeds(frontier, begin.seeds)
            if announce is not None:
                for line in await frontier.run(frontier.scope.told, frontier.store):
                    click.echo(line, err=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), seconds)
    return 0


@asynccontextmanager
async def serving_frontier(
    frontier: Frontier,
    settings: Settings,
    listener: socket.socket,
    *,
    dev: bool,
    metrics: QueueMetrics | None = None,
) -> AsyncIterator[None]:
    """The frontier's door, open while the block runs; what is in flight is answered before it closes."""
    service = settings.service
    auth = AuthSettings(host=service.host, tokens=service.tokens, names=service.names, passwords=service.passwords)
    keeper = Doorkeeper(auth, owners=frontier, join_tokens=settings.frontier.join_tokens)
    door = Door(
        frontier=frontier,
        dev=dev,
        public_url=settings.frontier.public_url.rstrip("/"),
        make_example=_example_maker() if dev else None,
        metrics=metrics or QueueMetrics(),
    )
    app = create_frontier_app(door, keeper, auth=auth)
    async with serving_quietly(
        app, listener, date_header=False, backlog=1024, timeout_keep_alive=60, timeout_graceful_shutdown=5
    ):
        yield


def _spare_the_collector() -> None:
    """Requests make thousands of small objects and no cycles: looking for some costs more than decoding them."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def _supervise(
    ctx: click.Context,
    settings: Settings,
    seconds: float | None,
    seeds: Sequence[str],
    *,
    delay: str | None,
    dev: bool,
    as_json: bool,
) -> int:
    """Several scheduler processes on one socket, each started again if it dies; seeds are added once, before them."""
    if not settings.frontier.url.startswith(("postgresql://", "postgres://")):
        raise ConfigError(
            f"{settings.frontier.url} is a SQLite file, which one process writes; use --workers 1, or postgresql://…",
            option="frontier.workers",
        )
    if settings.grpc.listen.endswith(":0"):
        raise ConfigError("several processes share a port that is named; 0 is any", option="grpc.listen")
    with bind(settings.service) as listener:
        _announce(settings, listener, as_json=as_json)
        # The store's URL may hold a password: in the environment only its owner sees it, in the arguments everybody.
        hidden = {"AFRESH_FRONTIER_URL": settings.frontier.url}
        if settings.sinks.to:
            hidden["AFRESH_SINKS_TO"] = " ".join(settings.sinks.to)
        arguments = _worker_arguments(ctx, settings.frontier, delay=delay, dev=dev, listen=settings.grpc.listen)
        workers = Workers(listener, arguments, count=settings.frontier.workers, environment=hidden)
        if seeds:
            run_async(_seed(settings, seeds))
        return run_async(_watch(workers, seconds))


async def _seed(settings: Settings, seeds: Sequence[str]) -> None:
    async with running_frontier(settings.frontier, hygiene=settings.hygiene) as frontier:
        await add_seeds(frontier, seeds)


def _worker_arguments(
    ctx: click.Context, options: FrontierOptions, *, delay: str | None, dev: bool, listen: str
) -> list[str]:
    given = ctx.obj
    config = ["--config", given["config_file"]] if given["config_file"] else []
    assigned = [part for text in given["assignments"] for part in ("--set", text)]
    said = [*(["--grpc", listen] if listen else ()), *(["--delay", delay] if delay else ())]
    said += ["--stay", options.stay]
    said += [part for name in ("include", "exclude") for one in getattr(options, name) for part in (f"--{name}", one)]
    return [*config, *assigned, "serve", "--workers", "1", *said, *(["--dev"] if dev else ())]


async def _watch(workers: Workers, seconds: float | None) -> int:
    ended = asyncio.Event()
    if seconds is not None:
        asyncio.get_running_loop().call_later(seconds, ended.set)
    with ending_on_signals(ended.set):
        workers.start()
        try:
            while not ended.is_set():
                workers.revive()
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), 0.2)
        finally:
            workers.stop()
    return 0


def _announce(settings: Settings, listener: socket.socket, *, as_json: bool) -> None:
    """Where it is; a program reads it as one line, after which it may come."""
    shown = hide_password(settings.frontier.url)
    if as_json:
        click.echo(json.dumps({"address": address_of(listener), "store": shown}))
    click.echo(f"afresh frontier over {shown}; fetchers: afresh fetch --from {address_of(listener)}", err=True)


def _example_maker() -> ExampleMaker:
    from afresh.doors.rest.frontier.example import make_example  # noqa: PLC0415 (development only; loads the lab)

    return make_example
