"""Descriptors that run out: taken by strangers who connect and say nothing, or simply not there."""

import contextlib
import http.client
import json
import resource
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.faults.process import PINNED, Process, daemon, fill, looking, until
from tests.faults.web import NewsWeb

_LIMIT = 1024  # descriptors that the daemon may have, however it asks
_IDLE = 2000  # connections that say nothing


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, _LIMIT))


@contextlib.contextmanager
def idle_connections(base: str, count: int) -> Iterator[list[socket.socket]]:
    """So many connections that nobody speaks on; those the other side closes stay in the list."""
    place = urlsplit(base)
    there = (str(place.hostname), int(place.port or 0))
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(there, timeout=30)) for _ in range(count)]


def idle_strangers(folder: Path) -> Mapping[str, object]:
    """Two thousand idle connections at a daemon of 1,024 descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _IDLE + 500
    assert hard < 0 or hard >= wanted, "this needs more descriptors than this machine grants"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    store = folder / "afresh.db"
    try:
        with NewsWeb(6) as web:
            fill(store, web.urls)
            with daemon(folder, store, before=_limited) as running:
                until(lambda: web.requests >= 6, "visits")
                granted = resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE)[0]
                running.wait_for("ok")  # its doors are loaded
                with idle_connections(running.base, _IDLE):
                    before = web.requests
                    answers = [running.ask("/api/v1/health", timeout=20.0).status for _ in range(20)]
                    open_ones = len(list(Path(f"/proc/{running.process.pid}/fd").iterdir()))
                    until(lambda: web.requests >= before + 12, "visits beside them")
                running.wait_for("ok")
                running.end()
            return {"answered": answers.count(200), "asked": len(answers), "soft_limit": granted,
                    "open": open_ones, **_account(web, store, running)}  # fmt: skip
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def no_descriptor_left(folder: Path) -> Mapping[str, object]:
    """A daemon that may open nothing more for a while: no feed is to blame."""
    store = folder / "afresh.db"
    with NewsWeb(6) as web:
        fill(store, web.urls)
        with daemon(folder, store, before=_limited, more={"fetch.keep_alive": "100ms"}) as running:
            until(lambda: web.requests >= 12, "visits")
            running.wait_for("ok")
            line = _Line(running.base)
            line.health()
            pid = running.process.pid
            _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (1, hard))
            said: list[Any] = []

            def is_told() -> bool:
                said[:] = [line.health()]
                return any(one["what"] == "descriptors" for one in said[0]["troubles"])

            until(is_told, lambda: f"word of descriptors: {said}")
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (hard, hard))
            line.close()
            before = web.requests
            running.wait_for("ok")
            until(lambda: web.requests >= before + 12, "visits afterwards")
            running.end()
        return {"status": said[0]["status"], **_account(web, store, running)}


def _account(web: NewsWeb, store: Path, running: Process) -> Mapping[str, object]:
    with looking(store) as opened:
        resources = opened.list_resources(limit=100)
        return {
            "lost": web.lost(opened),
            "doubled": web.doubled(PINNED),
            "requests": web.requests,
            "blamed": sum(one.counters.failed + one.counters.failures for one in resources),
            "sites_blamed": sum(site.failures for site in opened.list_sites()),
            "log_lines": running.said.count("\n"),
        }


class _Line:
    """One connection that is kept: asking on it takes no further descriptor."""

    def __init__(self, base: str) -> None:
        place = urlsplit(base)
        assert place.hostname is not None
        self._connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)

    def health(self) -> Any:
        self._connection.request("GET", "/api/v1/health")
        return json.loads(self._connection.getresponse().read())

    def close(self) -> None:
        self._connection.close()
