"""A lean HTTP/1.1 client, one request at a time: what it saves is left for the scheduler beside it."""

import asyncio
from dataclasses import dataclass
from typing import cast

_LAST_CHUNK = b"0\r\n\r\n"  # of a list, which ends with a brace: it cannot be a part of one


class Broken(Exception):
    """The connection ended before a whole answer was there."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Status and body."""

    status: int
    body: bytes


class Connection(asyncio.Protocol):
    """Sends a request, collects the answer. It understands what our own server sends: a length, or chunks."""

    def __init__(self, host: str, port: int, token: str = "") -> None:
        self._host, self._port = host, port
        self._authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        self._transport: asyncio.Transport | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._wanted = -1  # bytes of head and body together; -1: the head is not complete
        self._status = 0
        self._start = 0
        self._is_chunked = False
        self._waiter: asyncio.Future[Reply] | None = None

    async def post(self, path: str, body: bytes, *, method: str = "POST", kind: str = "application/json") -> Reply:
        """The answer; Broken if the server went away."""
        if self._transport is None:
            try:
                await asyncio.get_running_loop().create_connection(lambda: self, self._host, self._port)
            except OSError as error:
                raise Broken(str(error)) from error
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n{self._authorization}"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._parts, self._size, self._wanted = [], 0, -1
        waiter: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiter = waiter
        transport = self._transport
        if transport is None:
            raise Broken("lost before it was used")
        transport.write(head.encode() + body)
        return await waiter

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # --- asyncio calls these ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own is no subclass

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_exception(Broken(str(exc or "closed")))

    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        self._size += len(data)
        if self._wanted < 0:
            whole = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            self._parts = [whole]
            end = whole.find(b"\r\n\r\n")
            if end < 0:
                return
            self._read_head(whole[:end], end + 4)
        if self._is_chunked:
            if data.endswith(_LAST_CHUNK):
                self._answer(_joined(b"".join(self._parts)[self._start :]))
        elif self._size >= self._wanted:
            self._answer(b"".join(self._parts)[self._start : self._wanted])

    def _answer(self, body: bytes) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(Reply(self._status, body))

    def _read_head(self, head: bytes, start: int) -> None:
        lines = head.lower().split(b"\r\n")
        self._status = int(lines[0].split(b" ", 2)[1])
        length = next((line for line in lines if line.startswith(b"content-length:")), b":0")
        self._start, self._wanted = start, start + int(length.partition(b":")[2])
        self._is_chunked = b"transfer-encoding: chunked" in lines


def _joined(chunks: bytes) -> bytes:
    """The body of which these are the chunks."""
    parts: list[bytes] = []
    place = 0
    while True:
        end = chunks.index(b"\r\n", place)
        size = int(chunks[place:end], 16)
        if not size:
            return b"".join(parts)
        parts.append(chunks[end + 2 : end + 2 + size])
        place = end + 4 + size
