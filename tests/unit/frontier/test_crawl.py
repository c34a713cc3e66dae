"""A fetcher's loop without a network: pace, robots, redirects, error pages, endings."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from afresh.base.errors import StoreError
from afresh.base.executor import InPlace
from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Rejected, Request, Trip
from afresh.base.records.frontier import PageLine, PageReport, PageResult, SiteList, SiteReport
from afresh.frontier.fetcher import Crawl, CrawlSettings, in_parts
from afresh.frontier.urls import CrawlUrls
from afresh.links.verdicts.signals import is_error_page
from tests.fakes.clocks import RealClock

HTML = {"content-type": "text/html"}
PROSE = "<p>" + "Rivers carry water from the mountains to the sea and on the way they turn mills. " * 10 + "</p>"


@dataclass(frozen=True, slots=True)
class Rules:
    """An answer of robots.txt."""

    allowed: bool = True
    delay: float | None = None
    asked: bool = False
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    sites: Sequence[SiteList]
    expires: float


@dataclass
class FakeSource:
    """Hands out prepared lists, one a request; keeps the reports."""

    lists_left: list[Given]
    reported: dict[str, SiteReport] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)

    async def lists(self, *, amount: int, length: int) -> Given:
        assert amount > 0
        return self.lists_left.pop(0) if self.lists_left else Given((), RealClock().now() + 60)

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        self.keys.append(key)
        self.reported.update({site.name: site for site in sites})


@dataclass
class FakeFetcher:
    """Answers by URL; keeps when it was asked."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    asked: list[tuple[float, Request]] = field(default_factory=list)

    async def fetch(self, request: Request) -> Outcome:
        self.asked.append((RealClock().now(), request))
        return self.outcomes.get(request.url) or fetched(request.url, PROSE)

    async def close(self) -> None: ...


@dataclass
class FakeRobots:
    rules: dict[str, Rules] = field(default_factory=dict)

    async def permission(self, url: str) -> Rules:
        return self.rules.get(url, Rules())


