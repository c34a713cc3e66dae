"""A clock that is far ahead for some seconds, or when the daemon starts, or stays so."""

import contextlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from afresh.lab.soak.faults import Shift
from tests.faults.process import PINNED, Process, daemon, fill, looking, until
from tests.faults.web import NewsWeb

DAY = 86_400.0
#: Sites of a daemon that was killed are left alone until its lease would have ended, whatever the clock says.
_SHORT_LEASES = {"loop.lease": 10.0, "fetch.total_timeout": 8.0}


@contextlib.contextmanager
def _shifted(folder: Path, store: Path, shift: Shift, *, patience: float) -> Iterator[Process]:
    with daemon(folder, store, more=_SHORT_LEASES, starter=shift.starter(patience)) as running:
        yield running


def _furthest_due(store: Path) -> float:
    """How many seconds ahead the last visit is planned."""
    with looking(store) as opened:
        return max(one.due for one in opened.list_resources(limit=100)) - time.time()


def ahead_for_a_moment(folder: Path) -> Mapping[str, object]:
    """30 days ahead for 12 s while the daemon runs, then right again: nothing is planned by it."""
    shift, store = Shift(folder), folder / "afresh.db"
    with NewsWeb(6) as web:
        fill(store, web.urls)
        with _shifted(folder, store, shift, patience=60.0) as running:
            until(lambda: web.requests >= 12, "visits")
            running.wait_for("ok")
            shift.by(30 * DAY)
            said = running.wait_for("degraded", words="jumped")
            during = web.requests
            time.sleep(12.0)
            # not for so long that the jump would be believed
            until(lambda: web.requests >= during + 12, "visits while the clock was ahead", patience=30.0)
            shift.by(0.0)
            before = web.requests
            running.wait_for("degraded", words="for a moment")
            until(lambda: web.requests >= before + 12, "visits afterwards")
            running.end()
        furthest = _furthest_due(store)
        assert furthest < 60.0, furthest
        with looking(store) as opened:
            lost, newest = web.lost(opened), max(visit.finished for _, visit in opened.visits(limit=1000))
        assert newest < time.time() + 60.0
        return {
            "lost": lost,
            "doubled": web.doubled(PINNED),
            "requests": web.requests,
            "furthest_due": round(furthest, 1),
            "why": said["troubles"][0]["why"],
        }


def ahead_at_the_start(folder: Path) -> Mapping[str, object]:
    """Started 30 days ahead, set right at run time, and after that started anew: all is due when it should be."""
    shift, store = Shift(folder), folder / "afresh.db"
    with NewsWeb(6) as web:
        fill(store, web.urls)
        shift.by(30 * DAY)
        with _shifted(folder, store, shift, patience=2.0) as running:
            until(lambda: web.requests >= 12, "visits")
            assert _furthest_due(store) > 29 * DAY
            shift.by(0.0)
            until(lambda: running.said.count(" watches ") == 2, lambda: f"a new beginning: {running.said}")
            before = web.requests
            until(lambda: web.requests >= before + 12, "visits afterwards")
            said = running.wait_for("degraded", words="pulled back")
            running.end()
        furthest = _furthest_due(store)
        assert furthest < 60.0, furthest
        with looking(store) as opened:
            lost = web.lost(opened)
        return {
            "lost": lost,
            "doubled": web.doubled(PINNED),
            "requests": web.requests,
            "furthest_due": round(furthest, 1),
            "why": said["troubles"][0]["why"],
        }


def _killed_at_work(folder: Path, store: Path, shift: Shift, web: NewsWeb) -> None:
    """A daemon that is killed after some visits, when it has kept house."""
    before = web.requests
    with _shifted(folder, store, shift, patience=60.0) as running:
        until(lambda: web.requests >= before + 8, "visits")
        until(lambda: running.health()["companions"]["housekeeping"]["is_running"], "housekeeping")
        running.kill()


def a_year_ahead(folder: Path) -> Mapping[str, object]:
    """A daemon that starts a year ahead forgets nothing, nor does one that is killed and starts there again."""
    shift, store = Shift(folder), folder / "afresh.db"
    with NewsWeb(4) as web:
        fill(store, web.urls)
        with _shifted(folder, store, shift, patience=60.0) as running:
            until(lambda: web.requests >= 12, "visits")
            running.end()
        with looking(store) as opened:
            kept = {number for number, _ in opened.visits(limit=1000)}
        shift.by(365 * DAY)
        _killed_at_work(folder, store, shift, web)
        _killed_at_work(folder, store, shift, web)
        shift.by(0.0)
        _killed_at_work(folder, store, shift, web)
        with looking(store) as opened:
            left = {number for number, _ in opened.visits(limit=1000)}
        return {"pruned": len(kept - left), "visits": len(kept), "furthest_due": round(_furthest_due(store), 1)}
