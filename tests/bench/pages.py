"""The pages over 200,000 resources on 40,000 sites: how long the service takes to answer, over loopback.

A fifth of the resources are kept links; a day of visits and entries lies in the store, and rows are as wide as those of
feeds that have been watched for a while. Searched for are a word that few resources have, a tag that a hundredth of
them have, and what fails, a fiftieth.
"""

import http.client
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

import psutil

from afresh.base.models import Kind
from afresh.base.settings import Settings
from afresh.base.settings.sections import FetchSettings
from afresh.engine.add import Wanted, add
from afresh.store import open_store
from tests.bench.daemon import start, stop

ANYWHERE = Settings(fetch=FetchSettings(allow_private=True))  # nothing is fetched

RESOURCES, SITES, PIECE = 200_000, 40_000, 20_000
VISITS, ENTRIES = 200_000, 50_000
TIMES = 9
PAGES = {
    "overview": "/",
    "resources": "/resources",
    "search_rare": "/resources?q=rare",
    "tag": "/resources?tag=hundredth",
    "by_title": "/resources?order=title",
    "by_visit": "/resources?order=last_visit",
    "failing": "/resources?standing=failing&order=title",
    "sites": "/sites",
    "sites_failing": "/sites?failing=true",
    "sites_rare": "/sites?q=s4711",
    "links": "/links",
    "links_folder": "/links?folder=kept",
    "entries": "/entries",
    "entries_rare": "/entries?q=rare",
    "entries_tag": "/entries?tag=hundredth",
    "search": "/search?q=rare",
}


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="afresh-bench-") as folder:
        path = Path(folder) / "bench.db"
        fill(path)
        process, address = start(path)
        try:
            host = address.removeprefix("http://").rstrip("/")
            watched = psutil.Process(process.pid)
            figures: dict[str, float] = {}
            for name, page in PAGES.items():
                figures |= ask(host, page, name, watched)
            return figures
        finally:
            stop(process)


def fill(path: Path) -> None:
    """The store: nothing is due for a day, so that only the pages are at work."""
    with closing(open_store(str(path))) as store:
        for first in range(0, RESOURCES, PIECE):
            wanted = [_resource(number) for number in range(first, first + PIECE)]
            add(store, wanted, ANYWHERE, now=time.time() + 86_400)
    with closing(sqlite3.connect(path)) as database, database:
        now = time.time()
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        database.execute(
            f"{numbers} INSERT INTO visit (resource_id, started, finished, result, status, bytes, etag, last_modified,"
            " new, missed, next_due, reason, error)"
            " SELECT 1 + i % 150000, ? - i * 0.4, ? - i * 0.4, CASE i % 9 WHEN 0 THEN 'unreachable' ELSE 'new' END,"
            " 200, 2000, '', '', 1, 0, ?, 'polled every 10m on average', '' FROM n",
            (VISITS, now, now, now + 86_400),
        )
        database.execute(
            f"{numbers} INSERT INTO entry (resource_id, uid, published, found, initial, after_gap, date_source,"
            " native_id, title, link, author, categories, summary, content)"
            " SELECT 1 + i % 150000, randomblob(20), ? - i - 300, ? - i, 0, 0, 'pubDate', '', 'Entry ' || i,"
            " 'https://example.org/' || i, '', '[]', 'In short.', '' FROM n",
            (ENTRIES, now, now),
        )
        database.execute(
            "UPDATE resource SET last_visit = (SELECT max(finished) FROM visit WHERE resource_id = resource.id),"
            " window = zeroblob(560), state = zeroblob(320), facts = ?, reason = 'polled every 10m on average'",
            ('{"format": "rss20", "title": "A feed", "site_url": "http://www.example.org/", "ttl": 3600}',),
        )
        database.execute("UPDATE resource SET failures = 3, error = 'HTTP 500' WHERE id % 50 = 0")
        database.execute("UPDATE site SET failures = 3 WHERE id % 50 = 0")
        database.execute("UPDATE link SET standing = CASE resource_id % 10 WHEN 0 THEN 'broken' ELSE 'ok' END")


def _resource(number: int) -> Wanted:
    return Wanted(
        url=f"http://s{number % SITES}.localhost:9/{number}",
        title=f"{'A rare title' if number % 20_000 == 7 else 'Title'} {number * 7919 % RESOURCES}",
        tags=("hundredth",) if number % 100 == 0 else ("common",),
        kind=Kind.LINK if number % 5 == 4 else Kind.FEED,
    )


def ask(host: str, page: str, name: str, watched: psutil.Process) -> dict[str, float]:
    """The median of a few answers in milliseconds (the first, which fills caches, does not count), and the CPU of all.

    Where other work shares the processors the second figure says what the page costs, the first what a person waits.
    """
    taken: list[float] = []
    before = 0.0
    with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        for _ in range(TIMES + 1):
            begin = time.perf_counter()
            connection.request("GET", page)
            answer = connection.getresponse()
            body = answer.read()
            taken.append(1000.0 * (time.perf_counter() - begin))
            assert answer.status == 200, (page, body[:500])
            if len(taken) == 1:
                before = _cpu(watched)
    cpu = 1000.0 * (_cpu(watched) - before) / TIMES
    return {f"{name}_ms": statistics.median(taken[1:]), f"{name}_cpu_ms": cpu}


def _cpu(watched: psutil.Process) -> float:
    used = watched.cpu_times()
    return float(used.user + used.system)


if __name__ == "__main__":
    print(measure())
