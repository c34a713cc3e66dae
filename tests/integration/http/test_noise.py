"""Whatever bytes a server sends, the fetcher answers with an outcome and stays usable."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.base.models import Failed, Fetched, NotModified, Outcome, Rejected, Request
from afresh.base.settings.sections import LOOPBACK, FetchSettings
from afresh.http.client import HttpFetcher
from tests.fakes.clocks import StillClock

PIECES = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 301 Moved\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 304 Not Modified\r\n",
        b"HTTP/9.9 999 Wat\r\n",
        b"Content-Length: 5\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Content-Encoding: br\r\n",
        b"Location: http://[::1\r\n",
        b"Location: //\xff\xfe/\r\n",
        b"Retry-After: \xb2\r\n",
        b"\r\n",
        b"5\r\nhello\r\n",
        b"0\r\n\r\n",
        b"\x1f\x8b\x08\x00",
        b": no name\r\n",
        b"\x00\r\n",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES | st.binary(max_size=30), max_size=12).map(b"".join))
def test_noise_is_an_outcome(noise: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(noise)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def scene() -> Outcome:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        limits = FetchSettings(allowed_networks=LOOPBACK, total_timeout=2.0, max_redirects=2)
        async with server, HttpFetcher(limits, clock=StillClock()) as fetcher:
            return await fetcher.fetch(Request(url=f"http://127.0.0.1:{port}/", etag='"x"'))

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Fetched | NotModified | Rejected | Failed)
    "\n".join(f"{name}: {value}" for name, value in outcome.trip.headers.items()).encode("utf-8")
