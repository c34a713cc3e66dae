"""The lab on Dask, a real scheduler with workers on loopback: the same numbers as one process, to the last digit."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from afresh.lab.population import generate
from afresh.lab.replay.trace import Trace
from afresh.lab.traces import write_trace
from afresh.lab.traces.parted import cut, write_parts

pytest.importorskip("distributed", reason="left out: needs dask")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

WITHIN = 600.0  # seconds
PERIOD = ["--train", "4d", "--test", "6d"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of 600 feeds in ``csv`` and in ``parts``."""
    place = tmp_path_factory.mktemp("traces")
    trace: Trace = generate(600, seed=5, days=10.0)
    write_trace(trace, place / "csv")
    write_parts(cut(trace, 170), place / "parts", name="csv")
    return place


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, each a process of its own."""
    place = tmp_path_factory.mktemp("dask")
    told = place / "scheduler.json"
    loopback = ["--host", "127.0.0.1", "--no-dashboard"]
    started = [_dask("scheduler", "--port", "0", "--scheduler-file", str(told), *loopback, folder=place)]
    try:
        address = _address(told)
        worker = ["worker", address, "--nthreads", "1", "--no-nanny", *loopback]
        started += [_dask(*worker, folder=place) for _ in range(2)]
        yield address
    finally:
        for process in reversed(started):
            process.kill()
            process.wait(60)


def _address(told: Path) -> str:
    """What the scheduler writes when it is there."""
    deadline = time.monotonic() + WITHIN
    while True:
        with suppress(OSError, ValueError):
            address: str = json.loads(told.read_text(encoding="utf-8"))["address"]
            return address
        assert time.monotonic() < deadline, "the scheduler does not start"
        time.sleep(0.05)


def _dask(*arguments: str, folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "dask", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def lab(*arguments: str) -> Any:
    """What a command of the lab prints as JSON, without what it says of its own speed."""
    command = [sys.executable, "-m", "afresh", "lab", *arguments, "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN)
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    for row in rows:
        for name in ("seconds", "polls_per_second"):
            row.pop(name, None)
    return rows


def test_replays_are_equal_matched_ones_too(folder: Path, scheduler: str) -> None:
    rules = [part for name in ("mavsync", "priced", "indhist", "fix:interval=1h") for part in ("--rule", name)]
    options = [*PERIOD, *rules, "--match-polls", "mavsync", "--delays"]
    alone = lab("replay", "--trace", str(folder / "csv"), *options)
    assert len(alone) == 4
    assert lab("replay", "--trace", str(folder / "csv"), "--scheduler", scheduler, *options) == alone
    assert lab("replay", "--trace", str(folder / "parts"), "--scheduler", scheduler, *options) == alone


def test_conditions_hold_in_every_part(folder: Path, scheduler: str) -> None:
    options = [*PERIOD, "--rule", "mavsync", "--where", "conditional=1"]
    alone = lab("replay", "--trace", str(folder / "csv"), *options)
    assert lab("replay", "--trace", str(folder / "parts"), "--scheduler", scheduler, *options) == alone


def test_strategies_are_equal(folder: Path, scheduler: str) -> None:
    options = [*PERIOD, "--budget", "1", "--strategy", "two_steps", "--strategy", "uniform"]
    alone = lab("refresh", "--trace", str(folder / "csv"), *options)
    assert lab("refresh", "--trace", str(folder / "parts"), "--scheduler", scheduler, *options) == alone


@pytest.mark.parametrize(
    ("address", "words"), [("local:none", "is no scheduler"), ("tcp://127.0.0.1:1", "no scheduler answers")]
)
def test_a_scheduler_that_is_none_is_named(address: str, words: str, folder: Path) -> None:
    command = ["lab", "replay", "--trace", str(folder / "csv"), *PERIOD, "--rule", "mavsync", "--scheduler", address]
    answer = subprocess.run([sys.executable, "-m", "afresh", *command], capture_output=True, text=True, timeout=WITHIN)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert "Traceback" not in answer.stderr


def test_the_bench_prints_speed_and_memory(tmp_path: Path) -> None:
    options = ["bench", "scale", "--feeds", "400", "--part", "40", "--workers", "1", "--days", "3"]
    rows = lab(*options, "--folder", str(tmp_path))
    assert [(row["on"], row["feeds"]) for row in rows] == [("1 workers", 40), ("1 workers", 400), ("--jobs 1", 40)]
    assert rows[0]["polls"] == rows[2]["polls"]
    assert all(row["polls_a_second"] > 0 and row["megabytes_a_worker"] > 50 for row in rows)
    [replayed] = lab("replay", "--trace", str(tmp_path), "--train", "1d", "--test", "2d", "--rule", "mavsync")
    first_looks = 400  # counted by the bench only
    assert rows[1]["polls"] == replayed["polls"] + first_looks, "begins when watching begins, not with the oldest entry"
