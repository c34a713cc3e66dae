"""Scheduler processes that share one listening socket: started, watched, started again when they die."""

import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

_log = logging.getLogger(__name__)
_PAUSE = 0.5  # seconds between two starts of one place, so that a process that cannot start does not spin


class Workers:
    """Keeps ``count`` processes of ``afresh serve`` on one socket alive.

    The socket is bound once and handed down, so that while a process is started anew connections wait instead of being
    refused.
    """

    def __init__(
        self,
        listener: socket.socket,
        arguments: Sequence[str],
        *,
        count: int,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._listener = listener
        listener.set_inheritable(True)
        self._command = [sys.executable, "-P", "-m", "afresh", *arguments, "--fd", str(listener.fileno())]
        self._environment = {**os.environ, **(environment or {})}
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * count
        self._started = [0.0] * count
        self.restarts = 0

    def start(self) -> None:
        for place in range(len(self._processes)):
            self._start(place)

    def _start(self, place: int) -> None:
        self._started[place] = time.monotonic()
        self._processes[place] = subprocess.Popen(  # noqa: S603 (our own command)
            self._command, pass_fds=(self._listener.fileno(),), start_new_session=True, env=self._environment
        )

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes if process is not None]

    def revive(self) -> int:
        """Starts again what has died; says how many."""
        dead = [
            place
            for place, process in enumerate(self._processes)
            if process is not None and process.poll() is not None and time.monotonic() - self._started[place] >= _PAUSE
        ]
        for place in dead:
            _log.warning("scheduler process %s ended; started again", place)
            self._start(place)
        self.restarts += len(dead)
        return len(dead)

    def kill(self, place: int) -> None:
        """SIGKILL, for trials of what survives it."""
        process = self._processes[place]
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def stop(self, *, patience: float = 10.0) -> None:
        """SIGTERM, then SIGKILL for what does not end in time."""
        alive = [process for process in self._processes if process is not None and process.poll() is None]
        for process in alive:
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + patience
        for process in alive:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
