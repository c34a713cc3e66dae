"""A real NATS server with JetStream on loopback, which a test starts, kills and starts again."""

import json
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

PROGRAM = shutil.which("nats-server") or shutil.which("/usr/sbin/nats-server")
needs_nats = pytest.mark.skipif(PROGRAM is None, reason="left out: needs nats-server")
PATIENCE = 60.0  # seconds


class NatsServer:
    """One server with its folder; ``kill`` is that of the system."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port, self.monitor = _free_ports()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert PROGRAM is not None
        place = ["--addr", "127.0.0.1", "--port", str(self.port), "--jetstream", "--store_dir", str(self._folder)]
        place += ["--http_port", str(self.monitor)]
        self._process = subprocess.Popen([PROGRAM, *place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < deadline, "nats-server does not answer"
            time.sleep(0.01)

    def _answers(self) -> bool:
        with socket.socket() as knock:
            return knock.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(PATIENCE)
            self._process = None

    def count(self) -> int:
        """How many messages all streams hold, as its monitor says; 0: nobody is there to ask."""
        with suppress(OSError), urlopen(f"http://127.0.0.1:{self.monitor}/jsz", timeout=PATIENCE) as answer:
            found: int = json.loads(answer.read()).get("messages", 0)
            return found
        return 0

    async def keys(self, subject: str, *, stream: str = "AFRESH") -> list[str]:
        """The keys of all messages of a stream, in their order."""
        import nats

        connection = await nats.connect(f"nats://127.0.0.1:{self.port}", allow_reconnect=False)
        try:
            js = connection.jetstream()
            count = (await js.stream_info(stream)).state.messages
            reader = await js.subscribe(subject, ordered_consumer=True)
            found = []
            for _ in range(count):
                message = await reader.next_msg(PATIENCE)
                key = json.loads(message.data)["key"]
                assert message.headers is not None
                assert message.headers["Nats-Msg-Id"] == key
                found.append(key)
            return found
        finally:
            await connection.close()


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


@contextmanager
def running_nats(folder: Path) -> Iterator[NatsServer]:
    server = NatsServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
