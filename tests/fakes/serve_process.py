"""``afresh serve`` as a real process that may be killed and started again at the same address."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.ending import ended


class ServeProcess:
    """One frontier over a SQLite file, at one address through all its lives."""

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port: int = free.getsockname()[1]
        place = ["--port", str(self._port), "--store", str(folder / "frontier.db")]
        self._arguments = ["--set", "frontier.allow_private=true", "serve", *place, *options]
        self.address = f"http://127.0.0.1:{self._port}/"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "afresh", *self._arguments, stderr=asyncio.subprocess.PIPE
        )
        assert self._process.stderr is not None
        line = (await self._process.stderr.readline()).decode()
        assert "afresh fetch --from" in line, line + (await self._process.stderr.read()).decode()

    async def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        await self._process.wait()

    async def end(self) -> None:
        assert self._process is not None
        _, rest = await ended(self._process)
        assert self._process.returncode == 0, rest
        assert "Traceback" not in rest, rest


@asynccontextmanager
async def serving(folder: Path, *options: str) -> AsyncIterator[ServeProcess]:
    process = ServeProcess(folder, *options)
    await process.start()
    try:
        yield process
    finally:
        await process.end()
