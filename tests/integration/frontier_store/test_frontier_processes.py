"""Several real processes on one frontier, one of them killed: no site is held twice, nothing answered is lost."""

import itertools
import os
import signal
import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pytest

from afresh.store.frontier import open_frontier
from tests.fakes.frontier_stores import empty_frontier
from tests.laws.frontier_material import seeds, wrong_sums

DELAY = 0.002
PAGES = 3

# Leases and reports in a loop, with the machine's clock; says what it holds, from when to when, once that is answered.
WORKER = f"""
import sys, time
from tests.laws.frontier_material import fetched
from afresh.base.records.frontier import ListRequest
from afresh.store.frontier import open_frontier
url, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = open_frontier(url)
print("ready", flush=True)
sys.stdin.readline()
for step in range(rounds):
    now = time.time()
    request = ListRequest(fetcher=name, sites=4, pages={PAGES}, default_delay={DELAY}, expires=now + 1.0)
    lists = store.lease(request, now=now)
    for one in lists:
        print("leased", one.name, one.lease, now, flush=True)
    links = [f"http://s{{step % 7}}.example/{{name}}-{{step}}"] if step % 5 == 0 else []
    reports = [fetched(one, links=links) for one in lists]
    before = time.time()
    receipt = store.report(name, reports, key=f"{{name}}-{{step}}", now=before, revisit_after=0.01)
    for one, standing in zip(lists, receipt.standings, strict=True):
        print("reported", one.name, one.lease, before, standing, flush=True)
    print("visits", receipt.visited, flush=True)
"""


def _start(url: str, name: str, rounds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, url, name, str(rounds)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_no_site_is_held_twice_and_nothing_is_lost(kind: str, tmp_path: Path) -> None:
    url = empty_frontier(kind, tmp_path)
    with closing(open_frontier(url)) as store:
        store.add(seeds(12, 8), now=0.0)
        children = [_start(url, f"f{number}", 25) for number in range(3)]
        victim = _start(url, "victim", 100_000)
        lines: list[str] = []
        for child in (*children, victim):
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in (*children, victim):
            _go(child)
        assert victim.stdout is not None
        heard = [victim.stdout.readline() for _ in range(40)]
        os.kill(victim.pid, signal.SIGKILL)
        # communicate() would pass over what readline() has buffered; the last line may have been cut off
        heard += [line for line in victim.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        victim.wait(60)
        victim.stdout.close()
        if victim.stdin is not None:
            victim.stdin.close()
        for child in children:
            lines += child.communicate(timeout=120)[0].splitlines()
            assert child.returncode == 0
        lines += heard
        _check_holds([line.split() for line in lines])
        answered = sum(int(line.split()[1]) for line in lines if line.startswith("visits"))
        assert answered <= store.stats().visits <= answered + 4 * PAGES  # one report may have been unheard
        assert not wrong_sums(store)


def _check_holds(lines: list[list[str]]) -> None:
    """Leases of a site follow each other: not before the report of the one before, nor before the delay."""
    leased: dict[str, list[tuple[int, float]]] = defaultdict(list)
    ended: dict[int, float] = {}
    for line in lines:
        if line and line[0] == "leased":
            leased[line[1]].append((int(line[2]), float(line[3])))
        elif line and line[0] == "reported" and line[4] == "accepted":
            ended[int(line[2])] = float(line[3])
    assert sum(map(len, leased.values())) > 30
    for holds in leased.values():
        holds.sort()
        numbers = [number for number, _ in holds]
        assert len(numbers) == len(set(numbers))
        for (number, begun), (_, after) in itertools.pairwise(holds):
            # The victim may have reported its last list without being heard; then only the delay is known.
            assert after >= ended.get(number, begun) or after >= begun + 1.0
            assert after >= begun + DELAY
