"""Messages of a stream in batches: all that have arrived, up to a bound past which the client is made to wait."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc

_END: Final = object()


async def batches(read: Callable[[], Awaitable[Any]], *, most: int, waiting: int) -> AsyncIterator[list[bytes]]:
    """What ``read`` gives until the end of the stream, as it arrives, at most so many messages together.

    No more than ``waiting`` are kept for whoever works on them: then nothing is read, and the flow control of HTTP/2
    lets the client wait.
    """
    arrived: asyncio.Queue[Any] = asyncio.Queue(waiting)
    reading = asyncio.create_task(_fill(arrived, read))
    try:
        while True:
            batch = [await arrived.get()]
            while batch[-1] is not _END and len(batch) < most and not arrived.empty():
                batch.append(arrived.get_nowait())
            if batch[-1] is not _END:
                yield batch
                continue
            if batch[:-1]:
                yield batch[:-1]
            await reading  # says what ended the stream, if it was not the client
            return
    finally:
        reading.cancel()


async def _fill(arrived: "asyncio.Queue[Any]", read: Callable[[], Awaitable[Any]]) -> None:
    try:
        while (message := await read()) is not grpc.aio.EOF:
            await arrived.put(message)
    finally:
        await arrived.put(_END)
