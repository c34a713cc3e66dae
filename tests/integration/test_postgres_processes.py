"""Several processes on one PostgreSQL, some of them killed: nothing is lost, shared, skipped or counted wrong."""

import random
import subprocess
import sys

import psycopg

from afresh.store import open_store
from tests.fakes.store_worker import assert_no_site_was_shared, killed, together
from tests.fakes.stores import postgres_store
from tests.laws.store_material import NOW, feeds

__all__ = ["postgres_store"]


def filled(url: str, sites: int, each: int) -> None:
    store = open_store(url)
    store.add(feeds(sites, each=each), now=NOW)
    store.close()


def ask(url: str, question: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(question.encode()).fetchall()


def assert_counts_agree(url: str) -> None:
    """What is counted along the way is what there is."""
    counted = ask(url, "SELECT name, sum(value)::bigint FROM tally WHERE name LIKE 'resources/%' GROUP BY name")
    there = ask(url, "SELECT 'resources/' || kind || '/' || status, count(*) FROM resource GROUP BY 1")
    assert {name: value for name, value in counted if value} == dict(there)  # type: ignore[arg-type]
    assert ask(url, "SELECT sum(value)::bigint FROM tally WHERE name = 'sites'") == ask(
        url, "SELECT count(*) FROM site"
    )
    assert not ask(
        url, "SELECT id FROM site WHERE resources <> (SELECT count(*) FROM resource WHERE site_id = site.id)"
    )
    assert not ask(
        url,
        "SELECT id FROM site LEFT JOIN (SELECT site_id, min(due) FILTER (WHERE turn IS NULL) AS due,"
        " bool_or(turn IS NOT NULL) AS has_turns FROM resource WHERE status = 'active' GROUP BY site_id) AS w"
        " ON w.site_id = site.id WHERE ready IS"
        " DISTINCT FROM max(greatest(leased_until, next_allowed), wanted(due, has_turns, next_turn))",
    )
    assert not ask(
        url, "SELECT 1 FROM site WHERE bucket <> id % 64 UNION ALL SELECT 1 FROM resource WHERE bucket <> site_id % 64"
    )
    for table in ("visit", "entry", "document"):
        orphans = f"SELECT FROM resource WHERE id = {table}.resource_id AND bucket = {table}.bucket"
        assert not ask(url, f"SELECT 1 FROM {table} WHERE NOT EXISTS ({orphans})")


def test_kill_9_loses_nothing_acknowledged(postgres_store: str) -> None:
    url = postgres_store
    filled(url, 40, 50)
    rng = random.Random(9)
    acknowledged: set[str] = set()
    for round_ in range(5):
        now = NOW + 1000.0 * (round_ + 1)  # leases of the round before have expired
        acknowledged |= killed(url, now, rng.randrange(1, 150))
        # Its last transaction may still be on its way; what the server was told to do it does, whole.
        ask(url, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'afresh'")
        [(visits, entries)] = ask(url, "SELECT (SELECT count(*) FROM visit), (SELECT count(*) FROM entry)")
        titles = {str(row[0]) for row in ask(url, "SELECT title FROM entry")}
        assert visits == entries == len(titles)  # each visit wrote one entry, titled by its lease: both or neither
        assert acknowledged <= titles
    assert len(acknowledged) > 50
    assert_counts_agree(url)
    store = open_store(url, exclusive=True)
    assert len(store.lease(holder="after", now=NOW + 1e6, until=NOW + 1e6 + 1, limit=100)) == 40
    assert store.stats(now=NOW)["visits_total"] == visits
    store.close()


def test_processes_never_share_a_site(postgres_store: str) -> None:
    url = postgres_store
    filled(url, 25, 20)
    with together(url, 3, NOW) as children:
        assert_no_site_was_shared(children)
    assert_counts_agree(url)


def test_a_reader_of_entries_skips_nothing_while_others_write(postgres_store: str) -> None:
    url = postgres_store
    filled(url, 60, 4)
    store = open_store(url)
    read: list[int] = []
    with together(url, 3, NOW) as children:
        while any(child.poll() is None for child in children) or store.entries(after=read[-1] if read else 0, limit=1):
            read += [stored.seq for stored in store.entries(after=read[-1] if read else 0, limit=7)]
    store.close()
    assert read == [row[0] for row in ask(url, "SELECT seq FROM entry ORDER BY seq")]
    assert len(read) > 60


# Does everything a store can do, in an order of its own.
TURMOIL = """
import random, sys
from tests.laws.store_material import NOW, entry, feeds, report
from afresh.base.models import Result, Status
from afresh.base.errors import ResourceNotFound
from afresh.store import open_store
url, number = sys.argv[1], int(sys.argv[2])
rng, store, now = random.Random(number), open_store(url, exclusive=True), NOW
for step in range(60):
    now += 1.0
    store.add(rng.sample(feeds(30, each=4), 20), now=now)
    leases = store.lease(holder=sys.argv[2], now=now, until=now + 5, limit=rng.randrange(1, 12))
    store.release([lease.id for lease in leases[:2]], now=now)
    found = {lease.id: (entry(f"{number}/{lease.id}"),) for lease in leases}
    done = [report(lease, now, next_allowed=now, due=now, entries=found[lease.id]) for lease in leases[2:]]
    if done and step % 7 == 0:
        lease = leases[2]
        done[0] = report(lease, now, url=f"http://moved{number}.example/{lease.id}", site=f"moved{number}.example")
    if len(done) > 1 and step % 5 == 0:
        done[1] = report(leases[3], now, status=Status.GONE, result=Result.GONE)
    store.record(done)
    known = store.list_resources(limit=50)
    try:
        store.update(rng.choice(known).id, status=rng.choice(["paused", "active"]), due=now)
    except ResourceNotFound:
        pass
    if step % 10 == number:
        store.remove([one.id for one in rng.sample(known, 3)])
        store.prune(now - 20, now - 20)
store.close()
"""


def test_everything_at_once_ends_in_order(postgres_store: str) -> None:
    url = postgres_store
    command = [sys.executable, "-c", TURMOIL, url]
    children = [subprocess.Popen([*command, str(number)], stderr=subprocess.PIPE, text=True) for number in range(3)]
    for child in children:
        _, complaint = child.communicate(timeout=120)
        assert child.returncode == 0, complaint
    assert_counts_agree(url)
    urls = ask(url, "SELECT count(*), count(DISTINCT url) FROM resource")
    assert urls[0][0] == urls[0][1]
    assert ask(url, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == [(0,)]


def test_processes_that_make_the_tables_at_once_agree(postgres: str) -> None:
    code = (
        "import sys; from afresh.base.models import NewResource; from afresh.store import open_store\n"
        "s = open_store(sys.argv[1]); s.add([NewResource(url=sys.argv[2], site='x')], now=1.0); s.close()"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, postgres, f"http://x/{i}"]) for i in range(3)]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    store = open_store(postgres)
    assert store.count() == 3
    store.close()
