"""A daemon's doors: its pages and its REST interface, in the daemon's own event loop."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from afresh.doors.cli.quiet_server import serving_quietly
from afresh.doors.listening import address_of
from afresh.doors.rest.app import create_app
from afresh.doors.rest.auth import AuthSettings
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
    try:
        async with serving_quietly(app, listener, timeout_graceful_shutdown=3):
            yield address_of(listener)
    finally:
        await app.state.runs.close()
        await app.state.trainings.close()
