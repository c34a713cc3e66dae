"""What becomes of a request to a server with bad manners: always an outcome, and which one."""

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

import pytest
import uvloop

from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Redirect, Rejected, Request
from afresh.base.settings.sections import LOOPBACK, FetchSettings
from afresh.http.client import HttpFetcher
from afresh.http.connection import STOOD_STILL
from tests.fakes.clocks import StillClock
from tests.fakes.rude_server import PLAIN, RudeServer

SETTINGS = FetchSettings(
    allowed_networks=LOOPBACK, max_bytes=200_000, max_decoded_bytes=500_000, read_timeout=0.2, total_timeout=0.5
)
Runner = Callable[[Coroutine[Any, Any, tuple[Outcome, RudeServer]]], tuple[Outcome, RudeServer]]
PATIENT = replace(SETTINGS, read_timeout=5.0, total_timeout=10.0)


def visit(
    target: str,
    *,
    settings: FetchSettings = PATIENT,
    host: str = "127.0.0.1",
    location: Callable[[RudeServer], str] | None = None,
    runner: Runner = asyncio.run,
    **request: Any,
) -> tuple[Outcome, RudeServer]:
    """One request to a rude server of its own, and the server for questions afterwards."""

    async def scene() -> tuple[Outcome, RudeServer]:
        async with RudeServer() as server, HttpFetcher(settings, clock=StillClock()) as fetcher:
            server.location = location(server) if location else ""
            url = server.url(target, host)
            return await fetcher.fetch(Request(url=url, **request)), server

    return runner(scene())


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    ["/plain", "/http10", "/set-cookie", "/gzip", "/gzip-members", "/deflate", "/deflate-raw", "/br", "/gzip-twice"],
)
def test_a_document_arrives_whatever_its_wrapping(target: str) -> None:
    outcome, _ = visit(target)
    assert isinstance(outcome, Fetched), outcome
    assert outcome.status == 200
    assert outcome.body == PLAIN


def test_a_chunked_document_is_joined() -> None:
    outcome, _ = visit("/chunked")
    assert isinstance(outcome, Fetched)
    assert outcome.body == b"news!!!"


def test_the_request_says_who_asks_and_what_is_understood() -> None:
    _, server = visit("/plain", accept="application/atom+xml")
    heard = server.heard[0]
    assert heard.method == "GET"
    assert heard.headers["user-agent"].startswith("afresh/")
    assert "+https://" in heard.headers["user-agent"]
    assert heard.headers["accept"] == "application/atom+xml"
    assert heard.headers["accept-encoding"] == "gzip, deflate, br"
    assert "cache-control" not in heard.headers
    assert "cookie" not in heard.headers


def test_no_cache_is_asked_for_when_told() -> None:
    _, by_settings = visit("/plain", settings=replace(PATIENT, no_cache=True))
    assert by_settings.heard[0].headers["cache-control"] == "no-cache"


def test_trip_tells_times_bytes_and_headers() -> None:
    outcome, server = visit("/plain")
    assert outcome.trip.url == outcome.trip.final_url == server.url("/plain")
    assert outcome.trip.started == StillClock().now() <= outcome.trip.finished
    assert len(PLAIN) + 50 < outcome.trip.bytes < len(PLAIN) + 200
    assert outcome.trip.headers["etag"] == '"v1"'


# --- conditional requests ---------------------------------------------------------------------------------------------


def test_validators_go_back_exactly_and_a_304_brings_new_ones() -> None:
    etag = "W/\"od\"d, 'one'-gzip"
    outcome, server = visit("/conditional", etag=etag, last_modified="yesterday, or so")
    assert isinstance(outcome, NotModified)
    assert outcome.trip.headers["etag"] == 'W/"v2"'
    assert server.heard[0].headers["if-none-match"] == etag
    assert server.heard[0].headers["if-modified-since"] == "yesterday, or so"


