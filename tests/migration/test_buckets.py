"""A store with something in it from before there were buckets: nothing is lost, and work goes on where it was."""

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import psycopg
import pytest

from afresh.base.hashing import bucket_of
from afresh.base.models import Kind
from afresh.store import open_store
from afresh.store.buckets import BUCKETS, bucket_in
from afresh.store.postgres.schema import load_migrations
from afresh.store.sql.packing import pack
from afresh.store.sqlite import schema
from tests.fakes.postgres import drop_database, postgres_url
from tests.laws.store_material import NOW, Open, entry, feeds, report, take
from tests.migration.test_postgres_schema import FROZEN as POSTGRES_1
from tests.migration.test_sqlite_schema import make_version_1

Rows = Iterable[tuple[str, Mapping[str, object]]]
_BEFORE = {"sqlite": 15, "postgres": 10}  # the last versions without buckets
_SITES = ("a.example", "b.example", "c.example")
_PAGE = {"size": 3, "content_type": "", "origin": "check", "url": "", "title": ""}
_ENTRY = dict.fromkeys(("date_source", "native_id", "link", "author", "summary", "content"), "") | {
    "categories": "[]",
    "initial": 0,
    "after_gap": 0,
}
_VISIT = {
    "result": "new",
    "bytes": 5,
    "etag": "",
    "last_modified": "",
    "new": 1,
    "missed": 0,
    "reason": "",
    "error": "",
}
_CHECK = {"http": 200, "status": "content_equal", "size": 3, "new_url": "", "message": ""}


