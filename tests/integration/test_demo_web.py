"""The demo web over a real loopback socket."""

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import takewhile
from urllib.parse import urlsplit

import aiohttp
import pytest

from afresh.lab.web import Breach, DemoWeb
from afresh.parse.bookmarks import read_bookmarks
from afresh.parse.opml import read_opml
from tests.fakes.ending import end_program
from tests.tools import quiet_port

START = 1_700_000_000.0


class Clock:
    """Time that passes on command; sleeping lets it pass."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Browser:
    """Asks sites by the Host header, so that no name needs to be resolved."""

    def __init__(self, session: aiohttp.ClientSession, demo: DemoWeb, clock: Clock) -> None:
        self.session, self.demo, self.clock = session, demo, clock

    async def get(
        self, url: str, *, wait: float = 1.0, method: str = "GET", **headers: str
    ) -> tuple[aiohttp.ClientResponse, bytes]:
        self.clock.now += wait
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.request(
            method,
            f"http://127.0.0.1:{self.demo.port}{parts.path}{query}",
            headers={"Host": parts.netloc, **named},
            allow_redirects=False,
        ) as response:
            return response, await response.read()


@asynccontextmanager
async def living(**options: object) -> AsyncIterator[Browser]:
    clock = Clock()
    settings = {"sleep": clock.sleep, **options}
    web = DemoWeb(seed=5, clock=clock, **settings)  # type: ignore[arg-type]
    async with web as demo, aiohttp.ClientSession(auto_decompress=False) as session:
        session._retry_connection = False  # aiohttp would ask again by itself when a kept connection breaks
        yield Browser(session, demo, clock)


def run(scenario: Callable[[Browser], Awaitable[None]], **options: object) -> None:
    async def play() -> None:
        async with living(**options) as browser:
            await asyncio.wait_for(scenario(browser), 20)

    asyncio.run(play())


def url_of(browser: Browser, manners: str) -> str:
    return next(feed.url for feed in browser.demo.feeds if feed.manners == manners)


def test_every_feed_answers_and_a_polite_round_has_no_violations() -> None:
    async def scenario(browser: Browser) -> None:
        for _ in range(2):
            for feed in browser.demo.feeds:
                await browser.get(feed.url)
        summary = browser.demo.summary()
        assert summary["requests"] == 2 * len(browser.demo.feeds)
        assert summary["politeness_violations"] == 0, summary["violations"]
        assert summary["entries_published"] > summary["seconds"]  # type: ignore[operator]
        assert set(summary["patterns"]) == {feed.pattern.value for feed in browser.demo.feeds}  # type: ignore[call-overload]
        json.dumps(summary)

    run(scenario)


def test_conditional_get_is_304_until_something_is_published() -> None:
    async def scenario(browser: Browser) -> None:
        feed = next(feed for feed in browser.demo.feeds if feed.pattern == "constant" and feed.manners == "good")
        first, body = await browser.get(feed.url)
        etag = first.headers["ETag"]
        known = browser.demo.published(feed)
        second, nothing = await browser.get(feed.url, wait=0.0, If_None_Match=etag)
        assert (second.status, nothing, second.headers["ETag"]) == (304, b"", etag)
        while browser.demo.published(feed) == known:
            browser.clock.now += 1
        third, newer = await browser.get(feed.url, wait=0.0, If_None_Match=etag)
        assert third.status == 200
        assert newer != body
        assert browser.demo.published(feed)[-1].link.encode() in newer.replace(b"&amp;", b"&")
        assert browser.demo.ledger.not_modified == 1
        assert [seen.if_none_match for seen in browser.demo.ledger.log] == ["", etag, etag]

    run(scenario)


def test_the_date_header_follows_the_clock() -> None:
    async def scenario(browser: Browser) -> None:
        response, _ = await browser.get(browser.demo.sites[0], wait=0.0)
        assert response.headers["Date"] == "Tue, 14 Nov 2023 22:13:20 GMT"

    run(scenario)


def test_pressing_a_site_is_seen() -> None:
    async def scenario(browser: Browser) -> None:
        one, two = (feed.url for feed in browser.demo.feeds[:2])  # of one site
        await browser.get(one)
        await browser.get(two, wait=0.5)
        [violation] = browser.demo.ledger.violations
        assert (violation.breach, violation.site) == (Breach.TOO_SOON, "herald.localhost")
        assert violation.waited == pytest.approx(0.5)

    run(scenario)


def test_overlapping_requests_are_seen() -> None:
    gate = asyncio.Event()

    async def scenario(browser: Browser) -> None:
        url = url_of(browser, "slow")
        first = asyncio.create_task(browser.get(url))
        while not browser.demo.ledger.requests:
            await asyncio.sleep(0)
        second = asyncio.create_task(browser.get(url, wait=50.0))
        while browser.demo.ledger.requests < 2:
            await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, second)
        assert [violation.breach for violation in browser.demo.ledger.violations] == [Breach.OVERLAP]

    async def hold(seconds: float) -> None:
        await gate.wait()

    run(scenario, sleep=hold)


def test_a_visitor_who_leaves_ends_the_request() -> None:
    async def scenario(browser: Browser) -> None:
        task = asyncio.create_task(browser.get(url_of(browser, "slow")))
        while not browser.demo.ledger.requests:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        while not browser.demo.ledger.aborted:
            await asyncio.sleep(0)
        assert browser.demo.ledger.log[0].ended is not None
        await browser.get(browser.demo.sites[0])

    async def for_ever(seconds: float) -> None:
        await asyncio.Event().wait()

    run(scenario, sleep=for_ever)


def test_asking_before_retry_after_has_run_out_is_seen() -> None:
    async def scenario(browser: Browser) -> None:
        url = url_of(browser, "429 now and then")
        for _ in range(4):
            response, _ = await browser.get(url)
        assert response.status == 429
        await browser.get(url, wait=float(response.headers["Retry-After"]) - 1)
        await browser.get(url, wait=1.0)
        assert browser.demo.ledger.breaches == {Breach.RETRY_AFTER: 1}

    run(scenario)


def test_following_redirects_is_one_visit() -> None:
    async def scenario(browser: Browser) -> None:
        url = url_of(browser, "redirect chain")
        origin = url.removesuffix("/feed")
        response, _ = await browser.get(url)
        while "Location" in response.headers:
            response, _ = await browser.get(origin + response.headers["Location"], wait=0.01)
        assert response.status == 200
        assert browser.demo.ledger.requests == 4
        assert not browser.demo.ledger.violations
        await browser.get(url, wait=0.01)
        assert len(browser.demo.ledger.violations) == 1

    run(scenario)


def test_hanging_up_is_an_error_for_the_visitor_only() -> None:
    async def scenario(browser: Browser) -> None:
        url = url_of(browser, "hangs up")
        for _ in range(2):
            await browser.get(url)
        with pytest.raises(aiohttp.ClientError):
            await browser.get(url)
        response, _ = await browser.get(url)
        assert response.status == 200

    run(scenario)


def test_a_client_that_asks_again_behind_its_users_back_is_seen() -> None:
    async def scenario(browser: Browser) -> None:
        browser.session._retry_connection = True
        for _ in range(3):
            response, _ = await browser.get(url_of(browser, "hangs up"))
            assert response.status == 200
        assert browser.demo.ledger.requests == 4
        assert browser.demo.ledger.breaches == {Breach.TOO_SOON: 1}

    run(scenario)


def test_head_other_methods_unknown_hosts_and_the_overview() -> None:
    async def scenario(browser: Browser) -> None:
        response, body = await browser.get(browser.demo.feeds[0].url, method="HEAD")
        assert (response.status, body) == (200, b"")
        response, _ = await browser.get(browser.demo.feeds[0].url, method="POST")
        assert response.status == 405
        home = f"http://127.0.0.1:{browser.demo.port}"
        _, body = await browser.get(f"{home}/feeds.txt")
        assert body.decode().split() == [feed.url for feed in browser.demo.feeds]
        _, body = await browser.get(f"{home}/ledger.json")
        assert json.loads(body)["requests"] == 1  # neither the refused method nor the overview itself
        response, _ = await browser.get("http://nobody.localhost/feed.xml")
        assert response.status == 404

    run(scenario)


def test_a_port_in_use_is_an_error_and_leaves_nothing_running() -> None:
    async def play() -> None:
        async with DemoWeb() as demo:
            other = DemoWeb()
            with pytest.raises(OSError, match="address already in use"):
                await other.start(port=demo.port)
            await other.stop()

    asyncio.run(play())


def test_as_a_command_it_serves_lists_and_bookmarks_and_ends_with_its_account() -> None:
    port = quiet_port()
    words = [sys.executable, "-m", "afresh", "demo", "--web-only", "--port", str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        lines = iter(program.stdout.readline, "")
        told = dict(line.rsplit(maxsplit=1) for line in takewhile(lambda line: not line.startswith("Ctrl-C"), lines))
        opml = read_opml(_body(told["subscriptions"]))
        marks = read_bookmarks(_body(told["bookmarks"]))
        before = _body(marks.links[3].url)
        _body(told["some years pass"])
        after = _body(marks.links[3].url)
        account = end_program(program)
    assert program.returncode == 0
    assert len(opml.links) > 10
    assert {link.folder for link in marks.links} == {"Town"}
    assert before != after
    assert account.endswith("\n0 requests were answered\n")  # lists and bookmarks are no visits of its sites


def _body(url: str) -> bytes:
    """What is there, asked by the Host header."""
    parts = urlsplit(url)
    request = urllib.request.Request(f"http://127.0.0.1:{parts.port}{parts.path}", headers={"Host": parts.netloc})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return bytes(answer.read())
