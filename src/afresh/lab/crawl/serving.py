"""A frontier of our own for live runs: ``afresh serve`` in a process beside us, over a store in a temporary folder."""

import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from afresh.frontier.workers import Workers


@dataclass(frozen=True, slots=True)
class Served:
    """Where it listens, and its processes."""

    base: str
    pids: Sequence[int]


@contextmanager
def served_frontier(store: str | None = None) -> Iterator[Served]:
    """Runs one on a free port of loopback; without a store's URL over SQLite, thrown away afterwards."""
    with tempfile.TemporaryDirectory(prefix="afresh-frontier-") as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        arguments = ["serve", "--dev", "--store", store or str(Path(folder) / "frontier.db")]
        workers = Workers(listener, arguments, count=1)
        workers.start()
        try:
            host, port = listener.getsockname()
            yield Served(f"http://{host}:{port}", workers.pids)
        finally:
            workers.stop()
