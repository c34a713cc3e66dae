"""``afresh check`` of loopback links: 5 kB pages on 100 hosts, no pause, status and soft-404 verdict."""

import asyncio
import multiprocessing
import socket
import time
from contextlib import AsyncExitStack

from afresh.app.check import Checker
from afresh.app.judging import JudgingProcess
from afresh.app.settings import PolitenessSettings
from afresh.app.sites import Sites
from afresh.core.pacing import Manners
from afresh.core.verdicts import default_model
from afresh.fetch.client import AiohttpFetcher
from afresh.fetch.pacing import Pacer
from afresh.fetch.settings import LOOPBACK, FetchSettings
from afresh.wiring.clock import SystemClock

LINKS, HOSTS = 10_000, 100
_WORDS = "the harbour council of the old town prints its plans every spring for all who live by the water and wonder"


def _page() -> bytes:
    prose = "".join(f"<p>{_WORDS} {n}.</p>" for n in range(34))
    body = f"<html><head><title>Harbour plans</title></head><body><h1>Plans</h1>{prose}</body></html>".encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return head + body


class _Answering(asyncio.Protocol):
    page = _page()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if data.endswith(b"\r\n\r\n"):
            assert isinstance(self._transport, asyncio.Transport)
            self._transport.write(self.page)


def _serve(listener: socket.socket) -> None:
    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(_Answering, sock=listener)
        await server.serve_forever()

    asyncio.run(main())


async def _check(port: int, *, with_process: bool = True) -> tuple[float, int]:
    clock = SystemClock()
    pacer = Pacer(clock, Manners(delay=0.0, backoff_base=0.0))
    urls = [f"http://h{n % HOSTS}.localhost:{port}/{n}" for n in range(LINKS)]
    begin = time.perf_counter()
    async with AsyncExitStack() as stack:
        fetcher = AiohttpFetcher(FetchSettings(allowed_networks=LOOPBACK, concurrency=64), clock=clock)
        await stack.enter_async_context(fetcher)
        process = await stack.enter_async_context(JudgingProcess()) if with_process else None
        checker = Checker(fetcher, pacer.turn, Sites(PolitenessSettings()).of, model=default_model(), process=process)
        results = await checker.check_all(urls)
        seconds = time.perf_counter() - begin
    return seconds, sum(result.standing == "ok" for result in results)


def measure() -> dict[str, float]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(listener,), daemon=True)
    server.start()
    try:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            cpu = time.process_time()
            seconds, well = runner.run(_check(listener.getsockname()[1]))
            cpu = time.process_time() - cpu
    finally:
        server.terminate()
        server.join()
        listener.close()
    assert well == LINKS
    return {"links_per_second": LINKS / seconds, "client_cpu_us_per_link": 1e6 * cpu / LINKS}


if __name__ == "__main__":
    print(measure())
