"""``afresh.client`` asks a real frontier over REST and over gRPC, by the same names, on both stores."""

import asyncio
import itertools
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.base.errors import AccessDenied, Conflict, NotFound, ServiceAway, UsageError
from afresh.base.records.frontier import PageReport, PageResult, SiteList, SiteReport
from afresh.base.records.queues import NEVER_AGAIN, Put, QueueUrl, Taken
from afresh.client import AsyncFrontier, AsyncGrpcFrontier, Frontier, GrpcFrontier
from afresh.frontier.client import Identity
from afresh.lab.bench_grpc.server import PATIENCE, GrpcServer, running_server
from tests.fakes.frontier_stores import empty_frontier

TOKEN = "a-long-random-token"
_numbers = itertools.count()


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GrpcServer]:
    folder = tmp_path_factory.mktemp(request.param)
    with running_server(empty_frontier(request.param, folder), folder) as running:
        yield running


@pytest.fixture(params=["rest", "grpc"])
def frontier(request: pytest.FixtureRequest, server: GrpcServer) -> Iterator[Frontier | GrpcFrontier]:
    made = Frontier(server.base) if request.param == "rest" else GrpcFrontier(server.address)
    with made:
        yield made


@pytest.fixture
def crawl() -> str:
    return f"crawl {next(_numbers)}"


def fetched(site: SiteList, **more: object) -> SiteReport:
    pages = [PageReport(page.url, number=page.number, **more) for page in site.pages]  # type: ignore[arg-type]
    return SiteReport(site.lease, site.name, pages)


def test_pages_are_added_leased_and_reported(frontier: Frontier | GrpcFrontier, crawl: str) -> None:
    urls = [f"https://{host}.example.com/{page}" for host in "ab" for page in range(3)]
    assert frontier.add(urls, crawl=crawl).urls == 6
    assert frontier.add(urls[:2], crawl=crawl).known == 2
    leased = frontier.lease(sites=5, pages=5, crawl=crawl)
    assert sorted(page.url for site in leased for page in site.pages) == urls
    assert frontier.lease(sites=5, crawl=crawl) == []
    reports = [fetched(site, due=time.time() + 3_600.0, links=["https://c.example.com/"]) for site in leased]
    more = {"crawl": crawl} if isinstance(frontier, GrpcFrontier) else {}
    receipt = frontier.report(reports, **more)
    assert (receipt.visited, receipt.discovered, receipt.known) == (6, 1, 5)
    assert [site.name for site in frontier.lease(crawl=crawl)] == ["c.example.com"]
    counts = frontier.counts(crawl=crawl)
    assert (counts.queues, counts.urls, counts.completed) == (3, 7, 0)
    assert frontier.counts(crawl=crawl, site="a.example.com").urls == 3


def test_single_urls_are_locked_and_put_back(frontier: Frontier | GrpcFrontier, crawl: str) -> None:
    kept = json.dumps({"depth": ["1", "2"]}, separators=(",", ":"))
    puts = [Put(f"http://a.example/{page}", "", metadata=kept) for page in range(3)]
    assert frontier.put([*puts, puts[0]], crawl=crawl) == [Taken.NEW] * 3 + [Taken.KNOWN]
    malformed = [
        Put("nonsense", ""),
        Put("http://", ""),
        Put("no url", "mine"),
        Put("http://a.example/" + "x" * 9_000, ""),
    ]
    assert frontier.put(malformed, crawl=crawl) == [Taken.REFUSED] * 4
    [one, other] = frontier.lock(urls=2, crawl=crawl)
    assert isinstance(one, QueueUrl)
    assert (one.key, one.crawl, one.metadata) == ("a.example", crawl, kept)
    assert frontier.counts(crawl=crawl).locked == 2
    again = [Put(one.url, one.key, True, NEVER_AGAIN), Put(other.url, other.key, True, time.time() + 3_600.0)]
    assert frontier.put(again, crawl=crawl) == [Taken.UPDATED] * 2
    assert frontier.put(again, crawl=crawl) == [Taken.UPDATED] * 2
    counts = frontier.counts(crawl=crawl)
    assert (counts.urls, counts.completed, counts.locked, counts.active) == (3, 1, 0, 2)
    assert crawl in frontier.crawls()
    assert frontier.delete_crawl(crawl) == 3
    assert crawl not in frontier.crawls()


def test_sites_are_controlled_and_all_is_paused(frontier: Frontier | GrpcFrontier, crawl: str) -> None:
    frontier.put([Put("http://a.example/", ""), Put("http://b.example/", "")], crawl=crawl)
    frontier.control("a.example", crawl=crawl, block_until=time.time() + 3_600.0, delay=5.0)
    frontier.set_active(False)
    assert not frontier.is_active()
    assert frontier.lock(crawl=crawl) == []
    frontier.set_active(True)
    assert [one.key for one in frontier.lock(crawl=crawl)] == ["b.example"]
    assert frontier.lock(crawl=crawl, site="a.example") == []
    with pytest.raises(NotFound, match="there is no queue nowhere"):
        frontier.control("nowhere", crawl=crawl, limit=1)


