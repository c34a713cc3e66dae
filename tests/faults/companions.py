"""A companion of the loop that fails again and again: counted, shown, started again, well once its cause is gone."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from tests.faults.process import PINNED, daemon, fill, looking, until
from tests.faults.web import NewsWeb

_BREAK = "CREATE TRIGGER broken BEFORE DELETE ON visit BEGIN SELECT RAISE(ABORT, 'a fault for the test'); END"


def failing_companions(folder: Path) -> Mapping[str, object]:
    """Housekeeping cannot forget a visit: the database refuses, until it no longer does."""
    store = folder / "afresh.db"
    with NewsWeb(4) as web:
        fill(store, web.urls)
        with daemon(folder, store) as running:
            until(lambda: web.requests >= 8, "visits")
            running.end()
        with looking(store) as opened:
            old = {number for number, _ in opened.visits(limit=1000)}
        _execute(store, _BREAK)
        with daemon(folder, store, more={"keep.visits": "1s"}) as running:
            said = running.wait_for("degraded", words="a fault for the test")
            before = web.requests
            until(lambda: running.health()["companions"]["housekeeping"]["failures"] >= 3, "failures")
            until(lambda: web.requests >= before + 8, "visits beside it")
            failures = running.health()["companions"]["housekeeping"]["failures"]
            _execute(store, "DROP TRIGGER broken")
            running.wait_for("ok")
            running.end()
        with looking(store) as opened:
            left = {number for number, _ in opened.visits(limit=1000)}
            lost, failed = web.lost(opened), [one.error for one in opened.list_resources(limit=10) if one.error]
        assert not old & left, "housekeeping did not come back"
        return {
            "lost": lost,
            "failed": failed,
            "doubled": web.doubled(PINNED),
            "failures": failures,
            "what": said["troubles"][0]["what"],
            "forgotten": len(old),
        }


def _execute(store: Path, text: str) -> None:
    with closing(sqlite3.connect(store, timeout=30, isolation_level=None)) as connection:
        connection.execute(text)
