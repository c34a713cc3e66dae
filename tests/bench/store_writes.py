"""How fast the stores are with 200,000 feeds of 50,000 sites: importing, leasing, recording, opening, totals.

The names of PostgreSQL's figures begin with ``postgres_``; its server has the same machine to itself and to us.
"""

import os
import resource as process
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from hashlib import sha1

import numpy as np
import psutil

from afresh.base.models import (
    Counters,
    Entry,
    FeedFacts,
    Lease,
    NewResource,
    ParsedEntry,
    Report,
    Resource,
    Result,
    Validators,
    Visit,
    Window,
)
from afresh.base.protocols import Store
from afresh.lab.pgserver import running_postgres
from afresh.store import open_store

RESOURCES = 200_000
SITES = 50_000
BATCH = 200
BATCHES = 150
NOW = 1_700_000_000.0
_UIDS = [sha1(i.to_bytes(4, "big"), usedforsecurity=False).digest() for i in range(4_000)]
_FACTS = FeedFacts(format="rss20", title="A feed", site_url="http://www.example.org/", ttl=3600.0, has_ids=True)
_SUMMARY = "Some words that stand for a summary. " * 8


def measure() -> dict[str, float]:
    """Numbers by name."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = _measure(f"sqlite:///{folder}/bench.db")
    with running_postgres() as url:
        numbers |= {f"postgres_{name}": value for name, value in _measure(url).items()}
        numbers["postgres_beside_per_second"] = _beside(url)
    return numbers


def _measure(url: str) -> dict[str, float]:
    return _fill(url) | _open(url) | _work(url)


def _beside(url: str) -> float:
    """Visits a second, leased and recorded, by two processes at once."""
    now = NOW + 7200.0
    command = [sys.executable, "-m", "tests.bench.store_writes", url, str(now)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    found = [[float(word) for word in worker.communicate()[0].split()] for worker in workers]
    seconds = max(ended for _, _, ended in found) - min(began for _, began, _ in found)
    return sum(visits for visits, _, _ in found) / seconds


def worker(url: str, now: float) -> None:
    """One of several processes; prints visits, and when it began and ended."""
    store = open_store(url, exclusive=True)
    began, visits = time.time(), 0
    for _ in range(BATCHES):
        leases = store.lease(holder=str(os.getpid()), now=now, until=now + 60, limit=BATCH)
        visits += sum(store.record([_report(lease, now) for lease in leases]))
        now += 0.01
    print(visits, began, time.time())
    store.close()


def _fill(url: str) -> dict[str, float]:
    store = open_store(url)
    feeds = [
        NewResource(url=f"http://host{i % SITES}.example/feed/{i}", site=f"host{i % SITES}.example", due=NOW + i / 1e3)
        for i in range(RESOURCES)
    ]
    started = time.perf_counter()
    store.add(feeds, now=NOW)
    seconds = time.perf_counter() - started
    store.close()
    return {"import_per_second": RESOURCES / seconds}


def _open(url: str) -> dict[str, float]:
    before = psutil.Process(os.getpid()).memory_info().rss
    started = time.perf_counter()
    store = open_store(url, exclusive=True)
    opened = time.perf_counter() - started
    started = time.perf_counter()
    store.stats(now=NOW + 10)
    totals = time.perf_counter() - started
    after = psutil.Process(os.getpid()).memory_info().rss
    store.close()
    return {"open_ms": opened * 1e3, "stats_ms": totals * 1e3, "open_rss_mb": (after - before) / 1e6}


def _work(url: str) -> dict[str, float]:
    """Leases and records in batches, as a daemon that is busy would."""
    store = open_store(url, exclusive=True)
    leasing, recording, visits = 0.0, 0.0, 0
    cpu = process.getrusage(process.RUSAGE_SELF)
    now = NOW + 3600.0
    for _ in range(BATCHES):
        started = time.perf_counter()
        leases = store.lease(holder="bench", now=now, until=now + 60, limit=BATCH)
        leasing += time.perf_counter() - started
        reports = [_report(lease, now) for lease in leases]
        started = time.perf_counter()
        store.record(reports)
        recording += time.perf_counter() - started
        visits += len(leases)
        now += 0.01
    spent = process.getrusage(process.RUSAGE_SELF)
    per_poll = (spent.ru_utime + spent.ru_stime - cpu.ru_utime - cpu.ru_stime) / visits
    started = time.perf_counter()
    store.stats(now=now)
    totals = time.perf_counter() - started
    size = store.stats(now=now)["database_bytes"]
    singles = _singly(store, now)
    store.close()
    return {
        "lease_per_second": visits / leasing,
        "record_per_second": visits / recording,
        "stats_busy_ms": totals * 1e3,
        "database_mb": size / 1e6,
        "cpu_share_at_1000_polls_a_minute": per_poll * 1000 / 60,
        "cpu_share_one_at_a_time": singles * 1000 / 60,
    }


def _singly(store: Store, now: float) -> float:
    """CPU seconds a poll when each is leased and recorded alone: the least batching a daemon could do."""
    before = time.process_time()
    for _ in range(500):
        store.record([_report(lease, now) for lease in store.lease(holder="b", now=now, until=now + 60, limit=1)])
    return (time.process_time() - before) / 500


def _report(lease: Lease, now: float) -> Report:
    found = lease.id % 3
    uids = tuple(_UIDS[(lease.id + k) % 4_000] for k in range(15))
    resource: Resource = replace(
        lease.resource,
        due=now + 3600.0,
        last_visit=now,
        last_ok=now,
        state=np.arange(12.0),
        state_of="mavsync",
        window=Window(uids, now - 600.0 * np.arange(15.0, 0.0, -1.0)),
        validators=Validators(etag=f'"{lease.id}"', last_modified="Sat, 01 Jan 2022 00:00:00 GMT"),
        facts=_FACTS,
        counters=Counters(ok=lease.id, entries=found),
        last_result=Result.NEW if found else Result.NOT_MODIFIED,
        reason="mean interval 1h of 15 entries",
    )
    visit = Visit(
        resource=resource.id,
        started=now,
        finished=now,
        result=resource.last_result or Result.SAME,
        status=200 if found else 304,
        bytes=20_000,
        new=found,
        next_due=resource.due,
        reason=resource.reason,
    )
    return Report(
        lease=lease.id,
        visit=visit,
        resource=resource,
        next_allowed=now + 1.0,
        entries=tuple(_entry(uids[-1 - k], now) for k in range(found)),
    )


def _entry(uid: bytes, now: float) -> Entry:
    parsed = ParsedEntry(title="A title of usual length", link="http://www.example.org/article", summary=_SUMMARY)
    return Entry(
        uid=uid,
        published=now - 100.0,
        published_raw=now - 100.0,
        found=now,
        initial=False,
        after_gap=False,
        parsed=parsed,
    )


if __name__ == "__main__" and len(sys.argv) > 1:
    worker(sys.argv[1], float(sys.argv[2]))
elif __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:36s} {value:12,.4g}")
