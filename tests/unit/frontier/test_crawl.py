"""A fetcher's loop without a network: pace, robots, redirects, error pages, endings."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest

from afresh.base.errors import ServiceAway, StoreError, UsageError
from afresh.base.executor import InPlace
from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Redirect, Rejected, Request, Trip
from afresh.base.politeness import Manners
from afresh.base.protocols import Clock
from afresh.base.records.frontier import PageLine, PageReport, PageResult, SiteList, SiteReport
from afresh.base.settings.sections import PolitenessSettings
from afresh.engine.gate import Gate
from afresh.frontier.delivering import ReportFailed, in_parts
from afresh.frontier.failures import Reason, reason_of
from afresh.frontier.fetcher import Crawl, CrawlSettings, LeftAlone, Source
from afresh.frontier.urls import CrawlUrls
from afresh.http.failures import HopRefused
from afresh.http.hop import Hop
from afresh.http.location import locate
from afresh.http.robots import RobotsMemory
from afresh.links.verdicts.signals import is_error_page
from afresh.parse.child_reader import read_text, reading_apart
from afresh.parse.page import parse_crawled_page
from afresh.parse.url import Sites
from tests.fakes.clocks import RealClock, VirtualClock

HTML = {"content-type": "text/html"}
PROSE = "<p>" + "Rivers carry water from the mountains to the sea and on the way they turn mills. " * 10 + "</p>"


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

    async def put_aside(self, site: SiteReport, why: str) -> None:
        raise AssertionError(why)


@dataclass
class FakeClient:
    """Answers by URL, robots.txt with 404 unless told otherwise; keeps when it was asked."""

    clock: Clock
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    asked: list[tuple[float, Request]] = field(default_factory=list)

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        assert hop is not None
        try:
            await hop(locate(request.url))
        except HopRefused as error:
            refused = replace(trip(request.url), requests=0, started=self.clock.now(), finished=self.clock.now())
            return error.outcome(refused)
        self.asked.append((self.clock.now(), request))
        is_robots = request.url.endswith("/robots.txt")
        missing = Rejected(trip=trip(request.url), status=404) if is_robots else fetched(request.url, PROSE)
        outcome = self.outcomes.get(request.url, missing)
        took = replace(outcome.trip, started=self.clock.now(), finished=self.clock.now())
        return replace(outcome, trip=took)

    async def close(self) -> None: ...

    def times(self, part: str) -> list[float]:
        return [at for at, request in self.asked if part in request.url]

    def pages(self) -> list[str]:
        return [request.url for _, request in self.asked if not request.url.endswith("/robots.txt")]


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
    outcomes: dict[str, Outcome] | None = None,
    *,
    lasts: float = 600.0,
    delay: float = 0.0,
) -> tuple[FakeSource, FakeClient]:
    """One list, worked off in virtual time."""
    clock = VirtualClock()
    source, client = FakeSource([Given(sites, clock.now() + lasts)]), FakeClient(clock, outcomes or {})
    clock.run(_crawl(source, client, clock, delay=delay).run(once=True))
    return source, client


def _crawl(
    source: Source, client: FakeClient, clock: Clock, *, delay: float = 0.0, flush: float = 0.0, links: int = 10_000
) -> Crawl:
    politeness = PolitenessSettings(delay=delay, trouble_wait=60.0)
    gate = Gate(
        client,
        clock=clock,
        site_of=Sites(politeness).of,
        manners=Manners(delay=delay, backoff_base=delay, backoff_cap=delay),
        robots=RobotsMemory(first_wait=60.0),
        patience=3_600.0,
    )
    return Crawl(
        source,
        gate,
        settings=CrawlSettings(flush=flush, delay=delay, links=links),
        urls=CrawlUrls(),
        clock=clock,
        executor=InPlace(),
        is_error_page=is_error_page,
    )


def robots(name: str, text: str) -> dict[str, Outcome]:
    url = f"https://{name}/robots.txt"
    return {url: fetched(url, f"User-agent: *\n{text}\n")}


def pages_of(source: FakeSource, name: str = "a.example.com") -> list[PageReport]:
    return list(source.reported[name].pages)


def test_a_site_that_is_blocked_meanwhile_is_given_back() -> None:
    """And only that one; a frontier that does not tell is asked once."""
    clock = RealClock()
    source = FakeSource([Given([site("a.example.com", 100), site("b.example.com", 3)], clock.now() + 60)])
    client = FakeClient(clock)
    asked: list[int] = []

    async def blocked() -> LeftAlone:
        asked.append(len(client.pages()))
        return LeftAlone(["a.example.com"] if len(asked) > 1 else [])

    crawl = _crawl(source, client, clock, delay=0.005)
    crawl._settings = replace(crawl._settings, look=0.05)
    crawl._ask_blocked = blocked
    asyncio.run(crawl.run(once=True))
    results = [page.result for page in pages_of(source)]
    skipped = results.count(PageResult.SKIPPED)
    assert 0 < skipped < 100
    assert results == [PageResult.FETCHED] * (100 - skipped) + [PageResult.SKIPPED] * skipped
    assert len(client.pages()) <= asked[1] + 2
    assert [page.result for page in pages_of(source, "b.example.com")] == [PageResult.FETCHED] * 3

    async def untold() -> LeftAlone:
        asked.append(0)
        raise UsageError("404")

    source, asked[:] = FakeSource([Given([site("a.example.com", 20)], clock.now() + 60)]), []
    crawl = _crawl(source, client, clock, delay=0.005)
    crawl._blocked = {"a.example.com"}  # handed out again since: the block was taken back
    crawl._settings = replace(crawl._settings, look=0.01)
    crawl._ask_blocked = untold
    asyncio.run(crawl.run(once=True))
    assert (len(asked), {page.result for page in pages_of(source)}) == (1, {PageResult.FETCHED})


def test_while_the_frontier_is_paused_everything_is_given_back() -> None:
    clock = RealClock()
    source = FakeSource([Given([site("a.example.com", 100), site("b.example.com", 100)], clock.now() + 60)])
    client = FakeClient(clock)

    async def paused() -> LeftAlone:
        return LeftAlone((), is_paused=True)

    crawl = _crawl(source, client, clock, delay=0.005)
    crawl._settings = replace(crawl._settings, look=0.05)
    crawl._ask_blocked = paused
    asyncio.run(crawl.run(once=True))
    for name in ("a.example.com", "b.example.com"):
        assert pages_of(source, name)[-1].result is PageResult.SKIPPED


def test_an_answer_that_does_not_come_keeps_no_fetcher_from_its_end() -> None:
    """What came is reported, and the page that did not is given back."""
    clock = RealClock()
    source = FakeSource([Given([site("a.example.com", 3)], clock.now() + 600)])

    class Slow(FakeClient):
        async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
            outcome = await FakeClient.fetch(self, request, hop=hop)
            if request.url.endswith("/1"):
                await asyncio.Event().wait()
            return outcome

    async def scene() -> None:
        crawl = _crawl(source, Slow(clock), clock)
        crawl._settings = replace(crawl._settings, ending=0.05)
        asyncio.get_running_loop().call_later(0.05, crawl.stop)
        await asyncio.wait_for(crawl.run(), 5.0)

    asyncio.run(scene())
    assert [page.result for page in pages_of(source)] == ["fetched", "skipped", "skipped"]


SITEMAP = "https://a.example.com/sitemap.xml"


def listing(*urls: str, kind: str = "urlset", item: str = "url") -> str:
    items = "".join(f"<{item}><loc>{url}</loc></{item}>" for url in urls)
    return f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{items}</{kind}>'


def test_a_sitemap_that_robots_names_is_read_once_in_a_turn_of_its_site() -> None:
    """Through an index, of the site's own host and domain; what is listed becomes links of the first page."""
    index = listing(
        "https://a.example.com/one.xml", "https://b.example.com/two.xml", kind="sitemapindex", item="sitemap"
    )
    pages = listing(
        "https://a.example.com/x", "https://www.example.com/y", "https://stranger.example.net/z", "nonsense"
    )
    outcomes = robots("a.example.com", f"Sitemap: {SITEMAP}\nSitemap: https://other.example.net/s.xml") | {
        SITEMAP: fetched(SITEMAP, index),
        "https://a.example.com/one.xml": fetched("https://a.example.com/one.xml", pages),
    }
    clock = VirtualClock()
    lists = [Given([site("a.example.com", 2)], clock.now() + 600) for _ in range(2)]
    source, client = FakeSource(lists), FakeClient(clock, outcomes)
    first: list[PageReport] = []

    async def twice() -> None:
        crawl = _crawl(source, client, clock, delay=2.0)
        await crawl.run(once=True)
        first.extend(pages_of(source))
        crawl = _crawl_on(crawl)
        await crawl.run(once=True)

    def _crawl_on(crawl: Crawl) -> Crawl:
        crawl._closing = False
        return crawl

    clock.run(twice())
    assert first[0].links == ("https://a.example.com/x", "https://www.example.com/y")
    assert first[1].links == ()
    asked = [request.url for _, request in client.asked]
    assert asked[:5] == [
        "https://a.example.com/robots.txt", "https://a.example.com/0", SITEMAP, "https://a.example.com/one.xml",
        "https://a.example.com/1",
    ]  # fmt: skip
    assert not any(url.endswith(".xml") for url in asked[5:])
    assert {after - before for before, after in pairwise(client.times("a.example"))} == {2.0}


