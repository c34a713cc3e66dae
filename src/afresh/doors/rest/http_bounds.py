"""HTTP on the wire, with bounds the server library has not: how large a head is, how slowly it comes, how many connect.

uvicorn gathers request line and header lines as they arrive, however many, and waits for the rest however long. Both
happen before anybody could be asked for a token, so both end here. It also lets connections pile up until no descriptor
is left for anybody, ourselves included: here the one that has been idle longest makes room for the next.
"""

import asyncio
import logging
from functools import cache
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD = 65_536  # bytes of request line and headers
PATIENCE = 30.0  # seconds until a head must be complete; kept-alive connections end by uvicorn's own clock
_MOST, _LEAST = 4_096, 32  # connections at a time, within half of the descriptors there are
_log = logging.getLogger(__name__)


@cache
def most_connections() -> int:
    """How many may be open at a time: the other half of the descriptors is for fetching and for the store."""
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if soft < 0 else max(_LEAST, min(_MOST, soft // 2))


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's protocol that hangs up on whoever sends a head without end."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head = 0  # bytes received of a head that is not complete
        self._is_head = True
        self._deadline: asyncio.TimerHandle | None = None
        self._idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        if len(self.connections) > most_connections():
            self._make_room()
        self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._settle()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_head and not self.transport.is_closing():
            self._head += len(data)
            if self._head > MAX_HEAD:
                self._refuse(431, "Request Header Fields Too Large")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_head, self._head = True, 0
        if self._deadline is None:
            self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def on_headers_complete(self) -> None:
        self._is_head = False
        self._settle()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    @property
    def _is_idle(self) -> bool:
        """Whether nothing is being answered."""
        cycle: Any = self.cycle  # None before the first request, whatever uvicorn's types say
        return (cycle is None or cycle.response_complete) and not self.transport.is_closing()

    def _make_room(self) -> None:
        """The connection that has been idle longest ends; if all others are at work, this one."""
        others = (one for one in self.connections if one is not self and isinstance(one, BoundedHttp) and one._is_idle)
        idlest = min(others, key=lambda one: one._idle_since, default=self)
        _log.warning("too many connections at the port (%d): an idle one is closed", len(self.connections))
        idlest._refuse(503, "Service Unavailable")

    def _settle(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self._refuse(408, "Request Timeout")

    def _refuse(self, status: int, reason: str) -> None:
        if not self.transport.is_closing():
            head = f"HTTP/1.1 {status} {reason}\r\ncontent-length: 0\r\nretry-after: 1\r\nconnection: close\r\n\r\n"
            self.transport.write(head.encode())
            self.transport.close()
