"""A loopback web server with bad manners: each path misbehaves in its own way.

    async with RudeServer() as server:
        outcome = await fetcher.fetch(Request(url=server.url("/gzip-bomb")))

Paths are the names of the methods marked ``@path``; ``server.heard`` keeps the heads of all requests.
"""

import asyncio
import contextlib
import gzip
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Self

import brotli

PLAIN = b"<rss version='2.0'><channel><title>rude</title></channel></rss>"
BOMB_SIZE = 30_000_000


@dataclass(frozen=True)
class Heard:
    """One request as the server read it."""

    method: str
    target: str
    headers: dict[str, str] = field(default_factory=dict)  # lower-case names


@dataclass
class Exchange:
    """One request and the wire to answer it on."""

    heard: Heard
    writer: asyncio.StreamWriter
    server: "RudeServer"

    async def send(self, *parts: bytes) -> None:
        self.writer.write(b"".join(parts))
        await self.writer.drain()

    async def answer(self, status: str, body: bytes = b"", **headers: str) -> None:
        """A well-formed answer; header names are written with underscores."""
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.send("\r\n".join(lines).encode("utf-8", "surrogateescape"), b"\r\n\r\n", body)

    async def forever(self) -> None:
        """Waits until the other side or the server gives up."""
        await self.server.closing.wait()


Handler = Callable[["RudeServer", Exchange], Awaitable[None]]
PATHS: dict[str, Handler] = {}


def path(handler: Handler) -> Handler:
    PATHS["/" + handler.__name__.strip("_").replace("_", "-")] = handler
    return handler


