"""A daemon's doors: its pages and its REST interface, in the daemon's own event loop."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import uvicorn

from afresh.doors.cli.binding import address_of
from afresh.doors.cli.quiet_server import QuietServer
from afresh.doors.rest.app import create_app
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.http_bounds import BoundedHttp
from afresh.engine.daemon import Daemon


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
