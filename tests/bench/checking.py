"""``afresh check`` of loopback links: 5 kB pages on 100 hosts, no pause, status and soft-404 verdict."""

import asyncio
import multiprocessing
import socket
import time

from afresh.app.check import Checker
from afresh.app.settings import PolitenessSettings
from afresh.app.sites import Sites
from afresh.core.pacing import Manners
from afresh.core.verdicts import default_model
from afresh.fetch.client import AiohttpFetcher
from afresh.fetch.pacing import Pacer
from afresh.fetch.settings import LOOPBACK, FetchSettings
from afresh.wiring.daemon import SystemClock

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


async def _check(port: int) -> tuple[float, int]:
    clock = SystemClock()
    fetcher = AiohttpFetcher(FetchSettings(allowed_networks=LOOPBACK, concurrency=64), clock=clock)
    pacer = Pacer(clock, Manners(delay=0.0, backoff_base=0.0))
    checker = Checker(fetcher, pacer.turn, Sites(PolitenessSettings()).of, model=default_model())
    urls = [f"http://h{n % HOSTS}.localhost:{port}/{n}" for n in range(LINKS)]
    begin = time.perf_counter()
    results = await checker.check_all(urls)
    seconds = time.perf_counter() - begin
    await fetcher.close()
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
