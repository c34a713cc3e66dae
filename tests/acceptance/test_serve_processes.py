"""``afresh serve`` and its processes: one on a SQLite file, none left behind by a parent that was killed."""

import os
import signal
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


def test_seeds_are_named_at_the_start(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# where to begin\nhttps://one.example/a\n\nhttps://two.example/\nhttp://10.0.0.1/\n")
    store = ("--store", str(tmp_path / "frontier.db"), "--seed", "https://one.example/", "--seed", str(seeds))
    with serving(tmp_path, *store) as running:
        told = tmp_path / "serve.log"
        until(lambda: "refused" in told.read_text(), "what became of the seeds")
        assert "seeds: 3 new, 0 known before, 1 refused" in told.read_text()
        assert "http://10.0.0.1/: 10.0.0.1 is not of the public web" in told.read_text()
        assert running.ask("/api/v1/stats").json()["url_amount"] == 3
        running.end()
    with serving(tmp_path, *store) as again:
        until(lambda: "0 new, 3 known before" in told.read_text(), "the same seeds, known")
        again.end()


@pytest.mark.postgres
def test_several_processes_add_seeds_once_and_count_together(tmp_path: Path) -> None:
    url = empty_frontier("postgres", tmp_path)
    scope = ("--exclude", "/private/")
    with serving(tmp_path, "--store", url, "--workers", "2", "--seed", "https://one.example/", *scope) as parent:
        until(lambda: len(children(parent.process.pid)) == 2, "two workers")
        until(lambda: parent.ask("/api/v1/stats").json()["url_amount"] == 1, "the seed")
        log = (tmp_path / "serve.log").read_text()
        assert log.count("seeds: 1 new, 0 known before, 0 refused") == 1
        assert log.count("links are not followed where they match /private/\n") == 1
        for _ in range(6):
            assert parent.ask("/api/v1/urls", {"urls": ["https://one.example/private/"]}).json()["refused"] == 1
        account = parent.ask("/api/v1/fetchers", {"contact": "a@b.example", "name": "one"}).json()
        for number in range(1, 13):  # each over a connection of its own, to whichever process takes it
            _report_failure(parent, account["uuid"], number)
            told = {parent.ask("/metrics").body.decode().count(_failures(number)) for _ in range(6)}
            assert told == {1}
        os.kill(children(parent.process.pid)[0], signal.SIGKILL)
        until(lambda: len(children(parent.process.pid)) == 2, "a worker started again")
        assert all(_failures(12) in parent.ask("/metrics").body.decode() for _ in range(6))
        until(lambda: parent.ask("/plots/frontier.csv").body.count(b"\n") > 1, "rates")
        for _ in range(3):
            until(lambda: len({parent.ask("/plots/frontier.csv").body for _ in range(6)}) == 1, "one picture")


def _failures(count: int) -> str:
    return f'afresh_frontier_failures_total{{reason="gone"}} {count}.0\n'


def _report_failure(parent: Process, uuid: str, number: int) -> None:
    page = {"url": f"https://one.example/{number}", "result": "not_found"}
    parent.ask("/api/v1/results", {"uuid": uuid, "fqdns": [{"fqdn": "one.example", "url_list": [page]}]})
