"""A daemon with its pages and REST interface in one event loop, ended by a signal or by a time limit."""

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from urllib.parse import urlsplit

import uvicorn

from afresh.doors.cli.binding import QuietServer, address_of, bind
from afresh.doors.cli.event_loop import run_async
from afresh.doors.rest.app import create_app
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.http_bounds import BoundedHttp
from afresh.engine.daemon import Daemon

__all__ = ["address_of", "bind", "ending_on_signals", "run_async", "serving"]


@asynccontextmanager
async def serving(daemon: Daemon, listener: socket.socket) -> AsyncIterator[str]:
    """The daemon's doors, open while the block runs; yields their address."""
    settings = daemon.settings.service
    callback = urlsplit(daemon.settings.push.callback).hostname  # hubs call us by this name
    auth = AuthSettings(
        host=settings.host,
        tokens=settings.tokens,
        names=settings.names,
        passwords=settings.passwords,
        push_names=(callback,) if callback else (),
    )
    app = create_app(daemon, auth=auth)
    config = uvicorn.Config(
        app,
        http=BoundedHttp,
        ws="none",
        log_level=logging.WARNING,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    server = QuietServer(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield address_of(listener)
    finally:
        server.should_exit = True
        await task
        await app.state.runs.close()
        await app.state.trainings.close()


@contextmanager
def ending_on_signals(daemon: Daemon) -> Iterator[None]:
    """SIGINT and SIGTERM end the loop in good order: what is in flight is finished and recorded."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, daemon.loop.stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):
                loop.remove_signal_handler(number)
