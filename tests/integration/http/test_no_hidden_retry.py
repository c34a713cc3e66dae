"""A kept connection that the server closes must not make the client ask a second time on its own."""

import asyncio

from afresh.base.models import Failed, NotModified, Outcome, Request
from afresh.base.settings.sections import LOOPBACK, FetchSettings
from afresh.http.client import HttpFetcher
from tests.fakes.clocks import RealClock


def test_a_dropped_connection_is_one_request_not_two() -> None:
    asked = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the first request of a connection, drops it at the second."""
        nonlocal asked
        await reader.readuntil(b"\r\n\r\n")
        asked += 1
        writer.write(b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n')
        await writer.drain()
        await reader.readuntil(b"\r\n\r\n")
        asked += 1
        writer.close()

    async def scenario() -> list[Outcome]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        fetcher = HttpFetcher(FetchSettings(allowed_networks=LOOPBACK), clock=RealClock())
        request = Request(url=f"http://127.0.0.1:{port}/", etag='"1"')
        outcomes = [await fetcher.fetch(request) for _ in range(2)]
        await fetcher.close()
        server.close()
        await server.wait_closed()
        return outcomes

    first, second = asyncio.run(scenario())
    assert isinstance(first, NotModified)
    assert isinstance(second, Failed)
    assert asked == 2