def test_sitemaps_are_read_up_to_a_limit_or_not_at_all() -> None:
    maps = [f"https://a.example.com/{n}.xml" for n in range(9)]
    outcomes = robots("a.example.com", "\n".join(f"Sitemap: {url}" for url in maps))
    for limit in (0, 3):
        clock = VirtualClock()
        source, client = FakeSource([Given([site("a.example.com", 1)], clock.now() + 600)]), FakeClient(clock, outcomes)
        crawl = _crawl(source, client, clock)
        crawl._sitemaps.documents = limit
        clock.run(crawl.run(once=True))
        assert sum(url.endswith(".xml") for url in client.pages()) == limit
        assert (crawl.counts.pages, crawl.counts.sitemaps) == (1, limit)


def test_a_sitemap_may_ask_for_a_rest_as_well() -> None:
    outcomes = robots("a.example.com", f"Sitemap: {SITEMAP}") | {
        SITEMAP: Rejected(trip=trip(SITEMAP), status=429, retry_after=40.0)
    }
    source, _ = crawled([site("a.example.com", 2)], outcomes)
    assert [page.result for page in pages_of(source)] == ["fetched", "skipped"]
    assert source.reported["a.example.com"].retry_after == pytest.approx(40.0)


def test_a_page_that_is_too_large_is_not_tried_again_and_again() -> None:
    url = "https://a.example.com/0"
    words = "200,000,000 bytes announced, 1,000,000 allowed by fetch.max_bytes"
    large = Failed(trip=trip(url), cause=Failure.TOO_LARGE, detail=words)
    [page] = pages_of(crawled([site("a.example.com", 1)], {url: large})[0])
    assert (page.result, page.why, reason_of(page)) == ("not_found", words, Reason.TOO_LARGE)


