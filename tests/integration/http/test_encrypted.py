"""Pages over TLS: from a server that is trusted, from one that is not, and through a proxy."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import uvloop

from afresh.base.models import Failed, Failure, Fetched, Outcome, Request
from afresh.base.settings.sections import LOOPBACK, FetchSettings
from afresh.http.access import access
from afresh.http.client import HttpFetcher
from tests.fakes.certificate import server_context, trusting_context
from tests.fakes.clocks import RealClock

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
SETTINGS = FetchSettings(allowed_networks=LOOPBACK)


Runner = Callable[[Coroutine[Any, Any, Any]], Any]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of a server that leaves nothing behind."""
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await serve(reader, writer)
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)
        await asyncio.sleep(0)


@asynccontextmanager
async def pages() -> AsyncIterator[tuple[int, list[int]]]:
    """A server over TLS: its port, and how many requests came on each connection."""
    connections: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(connections)
        connections.append(0)
        while True:
            await reader.readuntil(b"\r\n\r\n")
            connections[number] += 1
            writer.write(PAGE)

    async with listening(serve, server_context()) as port:
        yield port, connections


@asynccontextmanager
async def proxy(answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n") -> AsyncIterator[tuple[int, list[str]]]:
    """A proxy that connects whoever asks with CONNECT: its port, and what it heard."""
    heard: list[str] = []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heard.append(head)
        writer.write(answer)
        await writer.drain()
        if b" 200 " in answer:
            there, back = await asyncio.open_connection("127.0.0.1", int(head.split()[1].rpartition(":")[2]))
            try:
                await asyncio.gather(pump(reader, back), pump(there, writer))
            finally:
                back.transport.abort()

    async with listening(serve) as port:
        yield port, heard


async def fetch(
    url: str, *, times: int = 1, settings: FetchSettings = SETTINGS, insecure: bool = False
) -> list[Outcome]:
    trusted: ssl.SSLContext | None = None if insecure else trusting_context()
    told = access(insecure=True) if insecure else None
    async with HttpFetcher(settings, clock=RealClock(), ssl_context=trusted, access=told) as fetcher:
        return [await fetcher.fetch(Request(url=url)) for _ in range(times)]


@pytest.mark.parametrize("host", ["127.0.0.1", "news.localhost", "localhost."])
@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_a_trusted_server_is_read_and_its_connection_kept(host: str, runner: Runner) -> None:
    async def scene() -> tuple[list[Outcome], list[int]]:
        async with pages() as (port, connections):
            return await fetch(f"https://{host}:{port}/", times=3), connections

    outcomes, connections = runner(scene())
    assert [outcome.body for outcome in outcomes if isinstance(outcome, Fetched)] == [b"hello"] * 3, outcomes
    assert connections == [3]


def test_whom_nobody_trusts_is_not_asked_unless_somebody_says_so() -> None:
    async def scene() -> tuple[Outcome, list[int], Outcome]:
        async with pages() as (port, connections):
            url = f"https://127.0.0.1:{port}/"
            async with HttpFetcher(SETTINGS, clock=RealClock()) as fetcher:
                refused = await fetcher.fetch(Request(url=url))
            before = list(connections)
            [taken] = await fetch(url, insecure=True)
            return refused, before, taken

    refused, connections, taken = asyncio.run(scene())
    assert isinstance(refused, Failed)
    assert refused.cause is Failure.TLS, refused.detail
    assert not any(connections)
    assert isinstance(taken, Fetched), taken


def test_a_name_that_the_certificate_does_not_have_is_refused() -> None:
    async def scene() -> Outcome:
        async with pages() as (port, _):
            return (await fetch(f"https://a.b.localhost:{port}/"))[0]

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.TLS, outcome.detail


@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_a_proxy_connects_us_and_reads_nothing(runner: Runner) -> None:
    async def scene() -> tuple[list[Outcome], list[str], list[int]]:
        async with pages() as (port, connections), proxy() as (door, heard):
            settings = FetchSettings(proxy=f"http://me:pw@127.0.0.1:{door}", allowed_networks=LOOPBACK)
            return await fetch(f"https://news.localhost:{port}/x", times=2, settings=settings), heard, connections

    outcomes, heard, connections = runner(scene())
    assert all(isinstance(outcome, Fetched) for outcome in outcomes), outcomes
    assert connections == [2]
    [told] = heard
    assert told.startswith("CONNECT news.localhost:")
    assert "Proxy-Authorization: Basic bWU6cHc=\r\n" in told
    assert "/x" not in told


def test_a_proxy_that_refuses_is_told() -> None:
    async def scene() -> Outcome:
        async with proxy(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n") as (door, _):
            settings = FetchSettings(proxy=f"http://127.0.0.1:{door}")
            return (await fetch("https://news.example/x", settings=settings))[0]

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert "407" in outcome.detail
