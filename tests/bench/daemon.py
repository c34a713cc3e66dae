"""The daemon with 200,000 feeds: memory, idle CPU, and a thousand polls a minute.

The feeds live on names that resolve nowhere public (``*.localhost`` with the guard on), so a poll is refused at once:
what is measured is our own cost of leasing, judging, planning and recording, not a server's.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from afresh.base.settings import Settings
from afresh.base.settings.sections import FetchSettings
from afresh.engine.add import Wanted, add
from afresh.store import open_store

ANYWHERE = Settings(fetch=FetchSettings(allow_private=True))  # nothing is fetched

FEEDS, SITES = 200_000, 50_000
IDLE_SECONDS, BUSY_SECONDS = 10.0, 20.0


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="afresh-bench-") as folder:
        path = Path(folder) / "bench.db"
        begin = time.perf_counter()
        _fill(path)
        figures = {"add_per_second": FEEDS / (time.perf_counter() - begin)}
        return {**figures, **_idle(path), **_busy(path)}


def _fill(path: Path) -> None:
    store = open_store(str(path))
    later = time.time() + 86_400
    wanted = [Wanted(url=f"http://s{n % SITES}.localhost:9/{n}") for n in range(FEEDS)]
    for first in range(0, FEEDS, 20_000):
        add(store, wanted[first : first + 20_000], ANYWHERE, now=later)
    store.close()


def start(path: Path) -> tuple[subprocess.Popen[str], str]:
    """A daemon over a store, and the address of its pages."""
    process = subprocess.Popen(
        [sys.executable, "-m", "afresh", "--store", str(path), "--set", "log.level=error", "run", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "watches" in line
    return process, next(word for word in line.split() if word.startswith("http://"))


def _idle(path: Path) -> dict[str, float]:
    """Nothing is due: what does waiting cost?"""
    process, _ = start(path)
    watched = psutil.Process(process.pid)
    time.sleep(2.0)
    used, begin = watched.cpu_times(), time.perf_counter()
    time.sleep(IDLE_SECONDS)
    now = watched.cpu_times()
    share = (now.user + now.system - used.user - used.system) / (time.perf_counter() - begin)
    memory = watched.memory_info().rss / 1e6
    stop(process)
    return {"rss_mb": memory, "idle_cpu_share": share}


def _busy(path: Path) -> dict[str, float]:
    """A thousand resources a minute become due: are they all visited, and at what cost?"""
    store = open_store(str(path))
    now = time.time()
    due = [store.get(f"http://s{n}.localhost:9/{n}").id for n in range(400)]
    for position, resource in enumerate(due):
        store.update(resource, due=now + 4.0 + position * 0.05)
    process, _ = start(path)
    watched = psutil.Process(process.pid)
    before = watched.cpu_times()
    begin = time.perf_counter()
    time.sleep(BUSY_SECONDS + 5.0)
    after = watched.cpu_times()
    seconds = time.perf_counter() - begin
    visits = store.stats(now=time.time())["visits_total"]
    stop(process)
    store.close()
    cpu = after.user + after.system - before.user - before.system
    return {
        "polls_per_minute": visits / BUSY_SECONDS * 60,
        "cpu_share_at_that_pace": cpu / seconds,
    }


def stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(timeout=30)
    if process.stderr is not None:
        process.stderr.close()


if __name__ == "__main__":
    print(measure())