def test_a_validator_with_a_line_break_is_not_sent() -> None:
    outcome, server = visit("/conditional", etag='"x"\r\nX-Injected: yes')
    assert isinstance(outcome, Fetched)
    assert "if-none-match" not in server.heard[0].headers
    assert "x-injected" not in server.heard[0].headers


def test_an_unasked_304_is_no_answer() -> None:
    outcome, _ = visit("/not-modified")
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.PROTOCOL


# --- error statuses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "status", "wait"),
    [
        ("/gone", 410, None),
        ("/broken", 500, None),
        ("/nothing-there", 404, None),
        ("/busy", 503, 30.0),
        ("/too-many", 429, 120.0),
        ("/too-many-until", 429, 49_600.0),
        ("/too-many-by-another-clock", 429, 60.0),
        ("/too-many-vague", 429, None),
        ("/teapot-page", 418, None),
    ],
)
def test_error_statuses_are_rejections(target: str, status: int, wait: float | None) -> None:
    outcome, _ = visit(target)
    assert isinstance(outcome, Rejected), outcome
    assert outcome.status == status
    assert outcome.retry_after == wait


# --- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "cause"),
    [
        ("/gzip-bomb", Failure.TOO_LARGE),
        ("/gzip-bomb-nested", Failure.TOO_LARGE),
        ("/br-bomb", Failure.TOO_LARGE),
        ("/endless", Failure.TOO_LARGE),
        ("/endless-chunked", Failure.TOO_LARGE),
        ("/announced-large", Failure.TOO_LARGE),
        ("/gzip-lie", Failure.PROTOCOL),
        ("/gzip-cut", Failure.PROTOCOL),
        ("/unasked-encoding", Failure.PROTOCOL),
        ("/length-too-long", Failure.PROTOCOL),
        ("/length-too-short", Failure.PROTOCOL),  # what follows the body is not the next answer
        ("/length-nonsense", Failure.PROTOCOL),
        ("/bad-chunk", Failure.PROTOCOL),
        ("/garbage", Failure.PROTOCOL),
        ("/ssh", Failure.PROTOCOL),
        ("/many-headers", Failure.PROTOCOL),
        ("/huge-header", Failure.PROTOCOL),
        ("/huge-status", Failure.PROTOCOL),
        ("/switching", Failure.PROTOCOL),
        ("/redirect-nowhere", Failure.PROTOCOL),
        ("/reset", Failure.CONNECT),
        ("/early-close", Failure.CONNECT),
        ("/half-head", Failure.CONNECT),
        ("/loop", Failure.REDIRECTS),
        ("/endless-chain", Failure.REDIRECTS),
    ],
)
@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_bad_manners_are_failures_with_a_cause(target: str, cause: Failure, runner: Runner) -> None:
    outcome, _ = visit(target, runner=runner)
    assert isinstance(outcome, Failed), outcome
    assert outcome.cause is cause, outcome.detail
    assert outcome.detail
    assert outcome.detail.isprintable()


@pytest.mark.parametrize("target", ["/silent", "/slow-headers", "/slow-body", "/stalled-body"])
def test_slowness_ends_in_a_timeout(target: str) -> None:
    outcome, _ = visit(target, settings=SETTINGS)
    assert isinstance(outcome, Failed), outcome
    assert outcome.cause is Failure.TIMEOUT


def test_silence_is_given_up_long_before_the_total_time() -> None:
    began = time.perf_counter()
    outcome, _ = visit("/stalled-body", settings=replace(PATIENT, read_timeout=0.1))
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.TIMEOUT
    assert time.perf_counter() - began < PATIENT.total_timeout / 2


def test_a_loop_is_noticed_when_it_closes() -> None:
    _, server = visit("/loop")
    assert [heard.target for heard in server.heard] == ["/loop", "/loop-back"]


def test_a_bomb_or_an_endless_body_stops_the_download() -> None:
    outcome, _ = visit("/endless")
    assert outcome.trip.bytes < 2 * SETTINGS.max_bytes


