"""A disk that is full: for a daemon at work, and for one that starts."""

import contextlib
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.faults.process import PINNED, SETTINGS, Process, daemon, fill, looking, until
from tests.faults.web import NewsWeb

_SIZE = 12_000_000  # bytes of the small disk


class SmallDisk:
    """A file system of its own where one may be mounted; elsewhere the files of the daemon may not grow."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "disk"
        self.path.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "none", str(self.path)]
        self.is_mounted = (
            shutil.which("mount") is not None and not subprocess.run(mount, capture_output=True).returncode
        )

    def fill(self, running: Process | None = None) -> None:
        if not self.is_mounted:
            assert running is not None
            _limit(running.process.pid, max(file.stat().st_size for file in self.path.iterdir()))
            return
        with (self.path / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"\0" * 4096):
                pass

    def free(self, running: Process | None = None) -> None:
        if self.is_mounted:
            (self.path / "ballast").unlink()
        elif running is not None:
            _limit(running.process.pid, resource.RLIM_INFINITY)

    def close(self) -> None:
        if self.is_mounted:
            subprocess.run(["umount", str(self.path)], check=True)


def _limit(pid: int, size: int) -> None:
    hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size if hard < 0 else min(size, hard), hard))


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(folder)
    try:
        yield disk
    finally:
        disk.close()


def full_disk(folder: Path) -> Mapping[str, object]:
    """The disk fills under a daemon at work, stays full for a while, and is freed."""
    with NewsWeb(6) as web, small_disk(folder) as disk:
        store = disk.path / "afresh.db"
        fill(store, web.urls)
        with daemon(folder, store) as running:
            until(lambda: web.requests >= 12, "visits")
            disk.fill(running)
            said = running.wait_for("degraded", words="")
            until(lambda: _has_store_trouble(running), "a trouble of the store")
            said = running.health()
            stands_at = web.wait_for_rest(lambda: _wait_for_tries(running, 2))
            page = running.ask("/", timeout=10.0, Accept="text/html")
            adding = running.ask("/api/v1/resources", {"urls": ["http://new.localhost/feed"]}, timeout=10.0)
            _wait_for_tries(running, 3)
            assert web.requests == stands_at, "it went on fetching"
            disk.free(running)
            running.wait_for("ok")
            until(lambda: web.requests >= stands_at + 12, "visits after it was freed")
            running.end()
        with looking(store) as opened:
            lost = web.lost(opened)
        assert "Traceback" not in running.said, running.said
        assert page.status == 200
        return {
            "lost": lost,
            "doubled": web.doubled(PINNED),
            "requests": web.requests,
            "page": page.status,
            "adding": adding.status,
            "retry_after": adding.headers.get("retry-after", ""),
            "why": said["troubles"][0]["why"],
            "log_lines": running.said.count("\n"),
            "mounted": disk.is_mounted,
        }


def _has_store_trouble(running: Process) -> bool:
    return _tries(running) > 0


def _tries(running: Process) -> int:
    """How often the store was tried in vain."""
    return sum(one["times"] for one in running.health()["troubles"] if one["what"] == "store")


def _wait_for_tries(running: Process, more: int) -> None:
    before = _tries(running)
    until(lambda: _tries(running) >= before + more, "tries")


def start_on_a_full_disk(folder: Path) -> Mapping[str, object]:
    """``run`` where nothing can be written: one line, exit code 3."""
    with small_disk(folder) as disk:
        store = disk.path / "afresh.db"
        fill(store, ["http://s0.localhost/feed"])
        before = None
        if disk.is_mounted:
            disk.fill()
        else:

            def before() -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        words = [f"--set={name}={value}" for name, value in {**SETTINGS, "store.url": store}.items()]
        ended = subprocess.run(
            [sys.executable, "-m", "afresh", *words, "run", "--port", "0"],
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=before,
            env=dict(os.environ),
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return {"code": ended.returncode, "lines": ended.stderr.count("\n"), "said": ended.stderr.strip()}
