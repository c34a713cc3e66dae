"""Several processes on one file, and processes that are killed: nothing acknowledged is lost, no site is shared."""

import random
import sqlite3
import subprocess
import sys
from pathlib import Path

from afresh.checks.store_material import NOW, feeds
from afresh.store import open_store

# Leases and records in a loop; prints every visit after the store has acknowledged it.
WORKER = """
import sys
from afresh.checks.store_material import entry, report
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


def start(path: Path, holder: str, now: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(path), holder, str(now)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


def test_kill_9_loses_nothing_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = open_store(str(path))
    store.add(feeds(40, each=50), now=NOW)
    store.close()
    rng = random.Random(9)
    acknowledged: set[str] = set()
    for round_ in range(12):
        now = NOW + 1000.0 * (round_ + 1)  # leases of the round before have expired
        with start(path, "forever", now) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            go(child)
            lines = [child.stdout.readline() for _ in range(rng.randrange(1, 150))]
            child.kill()
            lines += child.stdout.readlines()
        acknowledged |= {line.split()[1] for line in lines if line.startswith("recorded") and line.endswith("\n")}
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        visits, entries = (connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("visit", "entry"))
        titles = {row[0] for row in connection.execute("SELECT title FROM entry")}
        connection.close()
        # Each visit wrote one entry, titled by its lease: both or neither.
        assert visits == entries == len(titles)
        assert acknowledged <= titles
    assert len(acknowledged) > 100
    store = open_store(str(path), exclusive=True)
    assert len(store.lease(holder="after", now=NOW + 1e6, until=NOW + 1e6 + 1, limit=100)) == 40
    assert store.stats(now=NOW)["visits_total"] == visits
    store.close()


def test_two_processes_never_share_a_site(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = open_store(str(path))
    store.add(feeds(25, each=20), now=NOW)
    store.close()
    children = [start(path, holder, NOW) for holder in ("one", "two")]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        go(child)
    leased: list[list[str]] = []
    for child in children:
        out, _ = child.communicate(timeout=60)
        assert child.returncode == 0
        leased += [line.split() for line in out.splitlines() if line.startswith("leased")]
    numbers = [int(line[1]) for line in leased]
    assert len(numbers) == len(set(numbers)) > 25
    # In order of the lease's number a site is taken again only a second (its delay) after the time before.
    last: dict[str, float] = {}
    for _, _, site, now in sorted(leased, key=lambda line: int(line[1])):
        assert float(now) >= last.get(site, 0.0) + 1.0 - 1e-6
        last[site] = float(now)


def test_processes_that_make_the_database_at_once_agree(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    code = (
        "import sys; from afresh.core.models import NewResource; from afresh.store import open_store\n"
        "sys.stdin.readline()\n"
        "s = open_store(sys.argv[1]); s.add([NewResource(url=sys.argv[2], site='x')], now=1.0); s.close()"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", code, str(path), f"http://x/{i}"], stdin=subprocess.PIPE, text=True)
        for i in range(4)
    ]
    for child in children:
        child.communicate("\n", timeout=60) if child is children[-1] else go(child)
    for child in children:
        with child:
            assert child.wait(60) == 0
    store = open_store(str(path))
    assert store.count() == 4
    store.close()