def test_a_feed_may_be_larger_than_a_page() -> None:
    settings = replace(SETTINGS, max_bytes=1, max_feed_bytes=SETTINGS.max_bytes)
    page, _ = visit("/plain", settings=settings)
    feed, _ = visit("/plain", settings=settings, is_feed=True)
    assert isinstance(page, Failed)
    assert page.cause is Failure.TOO_LARGE
    assert isinstance(feed, Fetched)


def test_nobody_listening_is_a_failure_to_connect() -> None:
    async def scene() -> Outcome:
        with socket.socket() as deaf:  # held, so that nobody else comes to listen there
            deaf.bind(("127.0.0.1", 0))
            async with HttpFetcher(PATIENT, clock=StillClock()) as fetcher:
                return await fetcher.fetch(Request(url=f"http://127.0.0.1:{deaf.getsockname()[1]}/"))

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.CONNECT


def test_tls_to_a_plain_server_is_a_tls_failure() -> None:
    async def scene() -> Outcome:
        async with RudeServer() as server, HttpFetcher(PATIENT, clock=StillClock()) as fetcher:
            return await fetcher.fetch(Request(url=f"https://127.0.0.1:{server.port}/plain"))

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.TLS


@pytest.mark.parametrize(
    "url", ["", "nonsense", "http://", "ftp://example.org/x", "file:///etc/passwd", "http://a:b:c/"]
)
def test_what_is_no_web_address_is_a_protocol_failure(url: str) -> None:
    async def scene() -> Outcome:
        async with HttpFetcher(SETTINGS, clock=StillClock()) as fetcher:
            return await fetcher.fetch(Request(url=url))

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.PROTOCOL
    assert outcome.trip.url == url


# --- headers ----------------------------------------------------------------------------------------------------------


def test_odd_headers_become_plain_text() -> None:
    outcome, _ = visit("/odd-headers")
    headers = outcome.trip.headers
    assert headers["x-utf8"] == headers["x-latin"] == "café"
    assert headers["x-twice"] == "a, b"
    assert headers["etag"] == "one"
    assert headers["x-empty"] == ""
    assert "\n".join(headers.values()).encode()


def test_an_oversized_validator_is_dropped_not_cut() -> None:
    outcome, _ = visit("/large-etag")
    assert isinstance(outcome, Fetched)
    assert "etag" not in outcome.trip.headers
    assert outcome.trip.headers["x-small"] == "kept"


def test_cookies_are_neither_kept_nor_shown() -> None:
    async def scene() -> tuple[Sequence[Outcome], RudeServer]:
        async with RudeServer() as server, HttpFetcher(PATIENT, clock=StillClock()) as fetcher:
            return [await fetcher.fetch(Request(url=server.url("/set-cookie"))) for _ in range(2)], server

    outcomes, server = asyncio.run(scene())
    assert all("set-cookie" not in outcome.trip.headers for outcome in outcomes)
    assert all("cookie" not in heard.headers for heard in server.heard)


# --- redirects --------------------------------------------------------------------------------------------------------


def test_a_chain_is_followed_and_recorded() -> None:
    outcome, server = visit("/chain?4")
    assert isinstance(outcome, Fetched)
    hops = outcome.trip.redirects
    assert [hop.status for hop in hops] == [301, 308, 307, 302]
    assert [hop.is_permanent for hop in hops] == [True, True, False, False]
    assert [hop.url for hop in hops] == [server.url(t) for t in ("/chain?3", "/chain?2", "/chain?1", "/plain")]
    assert outcome.trip.final_url == server.url("/plain")
    assert outcome.trip.url == server.url("/chain?4")


