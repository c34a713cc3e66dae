"""A connection's sense of time: silence of the server counts, a standstill of our own does not."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from afresh.base.settings.sections import FetchSettings
from afresh.http.answer import Answer
from afresh.http.connection import Connection

SETTINGS = FetchSettings(read_timeout=5.0, total_timeout=20.0)
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnews"


class Bell:
    """A timer that rings when it is told to; like uvloop's, it cannot always be asked when that is."""

    def __init__(self, at: float, ring: Callable[[], None]) -> None:
        self.at, self.ring, self._is_off = at, ring, False

    def cancel(self) -> None:
        self._is_off = True

    def cancelled(self) -> bool:
        return self._is_off


class HandLoop:
    """As much of an event loop as a connection uses, with a clock that somebody sets."""

    def __init__(self) -> None:
        self.now = 100.0
        self.bell: Bell | None = None

    def time(self) -> float:
        return self.now

    def create_future(self) -> "asyncio.Future[None]":
        return asyncio.get_running_loop().create_future()

    def call_at(self, when: float, callback: Callable[[], None]) -> Bell:
        self.bell = Bell(when, callback)
        return self.bell

    def ring(self, late: float = 0.0) -> None:
        """The time of the next timer comes, or goes by unnoticed for a while."""
        assert self.bell is not None
        bell, self.bell = self.bell, None
        self.now = bell.at + late
        bell.ring()


class Wire(asyncio.Transport):
    """Takes everything."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def abort(self) -> None:
        pass


async def asked(loop: HandLoop, answer: Answer) -> tuple[Connection, "asyncio.Task[None]"]:
    connection = Connection(SETTINGS, cast("asyncio.AbstractEventLoop", loop))
    connection.connection_made(Wire())
    asking = asyncio.create_task(connection.ask(b"GET / HTTP/1.1\r\n\r\n", answer, seconds=20.0))
    await asyncio.sleep(0)
    return connection, asking


def test_an_answer_that_came_while_we_stood_still_is_read() -> None:
    async def scene() -> bytes:
        loop, answer = HandLoop(), Answer(limit=1_000)
        connection, asking = await asked(loop, answer)
        loop.ring(late=60.0)  # the loop looks at timers first, at sockets then
        connection.data_received(WHOLE)
        await asyncio.wait_for(asking, 10.0)
        return answer.body

    assert asyncio.run(scene()) == b"news"


def test_who_is_silent_after_a_standstill_is_given_up_at_once() -> None:
    async def scene() -> float:
        loop = HandLoop()
        _, asking = await asked(loop, Answer(limit=1_000))
        loop.ring(late=60.0)
        awake = loop.now
        loop.ring()
        with pytest.raises(TimeoutError, match="silent"):
            await asyncio.wait_for(asking, 10.0)
        return loop.now - awake

    assert asyncio.run(scene()) < 1.0


def test_a_standstill_does_not_use_up_the_time_of_an_answer() -> None:
    async def scene() -> bytes:
        loop, answer = HandLoop(), Answer(limit=1_000)
        connection, asking = await asked(loop, answer)
        loop.ring(late=60.0)
        connection.data_received(WHOLE[:-2])
        loop.ring()
        connection.data_received(WHOLE[-2:])
        await asyncio.wait_for(asking, 10.0)
        return answer.body

    assert asyncio.run(scene()) == b"news"


def test_a_silent_server_is_given_up() -> None:
    async def scene() -> None:
        loop = HandLoop()
        _, asking = await asked(loop, Answer(limit=1_000))
        while loop.now < 100.0 + SETTINGS.read_timeout:
            loop.ring(late=0.01)
        with pytest.raises(TimeoutError, match="silent"):
            await asyncio.wait_for(asking, 10.0)

    asyncio.run(scene())


def test_on_uvloop_a_wait_of_next_to_nothing_is_a_wait() -> None:
    """Its timers are other objects where they ring at once; a connection whose silence was over then hung for ever."""
    uvloop = pytest.importorskip("uvloop", reason="left out: needs uvloop")

    async def scene() -> None:
        settings = FetchSettings(read_timeout=0.0004, total_timeout=20.0)
        connection = Connection(settings, asyncio.get_running_loop())
        connection.connection_made(Wire())
        await connection.ask(b"GET / HTTP/1.1\r\n\r\n", Answer(limit=100), seconds=20.0)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner, pytest.raises(TimeoutError, match="silent"):
        runner.run(asyncio.wait_for(scene(), 5.0))
