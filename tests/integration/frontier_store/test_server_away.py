"""A frontier divided among two servers of which one does not answer: its sites wait, the others go on, nothing is lost.

Both servers are one PostgreSQL here, so that the same statements run without a cluster; of the one that is away every
row is locked by somebody else, and whoever touches one of them fails.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from afresh.base.errors import ServerAway
from afresh.base.hashing import bucket_of
from afresh.base.records.frontier import PageReport, Seed, SiteList, SiteOrder, SiteReport
from afresh.base.records.frontier_store import FrontierStore
from afresh.store.buckets import BUCKETS
from afresh.store.frontier import open_frontier, postgresql
from afresh.store.postgres.bucket_places import Places
from tests.fakes.frontier_stores import empty_frontier
from tests.laws.frontier_material import NOW, account, hosts, take, wrong_sums

pytestmark = pytest.mark.postgres

HERE, AWAY = "db1:5432", "db2:5432"
PLACES = Places(
    together=(tuple(range(0, BUCKETS, 2)), tuple(range(1, BUCKETS, 2))),
    servers=(HERE, AWAY),
)
NAMES = [f"s{number}.example" for number in range(40)]


def place(name: str) -> int:
    return PLACES.of_bucket[bucket_of(name, BUCKETS)]


PRESENT = [name for name in NAMES if place(name) == 0]
MISSING = [name for name in NAMES if place(name) == 1]
FETCHER = next(name for name in ("one", "two", "three", "four") if place(name) == 0)


class Cluster:
    """A frontier and the server that can be away."""

    def __init__(self, url: str, store: FrontierStore) -> None:
        self._url, self.store = url, store
        self.is_lost = False

    def look(self, number: int) -> None:
        if self.is_lost and PLACES.servers[number] == AWAY:
            raise ServerAway("it does not answer", server=AWAY)

    @contextmanager
    def without_a_server(self) -> Iterator[None]:
        """Within, nobody can change what is on it."""
        self.is_lost = True
        self.store._database._attendance.note(ServerAway("gone", server=AWAY))  # type: ignore[attr-defined]
        with psycopg.connect(self._url) as other:
            other.execute("SET search_path TO frontier")
            for table in ("site", "page", "address", "lease", "total", "last_site"):
                other.execute(f"SELECT 1 FROM {table} WHERE bucket % 2 = 1 FOR UPDATE")
            yield
            other.rollback()
        self.is_lost = False
        missing = self.store._database._attendance._missing  # type: ignore[attr-defined]
        missing.update(dict.fromkeys(missing, 0.0))  # it was not asked for a while


@pytest.fixture
def cluster(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    assert postgres
    url = empty_frontier("postgres", tmp_path)
    open_frontier(url).close()
    monkeypatch.setattr(postgresql, "_look", lambda url: (BUCKETS, PLACES))
    store = open_frontier(url, links=True)
    made = Cluster(url, store)
    store._database._attendance._look = made.look  # type: ignore[attr-defined]
    store.add([Seed(f"http://{name}/{page}", name) for name in PRESENT[:3] + MISSING[:3] for page in range(2)], now=NOW)
    store.register(account(FETCHER))
    yield made
    store.close()


def linking(one: SiteList, *links: str) -> SiteReport:
    """A report whose first page has these links."""
    pages = [PageReport(page.url, number=page.number, links=() if at else links) for at, page in enumerate(one.pages)]
    return SiteReport(lease=one.lease, name=one.name, pages=tuple(pages))


def report(store: FrontierStore, *sites: SiteReport, key: str = "", now: float = NOW + 10.0) -> object:
    return store.report(FETCHER, sites, key=key, now=now, revisit_after=1e6)


@pytest.mark.parametrize("order", [SiteOrder.DUE, SiteOrder.RANDOM, SiteOrder.WEBFOUNTAIN])
def test_what_is_elsewhere_is_handed_out(cluster: Cluster, order: SiteOrder) -> None:
    store = cluster.store
    store.set_site_order(order)
    with cluster.without_a_server():
        lists = take(store, FETCHER, site_order=order)
        assert sorted(hosts(lists)) == sorted(PRESENT[:3])
        assert store.servers_away() == [f"{AWAY} does not answer; buckets {PLACES.at(AWAY)} wait"]
        assert store.expire(now=NOW + 1_000.0) == 3
        with pytest.raises(ServerAway, match=AWAY):
            take(store, FETCHER, site=MISSING[0])
    assert store.servers_away() == []
    assert sorted(hosts(take(store, FETCHER, now=NOW + 2_000.0, site_order=order))) == sorted(PRESENT[:3] + MISSING[:3])


def test_links_to_it_wait_and_those_to_others_do_not(cluster: Cluster) -> None:
    store = cluster.store
    lists = {one.name: one for one in take(store, FETCHER)}
    there, elsewhere = f"http://{PRESENT[5]}/new", f"http://{MISSING[5]}/new"
    with cluster.without_a_server():
        mixed = linking(lists[PRESENT[0]], there, elsewhere, f"http://{MISSING[0]}/0")
        receipt = store.report(FETCHER, [mixed], key="a", now=NOW + 10.0, revisit_after=1e6)
        assert (receipt.discovered, receipt.known, receipt.refused) == (1, 0, 0)
        assert store.report(FETCHER, [mixed], key="a", now=NOW + 11.0, revisit_after=1e6).repeated
        report(store, linking(lists[PRESENT[1]], f"http://{PRESENT[6]}/new"))
        assert set(hosts(take(store, FETCHER, now=NOW + 500.0))) == {PRESENT[2], PRESENT[5], PRESENT[6]}
        assert store.add_late_links(now=NOW + 600.0) == 0
        with pytest.raises(ServerAway, match=AWAY):
            report(store, linking(lists[MISSING[0]]))
        with pytest.raises(ServerAway, match=AWAY):
            store.add([Seed(f"http://{MISSING[7]}/", MISSING[7])], now=NOW)
    assert [store.add_late_links(now=NOW + 700.0) for _ in range(3)] == [1, 0, 0]
    assert [elsewhere] == [
        page.url for one in take(store, FETCHER, now=NOW + 701.0, site=MISSING[5]) for page in one.pages
    ]
    numbers = {url: store.page_facts("DEFAULT", url.split("/")[2], url) for url in (there, elsewhere)}
    assert [facts is not None and facts.in_degree for facts in numbers.values()] == [1, 1]
    assert report(store, linking(lists[MISSING[0]]), now=NOW + 20.0)
    assert wrong_sums(store) == {}


def test_a_frontier_that_is_emptied_forgets_what_waits(cluster: Cluster) -> None:
    store = cluster.store
    lists = {one.name: one for one in take(store, FETCHER)}
    with cluster.without_a_server():
        report(store, linking(lists[PRESENT[0]], f"http://{MISSING[5]}/new"))
    store.clear(fetchers=False, urls=True, sites=True, leases=True, edges=True)
    assert store.add_late_links(now=NOW + 30.0) == 0