def test_the_longest_chain_allowed_still_arrives_and_one_more_does_not() -> None:
    within, _ = visit("/chain?10")
    past, server = visit("/chain?11")
    assert isinstance(within, Fetched)
    assert isinstance(past, Failed)
    assert past.cause is Failure.REDIRECTS
    assert len(server.heard) == 11


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_every_redirect_status_is_followed_with_its_permanence(status: int) -> None:
    outcome, server = visit(f"/redirect-to?{status}", location=lambda server: f"//127.0.0.1:{server.port}/plain#top")
    assert isinstance(outcome, Fetched)
    assert outcome.trip.redirects == (Redirect(status, server.url("/plain"), "top"),)
    assert outcome.trip.redirects[0].is_permanent == (status in (301, 308))


def test_a_redirect_that_shall_not_be_followed_tells_its_status_and_target() -> None:
    outcome, server = visit("/redirect-to?308", location=lambda _: "/plain", follows=False)
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.REDIRECTS
    assert outcome.trip.redirects == (Redirect(308, "/plain"),)
    assert len(server.heard) == 1


def test_the_body_of_a_redirect_is_not_read() -> None:
    outcome, _ = visit("/redirect-with-body")
    assert isinstance(outcome, Fetched)
    assert outcome.body == PLAIN


@pytest.mark.parametrize(
    ("target", "cause"),
    [
        ("http://10.0.0.1/", Failure.ADDRESS),
        ("http://169.254.169.254/latest/meta-data/", Failure.ADDRESS),
        ("http://0xa9.0xfe.0xa9.0xfe/", Failure.ADDRESS),
        ("http://2852039166/", Failure.ADDRESS),
        ("http://[fd00:ec2::254]/", Failure.ADDRESS),
        ("http://[64:ff9b::10.0.0.1]/", Failure.ADDRESS),
        ("http://127.0.0.1:6379/", Failure.ADDRESS),
        ("http://[fe80::1%25eth0]/", Failure.PROTOCOL),
        ("file:///etc/passwd", Failure.PROTOCOL),
        ("ftp://example.org/", Failure.PROTOCOL),
        ("javascript:alert(1)", Failure.PROTOCOL),
        ("http://[::1", Failure.PROTOCOL),
        ("http://two words.example/", Failure.PROTOCOL),
    ],
)
def test_redirects_to_forbidden_places_end_there(target: str, cause: Failure) -> None:
    outcome, server = visit("/redirect-to?302", location=lambda _: target)
    assert isinstance(outcome, Failed), outcome
    assert outcome.cause is cause, outcome.detail
    assert len(server.heard) == 1


def test_validators_and_credentials_stay_with_their_origin() -> None:
    outcome, server = visit(
        "/redirect-to?301",
        host="user:secret@127.0.0.1",
        location=lambda server: server.url("/conditional", host="other.localhost"),
        etag='"mine"',
    )
    assert isinstance(outcome, Fetched)
    first, second = server.heard
    assert first.headers["if-none-match"] == '"mine"'
    assert first.headers["authorization"] == "Basic dXNlcjpzZWNyZXQ="
    assert "if-none-match" not in second.headers
    assert "authorization" not in second.headers
    assert "secret" not in outcome.trip.final_url


def test_validators_and_credentials_follow_within_the_origin() -> None:
    outcome, server = visit(
        "/redirect-to?301", host="user:secret@127.0.0.1", location=lambda _: "/conditional", etag='"mine"'
    )
    assert isinstance(outcome, NotModified)
    assert server.heard[1].headers["authorization"] == "Basic dXNlcjpzZWNyZXQ="


# --- addresses --------------------------------------------------------------------------------------------------------


