"""A web server that leaves signals alone."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

from afresh.doors.rest.http_bounds import BoundedHttp


class QuietServer(uvicorn.Server):
    """uvicorn without its own signal handlers: the command decides when to end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving_quietly(app: Any, listener: socket.socket, **options: Any) -> AsyncIterator[None]:
    """An application at a socket while the block runs; what is in flight is answered before it closes."""
    config = uvicorn.Config(
        app,
        http=BoundedHttp,
        ws="none",
        log_level=logging.WARNING,
        access_log=False,
        lifespan="off",
        server_header=False,
        **options,
    )
    server = QuietServer(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task