class RudeServer:
    """Serves ``PATHS`` on 127.0.0.1 until the context ends."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.port = 0
        self.closing = asyncio.Event()
        self.location = ""  # where ``/redirect-to`` sends people
        self.ended: list[str] = []  # targets whose connection has been closed or lost
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def url(self, target: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{target}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**20)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self.closing.set()
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        target = ""
        try:
            while not writer.is_closing():
                first = await reader.readexactly(1)
                if first == b"\x16":  # a TLS handshake; like other plain servers, it says so in plain words
                    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    return
                heard = _read_head(first + await reader.readuntil(b"\r\n\r\n"))
                self.heard.append(heard)
                target = heard.target
                handler = PATHS.get(target.partition("?")[0], RudeServer.not_found)
                await handler(self, Exchange(heard, writer, self))
        except (asyncio.IncompleteReadError, OSError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            self.ended.append(target)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def not_found(self, x: Exchange) -> None:
        await x.answer("404 Not Found", b"nothing here")

    # --- well-behaved, for comparison ---------------------------------------------------------------------------------

    @path
    async def plain(self, x: Exchange) -> None:
        await x.answer("200 OK", PLAIN, Content_Type="application/rss+xml", ETag='"v1"')

    @path
    async def conditional(self, x: Exchange) -> None:
        """304 with a *new* ETag to whoever brings any validator."""
        if "if-none-match" in x.heard.headers or "if-modified-since" in x.heard.headers:
            await x.send(b'HTTP/1.1 304 Not Modified\r\nETag: W/"v2"\r\n\r\n')
        else:
            await x.answer("200 OK", PLAIN, ETag='"v1"')

    @path
    async def not_modified(self, x: Exchange) -> None:
        """304 whether asked conditionally or not."""
        await x.send(b"HTTP/1.1 304 Not Modified\r\n\r\n")

    @path
    async def chunked(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnews\r\n3\r\n!!!\r\n0\r\n\r\n")

    @path
    async def http10(self, x: Exchange) -> None:
        """HTTP/1.0: no length, the end of the connection is the end of the body."""
        await x.send(b"HTTP/1.0 200 OK\r\nServer: old\r\n\r\n", PLAIN)
        x.writer.close()

    @path
    async def set_cookie(self, x: Exchange) -> None:
        await x.answer("200 OK", PLAIN, Set_Cookie="id=42; Path=/")

    # --- statuses -----------------------------------------------------------------------------------------------------

    @path
    async def gone(self, x: Exchange) -> None:
        await x.answer("410 Gone")

    @path
    async def broken(self, x: Exchange) -> None:
        await x.answer("500 Internal Server Error", b"oops")

    @path
    async def busy(self, x: Exchange) -> None:
        await x.answer("503 Service Unavailable", Retry_After="30")

    @path
    async def too_many(self, x: Exchange) -> None:
        await x.answer("429 Too Many Requests", Retry_After="120")

    @path
    async def too_many_until(self, x: Exchange) -> None:
        """Retry-After as a date: 15 November 2023, noon."""
        await x.answer("429 Too Many Requests", Retry_After="Wed, 15 Nov 2023 12:00:00 GMT")

    @path
    async def too_many_by_another_clock(self, x: Exchange) -> None:
        """The same by a server whose clock says a minute to twelve, whatever ours says."""
        dates = {"Date": "Wed, 15 Nov 2023 11:59:00 GMT", "Retry_After": "Wed, 15 Nov 2023 12:00:00 GMT"}
        await x.answer("429 Too Many Requests", **dates)

    @path
    async def too_many_vague(self, x: Exchange) -> None:
        await x.answer("429 Too Many Requests", Retry_After="when hell freezes over")

    @path
    async def teapot_page(self, x: Exchange) -> None:
        """An error whose long page nobody needs to read."""
        await x.send(b"HTTP/1.1 418 Teapot\r\nContent-Length: 50000000\r\n\r\n", b"x" * 65_536)
        await x.forever()

    @path
    async def switching(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: irc\r\nConnection: upgrade\r\n\r\n")
        await x.forever()

    # --- encodings ----------------------------------------------------------------------------------------------------

    @path
    async def gzip_(self, x: Exchange) -> None:
        await x.answer("200 OK", gzip.compress(PLAIN), Content_Encoding="gzip")

    @path
    async def gzip_members(self, x: Exchange) -> None:
        body = gzip.compress(PLAIN[:20]) + gzip.compress(PLAIN[20:]) + b"\0\0\0"
        await x.answer("200 OK", body, Content_Encoding="x-gzip")

    @path
    async def deflate(self, x: Exchange) -> None:
        await x.answer("200 OK", zlib.compress(PLAIN), Content_Encoding="deflate")

    @path
    async def deflate_raw(self, x: Exchange) -> None:
        packer = zlib.compressobj(wbits=-15)
        await x.answer("200 OK", packer.compress(PLAIN) + packer.flush(), Content_Encoding="Deflate")

    @path
    async def br(self, x: Exchange) -> None:
        await x.answer("200 OK", brotli.compress(PLAIN), Content_Encoding="br")

    @path
    async def gzip_twice(self, x: Exchange) -> None:
        await x.answer("200 OK", gzip.compress(gzip.compress(PLAIN)), Content_Encoding="gzip, gzip")

    @path
    async def gzip_lie(self, x: Exchange) -> None:
        await x.answer("200 OK", PLAIN, Content_Encoding="gzip")

    @path
    async def gzip_cut(self, x: Exchange) -> None:
        await x.answer("200 OK", gzip.compress(PLAIN)[:-12], Content_Encoding="gzip")

    @path
    async def unasked_encoding(self, x: Exchange) -> None:
        await x.answer("200 OK", PLAIN, Content_Encoding="zstd")

    @path
    async def gzip_bomb(self, x: Exchange) -> None:
        await x.answer("200 OK", gzip_bomb(), Content_Encoding="gzip")

    @path
    async def gzip_bomb_nested(self, x: Exchange) -> None:
        await x.answer("200 OK", gzip.compress(gzip_bomb()), Content_Encoding="gzip, gzip")

    @path
    async def br_bomb(self, x: Exchange) -> None:
        await x.answer("200 OK", brotli_bomb(), Content_Encoding="br")

    # --- bodies -------------------------------------------------------------------------------------------------------

    @path
    async def endless(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            await x.send(b"<item/>" * 1000)

    @path
    async def endless_chunked(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            await x.send(b"400\r\n", b"x" * 1024, b"\r\n")

    @path
    async def announced_large(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        await x.forever()

    @path
    async def length_too_long(self, x: Exchange) -> None:
        """Promises more than it sends."""
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", PLAIN)
        x.writer.close()

    @path
    async def length_too_short(self, x: Exchange) -> None:
        """Sends more than it promised."""
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", PLAIN)
        x.writer.close()

    @path
    async def length_nonsense(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n", PLAIN)
        x.writer.close()

    @path
    async def bad_chunk(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnews\r\nZZZ\r\n???")
        x.writer.close()

    @path
    async def reset(self, x: Exchange) -> None:
        """Tears the connection down in mid-body."""
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x" * 1000)
        await asyncio.sleep(0.02)  # let the first part arrive, or the reset overtakes it
        sock = x.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        x.writer.transport.abort()

    # --- slowness -----------------------------------------------------------------------------------------------------

    @path
    async def silent(self, x: Exchange) -> None:
        await x.forever()

    @path
    async def slow_headers(self, x: Exchange) -> None:
        """A header line a while, for ever."""
        await x.send(b"HTTP/1.1 200 OK\r\n")
        while True:
            await x.send(b"X-Later: 1\r\n")
            await asyncio.sleep(0.02)

    @path
    async def slow_body(self, x: Exchange) -> None:
        """One byte a while: never silent long enough for the idle timeout."""
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            await x.send(b"x")
            await asyncio.sleep(0.02)

    @path
    async def stalled_body(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", PLAIN)
        await x.forever()

    # --- not HTTP -----------------------------------------------------------------------------------------------------

    @path
    async def garbage(self, x: Exchange) -> None:
        await x.send(bytes(range(256)) * 4, b"\r\n\r\n")
        x.writer.close()

    @path
    async def ssh(self, x: Exchange) -> None:
        await x.send(b"SSH-2.0-OpenSSH_9.6\r\n")
        x.writer.close()

    @path
    async def early_close(self, x: Exchange) -> None:
        x.writer.close()

    @path
    async def half_head(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
        x.writer.close()

    @path
    async def many_headers(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\n", *(b"X-%d: y\r\n" % n for n in range(10_000)), b"\r\n")
        x.writer.close()

    @path
    async def huge_header(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 OK\r\nX-Huge: ", b"y" * 500_000, b"\r\n\r\n")
        x.writer.close()

    @path
    async def huge_status(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 200 ", b"y" * 500_000, b"\r\nContent-Length: 0\r\n\r\n")
        x.writer.close()

    @path
    async def large_etag(self, x: Exchange) -> None:
        """Within the client's limit of a line, past what is worth keeping."""
        await x.answer("200 OK", PLAIN, ETag='"' + "e" * 10_000 + '"', X_Small="kept")

    @path
    async def odd_headers(self, x: Exchange) -> None:
        """UTF-8, Latin-1, repeated and empty values."""
        await x.send(
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Utf8: caf\xc3\xa9\r\nX-Latin: caf\xe9\r\n",
            b"X-Twice: a\r\nx-twice: b\r\nETag: one\r\nETag: two\r\nX-Empty:\r\n\r\n",
        )

    # --- redirects ----------------------------------------------------------------------------------------------------

    @path
    async def loop(self, x: Exchange) -> None:
        await x.answer("302 Found", Location="/loop-back")

    @path
    async def loop_back(self, x: Exchange) -> None:
        await x.answer("302 Found", Location="/loop")

    @path
    async def chain(self, x: Exchange) -> None:
        """``/chain?5`` needs five hops to ``/plain``; the statuses alternate."""
        left = int(x.heard.target.partition("?")[2])
        status = ("301 Moved", "302 Found", "307 Temporary", "308 Permanent")[left % 4]
        await x.answer(status, Location=f"chain?{left - 1}" if left > 1 else "plain")

    @path
    async def endless_chain(self, x: Exchange) -> None:
        n = int(x.heard.target.partition("?")[2] or 0)
        await x.answer("301 Moved", Location=f"?{n + 1}")

    @path
    async def redirect_to(self, x: Exchange) -> None:
        """``/redirect-to?301`` sends to ``server.location`` with that status."""
        status = x.heard.target.partition("?")[2] or "302"
        await x.answer(f"{status} Elsewhere", Location=self.location)

    @path
    async def redirect_nowhere(self, x: Exchange) -> None:
        await x.answer("302 Found")

    @path
    async def redirect_with_body(self, x: Exchange) -> None:
        await x.send(b"HTTP/1.1 301 Moved\r\nLocation: /plain\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                await x.send(b"x" * 65_536)


@cache
def gzip_bomb() -> bytes:
    return gzip.compress(bytes(BOMB_SIZE))


@cache
def brotli_bomb() -> bytes:
    return brotli.compress(bytes(BOMB_SIZE), quality=5)


def _read_head(head: bytes) -> Heard:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.lower()] = value.strip()
    return Heard(method, target, headers)