class Names:
    """A name server that gives one answer after another."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def addresses(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        return self.answers.pop(0) if self.answers else []

    async def close(self) -> None:
        return None


def test_loopback_is_refused_by_default() -> None:
    for host in ("127.0.0.1", "localhost", "news.localhost", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"):
        outcome, server = visit("/plain", settings=FetchSettings(), host=host)
        assert isinstance(outcome, Failed), host
        assert outcome.cause is Failure.ADDRESS
        assert server.heard == []


def test_local_names_resolve_here_when_allowed() -> None:
    outcome, server = visit("/plain", host="news.localhost")
    assert isinstance(outcome, Fetched)
    assert server.heard[0].headers["host"] == f"news.localhost:{server.port}"


@pytest.mark.parametrize("rebound", [["127.0.0.1"], ["::ffff:127.0.0.1"], ["::1", "127.0.0.1"]])
def test_a_name_that_turns_private_is_refused(rebound: list[str]) -> None:
    """DNS rebinding. 127.0.0.2, where nobody listens, stands for a public address; the server is at 127.0.0.1."""

    async def scene() -> tuple[list[Outcome], RudeServer]:
        names = Names(["127.0.0.2"], rebound)
        settings = replace(PATIENT, allowed_networks=("127.0.0.2/32",), dns_ttl=30.0)
        clock = StillClock()
        async with RudeServer() as server, HttpFetcher(settings, clock=clock, lookup=names) as fetcher:
            outcomes = []
            for _ in range(2):
                outcomes.append(await fetcher.fetch(Request(url=server.url("/plain", host="rebind.example"))))
                clock.advance(31.0)
            assert names.asked == ["rebind.example"] * 2
            return outcomes, server

    (first, second), server = asyncio.run(scene())
    assert isinstance(first, Failed)
    assert first.cause is Failure.CONNECT
    assert isinstance(second, Failed)
    assert second.cause is Failure.ADDRESS
    assert server.heard == []


def test_the_socket_is_the_last_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a private address to slip through everything before, no socket would be made for it."""
    monkeypatch.setattr("afresh.http.client.Guard.check_host", lambda *_: None)
    for host in ("127.0.0.1", "[::1]"):
        outcome, server = visit("/plain", settings=FetchSettings(), host=host)
        assert isinstance(outcome, Failed)
        assert outcome.cause is Failure.ADDRESS
        assert server.heard == []


def test_of_a_mixed_answer_only_the_approved_addresses_are_used() -> None:
    async def scene() -> tuple[Outcome, RudeServer]:
        settings = replace(PATIENT, allowed_networks=("127.0.0.1/32",))
        names = Names(["10.0.0.1", "127.0.0.1", "::1"])
        async with RudeServer() as server, HttpFetcher(settings, clock=StillClock(), lookup=names) as fetcher:
            return await fetcher.fetch(Request(url=server.url("/plain", host="mixed.example"))), server

    outcome, _ = asyncio.run(scene())
    assert isinstance(outcome, Fetched)


class Drowsy(Names):
    """Names, found by a process that stands still the first time it looks."""

    async def addresses(self, name: str) -> Sequence[str]:
        if not self.asked:
            time.sleep(STOOD_STILL + 0.2)  # nothing else in this process goes on, either
            await asyncio.sleep(0.05)
        return await super().addresses(name)


def test_time_in_which_we_stood_still_is_not_charged_to_a_server() -> None:
    async def scene() -> tuple[Outcome, RudeServer]:
        settings = replace(PATIENT, connect_timeout=0.1)
        names = Drowsy(["127.0.0.1"])
        async with RudeServer() as server, HttpFetcher(settings, clock=StillClock(), lookup=names) as fetcher:
            return await fetcher.fetch(Request(url=server.url("/plain", host="drowsy.example"))), server

    outcome, _ = asyncio.run(scene())
    assert isinstance(outcome, Fetched), outcome


def test_a_name_without_addresses_is_a_dns_failure() -> None:
    async def scene() -> Outcome:
        async with HttpFetcher(PATIENT, clock=StillClock(), lookup=Names([])) as fetcher:
            return await fetcher.fetch(Request(url="http://nowhere.example/"))

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.DNS


# --- the client as a whole --------------------------------------------------------------------------------------------


