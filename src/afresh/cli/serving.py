"""A daemon with its pages and REST interface in one event loop, ended by a signal or by a time limit."""

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import uvicorn

from afresh.config import ServiceSettings
from afresh.errors import ConfigError
from afresh.service.app import create_app
from afresh.service.auth import AuthSettings, require_safe_bind
from afresh.wiring.daemon import Daemon


class _Server(uvicorn.Server):
    """uvicorn without its own signal handlers: the daemon decides when to end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bind(settings: ServiceSettings) -> socket.socket:
    """The listening socket; refuses what would be unsafe before anything else is started."""
    require_safe_bind(settings.host, settings.tokens)
    try:
        return socket.create_server((settings.host, settings.port), family=_family(settings.host), backlog=256)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}; "
            "is another afresh running? --port 0 takes any free port",
            option="service.port",
        ) from error


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


@asynccontextmanager
async def serving(daemon: Daemon, listener: socket.socket) -> AsyncIterator[str]:
    """The daemon's doors, open while the block runs; yields their address."""
    settings = daemon.settings.service
    auth = AuthSettings(host=settings.host, tokens=settings.tokens, names=settings.names)
    config = uvicorn.Config(
        create_app(daemon, auth=auth),
        log_level=logging.WARNING,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield address_of(listener)
    finally:
        server.should_exit = True
        await task


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


def run_async(main: Coroutine[Any, Any, int]) -> int:
    """Run on uvloop where there is one."""
    try:
        import uvloop  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
