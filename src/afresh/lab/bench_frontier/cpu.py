"""CPU seconds of the scheduler, its store and the fetchers, each for itself."""

import os
import time
from pathlib import Path

from afresh.frontier.workers import Workers

_TICK = os.sysconf("SC_CLK_TCK")


class CpuMeter:
    """What scheduler and store have used since it was made; processes that are killed are read before they go."""

    def __init__(self, workers: Workers, store: str) -> None:
        self._workers = workers
        self._postmaster = _postmaster(store)
        self._retired = 0.0
        self._scheduler_before = self._scheduler()
        self._store_before = _family(self._postmaster)
        self._own_before = time.process_time()

    def retire(self, pid: int) -> None:
        """Keeps the account of a process that is about to end."""
        self._retired += cpu_seconds(pid)

    def read(self) -> dict[str, float]:
        return {
            "cpu_seconds_scheduler": round(self._retired + self._scheduler() - self._scheduler_before, 2),
            "cpu_seconds_store": round(_family(self._postmaster) - self._store_before, 2),
            "cpu_seconds_fetchers": round(time.process_time() - self._own_before, 2),
        }

    def _scheduler(self) -> float:
        return sum(cpu_seconds(pid) for pid in self._workers.pids)


def cpu_seconds(pid: int | str) -> float:
    """User and system seconds of a process with its waited-for children; 0 for one that is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(fields[place]) for place in (11, 12, 13, 14)) / _TICK


def _family(parent: int) -> float:
    """A process with its children, living and ended; 0 for none."""
    if not parent:
        return 0.0
    children = (entry.name for entry in Path("/proc").glob("[0-9]*") if _parent(entry.name) == parent)
    return cpu_seconds(parent) + sum(cpu_seconds(child) for child in children)


def _parent(pid: int | str) -> int:
    try:
        return int(
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
        )
    except OSError:
        return 0


def _postmaster(store: str) -> int:
    """The PostgreSQL server behind a URL, if it runs on this machine; 0: none, or elsewhere."""
    if not store.startswith("postgres"):
        return 0
    import psycopg  # noqa: PLC0415 (optional extra)

    with psycopg.connect(store) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        return _parent(row[0]) if row else 0
