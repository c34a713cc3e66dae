"""Several processes on one file, and processes that are killed: nothing acknowledged is lost, no site is shared."""

import random
import sqlite3
import subprocess
import sys
from pathlib import Path

from afresh.store import open_store
from tests.fakes.store_worker import assert_no_site_was_shared, go, killed, together
from tests.laws.store_material import NOW, feeds


def test_kill_9_loses_nothing_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = open_store(str(path))
    store.add(feeds(40, each=50), now=NOW)
    store.close()
    rng = random.Random(9)
    acknowledged: set[str] = set()
    for round_ in range(12):
        now = NOW + 1000.0 * (round_ + 1)  # leases of the round before have expired
        acknowledged |= killed(path, now, rng.randrange(1, 150))
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
    with together(path, 2, NOW) as children:
        assert_no_site_was_shared(children)


def test_processes_that_make_the_database_at_once_agree(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    code = (
        "import sys; from afresh.base.models import NewResource; from afresh.store import open_store\n"
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
