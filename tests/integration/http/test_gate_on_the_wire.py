"""The gate with the real client: what only a wire shows."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from afresh.base.models import Failed, Failure, Fetched, Outcome, Request
from afresh.base.settings.sections import LOOPBACK, FetchSettings, PolitenessSettings
from afresh.engine.gate import Gate
from afresh.http.client import HttpFetcher
from tests.fakes.clocks import RealClock
from tests.fakes.gates import gate_to

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
LONG = b"User-agent: *\nDisallow: /no\n" + b"# a comment that goes on\n" * 60_000 + b"Disallow: /late\n"


def on_the_wire(answer: Answer, *requests: str, delay: float = 0.0, **limits: float) -> tuple[list[Outcome], list[str]]:
    """The outcomes of crawling these paths one after the other, and the paths the server was asked for."""
    asked: list[str] = []

    async def serve(request: web.BaseRequest) -> web.StreamResponse:
        asked.append(request.path)
        return await answer(request)

    async def go() -> list[Outcome]:
        runner = web.ServerRunner(web.Server(serve))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        clock = RealClock()
        settings = FetchSettings(allowed_networks=LOOPBACK, **limits)  # type: ignore[arg-type]
        gate: Gate = gate_to(HttpFetcher(settings, clock=clock), clock, PolitenessSettings(delay=delay))
        try:
            urls = [f"http://a.localhost:{port}{path}" for path in requests]
            return [await gate.fetch(Request(url=url, is_crawl=True)) for url in urls]
        finally:
            await gate.close()
            await runner.cleanup()

    return asyncio.run(go()), asked


@pytest.mark.parametrize("encoding", ["", "gzip", "announced"])
def test_a_robots_file_beyond_the_limit_counts_as_far_as_it_was_read(encoding: str) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path != "/robots.txt":
            return web.Response(text="page")
        if encoding == "announced":
            return web.Response(body=LONG)
        response = web.StreamResponse(headers={"Content-Encoding": encoding} if encoding else {})
        await response.prepare(request)
        await response.write(gzip.compress(LONG) if encoding else LONG)
        return response

    outcomes, asked = on_the_wire(answer, "/no", "/late", max_bytes=1_000)
    assert isinstance(outcomes[0], Failed)
    assert outcomes[0].cause is Failure.ROBOTS
    assert isinstance(outcomes[1], Fetched)  # past the 500 KiB that are read
    assert asked == ["/robots.txt", "/late"]


def test_waiting_for_a_site_is_no_time_that_a_request_took() -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        if request.path == "/from":
            return web.Response(status=302, headers={"Location": "/to"})
        return web.Response(text="page")

    (outcome,), asked = on_the_wire(answer, "/from", delay=2.0, total_timeout=1.5)
    assert isinstance(outcome, Fetched)
    assert asked == ["/robots.txt", "/from", "/to"]
    assert outcome.trip.finished - outcome.trip.started < 1.5


def test_waiting_for_a_connection_is_no_time_that_a_request_took() -> None:
    """One at a time: the second begins when the first has ended, and its redirect has all its time left."""

    async def serve(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/from":
            return web.Response(status=302, headers={"Location": "/to"})
        await asyncio.sleep(0.3)
        return web.Response(text="page")

    async def go() -> list[Outcome]:
        runner = web.ServerRunner(web.Server(serve))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://a.localhost:{runner.addresses[0][1]}"
        settings = FetchSettings(allowed_networks=LOOPBACK, concurrency=1)
        async with HttpFetcher(settings, clock=RealClock()) as client:
            first = asyncio.create_task(client.fetch(Request(url=f"{url}/slow")))
            second = asyncio.create_task(client.fetch(Request(url=f"{url}/from")))
            outcomes = [await first, await second]
        await runner.cleanup()
        return outcomes

    first, second = asyncio.run(go())
    assert isinstance(second, Fetched)
    assert second.trip.started >= first.trip.finished


def test_a_redirect_into_a_forbidden_path_is_not_followed() -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /no\n")
        return web.Response(status=302, headers={"Location": "/no/room"})

    (outcome,), asked = on_the_wire(answer, "/door")
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.ROBOTS
    assert outcome.detail.startswith("robots.txt forbids where it leads: http://a.localhost")
    assert [hop.url.rpartition("/")[2] for hop in outcome.trip.redirects] == ["room"]
    assert asked == ["/robots.txt", "/door"]


def test_a_refused_address_names_the_setting_that_lets_it_through() -> None:
    async def go() -> list[Outcome]:
        clock = RealClock()
        gate = gate_to(HttpFetcher(FetchSettings(), clock=clock), clock, PolitenessSettings(delay=0.0))
        try:
            urls = ("http://127.0.0.1/", "http://a.localhost/", "http://10.1.2.3/")
            return [await gate.fetch(Request(url=url, is_crawl=True)) for url in urls]
        finally:
            await gate.close()

    for outcome in asyncio.run(go()):
        assert isinstance(outcome, Failed)
        assert outcome.cause is Failure.ADDRESS
        assert "fetch.allowed_networks" in outcome.detail
