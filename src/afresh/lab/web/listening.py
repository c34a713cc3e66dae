"""What every web of the lab shares: it listens on loopback for as long as a block lasts, or until it is stopped."""

from typing import Self

from aiohttp import web

_BACKLOG = 1024  # a daemon may begin with a request to every site at once


class LoopbackWeb:
    """Listens and hands each request to ``_handle``; ``_settle`` is told the port before the first one."""

    port = 0  # 0: does not listen yet
    #: Whether a handler is cancelled when its visitor leaves.
    cancels_handlers = False
    _runner: web.ServerRunner | None = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        raise NotImplementedError

    def _settle(self, port: int) -> None:
        self.port = port

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listens; port 0 takes a free one. Raises OSError when the port is in use."""
        server = web.Server(self._handle, handler_cancellation=self.cancels_handlers, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port, backlog=_BACKLOG).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        self._settle(int(runner.addresses[0][1]))

    async def stop(self) -> None:
        """Stops listening and drops what is open; harmless when not started."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