def test_the_same_awaited(server: GrpcServer, crawl: str) -> None:
    async def crawl_all(frontier: AsyncFrontier | AsyncGrpcFrontier, name: str) -> int:
        async with frontier:
            await frontier.add([f"https://a.example.com/{page}" for page in range(4)], crawl=name)
            found = await frontier.lock(crawl=name)
            await frontier.put([Put(one.url, one.key, True, NEVER_AGAIN) for one in found], crawl=name)
            return (await frontier.counts(crawl=name)).completed

    async def both() -> list[int]:
        return await asyncio.gather(
            crawl_all(AsyncFrontier(server.base), crawl), crawl_all(AsyncGrpcFrontier(server.address), f"{crawl} too")
        )

    assert asyncio.run(both()) == [4, 4]


def test_a_key_stands_for_one_report(server: GrpcServer, crawl: str) -> None:
    with Frontier(server.base) as frontier:
        frontier.make_crawl(crawl)
        assert crawl in frontier.crawls()
        frontier.add(["https://a.example.com/1", "https://a.example.com/2"], crawl=crawl)
        [site] = frontier.lease(crawl=crawl, site="a.example.com")
        first = frontier.report([fetched(site)], key=crawl)
        assert (first.visited, first.repeated) == (2, False)
        again = frontier.report([fetched(site)], key=crawl)
        assert (again.visited, again.repeated) == (2, True)
        with pytest.raises(Conflict, match="another report was sent under the key"):
            frontier.report([fetched(site, result=PageResult.NOT_FOUND)], key=crawl)
        assert frontier.stats().visits >= 2


def test_the_account_of_a_session_goes_with_it_and_one_that_is_given_stays(server: GrpcServer) -> None:
    with Frontier(server.base) as keeper:
        keeper.lease(sites=1, crawl="DEFAULT")
        before = keeper.stats().fetchers
        with Frontier(server.base) as other:
            other.lease(sites=1)
            mine = other.identity
            assert keeper.stats().fetchers == before + 1
        assert keeper.stats().fetchers == before
        assert isinstance(mine, Identity)
        with Frontier(server.base, fetcher=mine) as late, pytest.raises(AccessDenied, match="401"):
            late.lease()


def test_strangers_and_wrong_wishes(tmp_path: Path, server: GrpcServer) -> None:
    with running_server(f"{tmp_path}/f.db", tmp_path, assignments=[f"service.tokens={TOKEN}"]) as guarded:
        for stranger in (Frontier(guarded.base), GrpcFrontier(guarded.address)):
            with stranger, pytest.raises(AccessDenied):
                stranger.crawls()
        for friend in (Frontier(guarded.base, token=TOKEN), GrpcFrontier(guarded.address, token=TOKEN)):
            with friend:
                assert friend.crawls() == []
    with Frontier(server.base) as frontier, pytest.raises(UsageError, match=r"body\.sites"):
        frontier.lock(sites=0)
    with GrpcFrontier("127.0.0.1:9", patience=0.2, timeout=5.0) as nobody, pytest.raises(ServiceAway):
        nobody.crawls()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_frontier_killed_in_the_middle_loses_and_doubles_nothing(kind: str, tmp_path: Path) -> None:
    """Twice while a report is under way; also while URLs are added, over REST and over gRPC."""
    urls = [f"https://s{site}.example.com/{page}" for site in range(40) for page in range(50)]
    with running_server(empty_frontier(kind, tmp_path), tmp_path) as server:
        with Frontier(server.base, patience=PATIENCE) as frontier:
            with _killed(server):
                frontier.add(urls)
            assert frontier.stats().urls == 2_000
            visited = 0
            for number in range(4):
                leased = frontier.lease(sites=10, pages=50)
                reports = [fetched(site, due=time.time() + 3_600.0) for site in leased]
                with _killed(server) if number in (1, 2) else threading.Lock():
                    visited += frontier.report(reports).visited
            totals = frontier.stats()
            assert (visited, totals.visits, totals.visited, totals.leased_sites) == (2_000, 2_000, 2_000, 0)
        with GrpcFrontier(server.address, patience=PATIENCE) as other:
            with _killed(server):
                other.put([Put(url, "") for url in urls], crawl="other")
            assert other.counts(crawl="other").urls == 2_000


class _killed:  # noqa: N801 (read as a phrase)
    """A server that is killed and started again while the block runs."""

    def __init__(self, server: GrpcServer) -> None:
        self._server = server
        self._thread = threading.Thread(target=self._restart)

    def _restart(self) -> None:
        self._server.kill()
        self._server.start()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
