"""A PostgreSQL that is stopped under a daemon and under a frontier, stays away for a while, and is started again."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from afresh.lab.pgserver import FORGETFUL, stoppable_postgres
from tests.faults.process import PINNED, SETTINGS, Process, daemon, fill, looking, until
from tests.faults.web import NewsWeb

AWAY = 8.0  # seconds; that leases run out meanwhile is tried in virtual time (tests/unit/engine/test_loop.py)
LONG = 600.0  # seconds, for ``python -m tests.bench faults --long``
_ROUNDS = 120  # of questions while it is away, at most


@contextmanager
def _own_server() -> Iterator[Any]:
    with stoppable_postgres(settings=FORGETFUL) as server:
        yield server


class Doors:
    """Asks for what needs the store while that is away: each answer is 503 with Retry-After, soon.

    How soon is counted beyond what an answer takes that needs no store, asked for just before and just after: a machine
    that has no time for anybody must not count against the doors.
    """

    def __init__(self, running: Process) -> None:
        self._running = running
        self._asked = 0
        self._slowest = 0.0

    def ask(self, path: str, body: object = None, **headers: str) -> None:
        before = self._running.ask("/api/v1/health")
        answer = self._running.ask(path, body, **headers)
        usual = max(before.seconds, self._running.ask("/api/v1/health").seconds)
        assert answer.status == 503, (path, answer.status, answer.body)
        assert "retry-after" in map(str.lower, answer.headers), (path, dict(answer.headers))
        assert answer.seconds - usual < 2.0, (path, answer.seconds, usual)
        self._asked += 1
        self._slowest = max(self._slowest, answer.seconds)

    def ask_while_away(self, away: float, ask: Callable[[], None]) -> None:
        """Again and again, for so many seconds."""
        since = time.monotonic()
        while time.monotonic() - since < away:
            ask()
            time.sleep(max(0.5, away / _ROUNDS))

    def account(self) -> Mapping[str, object]:
        return {"put_off": self._asked, "slowest_answer": round(self._slowest, 2)}


def away_from_daemon(folder: Path, *, away: float = AWAY) -> Mapping[str, object]:
    """``run``: waits, tells everybody to come again, and goes on where it was."""
    with NewsWeb(6) as web, _own_server() as server:
        fill(server.url, web.urls)
        with daemon(folder, server.url) as running:
            until(lambda: web.requests >= 12, "visits")
            running.wait_for("ok")
            assert running.ask("/", Accept="text/html").status == 200  # what shows pages is loaded
            server.stop()
            doors = Doors(running)

            def ask() -> None:
                doors.ask("/api/v1/resources")
                doors.ask("/", Accept="text/html")
                doors.ask("/api/v1/resources", {"urls": ["http://new.localhost/feed"]})

            ask()
            running.wait_for("degraded", words="cannot reach")
            stands_at = web.wait_for_rest(lambda: time.sleep(2.0))
            doors.ask_while_away(away, ask)
            assert web.requests == stands_at, "it went on fetching"
            server.start()
            running.wait_for("ok")
            until(lambda: web.requests >= stands_at + 12, "visits afterwards")
            running.end()
        with looking(server.url) as opened:
            lost, failing = web.lost(opened), opened.stats(now=time.time())["failing"]
        assert "Traceback" not in running.said, running.said
        return {
            "lost": lost,
            "doubled": web.doubled(PINNED),
            "blamed": failing,
            "requests": web.requests,
            **doors.account(),
            "log_lines": running.said.count("\n"),
        }


def away_from_frontier(folder: Path, *, away: float = AWAY) -> Mapping[str, object]:
    """``serve``: tells fetchers to come again within two seconds, and loses nothing that it acknowledged."""
    with _own_server() as server:
        words = [f"--set={name}={value}" for name, value in {**SETTINGS, "frontier.allow_private": True}.items()]
        running = Process(
            [*words, "serve", "--port", "0"], folder / "serve.log", environment={"AFRESH_FRONTIER_URL": server.url}
        )
        try:
            running.wait_for_door()
            urls = [f"http://s{n}.example.org/{page}" for n in range(40) for page in range(5)]
            account = running.ask("/api/v1/fetchers", {"contact": "a@example.org", "name": "one"}).json()
            assert running.ask("/api/v1/urls", {"urls": urls}).status in (200, 201, 202)
            acknowledged = _lease_and_report(running, account["uuid"])
            assert running.ask("/fetchers", Accept="text/html").status == 200  # what shows pages is loaded
            server.stop()
            doors = Doors(running)
            wish = {"fetcher_uuid": account["uuid"], "amount": 5}

            def ask() -> None:
                doors.ask("/api/v1/frontiers", wish)
                doors.ask("/api/v1/stats")
                doors.ask("/fetchers", Accept="text/html")

            doors.ask_while_away(away, ask)
            degraded = running.health()
            server.start()
            until(lambda: running.ask("/api/v1/stats").status == 200, "totals")
            running.wait_for("ok")
            more = _lease_and_report(running, account["uuid"])
            visited = running.ask("/api/v1/stats").json()
            running.end()
        finally:
            running.kill()
        assert "Traceback" not in running.said, running.said
        return {
            "lost": acknowledged + more - visited["visits"],
            **doors.account(),
            "health": degraded["status"],
            "log_lines": running.said.count("\n"),
        }


def _lease_and_report(running: Process, uuid: str) -> int:
    """Takes a list and reports all of it; how many pages were acknowledged as visited."""
    given = running.ask("/api/v1/frontiers", {"fetcher_uuid": uuid, "amount": 8}).json()
    sites = [
        {
            "fqdn": site["fqdn"],
            "reservation": site["reservation"],
            "url_list": [{"url": page["url"]} for page in site["url_list"]],
        }
        for site in given["url_frontiers"]
    ]
    assert sites, given
    answer = running.ask("/api/v1/results", {"uuid": uuid, "key": f"k{time.monotonic_ns()}", "fqdns": sites})
    assert answer.status == 200, answer.body
    return sum(len(site["url_list"]) for site in sites)
