"""Messages of a stream in batches: all that have arrived, up to a bound past which the client is made to wait."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc

_END: Final = object()
_MOMENT = 0.002  # seconds


async def batches(read: Callable[[], Awaitable[Any]], *, most: int, waiting: int) -> AsyncIterator[list[bytes]]:
    """What ``read`` gives until the end of the stream, as it arrives, at most so many messages together.

    No more than ``waiting`` are kept for whoever works on them: then nothing is read, and the flow control of HTTP/2
    lets the client wait. While a stream flows, a moment is waited for more: what is written together costs less.
    """
    arrived: asyncio.Queue[Any] = asyncio.Queue(waiting)
    reading = asyncio.create_task(_fill(arrived, read))
    reading.add_done_callback(lambda _: _wake(arrived))
    is_flowing = False
    try:
        while not (reading.done() and arrived.empty()):
            batch = [await arrived.get()]
            if is_flowing and arrived.qsize() < most:
                await asyncio.sleep(_MOMENT)
            while len(batch) < most and not arrived.empty():
                batch.append(arrived.get_nowait())
            is_flowing = len(batch) > 1
            messages = [message for message in batch if message is not _END]
            if messages:
                yield messages
        await reading  # says what ended the stream, if it was not the client
    finally:
        reading.cancel()


async def _fill(arrived: "asyncio.Queue[Any]", read: Callable[[], Awaitable[Any]]) -> None:
    while (message := await read()) is not grpc.aio.EOF:
        await arrived.put(message)


def _wake(arrived: "asyncio.Queue[Any]") -> None:
    """Whoever waits for a message is told that there are no more; whoever does not will see."""
    if arrived.empty():
        arrived.put_nowait(_END)