def test_many_at_once_stay_within_the_limit_and_all_end() -> None:
    targets = ["/plain", "/garbage", "/reset", "/gzip-bomb", "/silent", "/loop", "/too-many", "/early-close"] * 5

    async def scene() -> list[Outcome]:
        settings = replace(SETTINGS, concurrency=8)
        async with RudeServer() as server, HttpFetcher(settings, clock=StillClock()) as fetcher:
            return list(
                await asyncio.gather(
                    *(
                        fetcher.fetch(Request(url=server.url(target, host=f"h{n}.localhost")))
                        for n, target in enumerate(targets)
                    )
                )
            )

    outcomes = asyncio.run(scene())
    assert len(outcomes) == len(targets)
    kinds = {type(outcome) for outcome in outcomes}
    assert kinds == {Fetched, Failed, Rejected}


def test_connections_are_kept_for_the_next_request() -> None:
    async def scene() -> RudeServer:
        async with RudeServer() as server, HttpFetcher(PATIENT, clock=StillClock()) as fetcher:
            for _ in range(3):
                await fetcher.fetch(Request(url=server.url("/plain")))
            assert server.ended == []
            return server

    assert len(asyncio.run(scene()).heard) == 3


def test_past_many_hosts_servers_are_asked_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.http.pool._MAX_IDLE", 2)

    async def scene() -> RudeServer:
        async with RudeServer() as server, HttpFetcher(PATIENT, clock=StillClock()) as fetcher:
            for n in range(3):
                await fetcher.fetch(Request(url=server.url("/plain", host=f"h{n}.localhost")))
            return server

    heard = asyncio.run(scene()).heard
    assert [request.headers.get("connection") == "close" for request in heard] == [False, False, True]


def test_cancelling_a_request_is_passed_on_and_leaves_no_trace() -> None:
    async def scene() -> None:
        async with RudeServer() as server, HttpFetcher(PATIENT, clock=StillClock()) as fetcher:
            task = asyncio.create_task(fetcher.fetch(Request(url=server.url("/silent"))))
            while not server.heard:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(scene())


def test_hanging_up_is_not_the_servers_fault() -> None:
    async def scene() -> Outcome:
        async with RudeServer() as server:
            fetcher = HttpFetcher(PATIENT, clock=StillClock())
            task = asyncio.create_task(fetcher.fetch(Request(url=server.url("/silent"))))
            while not server.heard:
                await asyncio.sleep(0)
            await fetcher.close()
            return await task

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.OFFLINE


def test_an_error_nobody_foresaw_is_an_outcome_and_a_log_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*_: object, **__: object) -> bytes:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("afresh.http.client.decode", explode)
    outcome, _ = visit("/plain")
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.PROTOCOL
    assert "unexpected error" in caplog.text


def test_behind_a_proxy_names_are_the_proxys_and_literals_still_guarded() -> None:
    async def scene() -> tuple[list[Outcome], RudeServer]:
        async with RudeServer() as server:
            settings = FetchSettings(proxy=server.url(""))
            async with HttpFetcher(settings, clock=StillClock(), lookup=Names()) as fetcher:
                urls = ("http://news.example/x", "http://10.0.0.1/", "http://a.localhost/", "http://0x7f.1/")
                return [await fetcher.fetch(Request(url=url)) for url in urls], server

    (through, *refused), server = asyncio.run(scene())
    assert isinstance(through, Rejected)  # the rude server has no such page
    assert [heard.target for heard in server.heard] == ["http://news.example/x"]
    assert [outcome.cause for outcome in refused if isinstance(outcome, Failed)] == [Failure.ADDRESS] * 3


def test_the_environments_proxy_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    outcome, _ = visit("/plain", host="news.localhost")
    assert isinstance(outcome, Fetched)


def test_a_closed_fetcher_says_so() -> None:
    async def scene() -> None:
        fetcher = HttpFetcher(SETTINGS, clock=StillClock())
        await fetcher.close()
        await fetcher.close()
        with pytest.raises(RuntimeError, match="closed"):
            await fetcher.fetch(Request(url="http://example.org/"))

    asyncio.run(scene())