def test_pages_are_reported_with_links_and_content() -> None:
    body = PROSE + '<a href="/x">x</a><a href="https://b.example.org/">b</a><a href="mailto:a@b.c">m</a>'
    outcomes: dict[str, Outcome] = {"https://a.example.com/0": fetched("https://a.example.com/0", body)}
    page = pages_of(crawled([site("a.example.com", 1)], outcomes)[0])[0]
    assert page.result is PageResult.FETCHED
    assert page.links == ("https://a.example.com/x", "https://b.example.org/")
    assert len(page.content_hash) == 32
    assert page.number == 1
    assert not page.soft_404


@pytest.mark.parametrize(
    ("head", "header", "links"),
    [
        ('<meta name="robots" content="nofollow">', "", 0),
        ('<META NAME="Robots" CONTENT="NoIndex, None">', "", 0),
        ("", "noindex, nofollow", 0),
        ("", "otherbot: nofollow", 1),
        ('<meta name="robots" content="noindex">', "", 1),
        ('<meta name="googlebot" content="nofollow">', "", 1),
    ],
)
def test_a_page_may_ask_that_its_links_are_not_followed(head: str, header: str, links: int) -> None:
    url = "https://a.example.com/0"
    body = f'<head>{head}</head>{PROSE}<a rel="nofollow" href="/x">x</a>'.encode()
    outcome = Fetched(trip=trip(url, x_robots_tag=header), status=200, body=body)
    [page] = pages_of(crawled([site("a.example.com", 1)], {url: outcome})[0])
    assert page.result is PageResult.FETCHED
    assert len(page.links) == links


