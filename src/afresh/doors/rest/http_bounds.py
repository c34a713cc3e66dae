"""HTTP on the wire, with bounds the server library has not: how large the head of a request is, how slowly it comes.

uvicorn gathers request line and header lines as they arrive, however many, and waits for the rest however long. Both
happen before anybody could be asked for a token, so both end here.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD = 65_536  # bytes of request line and headers
PATIENCE = 30.0  # seconds until a head must be complete; kept-alive connections end by uvicorn's own clock


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's protocol that hangs up on whoever sends a head without end."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head = 0  # bytes received of a head that is not complete
        self._is_head = True
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
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

    def _settle(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self._refuse(408, "Request Timeout")

    def _refuse(self, status: int, reason: str) -> None:
        if not self.transport.is_closing():
            head = f"HTTP/1.1 {status} {reason}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            self.transport.write(head.encode())
            self.transport.close()
