"""What is read for an archive on a real wire: requests without secrets, and bodies of errors that change no outcome."""

import asyncio
import gzip
from contextlib import suppress

import pytest

from afresh.base.models import Failed, Failure, Outcome, Rejected, Request
from afresh.base.settings.sections import LOOPBACK, FetchSettings
from afresh.http.client import HttpFetcher
from tests.fakes.clocks import RealClock

BODY = b"<p>" + b"not here " * 100 + b"</p>"


def asked(answer: bytes, *, user: str = "", **more: int) -> Outcome:
    """What comes of one request to a server that says this, and then says no more."""

    over = asyncio.Semaphore(0)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        with suppress(ConnectionError):
            await reader.read()  # until the client hangs up
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        over.release()

    async def go() -> Outcome:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        settings = FetchSettings(allowed_networks=LOOPBACK, total_timeout=1.0, read_timeout=1.0)
        async with server:
            async with HttpFetcher(settings, clock=RealClock()) as fetcher:
                request = Request(url=f"http://{user}127.0.0.1:{port}/x", follows=False, is_archived=True, **more)
                outcome = await fetcher.fetch(request)
            await over.acquire()
        return outcome

    return asyncio.run(go())


def said(status: str, body: bytes, *, length: int | None = None, fields: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\n{fields}Content-Length: {length or len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize("status", ["404 Not Found", "500 Internal Server Error"])
def test_the_body_of_an_error_is_read_where_it_is_wanted(status: str) -> None:
    outcome = asked(said(status, BODY), error_bytes=10_000)
    assert isinstance(outcome, Rejected)
    assert (outcome.trip.error_body, outcome.trip.is_cut) == (BODY, False)
    outcome = asked(said(status, BODY))
    assert isinstance(outcome, Rejected)
    assert (outcome.trip.error_body, outcome.trip.is_cut) == (b"", True)


def test_it_is_unpacked_and_cut() -> None:
    packed = said("404 Not Found", gzip.compress(BODY), fields="Content-Encoding: gzip\r\n")
    assert asked(packed, error_bytes=10_000).trip.error_body == BODY
    cut = asked(packed, error_bytes=40).trip
    assert (cut.error_body, cut.is_cut) == (BODY[:40], True)
    broken = asked(said("404 Not Found", b"no gzip", fields="Content-Encoding: gzip\r\n"), error_bytes=10_000)
    assert isinstance(broken, Rejected)
    assert broken.trip.error_body == b""


def test_an_error_whose_body_does_not_end_is_that_error() -> None:
    outcome = asked(said("404 Not Found", BODY, length=len(BODY) + 1), error_bytes=10_000)
    assert isinstance(outcome, Rejected)
    assert (outcome.status, outcome.trip.error_body, outcome.trip.is_cut) == (404, BODY, True)


def test_a_redirect_has_its_body() -> None:
    outcome = asked(said("301 Moved Permanently", BODY, fields="Location: /y\r\n"), error_bytes=10_000)
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.REDIRECTS
    assert (outcome.trip.error_body, outcome.trip.is_cut) == (BODY, False)


def test_the_request_is_told_without_secrets() -> None:
    sent = dict(asked(said("200 OK", BODY), user="me:secret@").trip.sent)
    assert sent["User-Agent"]
    assert sent["Host"].startswith("127.0.0.1:")
    assert not any("secret" in value or name == "Authorization" for name, value in sent.items())
