"""Bad input done to a real afresh: damaged rows, hostile documents, strangers at the door, files without end.

Each row does it, counts what came of it, and fails with an AssertionError that says what was promised.
"""

import json
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.tools import quiet_port

TOKEN = "a-token-for-this-test"
NET = 120.0  # seconds until something that should happen is given up
FEED = "<rss version='2.0'><channel><title>T</title><item><title>{0}</title><guid>{0}</guid></item></channel></rss>"
ATTRIBUTES = b"".join(b' a%d=""' % number for number in range(40_000))
HOSTILE = b"<rss><channel><item " + ATTRIBUTES
LESS = b"<rss>" + b"<" * 900_000
MANY, MEGABYTE = 400, 1_000_000


# --- a web, and an afresh that watches it ----------------------------------------------------------------------------


class _Pages(BaseHTTPRequestHandler):
    """Answers by the first word of the path; counts what was asked for."""

    def do_GET(self) -> None:
        word = self.path.strip("/").partition("-")[0]
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        if word in ("hostile", "less"):
            packed = zlib.compress(HOSTILE if word == "hostile" else LESS, 9, wbits=31)
            self._answer(200, packed, {"Content-Encoding": "gzip"})
        elif word == "wait":
            self._answer(429, b"", {"Retry-After": self.path.rpartition("-")[2]})
        elif word == "feed":
            self._answer(200, FEED.format(self.path).encode(), {})
        else:
            self._answer(404, b"", {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/rss+xml", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Web:
    """A site a name below localhost: none of them waits for another."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server

    def url(self, path: str) -> str:
        return f"http://{path.partition('-')[2] or path}.localhost:{self._server.server_port}/{path}"

    def times(self, path: str) -> int:
        return self._server.asked.count(f"/{path}")  # type: ignore[attr-defined,no-any-return]


@contextmanager
def serving() -> Iterator[Web]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    server.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Web(server)
    finally:
        server.shutdown()
        server.server_close()


class Afresh:
    """The program in a folder of its own, and its daemon while one runs."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self.port = folder, quiet_port()
        given = {
            "fetch.allow_private": "true",
            "politeness.delay": "50ms",
            "predict.rule": "fix:interval=1h",
            "service.port": str(self.port),
            **{name.replace("__", "."): value for name, value in settings.items()},
        }
        self._settings = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
        self._daemon: subprocess.Popen[bytes] | None = None

    def __call__(self, *arguments: str, most: int = 0) -> subprocess.CompletedProcess[str]:
        """A command, with at most so many megabytes of memory (0: as much as it wants)."""
        limit = ["sh", "-c", f'ulimit -v {most * 1024} && exec "$@"', "sh"] if most else []
        command = [*limit, *self._command(*arguments)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=NET, check=False)

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "afresh", "--store", "afresh.db", *self._settings, *arguments]

    @contextmanager
    def running(self) -> Iterator[int]:
        """A daemon, by the number of its process."""
        with (self.folder / "log").open("ab") as log:
            self._daemon = subprocess.Popen(self._command("run"), cwd=self.folder, stdout=log, stderr=log)
        try:
            until(self._answers, "the daemon did not answer")
            yield self._daemon.pid
        finally:
            self._daemon.send_signal(signal.SIGTERM)
            assert self._daemon.wait(NET) == 0, (self.folder / "log").read_text()[-2_000:]

    def _answers(self) -> bool:
        with suppress(OSError):
            return self.ask("/api/v1/health")[0] in (200, 401)
        return False

    def ask(
        self, path: str, content: object = None, *, token: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Status and body of a request to the daemon."""
        body = None if content is None else json.dumps(content).encode()
        sent = {"Content-Type": "application/json"} if body else {}
        sent |= {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, {**sent, **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=NET) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def resources(self) -> dict[str, dict[str, Any]]:
        """What the daemon watches, by URL."""
        status, body = self.ask("/api/v1/resources?limit=1000")
        assert status == 200, body
        return {item["url"]: item for item in json.loads(body)["items"]}


def until(is_so: Callable[[], bool], else_: str) -> float:
    """Waits for it; the seconds that took."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < NET, else_
        time.sleep(0.05)
    return time.monotonic() - began


def most_memory(process: int) -> int:
    """Megabytes of memory that the process had at most."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


# --- the rows --------------------------------------------------------------------------------------------------------

DAMAGES: dict[str, tuple[str, bytes | str]] = {
    "facts": ("facts = ?", '{"ttl": '),
    "state": ("state = ?", b"\x01\x02\x03"),
    "window": ("window = ?", b"\x00" * 27),
    "tags": ("tags = ?", "daily"),
    "kind": ("kind = ?", "gopher"),
    "utf8": ("title = CAST(? AS TEXT)", b"caf\xe9"),
}


def damaged_rows(folder: Path) -> dict[str, object]:
    """One damaged row of each sort: set aside and shown, the others visited, at every start; mended by the doctor."""
    afresh = Afresh(folder)
    with serving() as web:
        urls = {name: web.url(f"feed-{name}") for name in (*DAMAGES, "good")}
        assert afresh("add", *urls.values()).returncode == 0
        with sqlite3.connect(afresh.folder / "afresh.db") as connection:
            for name, (column, value) in DAMAGES.items():
                connection.execute(f"UPDATE resource SET {column} WHERE url = ?", (value, urls[name]))
        connection.close()
        broken = {urls[name] for name in DAMAGES}
        for start in (1, 2):
            with afresh.running():
                until(lambda: _statuses(afresh, "damaged") == broken, "the damaged rows were not set aside")
                until(lambda: web.times("feed-good") == 1, "the others were not visited")
                assert b"Damaged" in afresh.ask("/")[1], "the page does not show them"
            assert all(web.times(f"feed-{name}") == 0 for name in DAMAGES), f"a damaged row was visited, start {start}"
        shown = afresh("status").stdout
        assert f"damaged   {len(DAMAGES)}, set aside" in shown, shown
        assert afresh("list", "--status", "damaged", "--json").stdout.count("doctor --repair") == len(DAMAGES)
        assert "because     damaged: facts" in afresh("why", urls["facts"]).stdout
        told = afresh("doctor").stdout
        assert told.count("FAIL  rows") == len(DAMAGES) + 1, told  # and the totals of a kind nobody knows
        assert afresh("store", "check").returncode == 1
        mended = afresh("doctor", "--repair").stdout
        assert mended.count("mended: resource") == len(DAMAGES), mended
        assert afresh("store", "check").returncode == 0
        with afresh.running():
            until(lambda: all(web.times(f"feed-{name}") for name in DAMAGES), "what was mended is not visited")
            assert _statuses(afresh, "damaged") == set()
    return {"damaged": len(DAMAGES), "set_aside": len(DAMAGES), "mended": len(DAMAGES), "good_visited": 1}


def _statuses(afresh: Afresh, status: str) -> set[str]:
    return {url for url, item in afresh.resources().items() if item["status"] == status}


def hostile_document(folder: Path) -> dict[str, object]:
    """40,000 attributes in one tag of an unclosed feed: the door answers meanwhile, the document is given up."""
    afresh = Afresh(folder)
    with serving() as web:
        hostile, good = web.url("hostile-document"), web.url("feed-good")
        with afresh.running():
            status, _ = afresh.ask("/api/v1/resources", {"urls": [hostile, good]})
            assert status == 200
            slowest = 0.0

            def is_read() -> bool:
                nonlocal slowest
                began = time.monotonic()
                known = afresh.resources()
                slowest = max(slowest, time.monotonic() - began)
                return known[hostile]["last_result"] is not None and known[good]["last_result"] is not None

            took = until(is_read, "the documents were not read")
            known = afresh.resources()
            assert known[good]["last_result"] == "new", known[good]
    packed = len(zlib.compress(HOSTILE, 9, wbits=31))
    result = known[hostile]["last_result"]
    return {"packed_bytes": packed, "result": result, "read_seconds": took, "slowest_answer_seconds": slowest}


def less_than_a_feed(folder: Path) -> dict[str, object]:
    """``<rss>`` and 900 kB of ``<`` is no success."""
    afresh = Afresh(folder)
    with serving() as web:
        url = web.url("less-document")
        assert afresh("add", url).returncode == 0
        with afresh.running():
            until(lambda: afresh.resources()[url]["last_result"] is not None, "it was not visited")
            known = afresh.resources()[url]
    assert known["last_result"] == "unparsable", known
    return {"result": known["last_result"], "error": known["error"]}


def pushed_bodies(folder: Path) -> dict[str, object]:
    """400 bodies of a megabyte at /push/x, by nobody we know: none of them is kept."""
    afresh = Afresh(folder)
    with afresh.running() as daemon:
        before = most_memory(daemon)
        sockets = [socket.create_connection(("127.0.0.1", afresh.port), timeout=NET) for _ in range(MANY)]
        head = f"POST /push/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {MEGABYTE}\r\n\r\n".encode()
        for connection in sockets:  # all but the last byte: whoever waits for a body has to keep them all
            with suppress(ConnectionError):
                connection.sendall(head)
                connection.sendall(b"x" * (MEGABYTE - 1))
        gone = 0
        for connection in sockets:
            with suppress(TimeoutError, ConnectionError):
                gone += connection.recv(100).startswith(b"HTTP/1.1 410")
            if not gone:
                break  # nobody else is told, either
        for connection in sockets:
            connection.close()
        grown = most_memory(daemon) - before
        assert afresh.ask("/api/v1/health")[0] == 200
    assert gone == MANY, f"{gone} of {MANY} were told that nobody subscribed"
    assert grown < 100, f"grew by {grown} MB"
    return {"bodies": MANY, "refused": gone, "grown_mb": grown}


def retry_after(folder: Path) -> dict[str, object]:
    """What a server asks for is what it gets, within the cap of a day."""
    waits: dict[str, object] = {}
    afresh = Afresh(folder, politeness__delay="0s")
    with serving() as web:
        asked = {120: 120.0, 7_200: 7_200.0, 30 * 86_400: 86_400.0}
        urls = {seconds: web.url(f"wait-{seconds}") for seconds in asked}
        assert afresh("add", *urls.values()).returncode == 0
        with afresh.running():
            until(lambda: all(item["last_visit"] for item in afresh.resources().values()), "they were not visited")
        with sqlite3.connect(afresh.folder / "afresh.db") as connection:
            found = dict(connection.execute("SELECT url, due - last_visit FROM resource").fetchall())
        connection.close()
        for seconds, wanted in asked.items():
            waits[f"asked_{seconds}"] = found[urls[seconds]]
            assert abs(found[urls[seconds]] - wanted) < 1.0, f"{seconds} s became {found[urls[seconds]]}"
    return waits


def endless_files(folder: Path) -> dict[str, object]:
    """/dev/zero and half a gigabyte are refused with a reason, in little memory; so is a URL that is none."""
    afresh = Afresh(folder)
    with (afresh.folder / "huge.txt").open("wb") as huge:
        huge.truncate(500_000_000)
    for file in ("/dev/zero", "huge.txt"):
        answer = afresh("import", file, most=2_500)
        assert answer.returncode == 2, answer
        assert "more than 64,000,000 bytes" in answer.stderr, answer.stderr
    with afresh.running():
        urls = ["https://a.example/feed", "feed:" * 1_590, "https://b.example/feed"]
        status, body = afresh.ask("/api/v1/resources", {"urls": urls})
        items = json.loads(body)["items"]
    assert (status, [item["status"] for item in items]) == (200, [201, 422, 201]), items
    return {"files_refused": 2, "urls_taken": 2, "urls_refused": 1}


def private_files(folder: Path) -> dict[str, object]:
    """Only the owner reads database, logs and lock; one that others could read is closed with a line in the log."""
    afresh = Afresh(folder)
    before = os.umask(0o022)
    try:
        with afresh.running():
            made = _modes(folder)
        (folder / "afresh.db").chmod(0o644)
        with afresh.running():
            tightened = _modes(folder)
    finally:
        os.umask(before)
    log = (folder / "log").read_text()
    assert set(made.values()) == set(tightened.values()) == {"0600"}, (made, tightened)
    assert {"afresh.db", "afresh.db-wal", "afresh.db-shm", "afresh.db.lock"} <= {*made}, made
    assert "could be read by others (mode 0644)" in log, log
    return {"files": len(made), "mode": "0600"}


def _modes(folder: Path) -> dict[str, str]:
    files = [file for file in folder.iterdir() if file.name.startswith("afresh.db")]
    return {file.name: f"{stat.S_IMODE(file.stat().st_mode):04o}" for file in files}


def two_hosts(folder: Path) -> dict[str, object]:
    """A request that names two hosts is refused."""
    afresh = Afresh(folder)
    with (
        afresh.running(),
        socket.create_connection(("127.0.0.1", afresh.port), timeout=NET) as connection,
    ):
        connection.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n")
        line = connection.recv(100).partition(b"\r\n")[0]
    assert line.startswith(b"HTTP/1.1 400"), line
    return {"status": 400}


def guessed_tokens(folder: Path) -> dict[str, object]:
    """Guesses at a token make their address wait, as guesses at a password do; who was let in goes on."""
    afresh = Afresh(folder, service__tokens=TOKEN)
    with afresh.running():
        assert afresh.ask("/api/v1/health", token=TOKEN)[0] == 200
        statuses = [afresh.ask("/api/v1/health", token=f"guess-number-{number:05}")[0] for number in range(100)]
        assert afresh.ask("/api/v1/health", token=TOKEN)[0] == 200
    counts = {status: statuses.count(status) for status in sorted(set(statuses))}
    assert counts.get(429, 0) >= 80, counts
    return {"guesses": len(statuses), "refused_unheard": counts[429]}


def broken_file(folder: Path) -> dict[str, object]:
    """``afresh store check`` finds what is wrong with a file, by itself."""
    found: dict[str, object] = {}
    spoiling = {
        "counters": "UPDATE site SET resources = 9",
        "orphans": "UPDATE resource SET site_id = 999",
        "keys": "UPDATE resource SET url_key = 1",
        "rows": "UPDATE resource SET kind = 'gopher'",
    }
    for name, statement in spoiling.items():
        afresh = _watching(folder / name, 1)
        assert afresh("store", "check").returncode == 0
        with sqlite3.connect(afresh.folder / "afresh.db") as connection:
            connection.execute(statement)
        connection.close()
        answer = afresh("store", "check", "--json")
        wrong = [item["name"] for item in json.loads(answer.stdout)["checks"] if not item["ok"]]
        assert (answer.returncode, name in wrong) == (1, True), answer
        found[name] = len(wrong)
    afresh = _watching(folder / "integrity", 300)
    file = afresh.folder / "afresh.db"
    content = bytearray(file.read_bytes())
    content[8_192:40_960] = b"\xff" * 32_768
    file.write_bytes(content)
    answer = afresh("store", "check", "--json")
    assert answer.returncode == 1, answer
    assert not json.loads(answer.stdout)["ok"]
    return {**found, "integrity": 1}


def _watching(folder: Path, feeds: int) -> Afresh:
    folder.mkdir()
    afresh = Afresh(folder)
    assert afresh("add", *(f"https://a{number}.example/feed" for number in range(feeds))).returncode == 0
    return afresh


ROWS: dict[str, Callable[[Path], dict[str, object]]] = {
    "damaged rows": damaged_rows,
    "hostile document": hostile_document,
    "less than a feed": less_than_a_feed,
    "pushed bodies": pushed_bodies,
    "Retry-After": retry_after,
    "endless files": endless_files,
    "private files": private_files,
    "two hosts": two_hosts,
    "guessed tokens": guessed_tokens,
    "broken file": broken_file,
}
