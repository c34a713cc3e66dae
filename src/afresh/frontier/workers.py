"""Scheduler processes that share one listening socket: started, watched, started again when they die."""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from afresh.frontier.shared_counters import memory_for

_log = logging.getLogger(__name__)
_PAUSE = 0.5  # seconds between two starts of one place, so that a process that cannot start does not spin

_PATIENCE = 10.0  # seconds for what is in flight


class Workers:
    """Keeps ``count`` processes of ``afresh serve`` on one socket alive.

    The socket is bound once and handed down, so that while a process is started anew connections wait instead of being
    refused. So is the far end of a pipe, which tells them that this process has ended (``outlive_not``).
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
        self._lifeline, _ = os.pipe()  # whose other end is open for as long as this process lives
        self._tallies = memory_for(count)  # what they count together, whichever of them is asked
        inherited = ["--fd", str(listener.fileno()), "--lifeline", str(self._lifeline)]
        inherited += ["--tallies", str(self._tallies.fileno())]
        self._command = [sys.executable, "-P", "-m", "afresh", *arguments, *inherited]
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
            [*self._command, "--place", str(place)],
            pass_fds=(self._listener.fileno(), self._lifeline, self._tallies.fileno()),
            start_new_session=True,
            env=self._environment,
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

    def stop(self, *, patience: float = _PATIENCE) -> None:
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
        self._tallies.close()


def outlive_not(lifeline: int, stop: Callable[[], object]) -> None:
    """Ends this process with the one that holds the near end of the pipe: in good order, or else after a while.

    By a pipe, since the system closes it with its owner whatever ended that. Linux could send a signal instead
    (PR_SET_PDEATHSIG), but only there, not to a child whose parent died before it asked, and at the end of the thread
    that started it.
    """

    def wait() -> None:
        os.read(lifeline, 1)  # nobody writes: it returns when there is nobody left who could
        stop()
        time.sleep(_PATIENCE)
        os._exit(1)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()
