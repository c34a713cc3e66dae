"""How long until a person sees something, and until the daemon makes its first request?"""

import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def measure() -> dict[str, float]:
    """Best of five, for the machine may be busy."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/list.db"
        _run("--store", store, "add", "https://example.org/feed")  # only what is there can be listed
        listed = min(_timed("--store", store, "list") for _ in range(5))
        first = [first_request(Path(folder) / f"{i}") for i in range(5)]
    return {
        "help_seconds": min(_timed("--help") for _ in range(5)),
        "lab_help_seconds": min(_timed("lab", "--help") for _ in range(5)),
        "list_seconds": listed,
        "first_request_seconds": min(seconds for seconds, _ in first),
        "first_request_cpu_seconds": min(cpu for _, cpu in first),
    }


def first_request(folder: Path) -> tuple[float, float]:
    """Seconds from the start of ``afresh run`` to its first request, and the processor time the whole run took."""
    folder.mkdir(parents=True, exist_ok=True)
    store = str(folder / "afresh.db")
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/feed"
        allowed = ("--set", "fetch.allowed_networks=127.0.0.0/8")
        _run("--store", store, *allowed, "add", url)
        asked: list[float] = []
        threading.Thread(target=_note_first, args=(server, asked), daemon=True).start()
        before, begin = _children_cpu(), time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "afresh", "--store", store, *allowed, "run", "--port", "0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not asked and process.poll() is None and time.perf_counter() < begin + 60.0:
                time.sleep(0.002)
        finally:
            process.terminate()
            process.wait()
    if not asked:
        raise RuntimeError("afresh run ended without a request")
    return asked[0] - begin, _children_cpu() - before


def _note_first(server: socket.socket, asked: list[float]) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:  # closed: the measurement is over
            return
        asked.append(time.perf_counter())
        with connection:
            connection.recv(65_536)
            connection.sendall(_ANSWER)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "afresh", *arguments], check=True, capture_output=True)


def _timed(*arguments: str) -> float:
    begin = time.perf_counter()
    _run(*arguments)
    return time.perf_counter() - begin


if __name__ == "__main__":
    print(measure())
