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
from afresh.base.errors import ConfigError, StoreAway
from afresh.base.passwords import hide_password
from afresh.base.settings import Settings
from afresh.base.settings.sections import SinkSettings
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.grpc_door import grpc_door, need_grpc
from afresh.doors.cli.logs import set_up_logs
from afresh.doors.cli.output import clean, json_option, sink_option
from afresh.doors.cli.quiet_server import serving_quietly
from afresh.doors.cli.running_sinks import carrying_results, where_results_go
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

_AGAIN = 1.0  # seconds until a store that is away is looked for again


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
    help="Follow links everywhere (at first), or only to the hosts or domains of seeds and of what is added; kept.",
)
@click.option(
    "--include", multiple=True, metavar="PATTERN", help="Only links that match, a regular expression; kept ('': all)."
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Never what matches, a regular expression; kept ('': nothing)."
)
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    metavar="LINKS",
    help="Follow links so far from the seeds, and no farther; kept (0: as far as they lead).",
)
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
    depth: int | None,
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
        frontier__depth=depth,
        grpc__listen=grpc,
        sinks__to=sinks or None,
    )
    settings = loaded.settings
    seconds = parse_duration(duration) if duration else None
    set_up_logs(settings.log.level)
    need_grpc(settings)
    begin = Beginning(seeds_named(seeds), None if delay is None else parse_duration(delay), settings.sinks)
    if settings.frontier.workers > 1 and fd is None:
        return _supervise(ctx, settings, seconds, begin, dev=dev, as_json=as_json)
    _spare_the_collector()
    listener = socket.socket(fileno=fd) if fd is not None else bind(settings.service)
    with listener:
        announce = None
        if fd is None:
            announce = partial(_announce, settings, listener, as_json=as_json)
        else:
            settings = replace(settings, frontier=replace(settings.frontier, stay="", include=(), exclude=()))
        numbers = Tallies(tallies, place=place)
        return run_async(
            _serve(settings, listener, seconds, begin, numbers, dev=dev, announce=announce, lifeline=lifeline)
        )


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is done once, before anybody comes."""

    seeds: Sequence[str]
    delay: float | None  # None: as the frontier has it
    sinks: SinkSettings

    async def set_pace(self, frontier: Frontier) -> float:
        """Seconds between two requests to a site that asks for no pause, from now on."""
        settings = await frontier.settings()
        if self.delay is not None and self.delay != settings.default_delay:
            settings = await frontier.put_settings(replace(settings, default_delay=self.delay))
        return settings.default_delay

    async def tell(self, frontier: Frontier, pause: float) -> None:
        """How fast and how far it goes, where results go, and what became of the seeds, which are added now."""
        click.echo(f"{format_duration(pause)} between two requests to a site that asks for no pause", err=True)
        if self.seeds:
            await add_seeds(frontier, self.seeds)
        lines = await frontier.run(frontier.scope.told, frontier.store)
        lines += await frontier.run(where_results_go, frontier.store, self.sinks)
        for line in lines:
            click.echo(clean(line), err=True)


async def _serve(
    settings: Settings,
    listener: socket.socket,
    seconds: float | None,
    begin: Beginning,
    tallies: Tallies,
    *,
    dev: bool,
    announce: Callable[[], None] | None,  # None: it is one of several, and what is said and done once was
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
            if announce is not None:
                pause = await begin.set_pace(frontier)
                announce()
                await begin.tell(frontier, pause)
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
    begin: Beginning,
    *,
    dev: bool,
    as_json: bool,
) -> int:
    """Several scheduler processes on one socket, each started again if it dies; what is done once is done before them.

    They have pace and scope from the store: one that is started again must not say again what was changed meanwhile.
    """
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
        arguments = _worker_arguments(ctx, dev=dev, listen=settings.grpc.listen)
        workers = Workers(listener, arguments, count=settings.frontier.workers, environment=hidden)
        return run_async(_watch(workers, seconds, settings, begin))


def _worker_arguments(ctx: click.Context, *, dev: bool, listen: str) -> list[str]:
    given = ctx.obj
    config = ["--config", given["config_file"]] if given["config_file"] else []
    assigned = [part for text in given["assignments"] for part in ("--set", text)]
    said = ["--grpc", listen] if listen else []
    return [*config, *assigned, "serve", "--workers", "1", *said, *(["--dev"] if dev else ())]


async def _begin(settings: Settings, begin: Beginning, ended: asyncio.Event) -> None:
    """Before the processes start; a store that is away is waited for, as they would."""
    has_told = False
    while not ended.is_set():
        try:
            async with running_frontier(settings.frontier, hygiene=settings.hygiene) as frontier:
                await begin.tell(frontier, await begin.set_pace(frontier))
            return
        except StoreAway as error:
            if not has_told:
                click.echo(f"{clean(str(error))}; it is waited for", err=True)
            has_told = True
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), _AGAIN)


async def _watch(workers: Workers, seconds: float | None, settings: Settings, begin: Beginning) -> int:
    ended = asyncio.Event()
    if seconds is not None:
        asyncio.get_running_loop().call_later(seconds, ended.set)
    with ending_on_signals(ended.set):
        await _begin(settings, begin, ended)
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