def test_between_two_requests_lies_the_delay() -> None:
    sites = [site("a.example.com", 3, delay=8.0), site("b.example.com", 2, delay=0.0)]
    _, client = crawled(sites, delay=2.0)
    assert [after - before for before, after in pairwise(client.times("a.example"))] == [8.0] * 3  # robots.txt is one
    assert [after - before for before, after in pairwise(client.times("b.example"))] == [2.0] * 2


def test_robots_may_ask_for_more_and_forbid() -> None:
    source, client = crawled([site("a.example.com", 3)], robots("a.example.com", "Disallow: /1\nCrawl-delay: 6"))
    assert [page.result for page in pages_of(source)] == ["fetched", "excluded", "fetched"]
    assert source.reported["a.example.com"].crawl_delay == 6.0
    assert [url[-1] for url in client.pages()] == ["0", "2"]
    assert [after - before for before, after in pairwise(client.times("a.example"))] == [6.0, 6.0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_robots_cannot_say_is_given_back_and_asked_later(status: int) -> None:
    """Neither excluded nor failed: the pages are as due as they were, and the site rests."""
    url = "https://a.example.com/robots.txt"
    source, client = crawled([site("a.example.com", 3)], {url: Rejected(trip=trip(url), status=status)})
    assert [page.result for page in pages_of(source)] == ["skipped"] * 3
    assert source.reported["a.example.com"].retry_after == pytest.approx(60.0)
    assert client.pages() == []


def test_where_nobody_answers_the_first_page_has_that_error_and_the_rest_is_given_back() -> None:
    url = "https://a.example.com/robots.txt"
    nobody = Failed(trip=trip(url), cause=Failure.CONNECT, detail="Connection refused (192.0.2.1:443)")
    source, client = crawled([site("a.example.com", 3)], {url: nobody})
    assert [page.result for page in pages_of(source)] == ["error", "skipped", "skipped"]
    assert [page.why for page in pages_of(source)] == ["Connection refused (192.0.2.1:443)", "", ""]
    assert source.reported["a.example.com"].retry_after == pytest.approx(60.0)
    assert len(client.asked) == 1


def two_ports(good: int, *, first_bad: bool = False) -> SiteList:
    """Twelve pages at a port where nobody listens, and some at the usual one."""
    whole = site("a.example.com", good + 12)
    order = (*whole.pages[good:], *whole.pages[:good]) if first_bad else whole.pages
    bad = {page.url for page in whole.pages[good:]}
    lines = [page._replace(url=page.url.replace(".com/", ".com:8080/")) if page.url in bad else page for page in order]
    return whole._replace(pages=tuple(lines))


CLOSED_ROBOTS = "https://a.example.com:8080/robots.txt"
CLOSED = Failed(trip=trip(CLOSED_ROBOTS), cause=Failure.CONNECT, detail="Connection refused (192.0.2.1:8080)")


def test_a_closed_port_keeps_nobody_from_the_pages_of_another() -> None:
    """Its own pages are put off by themselves; the site is not put to rest."""
    source, client = crawled([two_ports(3)], {CLOSED_ROBOTS: CLOSED})
    pages = pages_of(source)
    assert [page.result for page in pages] == ["fetched"] * 3 + ["error"] + ["refused"] * 11
    assert {page.why for page in pages[4:]} == {"nobody answers there: Connection refused (192.0.2.1:8080)"}
    assert {reason_of(page) for page in pages[3:]} == {Reason.NO_ANSWER}
    assert source.reported["a.example.com"].retry_after is None
    assert len(client.times(":8080")) == 1


def test_a_closed_port_that_is_asked_first_is_no_trouble_of_the_site() -> None:
    source, _ = crawled([two_ports(3, first_bad=True)], {CLOSED_ROBOTS: CLOSED})
    assert [page.result for page in pages_of(source)] == ["error"] + ["skipped"] * 11 + ["fetched"] * 3
    assert source.reported["a.example.com"].retry_after is None


def test_a_list_of_a_closed_port_alone_puts_no_site_to_rest_that_answers() -> None:
    clock = VirtualClock()
    given = [Given([two_ports(good)], clock.now() + 600) for good in (3, 0)]
    source, client = FakeSource(given), FakeClient(clock, {CLOSED_ROBOTS: CLOSED})
    clock.run(_crawl(source, client, clock).run(patience=0.0))
    assert [page.result for page in pages_of(source)] == ["error"] + ["refused"] * 11
    assert source.reported["a.example.com"].retry_after is None


def test_a_site_that_answers_at_none_of_its_ports_is_put_to_rest() -> None:
    url = "https://a.example.com/robots.txt"
    source, client = crawled([two_ports(3)], {CLOSED_ROBOTS: CLOSED, url: replace(CLOSED, trip=trip(url))})
    results = [page.result for page in pages_of(source)]
    assert results == ["error", "skipped", "skipped", "error"] + ["skipped"] * 11
    assert source.reported["a.example.com"].retry_after == pytest.approx(60.0)
    assert len(client.asked) == 2


def test_while_we_are_offline_nobody_is_to_blame() -> None:
    url = "https://a.example.com/robots.txt"
    source, _ = crawled([site("a.example.com", 2)], {url: Failed(trip=trip(url), cause=Failure.OFFLINE)})
    assert [page.result for page in pages_of(source)] == ["skipped"] * 2


def test_what_our_guard_refuses_is_told_once_and_not_tried_page_by_page() -> None:
    words = "a.example.com is at 127.0.0.1: not a public address; fetch.allowed_networks lets it through"
    urls = [f"https://a.example.com/{n}" for n in range(3)]
    refused: dict[str, Outcome] = {
        url: Failed(trip=trip(url), cause=Failure.ADDRESS, detail=words)
        for url in ("https://a.example.com/robots.txt", *urls)
    }
    clock = VirtualClock()
    source, client = FakeSource([Given([site("a.example.com", 3)], clock.now() + 600)]), FakeClient(clock, refused)
    crawl = _crawl(source, client, clock)
    clock.run(crawl.run(once=True))
    assert [(page.result, page.why) for page in pages_of(source)] == [("refused", words)] * 3
    assert client.pages() == urls[:1]
    assert (crawl.counts.pages, crawl.counts.failed) == (0, 3)
    assert [(some.pages, some.why) for some in crawl.not_asked.values()] == [(3, words)]


def test_sites_are_counted_once_however_many_lists_they_have() -> None:
    clock = VirtualClock()
    lists = [Given([site(name, 1)], clock.now() + 600) for name in ("a.example.com", "b.example.com", "a.example.com")]
    crawl = _crawl(FakeSource(lists), FakeClient(clock), clock)
    clock.run(crawl.run(patience=0.0))
    assert (crawl.counts.pages, crawl.counts.sites) == (3, 2)


def test_the_first_pause_shorter_than_our_own_is_known() -> None:
    clock = VirtualClock()
    sites = [site("a.example.com", 1, 5.0), site("b.example.com", 1, 2.0), site("c.example.com", 1, 1.0)]
    crawl = _crawl(FakeSource([Given(sites, clock.now() + 600)]), FakeClient(clock), clock, delay=5.0)
    assert crawl.shorter_pause is None
    clock.run(crawl.run(once=True))
    assert crawl.shorter_pause == 2.0


@pytest.mark.parametrize("seconds", [40.0, 7_200.0])
def test_a_retry_after_goes_to_the_frontier_at_once(seconds: float) -> None:
    """Who is killed while he waits would take what the server said with him."""
    url = "https://a.example.com/0"
    wish = Rejected(trip=trip(url), status=503, retry_after=seconds)
    clock = VirtualClock()
    began, source = clock.now(), FakeSource([Given([site("a.example.com", 3)], clock.now() + 600.0)])
    client = FakeClient(clock, {url: wish})
    clock.run(_crawl(source, client, clock, flush=30.0).run(once=True))
    assert clock.now() == began
    assert [page.result for page in pages_of(source)] == ["error", "skipped", "skipped"]
    assert source.reported["a.example.com"].retry_after == pytest.approx(seconds)
    assert len(client.pages()) == 1


def test_a_retry_after_within_the_usual_pause_ends_no_list() -> None:
    url = "https://a.example.com/0"
    wish = Rejected(trip=trip(url), status=429, retry_after=3.0)
    source, client = crawled([site("a.example.com", 3, delay=8.0)], {url: wish})
    assert [page.result for page in pages_of(source)] == ["error", "fetched", "fetched"]
    assert [after - before for before, after in pairwise(client.times("a.example"))] == [8.0] * 3


def test_of_a_slow_site_what_was_found_is_told_within_a_minute() -> None:
    """A hundred pages at ten seconds each: nobody shall wait a quarter of an hour for the links of the first."""
    source, client = crawled([site("a.example.com", 100, delay=10.0)])
    assert [page.result for page in pages_of(source)] == ["fetched"] * 7 + ["skipped"] * 93
    assert client.times("a.example")[-1] - client.times("a.example")[0] == pytest.approx(70.0)


@dataclass
class AwaySource(FakeSource):
    """A frontier that went away after it had handed out its lists."""

    async def lists(self, *, amount: int, length: int) -> Given:
        if not self.lists_left:
            await asyncio.Event().wait()
        return await FakeSource.lists(self, amount=amount, length=length)

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("lists", [0, 1])
def test_a_frontier_that_does_not_answer_keeps_no_fetcher_from_its_end(
    lists: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing to report: it ends. Something to report: it says that this did not arrive."""
    monkeypatch.setattr("afresh.frontier.fetcher._LAST_LIST", 0.01)
    monkeypatch.setattr("afresh.frontier.fetcher._LAST_REPORTS", 0.01)

    async def scene() -> None:
        source = AwaySource([Given([site("a.example.com", 1)], RealClock().now() + 600)] * lists)
        crawl = _crawl(source, FakeClient(RealClock()), RealClock())
        asyncio.get_running_loop().call_later(0.05, crawl.stop)
        await asyncio.wait_for(crawl.run(), 5.0)

    with pytest.raises(ServiceAway, match="could not be told") if lists else nullcontext():
        asyncio.run(scene())


@dataclass
class HeardSource(FakeSource):
    """Keeps every report of a site, in order."""

    heard: list[SiteReport] = field(default_factory=list)
    away: int = 0  # reports that are not taken at first

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        await FakeSource.report(self, sites, key=key)
        assert len({site.name for site in sites}) == len(sites), "a list twice in one report"
        self.away -= 1
        if self.away >= 0:
            raise ReportFailed("500: boom")
        self.heard += sites


def in_parts_told(source: HeardSource, *, pages: int, outcomes: dict[str, Outcome] | None = None) -> None:
    """A list worked off at 20 ms a page, told every 50 ms."""
    crawl = _crawl(source, FakeClient(RealClock(), outcomes or {}), RealClock(), delay=0.02)
    crawl._settings = replace(crawl._settings, part=0.05)
    source.lists_left.append(Given([site("a.example.com", pages)], RealClock().now() + 60))
    asyncio.run(crawl.run(once=True))


def test_what_is_finished_of_a_long_list_is_told_before_its_end() -> None:
    """A fetcher that is killed loses seconds of work, not a minute. Each page is told once; the last ends the list."""
    source = HeardSource([])
    in_parts_told(source, pages=30, outcomes=robots("a.example.com", "Crawl-delay: 0.02"))
    *parts, last = source.heard
    assert len(parts) >= 3
    assert [part.is_partial for part in parts] == [True] * len(parts)
    assert all(part.pages and len(part.pages) < 30 for part in parts)
    assert not last.is_partial
    assert [page.number for one in source.heard for page in one.pages] == list(range(1, 31))
    assert {one.crawl_delay for one in source.heard} == {0.02}
    assert [one.round_trip is None for one in source.heard] == [True] * len(parts) + [False]


def test_parts_that_wait_for_a_frontier_are_told_in_order_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.frontier.fetcher._FIRST_WAIT", 0.1)

    class Deaf(HeardSource):
        async def put_aside(self, site: SiteReport, why: str) -> None:
            raise StoreError("500: boom")

    source = Deaf([], away=5)
    in_parts_told(source, pages=30)
    assert [page.number for one in source.heard for page in one.pages] == list(range(1, 31))
    assert [one.is_partial for one in source.heard] == [True] * (len(source.heard) - 1) + [False]


def test_a_last_report_without_a_request_still_tells_the_pause_after_the_one_before() -> None:
    """The frontier counts the pause from the pages of a report; those of an earlier one do not count any more."""
    clock = RealClock()
    source = HeardSource([Given([site("a.example.com", 5, delay=0.3)], clock.now() + 60)])
    crawl = _crawl(source, FakeClient(clock), clock)
    crawl._settings = replace(crawl._settings, part=0.05)

    async def scene() -> None:
        running = asyncio.create_task(crawl.run(once=True))
        while not source.heard:
            await asyncio.sleep(0.01)
        crawl.stop()
        await asyncio.wait_for(running, 5.0)

    asyncio.run(scene())
    part, last = source.heard
    assert [page.result for page in part.pages] == ["fetched"]
    assert [page.result for page in last.pages] == ["skipped"] * 4
    assert part.retry_after is None
    assert last.retry_after is not None
    assert 0.0 < last.retry_after <= 0.3


def test_the_pause_counts_from_a_sitemap_that_was_read_after_the_last_page() -> None:
    """Else whoever has the site next comes a moment after it."""
    source, client = crawled([site("a.example.com", 1, delay=3.0)], robots("a.example.com", f"Sitemap: {SITEMAP}"))
    assert client.pages() == ["https://a.example.com/0", SITEMAP]
    assert source.reported["a.example.com"].retry_after == pytest.approx(3.0)


def test_a_list_that_breaks_off_gives_back_what_is_not_finished() -> None:
    class Broken(FakeClient):
        async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
            if request.url.endswith("/2"):
                raise ValueError("boom")
            return await FakeClient.fetch(self, request, hop=hop)

    clock = VirtualClock()
    source = FakeSource([Given([site("a.example.com", 4)], clock.now() + 600)])
    clock.run(_crawl(source, Broken(clock), clock).run(once=True))
    assert [page.result for page in pages_of(source)] == ["fetched", "fetched", "skipped", "skipped"]
    assert not source.reported["a.example.com"].is_partial


def test_a_site_at_its_usual_pace_needs_no_word_about_it() -> None:
    source, _ = crawled([site("a.example.com", 2, delay=8.0)])
    assert source.reported["a.example.com"].retry_after is None


def test_what_the_web_does_becomes_a_result() -> None:
    def url(number: int) -> str:
        return f"https://a.example.com/{number}"

    soft = "<title>Page not found</title><h1>404 Not Found</h1><p>The page you requested was not found.</p>"
    moved = replace(
        trip(url(4), location="https://b.example.org/new"), redirects=(Redirect(301, "https://b.example.org/new"),)
    )
    outcomes: dict[str, Outcome] = {
        url(0): NotModified(trip=trip(url(0))),
        url(1): Rejected(trip=trip(url(1)), status=410),
        url(2): Rejected(trip=trip(url(2)), status=503),
        url(3): Failed(trip=trip(url(3)), cause=Failure.TIMEOUT),
        url(4): Failed(trip=moved, cause=Failure.REDIRECTS),
        url(5): Failed(trip=trip(url(5)), cause=Failure.OFFLINE),
        url(6): fetched(url(6), soft),
        url(7): Failed(trip=trip(url(7)), cause=Failure.REDIRECTS),
        url(8): Failed(trip=trip(url(8)), cause=Failure.ADDRESS),
    }
    pages = pages_of(crawled([site("a.example.com", 9)], outcomes)[0])
    assert [page.result for page in pages] == [
        "not_modified", "not_found", "error", "error", "fetched", "skipped", "fetched", "error", "refused",
    ]  # fmt: skip
    assert pages[0].changed is False
    assert pages[4].links == ("https://b.example.org/new",)
    assert [page.http for page in pages] == [304, 410, 503, 0, 301, 0, 200, 0, 0]
    assert [page.redirect for page in pages if page.redirect] == ["https://b.example.org/new"]
    assert {page.content_type for page in pages[:5]} == {"text/html"}
    assert pages[6].soft_404


def test_the_rest_of_an_expiring_list_is_given_back() -> None:
    source, client = crawled([site("a.example.com", 3)], lasts=1.0)
    assert [page.result for page in pages_of(source)] == ["skipped"] * 3
    assert not client.asked


def test_a_list_that_would_expire_in_a_pause_is_given_back_at_once() -> None:
    source, client = crawled([site("a.example.com", 4, delay=30.0)], lasts=75.0)
    assert [page.result for page in pages_of(source)] == ["fetched", "fetched", "skipped", "skipped"]
    assert client.times("a.example")[-1] == 1_000_060.0


def test_a_site_that_only_fails_is_left_alone() -> None:
    outcomes: dict[str, Outcome] = {
        f"https://a.example.com/{n}": Failed(trip=trip(f"https://a.example.com/{n}"), cause=Failure.CONNECT)
        for n in range(40)
    }
    pages = pages_of(crawled([site("a.example.com", 40)], outcomes)[0])
    assert [page.result for page in pages] == ["error"] * 20 + ["skipped"] * 20


def test_stopping_finishes_what_is_in_flight_and_reports_all() -> None:
    source = FakeSource([Given([site("a.example.com", 5, delay=0.1)], RealClock().now() + 600)])
    client = FakeClient(RealClock())

    async def run() -> Crawl:
        crawl = _crawl(source, client, RealClock(), flush=30.0)
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
    parts = list(in_parts(sites, usual=30_000))
    assert [site for part in parts for site in part] == sites
    assert len(parts) > 3
    assert all(len(repr(part)) < 60_000 for part in parts)


def test_a_site_too_large_for_one_report_is_told_in_several_and_loses_no_link() -> None:
    links = tuple(f"https://l.example/{'x' * 60}{n}" for n in range(20))
    pages = tuple(PageReport(url=f"https://l.example/{n}", links=links) for n in range(50))
    site = SiteReport(lease=1, name="l.example", pages=pages, round_trip=0.5, retry_after=60.0)
    parts = list(in_parts([site], usual=30_000))
    assert all(len(part) == 1 for part in parts)
    assert tuple(page for part in parts for page in part[0].pages) == pages
    assert [part[0].is_partial for part in parts] == [True] * (len(parts) - 1) + [False]
    assert [part[0].round_trip for part in parts] == [0.5] + [None] * (len(parts) - 1)


def test_a_page_too_large_for_a_report_loses_its_last_links_and_says_how_many() -> None:
    links = tuple(f"https://l.example/{n:04d}" for n in range(1_000))
    page = PageReport(url="https://l.example/", links=links, links_left_out=7)
    ((large,),) = in_parts([SiteReport(lease=1, name="l.example", pages=(page,))], most=10_000, usual=1_000)
    (told,) = large.pages
    assert 300 < len(told.links) < 1_000
    assert told.links == links[: len(told.links)]
    assert told.links_left_out == 7 + 1_000 - len(told.links)


def many_links(count: int) -> str:
    return "".join(f'<p><a href="/archive/{n}">Entry {n}</a></p>' for n in range(count))


def test_an_archive_of_thousands_of_links_is_reported_whole() -> None:
    source, _ = crawled(
        [site("a.example.com", 1)], {"https://a.example.com/0": fetched("https://a.example.com/0", many_links(7_000))}
    )
    (page,) = pages_of(source)
    assert len(page.links) == 7_000
    assert page.links_left_out == 0


def test_links_beyond_the_most_are_left_out_and_counted() -> None:
    clock = VirtualClock()
    url = "https://a.example.com/0"
    source = FakeSource([Given([site("a.example.com", 1)], clock.now() + 600)])
    client = FakeClient(clock, {url: fetched(url, many_links(60_000))})
    crawl = _crawl(source, client, clock, links=500)
    clock.run(crawl.run(once=True))
    (page,) = pages_of(source)
    assert len(page.links) == 500
    assert page.links_left_out == 60_000 - 500
    assert crawl.counts.links_left_out == 60_000 - 500
    assert crawl.many_links == page


def test_a_frontier_that_refuses_reports_ends_the_crawl() -> None:
    class Refusing(FakeSource):
        async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
            raise StoreError("404 nobody of that UUID")

    source = Refusing([Given([site("a.example.com", 1)], RealClock().now() + 600)])

    async def run() -> None:
        crawl = _crawl(source, FakeClient(RealClock()), RealClock())
        await asyncio.wait_for(crawl.run(), 60)

    with pytest.raises(StoreError, match="404"):
        asyncio.run(run())


def test_an_archive_of_megabytes_comes_whole_from_the_process_that_reads_it() -> None:
    body = many_links(50_000).replace("/archive/", f"/archive/{'x' * 25}/").encode()
    with reading_apart():
        page = read_text(parse_crawled_page, body, url="https://a.example.com/")
    assert (page.kind, len(page.links)) == ("html", 50_000)
