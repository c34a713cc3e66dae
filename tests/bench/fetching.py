"""How fast the fetcher is on loopback, with the server in a process of its own on the same cores.

``not_modified_per_s``: answers a second when all are 304 (target 2,500); ``documents_per_s``: new 20-entry feeds of
20 kB fetched and parsed a second (target 500). Run: ``python -m tests.bench.fetching``.
"""

import asyncio
import itertools
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import uvloop

from afresh.base.models import Fetched, NotModified, Outcome, Request
from afresh.base.settings.sections import LOOPBACK, FetchSettings
from afresh.http.client import HttpFetcher
from afresh.parse.feed import parse_feed
from tests.fakes.clocks import RealClock

HOSTS = 200
CONCURRENCY = 64
NOT_MODIFIED = (
    b'HTTP/1.1 304 Not Modified\r\nDate: Sun, 15 Nov 2026 12:00:00 GMT\r\nServer: bench\r\nETag: "v1"\r\n\r\n'
)


class _CannedServer(asyncio.Protocol):
    """The cheapest server there is: canned bytes for each request, no parsing beyond finding its end."""

    def __init__(self, documents: list[bytes]) -> None:
        self._documents = itertools.cycle(documents)
        self._transport: asyncio.Transport | None = None
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is not a subclass

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        data = self._pending + data
        while (end := data.find(b"\r\n\r\n")) >= 0:
            head, data = data[:end], data[end + 4 :]
            is_conditional = b"If-None-Match" in head
            self._transport.write(NOT_MODIFIED if is_conditional else next(self._documents))
        self._pending = data


def serve() -> None:
    """Runs in the server's process: prints its port, serves until it is ended."""
    documents = [_answer(n) for n in range(50)]

    async def main() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _CannedServer(documents), "127.0.0.1", 0, backlog=1024)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    uvloop.run(main())


@contextmanager
def _server() -> Iterator[int]:
    """The port of a server in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.fetching", "serve"]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def _answer(n: int) -> bytes:
    body = _feed(n)
    head = f'HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nContent-Length: {len(body)}\r\nETag: "{n}"\r\n\r\n'
    return head.encode() + body


def _feed(n: int) -> bytes:
    """A 20-entry RSS 2.0 feed of about 20 kB."""
    text = "Words about something that happened, told at the length usual for a summary. " * 10
    items = "".join(
        f"<item><title>Entry {n}-{i}</title><link>https://news.example/{n}/{i}</link>"
        f"<guid isPermaLink='false'>tag:{n}:{i}</guid><pubDate>Sun, 15 Nov 2026 {i:02d}:00:00 GMT</pubDate>"
        f"<category>news</category><description>{text}</description></item>"
        for i in range(20)
    )
    return (
        f"<?xml version='1.0' encoding='UTF-8'?><rss version='2.0'><channel><title>Feed {n}</title>"
        f"<link>https://news.example/</link><description>bench</description>{items}</channel></rss>"
    ).encode()


async def _drive(port: int, *, requests: int, etag: str, check: Callable[[Outcome], None]) -> tuple[float, float]:
    """Answers a second, and processor seconds of this process an answer."""
    clock = RealClock()
    settings = FetchSettings(allowed_networks=LOOPBACK, concurrency=CONCURRENCY)
    numbers = iter(range(requests))

    async def worker(fetcher: HttpFetcher) -> None:
        for n in numbers:
            url = f"http://h{n % HOSTS}.localhost:{port}/feed/{n}"
            check(await fetcher.fetch(Request(url=url, etag=etag)))

    async with HttpFetcher(settings, clock=clock) as fetcher:
        await asyncio.gather(*(fetcher.fetch(Request(url=f"http://h{n}.localhost:{port}/")) for n in range(HOSTS)))
        started, used = time.perf_counter(), _processor_seconds()
        await asyncio.gather(*(worker(fetcher) for _ in range(CONCURRENCY)))
        return requests / (time.perf_counter() - started), (_processor_seconds() - used) / requests


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _check_not_modified(outcome: Outcome) -> None:
    assert isinstance(outcome, NotModified), outcome


def _check_document(outcome: Outcome) -> None:
    assert isinstance(outcome, Fetched), outcome
    assert len(parse_feed(outcome.body).entries) == 20


def measure(*, not_modified: int = 10_000, documents: int = 2_000) -> dict[str, float]:
    """Both throughputs, and the client's own cost of an answer in microseconds of processor time."""
    with _server() as port:
        rate_304, cost_304 = uvloop.run(_drive(port, requests=not_modified, etag='"v1"', check=_check_not_modified))
        rate_200, cost_200 = uvloop.run(_drive(port, requests=documents, etag="", check=_check_document))
    return {
        "fetch.not_modified_per_s": rate_304,
        "fetch.not_modified_client_us": cost_304 * 1e6,
        "fetch.documents_per_s": rate_200,
        "fetch.documents_client_us": cost_200 * 1e6,
    }


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        for name, figure in measure().items():
            print(f"{name:32} {figure:10.0f}")
