"""A shop on loopback whose page changes on command, and ``afresh`` as a person types it beside it."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.fakes.ending import end_program

PATIENCE = 120.0  # seconds
SETTINGS = {
    "fetch.allowed_networks": "127.0.0.0/8;::1/128",
    "politeness.delay": "200ms",
    "notices.every": "500ms",
    "log.level": "error",
}
SHOP = """<title>The lamp shop</title><style>body {{ font: 18px sans-serif; margin: 40px auto; width: 700px }}</style>
<h1>Reading lamp</h1><p>A lamp of brass, with a shade of linen.</p>
<p>Price: <b>{price}</b> with tax</p>{more}<p>Delivery takes three days.</p><p>Open from nine to five.</p>"""


class Shop:
    """A page on loopback that changes on command, beside an address for webhooks."""

    def __init__(self) -> None:
        self.price, self.more = "49.00 €", "<p>Only a few are left.</p>"
        self.visits = 0  # of its page
        self.told: list[dict[str, Any]] = []

    @contextmanager
    def served(self) -> Iterator[str]:
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_page = self.path == "/lamp"
                body = SHOP.format(price=shop.price, more=shop.more).encode() if is_page else b""
                shop.visits += is_page
                self._answer(200 if is_page else 404, body)

            def do_POST(self) -> None:
                shop.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self._answer(204, b"")

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join(PATIENCE)


class Terminal:
    """``afresh`` as a person types it, over one store."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.store, self.pid = folder / "watched.db", 0
        self._words = [sys.executable, "-m", "afresh", "--store", str(self.store)]
        self._words += [f"--set={name}={value}" for name, value in {**SETTINGS, **settings}.items()]

    def run(self, *words: str, ends_with: int = 0, **environment: str) -> str:
        env = {**os.environ, **environment}
        done = subprocess.run(
            [*self._words, *words], capture_output=True, text=True, timeout=PATIENCE, check=False, env=env
        )
        assert done.returncode == ends_with, done.stderr
        return done.stdout

    @contextmanager
    def daemon(self) -> Iterator[str]:
        """The address of its pages."""
        pipe = subprocess.PIPE
        with subprocess.Popen([*self._words, "run", "--port", "0"], stderr=pipe, stdout=pipe, text=True) as process:
            try:
                self.pid = process.pid
                assert process.stderr is not None
                line = process.stderr.readline()
                assert "watches" in line, line
                yield next(word for word in line.split() if word.startswith("http://")).rstrip("/")
            finally:
                end_program(process)


def until(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)
