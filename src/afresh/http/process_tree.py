"""The processes that another one has started, as far as the system tells: how much memory they hold, and their end."""

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def family(pid: int) -> list[int]:
    """A process and all that it has started, and these in turn; only itself where there is no ``/proc``."""
    found = [pid]
    for one in found:  # grows while it is read
        with suppress(OSError, ValueError):
            for thread in (_PROC / str(one) / "task").iterdir():
                found += [int(word) for word in (thread / "children").read_text().split()]
    return found


def held_bytes(pids: list[int]) -> int:
    """Memory that these hold for themselves: what they share counts for nobody."""
    return sum(map(_held, pids))


def _held(pid: int) -> int:
    with suppress(OSError, ValueError):
        for line in (_PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


def end_family(pid: int) -> None:
    """Ends all of them at once: they have nothing to finish."""
    for one in reversed(family(pid)):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
