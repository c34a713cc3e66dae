"""One connection to a server: a request goes out, its answer comes back, then the next (HTTP/1.1).

An answer is awaited as a whole, so a request costs one wait however many pieces come. Silence, total time and how long
the connection is kept for the next request are watched by one timer, which is seldom set anew. Time in which this
process stood still (a laptop asleep, a machine without a processor to spare) is nobody's silence: an answer that came
meanwhile is read before anybody is told that none came.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from afresh.base.errors import FetchError
from afresh.http.answer import Answer, ConnectionEnded
from afresh.http.failures import SILENT, SLOW

if TYPE_CHECKING:
    from afresh.base.settings.sections import FetchSettings

#: A timer that rings so many seconds late rings in a process that stood still.
STOOD_STILL = 0.5
_TO_READ = 0.1  # seconds until the loop has read what came meanwhile
#: Wraps a connection that stands: its transport and protocol in, the transport that encrypts out.
StartTls = Callable[[asyncio.Transport, asyncio.Protocol], Awaitable[asyncio.Transport | None]]


class Connection(asyncio.Protocol):
    """Asks one request at a time; whatever goes wrong ends it."""

    def __init__(self, settings: FetchSettings, loop: asyncio.AbstractEventLoop) -> None:
        self._settings, self._loop = settings, loop
        self._transport: asyncio.Transport | None = None
        self._answer: Answer | None = None
        self._answered: asyncio.Future[None] | None = None
        self._timer: asyncio.Handle | None = None
        self._heard = self._deadline = self._rings = 0.0  # the timer knows when only if it has to wait (uvloop)

    def is_ready(self) -> bool:
        """Whether another request may be asked: nobody hung up, and nobody is about to."""
        if self._transport is None or self._transport.is_closing():
            return False
        return self._loop.time() - self._heard < self._settings.keep_alive

    async def ask(self, request: bytes, answer: Answer, *, seconds: float) -> None:
        """Returns when all that is wanted of the answer is there."""
        if self._transport is None:
            raise ConnectionEnded("the connection ended before anything was asked")
        settings, loop = self._settings, self._loop
        self._answer, self._answered = answer, loop.create_future()
        self._heard = now = loop.time()
        self._deadline = now + seconds
        self._look_again(min(seconds, settings.read_timeout, settings.keep_alive))
        self._transport.write(request)
        try:
            await self._answered
        finally:
            answer.close()
            self._answer = self._answered = None
            if not answer.may_stay:
                self.abort()

    def peer(self) -> str:
        """The address that it is connected to; '': none any more."""
        name = self._transport.get_extra_info("peername") if self._transport is not None else None
        return str(name[0]) if name else ""

    def abort(self) -> None:
        """Ends the connection at once; whoever waits for an answer is told."""
        if self._transport is not None:
            self._transport.abort()

    async def encrypt(self, start_tls: StartTls) -> None:
        """What is asked from now on is encrypted."""
        assert self._transport is not None
        self._transport = await start_tls(self._transport, self)

    # --- what the event loop calls ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is not a subclass
        self._heard = self._loop.time()

    def data_received(self, data: bytes) -> None:
        answer, answered = self._answer, self._answered
        if answer is None or answered is None or answered.done():
            self.abort()  # nobody asked
            return
        self._heard = self._loop.time()
        try:
            if answer.feed(data):
                answered.set_result(None)
        except FetchError as error:
            answered.set_exception(error)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()
        answer, answered = self._answer, self._answered
        if answer is None or answered is None or answered.done():
            return
        if (trouble := error or answer.cut_short()) is not None:
            answered.set_exception(trouble)
        else:
            answered.set_result(None)

    # --- time ---------------------------------------------------------------------------------------------------------

    def _look_again(self, seconds: float) -> None:
        """After so long at the latest; a timer that rings earlier finds out by itself that there is time left."""
        when = self._loop.time() + seconds
        if self._timer is not None:
            if not self._timer.cancelled() and self._rings <= when:
                return
            self._timer.cancel()
        self._timer, self._rings = self._loop.call_at(when, self._look), when

    def _look(self) -> None:
        now, settings, answered = self._loop.time(), self._settings, self._answered
        late = 0.0 if self._timer is None else now - self._rings
        self._timer = None
        if answered is not None and late > STOOD_STILL:
            self._deadline += late
            self._look_again(_TO_READ)
            return
        left = self._heard + (settings.keep_alive if answered is None else settings.read_timeout) - now
        if answered is not None:
            left = min(left, self._deadline - now)
        if left > 0:
            self._look_again(min(left, settings.keep_alive))
        elif answered is None:
            self.abort()
        elif not answered.done():
            words = SILENT if now < self._deadline else SLOW
            answered.set_exception(TimeoutError(words))
