"""The process that keeps the frontier, seen from the Scrapy process: started, asked, started again if it ends."""

import asyncio
import os
from contextlib import suppress

import msgspec

from afresh.base.child_process import command_of, framed, receive
from afresh.base.errors import StoreError
from afresh.doors.scrapy.messages import Answer, Message, Opening

_LAST_WORDS = 10.0  # seconds it has to end by itself


class FrontierLost(StoreError):
    """The frontier cannot be asked."""


class FrontierProcess:
    """One question at a time, each with its answer."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._process: asyncio.subprocess.Process | None = None
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Answer).decode

    async def start(self) -> None:
        """FrontierLost, with the reason, if the frontier cannot be opened."""
        process = self._process = await asyncio.create_subprocess_exec(
            *command_of("afresh.doors.scrapy.frontier_child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            process_group=0,  # an interrupt from the keyboard is for Scrapy, which ends what it has begun
        )
        assert process.stdout is not None
        try:
            await receive(process.stdout)
            answer = await self._ask(self._encode(self._opening))
        except (EOFError, OSError) as error:
            raise FrontierLost("the process that keeps the frontier ended while it started") from error
        if answer.error:
            raise FrontierLost(answer.error)

    async def ask(self, message: Message) -> Answer:
        """EOFError or OSError if it has ended."""
        return await self._ask(self._encode(message))

    async def _ask(self, content: bytes) -> Answer:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(framed(content))
        await self._process.stdin.drain()
        return self._decode(await receive(self._process.stdout))

    async def stop(self) -> None:
        """It ends when its input does; harmless when repeated."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _LAST_WORDS)
        except TimeoutError:
            process.kill()
            await process.wait()