def trip(url: str, **headers: str) -> Trip:
    told = {**HTML, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Trip(url=url, final_url=url, started=1.0, finished=1.5, headers=told)


def fetched(url: str, body: str) -> Fetched:
    return Fetched(trip=trip(url), status=200, body=body.encode())


def site(name: str, pages: int, delay: float = 0.0) -> SiteList:
    lines = tuple(
        PageLine(url=f"https://{name}/{n}", pagerank=0.0, discovered=None, last_visited=None, due=0.0, number=n + 1)
        for n in range(pages)
    )
    return SiteList(
        lease=7, name=name, tld="com", hash=1, crawl_delay=delay, url_count=pages, avg_pagerank=0.0, pages=lines
    )


def crawled(
    sites: list[SiteList],
    fetcher: FakeFetcher,
    *,
    robots: FakeRobots | None = None,
    lasts: float = 60.0,
    delay: float = 0.0,
) -> FakeSource:
    """One list, worked off."""
    source = FakeSource([Given(sites, RealClock().now() + lasts)])

    async def run() -> None:
        crawl = Crawl(
            source,
            fetcher,
            robots or FakeRobots(),
            settings=CrawlSettings(flush=0.0, delay=delay),
            urls=CrawlUrls(),
            clock=RealClock(),
            executor=InPlace(),
            is_error_page=is_error_page,
        )
        await crawl.run(once=True)

    asyncio.run(run())
    return source


def pages_of(source: FakeSource, name: str = "a.example.com") -> list[PageReport]:
    return list(source.reported[name].pages)


def test_pages_are_reported_with_links_and_content() -> None:
    body = PROSE + '<a href="/x">x</a><a href="https://b.example.org/">b</a><a href="mailto:a@b.c">m</a>'
    fetcher = FakeFetcher({"https://a.example.com/0": fetched("https://a.example.com/0", body)})
    page = pages_of(crawled([site("a.example.com", 1)], fetcher))[0]
    assert page.result is PageResult.FETCHED
    assert page.links == ("https://a.example.com/x", "https://b.example.org/")
    assert len(page.content_hash) == 32
    assert page.number == 1
    assert not page.soft_404


def test_between_two_requests_lies_the_delay() -> None:
    fetcher = FakeFetcher()
    crawled([site("a.example.com", 3, delay=0.08), site("b.example.com", 2, delay=0.0)], fetcher, delay=0.02)
    times = [at for at, request in fetcher.asked if "a.example" in request.url]
    assert min(after - before for before, after in pairwise(times)) >= 0.08


def test_robots_may_ask_for_more_and_forbid() -> None:
    fetcher = FakeFetcher()
    rules = {f"https://a.example.com/{n}": Rules(delay=0.06, asked=n == 0, allowed=n != 1) for n in range(3)}
    rules["https://b.example.com/0"] = Rules(allowed=False, is_temporary=True)
    began = RealClock().now()
    source = crawled([site("a.example.com", 3), site("b.example.com", 1)], fetcher, robots=FakeRobots(rules))
    assert [page.result for page in pages_of(source)] == ["fetched", "excluded", "fetched"]
    assert pages_of(source, "b.example.com")[0].result is PageResult.ERROR  # for now: tried again later
    assert source.reported["a.example.com"].crawl_delay == 0.06
    assert [request.url[-1] for _, request in fetcher.asked] == ["0", "2"]
    assert fetcher.asked[0][0] - began >= 0.06  # robots.txt was a request too
    assert fetcher.asked[1][0] - fetcher.asked[0][0] >= 0.06


def test_what_the_web_does_becomes_a_result() -> None:
    def url(number: int) -> str:
        return f"https://a.example.com/{number}"

    soft = "<title>Page not found</title><h1>404 Not Found</h1><p>The page you requested was not found.</p>"
    moved = trip(url(4), location="https://b.example.org/new")
    outcomes: dict[str, Outcome] = {
        url(0): NotModified(trip=trip(url(0))),
        url(1): Rejected(trip=trip(url(1)), status=410),
        url(2): Rejected(trip=trip(url(2)), status=503),
        url(3): Failed(trip=trip(url(3)), cause=Failure.TIMEOUT),
        url(4): Failed(trip=moved, cause=Failure.REDIRECTS),
        url(5): Failed(trip=trip(url(5)), cause=Failure.ADDRESS),
        url(6): Failed(trip=trip(url(6)), cause=Failure.OFFLINE),
        url(7): fetched(url(7), soft),
        url(8): Failed(trip=trip(url(8)), cause=Failure.REDIRECTS),
    }
    pages = pages_of(crawled([site("a.example.com", 9)], FakeFetcher(outcomes)))
    assert [page.result for page in pages] == [
        "not_modified", "not_found", "error", "error", "fetched", "refused", "skipped", "fetched", "error",
    ]  # fmt: skip
    assert pages[0].changed is False
    assert pages[4].links == ("https://b.example.org/new",)
    assert pages[7].soft_404


def test_the_rest_of_an_expiring_list_is_given_back() -> None:
    fetcher = FakeFetcher()
    pages = pages_of(crawled([site("a.example.com", 3)], fetcher, lasts=1.0))
    assert [page.result for page in pages] == ["skipped"] * 3
    assert not fetcher.asked


def test_a_site_that_only_fails_is_left_alone() -> None:
    fetcher = FakeFetcher(
        {
            f"https://a.example.com/{n}": Failed(trip=trip(f"https://a.example.com/{n}"), cause=Failure.CONNECT)
            for n in range(40)
        }
    )
    pages = pages_of(crawled([site("a.example.com", 40)], fetcher))
    assert [page.result for page in pages] == ["error"] * 20 + ["skipped"] * 20


def test_stopping_finishes_what_is_in_flight_and_reports_all() -> None:
    source = FakeSource([Given([site("a.example.com", 5, delay=30.0)], RealClock().now() + 600)])
    fetcher = FakeFetcher()

    async def run() -> Crawl:
        crawl = Crawl(
            source,
            fetcher,
            None,
            settings=CrawlSettings(flush=30.0),
            urls=CrawlUrls(),
            clock=RealClock(),
            executor=InPlace(),
            is_error_page=is_error_page,
        )
        running = asyncio.create_task(crawl.run())
        while not crawl.counts.pages and not running.done():
            await asyncio.sleep(0.01)
        crawl.stop()
        await asyncio.wait_for(running, 60)
        return crawl

    crawl = asyncio.run(run())
    assert [page.result for page in pages_of(source)] == ["fetched", *["skipped"] * 4]
    assert (crawl.counts.fetched, crawl.counts.given_back, crawl.counts.reports) == (1, 4, 1)


def test_reports_are_cut_into_pieces_that_a_frontier_takes() -> None:
    def report(name: str, pages: int, links: int) -> SiteReport:
        found = tuple(f"https://{name}/{'x' * 60}{n}" for n in range(links))
        return SiteReport(
            lease=1, name=name, pages=tuple(PageReport(url=f"https://{name}/{n}", links=found) for n in range(pages))
        )

    sites = [report(f"s{n}.example", 5, 20) for n in range(10)]
    parts = list(in_parts(sites, most=30_000))
    assert [site for part in parts for site in part] == sites
    assert len(parts) > 3
    assert all(len(repr(part)) < 60_000 for part in parts)
    (large,) = in_parts([report("l.example", 50, 20)], most=60_000)
    assert [bool(page.links) for page in large[0].pages] == sorted(
        (bool(page.links) for page in large[0].pages), reverse=True
    )
    assert len(large[0].pages) == 50
    assert not large[0].pages[-1].links


def test_a_frontier_that_refuses_reports_ends_the_crawl() -> None:
    class Refusing(FakeSource):
        async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
            raise StoreError("404 nobody of that UUID")

    source = Refusing([Given([site("a.example.com", 1)], RealClock().now() + 600)])

    async def run() -> None:
        crawl = Crawl(
            source, FakeFetcher(), None, settings=CrawlSettings(flush=0.0), urls=CrawlUrls(), clock=RealClock(),
            executor=InPlace(),
            is_error_page=is_error_page,
        )  # fmt: skip
        await asyncio.wait_for(crawl.run(), 60)

    with pytest.raises(StoreError, match="404"):
        asyncio.run(run())
