"""``afresh serve`` and its processes: one on a SQLite file, none left behind by a parent that was killed."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.frontier_stores import empty_frontier
from tests.faults.process import PATIENCE, Process, until


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Process]:
    """``afresh serve`` on a free port, ready; killed at the end if it still lives."""
    running = Process(["serve", "--port", "0", *options], folder / "serve.log")
    try:
        running.wait_for_door()
        yield running
    finally:
        running.kill()


def test_a_second_one_on_a_file_is_refused(tmp_path: Path) -> None:
    store = str(tmp_path / "frontier.db")
    with serving(tmp_path, "--store", store) as first:
        until(lambda: first.ask("/api/v1/stats").status == 200, "an answer")
        second = subprocess.run(
            [sys.executable, "-m", "afresh", "serve", "--port", "0", "--store", store],
            capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert second.returncode != 0
        assert f"{store} is in use by another afresh (process {first.process.pid})" in second.stderr
        assert "Traceback" not in second.stderr
        first.end()
    with serving(tmp_path, "--store", store) as again:  # the lock went with its process
        again.end()


@pytest.mark.postgres
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    url = empty_frontier("postgres", tmp_path)
    with serving(tmp_path, "--store", url, "--workers", "2") as parent:
        until(lambda: len(children(parent.process.pid)) == 2, "two workers")
        until(lambda: parent.ask("/api/v1/stats").status == 200, "an answer")
        workers = children(parent.process.pid)
        parent.kill()  # not in good order: nobody tells the workers
        until(lambda: not any(map(is_alive, workers)), lambda: f"the end of {[w for w in workers if is_alive(w)]}")
        with socket.create_server(("127.0.0.1", int(parent.base.rpartition(":")[2]))):
            """Nobody holds the port."""


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()] if found.exists() else []


def is_alive(pid: int) -> bool:
    """Whether it runs; a process that ended and that nobody has asked for yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return " Z " not in Path(f"/proc/{pid}/stat").read_text()
