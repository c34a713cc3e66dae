"""Other processes that lease and record from a store, to be watched and killed."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

# Leases and records in a loop; prints every visit after the store has acknowledged it.
WORKER = """
import sys
from tests.laws.store_material import entry, report
from afresh.store import open_store
path, holder, start = sys.argv[1], sys.argv[2], float(sys.argv[3])
store = open_store(path)
print("ready", flush=True)
sys.stdin.readline()
for step in range(100_000):
    now = start + step * 1e-2
    leases = store.lease(holder=holder, now=now, until=now + 50.0, limit=4)
    made = [report(one, now, due=now + 5.0, next_allowed=now + 1.0, entries=(entry(str(one.id)),)) for one in leases]
    for one in leases:
        print("leased", one.id, one.site, now, flush=True)
    assert all(store.record(made))
    for one in leases:
        print("recorded", one.id, one.resource.id, flush=True)
    if step > 200 and holder != "forever":
        break
"""


def start(path: Path | str, holder: str, now: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(path), holder, str(now)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


def killed(path: Path | str, now: float, after: int) -> set[str]:
    """Kills a worker in the middle of its work, once it has said so many lines; the leases it saw acknowledged."""
    with start(path, "forever", now) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        go(child)
        lines = [child.stdout.readline() for _ in range(after)]
        child.kill()
        lines += child.stdout.readlines()
    return {line.split()[1] for line in lines if line.startswith("recorded") and line.endswith("\n")}


@contextmanager
def together(path: Path | str, number: int, now: float) -> Iterator[list["subprocess.Popen[str]"]]:
    """Workers that begin at the same time."""
    children = [start(path, f"worker{i}", now) for i in range(number)]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            go(child)
        yield children
    finally:
        for child in children:
            child.kill()
            child.communicate()


def assert_no_site_was_shared(children: Sequence["subprocess.Popen[str]"]) -> None:
    """Once all have ended: every lease is one worker's, and a site was taken again only after its delay of a second."""
    leased: list[list[str]] = []
    for child in children:
        out, _ = child.communicate(timeout=120)
        assert child.returncode == 0
        leased += [line.split() for line in out.splitlines() if line.startswith("leased")]
    numbers = [int(line[1]) for line in leased]
    assert len(numbers) == len(set(numbers)) > 25
    last: dict[str, float] = {}
    for _, _, site, now in sorted(leased, key=lambda line: int(line[1])):
        assert float(now) >= last.get(site, 0.0) + 1.0 - 1e-6
        last[site] = float(now)