def rows() -> Rows:
    """Two resources at the first site, a link at the second, which is leased; a labelled version whose link is gone."""
    for site, name in enumerate(_SITES, 1):
        leased = {"lease": 40, "leased_resource": 3, "leased_by": "x", "leased_until": NOW + 60.0} if site == 2 else {}
        yield "site", {"id": site, "name": name, "resources": (2, 1, 0)[site - 1], "ready": NOW, **leased}
        yield "signal", {"site_id": site, "kind": "sitemap", "watched": 7.0 * site}
    for number, (site, kind) in enumerate([(1, "feed"), (1, "feed"), (2, "link")], 1):
        url = f"http://{_SITES[site - 1]}/{number}"
        of = {"site_id": site, "url_key": number, "url": url, "kind": kind, "added": 0.0, "weight": 1.0, "due": NOW}
        yield "resource", {"id": number, "status": "active", **of}
        yield "visit", {"resource_id": number, "started": NOW, "finished": NOW, "next_due": NOW, **_VISIT}
        found = {"resource_id": number, "uid": bytes(20), "published": NOW, "found": NOW}
        yield "entry", {"title": f"entry {number}", **found, **_ENTRY}
        kept = {"resource_id": number, "at": NOW, "why": "news", "stored": 1, "headers": ""}
        yield "document", {"body": zlib.compress(b"body"), **kept}
    for number, (resource, base) in enumerate([(3, None), (3, 1), (None, None), (None, 3)], 1):
        text = b"one " * 50
        body = pack(text) if base is None else pack(text + b"two", text)
        version = {
            "resource_id": resource,
            "at": NOW + number,
            "last_seen": NOW,
            "base_id": base,
            "mark": bytes([number]),
        }
        yield "snapshot", {"id": number, "stored": len(body), "body": body, **version, **_PAGE}
    yield "link", {"resource_id": 3, "usage": "referential", "entry": "ok", "standing": "ok", "reference_id": 1}
    yield "link_check", {"resource_id": 3, "at": NOW, "url": "", "snapshot_id": 2, "against_id": 1, **_CHECK}
    yield "label", {"old_id": 3, "new_id": 4, "verdict": "equal", "origin": "rating", "rater": "", "at": NOW}
    asked = {"hub": "h", "topic": "t", "token": "k", "secret": "s", "state": "live", "asked": NOW, "next_try": NOW}
    yield "subscription", {"resource_id": 2, "failures": 0, "pings": 4, "misses": 0, "error": "", **asked}
    yield "page_memory", {"resource_id": 1, "watch": "", "lines": pack(b""), "restless": "[]", "remark": "seen"}
    totals = {"sites": 3, "resources/feed/active": 2, "resources/link/active": 1, "query/cursor": 3}
    for name, value in totals.items():
        yield "tally", {"name": name, "value": value}
    yield "activity", {"minute": int(NOW // 60), "new": 3, "entries": 3}


def old_sqlite(folder: Path) -> str:
    path = folder / "old.db"
    make_version_1(path)
    connection = sqlite3.connect(path, isolation_level=None)
    schema.prepare_schema(connection, path, version=_BEFORE["sqlite"])
    for table, row in [*rows(), ("tally", {"name": "lease", "value": 40})]:
        verb = "INSERT OR REPLACE" if table == "tally" else "INSERT"
        marks = ", ".join("?" for _ in row)
        connection.execute(f"{verb} INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    connection.close()
    return f"sqlite:///{path}"


def old_postgres(_: Path) -> str:
    url = postgres_url()
    scripts = load_migrations("afresh.store.postgres")
    homes = {1: 1, 2: 1, 3: 2}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(POSTGRES_1.read_bytes())
        for version in range(2, _BEFORE["postgres"] + 1):
            connection.execute(scripts[version].encode())
        connection.execute("CREATE TABLE afresh_schema (name text PRIMARY KEY, version integer NOT NULL)")
        connection.execute("INSERT INTO afresh_schema VALUES ('store', %s)", (_BEFORE["postgres"],))
        for table, row in rows():
            more: dict[str, object] = {}
            if table in ("visit", "entry", "document"):
                more = {"site_id": homes[int(str(row["resource_id"]))]}
            elif table in ("tally", "activity"):
                more = {"slot": 0}
            given = {**row, **more}
            marks = ", ".join("%s" for _ in given)
            text = f"INSERT INTO {table} ({', '.join(given)}) OVERRIDING SYSTEM VALUE VALUES ({marks})"
            connection.execute(text.encode(), list(given.values()))
        connection.execute("SELECT setval('lease_number', 40), setval('resource_number', 3)")
        for table in ("site", "snapshot"):
            connection.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), 4)".encode())
    return url


@pytest.fixture(params=[old_sqlite, old_postgres], ids=["sqlite", "postgres"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterable[Open]:
    make: Callable[[Path], str] = request.param
    url = make(tmp_path)
    yield lambda: open_store(url)
    if make is old_postgres:
        drop_database(url)


def test_what_was_kept_is_found_again(old: Open) -> None:
    store = old()
    assert [(one.id, one.site, one.kind) for one in store.iterate()] == [
        (1, "a.example", Kind.FEED),
        (2, "a.example", Kind.FEED),
        (3, "b.example", Kind.LINK),
    ]
    assert [(one.name, one.resources) for one in store.list_sites()] == list(zip(_SITES, (2, 1, 0), strict=True))
    assert [(one.seq, one.entry.parsed.title) for one in store.entries()] == [(n, f"entry {n}") for n in (1, 2, 3)]
    assert [visit.resource for _, visit in store.visits()] == [3, 2, 1]
    assert [one.body for one in store.documents(resource=2)] == [b"body"]
    assert [one.id for one in store.links.versions(3)] == [2, 1]
    assert [store.links.version_body(n) for n in (2, 4)] == [b"one " * 50 + b"two"] * 2
    assert [(one.version, one.against) for one in store.links.link_checks(3)] == [(2, 1)]
    assert store.links.link(3).state.reference == 1
    assert [(one.old, one.new) for one in store.learning.labels()] == [(3, 4)]
    subscription = store.push.subscription_by_token("k")
    assert subscription is not None
    assert (subscription.resource, subscription.pings) == (2, 4)
    memory = store.watches.page_memory(1)
    assert memory is not None
    assert memory.remark == "seen"
    assert [store.pages.signals(name)["sitemap"].watched for name in _SITES] == [7.0, 14.0, 21.0]
    totals = store.stats(now=NOW)
    assert (totals["sites"], totals["resources"], totals["resources_link_active"]) == (3.0, 3.0, 1.0)
    assert store.queries.query_state().cursor == 3
    assert store.damage.find_damage() == []
    store.close()


def test_work_goes_on(old: Open) -> None:
    store = old()
    [lease] = take(store)  # the second site is leased still, the third has nothing
    assert lease.site == "a.example"
    assert lease.id > 40 * BUCKETS
    assert bucket_in(lease.id) == bucket_of("a.example", BUCKETS)
    assert store.record([report(lease, entries=(entry("new"),))]) == [True]
    held = 40 * BUCKETS + bucket_of("b.example", BUCKETS)
    store.release([held], now=NOW)
    assert [one.resource.id for one in take(store)] == [3]
    assert [one.id for one in store.add(feeds(2), now=NOW)] == [4, 5]
    assert [one.seq for one in store.entries()] == [1, 2, 3, 4]
    store.links.take_address(3, url="http://moved.example/", site="moved.example", now=NOW)
    assert store.links.version_body(2) == b"one " * 50 + b"two"
    assert store.remove([1, 2, 3]) == 3
    assert [one.resource for one in store.entries()] == []
    assert store.links.version_body(4) == b"one " * 50 + b"two"  # a label speaks of it
    assert store.damage.find_damage() == []
    totals = store.stats(now=NOW)
    assert (totals["resources"], totals["sites"]) == (2.0, 6.0)
    store.close()


def test_a_store_of_other_buckets_is_refused(old: Open) -> None:
    """Whoever changes the number by hand would have sites looked for where they are not."""
    store = old()
    store.put_setting("buckets", "32")
    store.close()
    with pytest.raises(schema.SchemaMismatch, match="32 buckets"):
        old()


def test_the_time_it_takes_grows_with_the_rows_and_no_faster() -> None:
    """No table is read anew for every row of another. Each of some ten steps reads all sites once."""
    url, sites = old_postgres(Path()), 300
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO site (id, name) SELECT n, 'many' || n FROM generate_series(10, %s) AS n", (9 + sites,)
        )
        connection.execute(
            "INSERT INTO resource (id, site_id, url_key, kind, due, added, weight, url)"
            " SELECT n, 10 + n %% %s, n, 'feed', 0, 0, 1, 'http://many/' || n FROM generate_series(10, 3000) AS n",
            (sites,),
        )
        before = _read(connection)
    open_store(url).close()
    with psycopg.connect(url, autocommit=True) as connection:
        assert _read(connection) - before <= 20 * (sites + 3)
    drop_database(url)


def _read(connection: psycopg.Connection[tuple[int]]) -> int:
    """Rows of sites that were read in their order, by sessions that have ended and by this one."""
    connection.execute("SELECT pg_stat_force_next_flush()")
    row = connection.execute("SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'site'").fetchone()
    assert row is not None
    return row[0]
