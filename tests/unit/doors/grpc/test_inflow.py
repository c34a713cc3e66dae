"""Messages of a stream come in batches, in order, and no more are read than somebody works on."""

import asyncio
from collections.abc import Awaitable, Callable

import grpc
import pytest

from afresh.doors.grpc.inflow import batches


def reader(
    messages: list[bytes], *, error: Exception | None = None
) -> tuple[Callable[[], Awaitable[object]], list[bytes]]:
    left, taken = list(messages), []

    async def read() -> object:
        await asyncio.sleep(0)
        if left:
            taken.append(left[0])
            return left.pop(0)
        if error is not None:
            raise error
        return grpc.aio.EOF

    return read, taken


def test_all_messages_come_in_order_and_never_too_many_at_once() -> None:
    sent = [b"%d" % number for number in range(100)]
    read, _ = reader(sent)

    async def collect() -> list[list[bytes]]:
        found = []
        async for batch in batches(read, most=7, waiting=20):
            found.append(batch)
            for _ in range(50):  # work, during which others arrive
                await asyncio.sleep(0)
        return found

    got = asyncio.run(collect())
    assert [message for batch in got for message in batch] == sent
    assert max(map(len, got)) <= 7
    assert len(got) < 50


def test_nothing_is_read_that_nobody_has_room_for() -> None:
    read, taken = reader([b"x"] * 1_000)

    async def look() -> int:
        stream = batches(read, most=4, waiting=10)
        await anext(stream)
        for _ in range(500):
            await asyncio.sleep(0)
        await stream.aclose()  # the client has left: nothing goes on waiting for room
        return len(taken)

    assert 10 <= asyncio.run(look()) <= 4 + 10 + 1


def test_what_was_read_before_an_error_is_worked_off_first() -> None:
    read, _ = reader([b"a", b"b"], error=OSError("broken"))
    got: list[bytes] = []

    async def collect() -> None:
        async for batch in batches(read, most=10, waiting=10):
            got.extend(batch)

    with pytest.raises(OSError, match="broken"):
        asyncio.run(collect())
    assert got == [b"a", b"b"]
