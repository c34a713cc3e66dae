"""A web whose every answer is news, so that an answer that is lost, or asked for twice, shows in the end."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from afresh.base.protocols import Store
from afresh.lab.demo import every_entry

_FEED = (
    "<rss version='2.0'><channel><title>{site}</title><item><title>{name}</title><guid>{name}</guid>"
    "<link>http://example.org/{name}</link><description>{words}</description></item></channel></rss>"
)
_CLOSE = 0.05  # seconds; two clocks and a timer are never closer than this


class NewsWeb:
    """Sites below ``localhost``, each with a feed of one entry, another one at each request."""

    def __init__(self, sites: int, *, size: int = 2_000, host: str = "127.0.0.1") -> None:
        self.served: dict[str, list[tuple[float, float]]] = defaultdict(list)  # by site: start and end of requests
        self.names: set[str] = set()  # of entries whose answer has left
        self._lock = threading.Lock()
        self._words = "word " * (size // 5)
        self._server = _Server((host, 0), self._handler())
        self._sites = [f"s{number}.localhost" for number in range(sites)]

    @property
    def urls(self) -> list[str]:
        return [f"http://{site}:{self._server.server_port}/feed" for site in self._sites]

    @property
    def requests(self) -> int:
        with self._lock:
            return sum(map(len, self.served.values()))

    def wait_for_rest(self, tick: Callable[[], None]) -> int:
        """Until no request arrives between two ticks, since what was under way has landed; how many there were then."""
        for _ in range(60):
            before = self.requests
            tick()
            if self.requests == before:
                return before
        raise AssertionError("it went on fetching")

    def doubled(self, pause: float) -> int:
        """Requests that began sooner after the one before at the same site than so many seconds."""
        with self._lock:
            return sum(
                later[0] - earlier[1] < pause - _CLOSE
                for spans in self.served.values()
                for earlier, later in zip(sorted(spans), sorted(spans)[1:], strict=False)
            )

    def lost(self, store: Store) -> int:
        """Answers whose entry is not in the store."""
        with self._lock:
            return len(self.names - titles(store))

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web._answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
                pass

        return Handler

    def _answer(self, asked: BaseHTTPRequestHandler) -> None:
        start, site = time.monotonic(), asked.headers["host"].partition(":")[0]
        if asked.path != "/feed":
            asked.send_error(404)
            return
        with self._lock:
            name = f"{site}-{len(self.served[site])}"
            self.served[site].append((start, start))
        body = _FEED.format(site=site, name=name, words=self._words).encode()
        asked.send_response(200)
        asked.send_header("Content-Type", "application/rss+xml")
        asked.send_header("Content-Length", str(len(body)))
        asked.end_headers()
        end = time.monotonic()  # nobody has the answer before it leaves; afterwards this thread may wait for its turn
        asked.wfile.write(body)
        with self._lock:
            self.served[site].remove((start, start))
            self.served[site].append((start, end))
            self.names.add(name)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def titles(store: Store) -> set[str]:
    """Of all entries in a store."""
    return {item.entry.parsed.title for item in every_entry(store)}
