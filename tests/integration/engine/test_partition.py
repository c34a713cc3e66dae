"""A leader that the network cuts off from its database, for real: another one leads, and never two at a time.

Two processes, one in a network namespace of its own, ask a PostgreSQL server that listens on the line between them.
The line is cut for longer than the server waits, then mended. Both keep a diary of when they believed to lead, by one
steady clock.
"""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from afresh.lab.pgserver import FORGETFUL, stoppable_postgres
from tests.faults.process import until

_NAME = f"afr{os.getpid() % 100_000}"
_HERE, _THERE = f"10.231.{os.getpid() % 250}.1", f"10.231.{os.getpid() % 250}.2"
_CUT = 30.0  # seconds; the server gives a silent machine up after eleven
_DIARY = textwrap.dedent(
    """
    import asyncio, json, sys, time
    from afresh.base.clock import SystemClock
    from afresh.base.executor import Executor
    from afresh.base.settings.sections import BudgetSettings
    from afresh.base.troubles import Troubles
    from afresh.engine.budget import Budget
    from afresh.engine.leader import Sharing
    from afresh.store import open_store

    async def live(url, name):
        store, clock = open_store(url, exclusive=True), SystemClock()
        budget, troubles = Budget(BudgetSettings()), Troubles(clock.now)
        leader = Sharing(store, budget, name=name, clock=clock, executor=Executor(), troubles=troubles)
        await leader.begin()
        beating = asyncio.create_task(leader.run())
        while True:
            before = time.monotonic()
            print(json.dumps([before, leader.is_leading]), flush=True)
            await asyncio.sleep(0.05)

    asyncio.run(live(*sys.argv[1:]))
    """
)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=20)


def _can_cut() -> bool:
    if shutil.which("ip") is None or os.geteuid() != 0:
        return False
    found = subprocess.run(["ip", "netns", "add", f"{_NAME}t"], check=False, capture_output=True, timeout=20)
    if found.returncode == 0:
        _ip("netns", "delete", f"{_NAME}t")
    return found.returncode == 0


@contextmanager
def _line() -> Iterator[None]:
    """A namespace and a line to it; both are gone afterwards."""
    _ip("netns", "add", _NAME)
    try:
        _ip("link", "add", f"{_NAME}a", "type", "veth", "peer", "name", f"{_NAME}b", "netns", _NAME)
        _ip("addr", "add", f"{_HERE}/30", "dev", f"{_NAME}a")
        _ip("link", "set", f"{_NAME}a", "up")
        _ip("-n", _NAME, "addr", "add", f"{_THERE}/30", "dev", f"{_NAME}b")
        _ip("-n", _NAME, "link", "set", f"{_NAME}b", "up")
        yield
    finally:
        _ip("netns", "delete", _NAME)


@contextmanager
def _server() -> Iterator[str]:
    """PostgreSQL, listening on the line."""
    with stoppable_postgres(settings=FORGETFUL) as server:
        server.listen(_HERE, port=5432)
        yield f"postgresql://postgres@{_HERE}:5432/postgres"


@contextmanager
def _diary(folder: Path, url: str, name: str, *starter: str) -> Iterator[Path]:
    path = folder / name
    with path.open("wb") as out, (folder / f"{name}.err").open("wb") as errors:
        process = subprocess.Popen([*starter, sys.executable, "-c", _DIARY, url, name], stdout=out, stderr=errors)
        try:
            yield path
        finally:
            process.kill()
            process.wait(30)


def _read(path: Path) -> list[tuple[float, bool]]:
    return [tuple(json.loads(line)) for line in path.read_text().splitlines() if line.endswith("]")]


def _leads(path: Path, *, since: float = 0.0) -> bool:
    entries = [is_leading for at, is_leading in _read(path) if at > since]
    return bool(entries) and entries[-1]


def _wait(path: Path, *, leads: bool, since: float) -> None:
    said = path.with_suffix(".err")
    until(lambda: _leads(path, since=since) is leads, lambda: f"{path.name}, leads {leads}: {said.read_text()[-2000:]}")


def _spans(path: Path) -> list[tuple[float, float]]:
    """From when to when it believed to lead, as it wrote down."""
    spans: list[tuple[float, float]] = []
    last = False
    for at, is_leading in _read(path):
        if is_leading and last:
            spans[-1] = (spans[-1][0], at)
        elif is_leading:
            spans.append((at, at))
        last = is_leading
    return spans


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.skipif(not _can_cut(), reason="needs root and network namespaces (iproute2)")
def test_a_leader_that_is_cut_off_leads_no_more_when_another_does(tmp_path: Path) -> None:
    with _line(), _server() as url, _diary(tmp_path, url, "away", "ip", "netns", "exec", _NAME) as away:
        _wait(away, leads=True, since=time.monotonic())
        with _diary(tmp_path, url, "home") as home:
            until(lambda: _read(home), "a first line")
            assert not _leads(home)
            cut = time.monotonic()
            _ip("link", "set", f"{_NAME}a", "down")
            _wait(away, leads=False, since=cut)
            _wait(home, leads=True, since=cut)
            time.sleep(max(0.0, cut + _CUT - time.monotonic()))
            mended = time.monotonic()
            _ip("link", "set", f"{_NAME}a", "up")
            time.sleep(10.0)
            assert _leads(home, since=mended)
        taken = time.monotonic()
        _wait(away, leads=True, since=taken)
    overlaps = [
        (one, two) for one in _spans(away) for two in _spans(home) if max(one[0], two[0]) <= min(one[1], two[1])
    ]
    assert overlaps == []
