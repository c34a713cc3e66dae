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


def end_family(pid: int) -> list[int]:
    """Ends all of them at once: they have nothing to finish. Returns who they were, for ``are_gone``.

    They are stopped first: whoever is being ended could start another one that nobody would find any more.
    """
    stopped: list[int] = []
    while found := [one for one in family(pid) if one not in stopped]:
        _signal(found, signal.SIGSTOP)
        stopped += found
    _signal(stopped, signal.SIGKILL)
    return stopped


def are_gone(pids: list[int]) -> bool:
    """Whether none of them runs any more: the system takes a moment to clear away what held much memory."""
    return not any(map(_is_running, pids))


def _signal(pids: list[int], number: signal.Signals) -> None:
    for one in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(one, number)


def _is_running(pid: int) -> bool:
    with suppress(OSError, IndexError):
        state = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX"  # ended; whoever started it has not asked how
    return False
