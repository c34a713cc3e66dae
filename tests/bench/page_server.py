"""A server of 5 kB pages on loopback, in a process of its own; whatever is asked for, the same page comes."""

import asyncio
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import uvloop

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

_WORDS = "the harbour council of the old town prints its plans every spring for all who live by the water and wonder"
_PARAGRAPHS = 43


def _page() -> bytes:
    prose = "".join(f"<p>{_WORDS} {n}.</p>" for n in range(_PARAGRAPHS))
    body = f"<html><head><title>Harbour plans</title></head><body><h1>Plans</h1>{prose}</body></html>".encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return head + body


class _Answering(asyncio.Protocol):
    page = _page()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is not a subclass

    def data_received(self, data: bytes) -> None:
        if data.endswith(b"\r\n\r\n"):
            self._transport.write(self.page)


def _serve(listeners: list[socket.socket], cpu: "Synchronized[float]") -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(_Answering, sock=listener) for listener in listeners]
        async with asyncio.TaskGroup() as group:
            for server in servers:
                group.create_task(server.serve_forever())
            while True:
                cpu.value = time.process_time()
                await asyncio.sleep(0.02)

    # What the server takes of the machine, whoever is measured has to do without.
    uvloop.run(main())


@dataclass(frozen=True)
class Serving:
    """A server that runs."""

    port: int
    _cpu: "Synchronized[float]"

    @property
    def cpu(self) -> float:
        """Seconds of processor time it has taken so far."""
        return self._cpu.value


@contextmanager
def serving(hosts: int = 1) -> Iterator[Serving]:
    """The server, listening at 127.0.0.1 and as many addresses after it; its process ends with the context."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=1024))]
        port = int(listeners[0].getsockname()[1])
        listeners += [
            stack.enter_context(socket.create_server((f"127.0.0.{number}", port), backlog=1024))
            for number in range(2, hosts + 1)
        ]
        context = multiprocessing.get_context("spawn")
        cpu = context.Value("d", 0.0)
        server = context.Process(target=_serve, args=(listeners, cpu), daemon=True)
        server.start()
        try:
            yield Serving(port, cpu)
        finally:
            server.terminate()
            server.join()
