"""Opens the gRPC door of a frontier, if the settings say where."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import click

from afresh.base.errors import ConfigError
from afresh.base.extras import is_installed, missing
from afresh.base.settings import Settings
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.queue_metrics import QueueMetrics
from afresh.doors.rest.who_asks import Doorkeeper
from afresh.frontier.queues import Queues
from afresh.frontier.scheduling import Frontier
from afresh.frontier.service import running_frontier


def need_grpc(settings: Settings) -> None:
    """Before anything is opened: ConfigError where the door is wanted and its packages are missing."""
    if settings.grpc.listen and not is_installed("grpc"):
        raise ConfigError(missing("grpc", "grpc.listen (--grpc)"), option="grpc.listen")


@asynccontextmanager
async def grpc_door(
    frontier: Frontier, settings: Settings, *, metrics: QueueMetrics, is_worker: bool = False
) -> AsyncIterator[None]:
    """The door, open while the block runs; closed all along where ``grpc.listen`` is empty."""
    if not settings.grpc.listen:
        yield
        return
    from afresh.doors.grpc.server import require_safe_grpc, serving_grpc  # noqa: PLC0415 (optional extra)

    service = settings.service
    is_guarded = bool(service.tokens or service.passwords)
    require_safe_grpc(settings.grpc, is_guarded=is_guarded)
    auth = AuthSettings() if settings.grpc.open else AuthSettings(tokens=service.tokens, passwords=service.passwords)
    keeper = Doorkeeper(auth, owners=frontier, join_tokens=settings.frontier.join_tokens)
    async with serving_grpc(
        Queues(frontier),
        settings.grpc,
        keeper=keeper,
        metrics=metrics,
        shared_port=is_worker,
    ) as listening:
        if not is_worker:
            click.echo(f"URLFrontier clients: {listening.address}", err=True)
        yield


@asynccontextmanager
async def frontier_beside(settings: Settings) -> AsyncIterator[None]:
    """A frontier of its own beside a daemon, with this door only; its store is called in a thread."""
    need_grpc(settings)
    async with (
        running_frontier(settings.frontier, hygiene=settings.hygiene, in_place=False) as frontier,
        grpc_door(frontier, settings, metrics=QueueMetrics()),
    ):
        yield
