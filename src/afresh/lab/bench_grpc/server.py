"""``afresh serve --grpc`` as a process of its own, which can be killed and started again on the same port and store."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from afresh.base.errors import StoreError

PATIENCE = 120.0  # seconds
_LISTENS = re.compile(r"URLFrontier clients: (\S+)\n")
_SERVES = re.compile(r"fetchers: afresh fetch --from (\S+)\n")


class GrpcServer:
    """The process; its log is a file in ``folder``."""

    def __init__(
        self, store: str, folder: Path, *, listen: str = "127.0.0.1:0", assignments: Sequence[str] = ()
    ) -> None:
        self._log = folder / "serve.log"
        settings = [part for text in assignments for part in ("--set", text)]
        self._command = [sys.executable, "-P", "-m", "afresh", *settings, "serve", "--store", store]
        self.address = listen
        self.base = "http://127.0.0.1:0"  # of REST
        self.start()

    def start(self) -> None:
        """Until it listens."""
        with self._log.open("wb") as log:
            doors = ("--port", self.base.rpartition(":")[2], "--grpc", self.address)
            self.process = subprocess.Popen([*self._command, *doors], stderr=log, stdout=log)  # noqa: S603
        self.address = self._told(_LISTENS)
        self.base = self._told(_SERVES).rstrip("/")

    def _told(self, words: re.Pattern[str]) -> str:
        """What it says behind these words; waits until it does."""
        deadline = time.monotonic() + PATIENCE
        while (found := words.search(self.log)) is None:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise StoreError(f"the server did not start: {self.log[-2_000:]}")
            time.sleep(0.02)
        return found[1]

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """In good order; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def running_server(
    store: str, folder: Path, *, listen: str = "127.0.0.1:0", assignments: Sequence[str] = ()
) -> Iterator[GrpcServer]:
    """A server for the time of a ``with`` block."""
    server = GrpcServer(store, folder, listen=listen, assignments=assignments)
    try:
        yield server
    finally:
        server.kill()
