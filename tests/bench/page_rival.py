"""The same round with requests, by our daemon and by changedetection.io, one after the other, in one run.

A server on loopback has the pages; every tenth changes between two rounds. Ours is ``afresh run`` over an empty store,
the other its batch mode over an empty folder, each without any notice. Processor seconds of their own processes;
``first`` with their start, ``later`` of ours without and of the other with it, since it ends after every round: so a
round of one page, ``rival_start_cpu_seconds``, is taken off before the two are compared.
"""

import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from afresh.base.protocols import Store
from afresh.store import open_store
from tests.fakes.shop import PATIENCE, Terminal
from tests.tools import quiet_port

NAMED = "CHANGEDETECTION"  # variable with the path of the program
_LONG = 600.0  # seconds for a round of the other


def rival() -> str | None:
    """Where changedetection.io is; None: not here."""
    return os.environ.get(NAMED) or shutil.which("changedetection.io")


class Pages:
    """What the server has to show at present."""

    def __init__(self, bodies: Sequence[bytes]) -> None:
        self.bodies, self.asked = bodies, 0

    @contextmanager
    def served(self) -> Iterator[str]:
        pages = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.removeprefix("/page")
                body = pages.bodies[int(name)] if name.isdecimal() else b""
                pages.asked += bool(body)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join(PATIENCE)


def measure_both(program: str, webs: Sequence[Sequence[bytes]]) -> dict[str, float]:
    """Two rounds by each."""
    ours, theirs = _afresh(webs), _changedetection(program, webs)
    later = theirs["rival_later_cpu_seconds"] - theirs["rival_start_cpu_seconds"]
    return {**ours, **theirs, "times_rival": later / ours["afresh_later_cpu_seconds"]}


def _afresh(webs: Sequence[Sequence[bytes]]) -> dict[str, float]:
    pages, used = Pages(webs[0]), []
    with tempfile.TemporaryDirectory(prefix="afresh-bench-") as folder, pages.served() as site:
        file = Path(folder) / "urls.txt"
        file.write_text("".join(f"{site}/page{number}\n" for number in range(len(webs[0]))))
        terminal = Terminal(Path(folder), **{"politeness.delay": "0s", "politeness.load_factor": "0"})
        terminal.run("import", "--kind", "page", str(file))
        store = open_store(str(terminal.store))
        with terminal.daemon():
            before = 0.0
            for number, bodies in enumerate(webs, 1):
                pages.bodies = bodies
                for one in store.iterate():
                    store.update(one.id, due=time.time())
                _wait(store, number)
                used.append(_cpu(terminal.pid) - before)
                before += used[-1]
        kept = sum(len(store.links.versions(one.id)) for one in store.iterate())
        store.close()
    assert kept == len(webs[0]) + sum(a != b for a, b in zip(*webs, strict=True)), kept
    return {"afresh_first_cpu_seconds": used[0], "afresh_later_cpu_seconds": used[1]}


def _wait(store: Store, rounds: int) -> None:
    end = time.monotonic() + _LONG
    while any(one.counters.ok < rounds for one in store.iterate()):
        assert time.monotonic() < end
        time.sleep(0.5)


def _cpu(pid: int) -> float:
    """Seconds that a process and those it has waited for have worked."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _changedetection(program: str, webs: Sequence[Sequence[bytes]]) -> dict[str, float]:
    pages = Pages(webs[0])
    with tempfile.TemporaryDirectory(prefix="rival-bench-") as folder, pages.served() as site:
        named = [word for number in range(len(webs[0])) for word in ("-u", f"{site}/page{number}")]
        words = [program, "-C", "-p", str(quiet_port()), "-b", "-d"]
        start = _run([*words, f"{folder}/one", *named[:2]])
        words.append(f"{folder}/all")
        pages.asked = 0
        first = _run([*words, *named])
        assert pages.asked >= len(webs[0]), pages.asked
        pages.bodies, pages.asked = webs[1], 0
        later = _run([*words, "-r", "all"])
        assert pages.asked >= len(webs[0]), pages.asked
    return {"rival_start_cpu_seconds": start, "rival_first_cpu_seconds": first, "rival_later_cpu_seconds": later}


def _run(words: Sequence[str]) -> float:
    allowed = {"ALLOW_IANA_RESTRICTED_ADDRESSES": "true", "LOGGER_LEVEL": "ERROR"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    nowhere = subprocess.DEVNULL
    subprocess.run(words, stdout=nowhere, stderr=nowhere, timeout=_LONG, check=False, env={**os.environ, **allowed})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
