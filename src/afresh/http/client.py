"""The fetcher: one request in, one outcome out, whatever the web does."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from email.utils import formatdate
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from afresh.base.errors import Disallowed, FetchError, TooManyRedirects
from afresh.base.models import (
    Failed,
    Failure,
    Fetched,
    NotModified,
    Outcome,
    ReceivedHead,
    Redirect,
    Rejected,
    Request,
    Trip,
)
from afresh.base.out_of_descriptors import SHORT_WAIT
from afresh.base.settings.sections import FetchSettings
from afresh.base.value_class import alike
from afresh.http.answer import Answer, is_sendable, readable
from afresh.http.decoding import ACCEPT_ENCODING, decode, decode_start
from afresh.http.failures import HopRefused, RefusedSocket, cause_of, detail_of, is_shortage
from afresh.http.guard import Guard
from afresh.http.location import BadLocation, Location, locate
from afresh.http.pool import Pool, written
from afresh.parse.headers import clock_offset, retry_after

if TYPE_CHECKING:
    import ssl

    from afresh.base.protocols import Clock
    from afresh.http.access import Access
    from afresh.http.health import NetworkHealth
    from afresh.http.hop import Hop
    from afresh.http.resolver import Lookup

_log = logging.getLogger(__name__)

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_REFUSALS = frozenset((403, 429, 503))
_SAID = 4_096  # bytes of the page that comes with one
#: headers of ours that an archive may show: no credentials, no cookies, nothing that is said to one host alone
_TOLD = frozenset(
    (
        *("Host", "User-Agent", "Accept", "Accept-Encoding", "If-None-Match", "If-Modified-Since", "Cache-Control"),
        "Connection",
    )
)
_USUAL = 100  # ways of asking that are remembered
_LARGE = 65_536  # bodies past this are unpacked in a thread, to let the others go on meanwhile


class _Journey:
    """What is known so far about a request under way; becomes the outcome's trip however it ends."""

    __slots__ = (
        *(
            "bytes",
            "error_body",
            "head",
            "headers",
            "is_cut",
            "redirects",
            "request",
            "requests",
            "sent",
            "started",
            "url",
        ),
    )

    def __init__(self, request: Request, started: float) -> None:
        self.request = request
        self.started = started
        self.url = request.url
        self.bytes = 0
        self.redirects: tuple[Redirect, ...] = ()
        self.requests = 0
        self.headers: dict[str, str] = {}
        self.sent: tuple[tuple[str, str], ...] = ()
        self.error_body, self.is_cut = b"", True
        self.head: ReceivedHead | None = None

    def trip(self, now: float) -> Trip:
        return alike(Trip, self, url=self.request.url, final_url=self.url, finished=now)


class HttpFetcher:
    """Fetches over HTTP/1.1; implements ``base.protocols.Fetcher``.

    Every limit of ``FetchSettings`` holds; addresses are approved by the guard before each hop and again where the
    socket is made; cookies are kept only in a file that somebody names; credentials written in a URL, and those given
    for a host (``access``), go to that origin only. Behind a proxy names are
    resolved by the proxy, so the guard can judge only literal addresses and local names there.

    Does not pace, retry or ask robots.txt: the gate does, which is asked before every hop. Only it has a client.
    """

    def __init__(
        self,
        settings: FetchSettings | None = None,
        *,
        clock: Clock,
        lookup: Lookup | None = None,
        ssl_context: ssl.SSLContext | None = None,
        health: NetworkHealth | None = None,  # tells our own outage from theirs; None: nobody does
        on_shortage: Callable[[str], None] | None = None,
        access: Access | None = None,  # what some hosts are told and others are not
    ) -> None:
        self.settings = settings or FetchSettings()
        self._clock = clock
        self._lookup = lookup
        self._ssl = ssl_context
        self._access = access
        self._health = health
        self._on_shortage = on_shortage
        self._guard = Guard.of(self.settings)
        self._slots = asyncio.Semaphore(self.settings.concurrency)
        self._pool: Pool | None = None
        self._usual: dict[tuple[str, bool, bool], str] = {}  # headers of requests that have nothing of their own
        self._closed = False

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        """Carries out the request; the only exceptions are those of a caller's mistake.

        ``hop`` is asked before every request that leaves. What it waits does not count as time the request took.
        """
        pool = self._open()
        journey = _Journey(request, self._clock.now())
        try:
            outcome = await self._travel(pool, journey, hop)
        except Exception as error:  # the edge, where what the web does becomes data
            outcome = self._failed(journey, error)
        if self._health is None:
            return outcome
        site = urlsplit(request.url).netloc if isinstance(outcome, Failed) else ""  # of who answers it is not asked
        return self._health.judge(outcome, site, self._clock.now())

    async def close(self) -> None:
        """Ends all connections; harmless twice."""
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()
            if self._access is not None and self._access.cookies is not None:
                self._access.cookies.keep()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- one request --------------------------------------------------------------------------------------------------

    async def _travel(self, pool: Pool, journey: _Journey, hop: Hop | None) -> Outcome:
        """Follows redirects until an answer that is none."""
        first = here = locate(journey.request.url)
        seen = {here.url}
        left = self.settings.total_timeout
        before = journey.started
        while True:
            self._check(here)
            if hop is not None:
                await hop(here)
            async with self._slots:
                journey.started += self._clock.now() - before  # to wait for a turn is no time that the request took
                began = time.monotonic()
                outcome = await self._ask(pool, journey, first, here, until=began + left)
            if not isinstance(outcome, int):
                return outcome
            left = max(0.0, left - (time.monotonic() - began))
            before = self._clock.now()
            here = self._next_hop(journey, here, outcome)
            if here.url in seen:
                raise TooManyRedirects(f"redirect loop at {here.url}", url=here.url)
            seen.add(here.url)

    async def _ask(
        self, pool: Pool, journey: _Journey, first: Location, here: Location, *, until: float
    ) -> Outcome | int:
        """One request, within its time: its outcome, or the status of a redirect."""
        settings, wish = self.settings, journey.request
        lines, conditional = self._lines(wish, first, here, may_keep=pool.may_keep(here))
        request = pool.head("GET", here, lines)
        journey.requests += 1
        answer = Answer(
            limit=settings.max_feed_bytes if wish.is_feed else settings.max_bytes,
            limited_by="fetch.max_feed_bytes" if wish.is_feed else "fetch.max_bytes",
            enough=wish.enough,
            error_bytes=wish.error_bytes,
            longest_line=settings.max_header_bytes,
            most_fields=settings.max_headers,
        )
        try:
            connection = await pool.take(here, seconds=until - time.monotonic())
        except (Disallowed, RefusedSocket):
            journey.requests -= 1  # nobody was asked
            raise
        # Asked now: who hangs up after the answer has none any more.
        peer = connection.peer() if wish.is_archived and not settings.proxy else ""
        try:
            await connection.ask(request, answer, seconds=until - time.monotonic())
        except (FetchError, OSError, TimeoutError):
            if not answer.is_error():
                raise
            # the status has come: that the body of an error breaks off, or takes too long, changes nothing
        finally:
            journey.headers = readable(answer.fields, limit=settings.max_header_bytes)
            journey.bytes += answer.received
            pool.give_back(here, connection)
        if self._access is not None and self._access.cookies is not None:
            self._access.cookies.hear(here, answer.fields)
        if wish.is_archived:
            journey.sent, journey.head = _shown(request), _received(answer, peer)
        if wish.error_bytes and answer.is_error():
            self._keep_error(answer, journey)
        if answer.status in _REDIRECTS:
            return answer.status
        return await self._outcome(answer, journey, conditional=conditional)

    def _check(self, target: Location) -> None:
        self._guard.check_port(target.port)
        self._guard.check_host(target.host)
        if self.settings.proxy and target.host.rstrip(".").endswith("localhost"):
            self._guard.check_host("127.0.0.1")  # the proxy would resolve it to itself

    def _lines(self, request: Request, first: Location, here: Location, *, may_keep: bool) -> tuple[str, bool]:
        """The request's headers as they are sent, and whether they make it conditional; mostly the same few."""
        has_own = request.etag or request.last_modified or first.authorization or request.as_of is not None
        is_usual = not has_own and self._access is None
        key = (request.accept, request.no_cache, may_keep)
        if is_usual and (known := self._usual.get(key)) is not None:
            return known, False
        fields, conditional = self._fields(request, first, here)
        if not may_keep:
            fields["Connection"] = "close"
        lines = written(fields)
        if is_usual and len(self._usual) < _USUAL:
            self._usual[key] = lines
        return lines, conditional

    def _fields(self, request: Request, first: Location, here: Location) -> tuple[dict[str, str], bool]:
        """The request's headers, and whether they make it conditional."""
        fields = {
            "User-Agent": self.settings.user_agent,
            "Accept": request.accept,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        conditional = False
        # A validator means something to the server that issued it; to another it is a mark to recognise us by.
        issued = locate(request.answered_at) if request.answered_at else first
        if (request.etag or request.last_modified) and (issued is here or issued.trusts(here)):
            for name, value in (("If-None-Match", request.etag), ("If-Modified-Since", request.last_modified)):
                if value and is_sendable(value):
                    fields[name] = value
                    conditional = True
        if first.authorization and first.origin == here.origin:
            fields["Authorization"] = first.authorization
        if self._access is not None:
            for name, value in self._access.headers_for(here):
                fields[_spelt(name, fields)] = value
        if request.as_of is not None:
            fields["Accept-Datetime"] = formatdate(request.as_of, usegmt=True)
        if request.no_cache or self.settings.no_cache:
            fields["Cache-Control"] = "no-cache"
        return fields, conditional

    def _next_hop(self, journey: _Journey, here: Location, status: int) -> Location:
        if not journey.request.follows:
            target = journey.headers.get("location", "")
            journey.redirects = (Redirect(status, target),)
            raise TooManyRedirects(f"HTTP {status} to {target or 'nowhere'}", url=here.url)
        most = self.settings.max_redirects
        if len(journey.redirects) >= most:
            raise TooManyRedirects(f"more than {most} redirects (fetch.max_redirects)", url=here.url)
        target = journey.headers.get("location", "")
        if not target:
            raise BadLocation(f"status {status} without a Location", url=here.url)
        there = locate(target, here.url)
        journey.redirects = (*journey.redirects, Redirect(status, there.url, target.partition("#")[2]))
        journey.url = there.url
        return there

    async def _outcome(self, answer: Answer, journey: _Journey, *, conditional: bool) -> Outcome:
        status = answer.status
        if 200 <= status < 300:
            body = await self._decoded(answer.body, journey)
            return Fetched(trip=journey.trip(self._clock.now()), status=status, body=body)
        if status == 304 and conditional:
            return NotModified(trip=journey.trip(self._clock.now()))
        if status < 200 or status == 304:
            raise BadLocation(f"status {status} to a question that was not asked", url=journey.url)
        now = self._clock.now()
        wait = journey.headers.get("retry-after")
        # A date is one of the server's clock, which need not be ours.
        asked = retry_after(wait, now - (clock_offset(journey.headers, now) or 0.0)) if wait else None
        return Rejected(
            trip=journey.trip(now), status=status, retry_after=asked, said=_beginning(answer, journey.headers)
        )

    def _keep_error(self, answer: Answer, journey: _Journey) -> None:
        """The body of an error or redirect, for an archive; one that cannot be read is left out."""
        most, body = journey.request.error_bytes, answer.body
        encodings = journey.headers.get("content-encoding", "")
        with suppress(FetchError):
            read = decode_start(body, encodings, most + 1) if body else b""
            journey.error_body, journey.is_cut = read[:most], not answer.is_whole or len(read) > most

    async def _decoded(self, body: bytes, journey: _Journey) -> bytes:
        encodings = journey.headers.get("content-encoding", "")
        if journey.request.enough:
            return decode_start(body, encodings, journey.request.enough)
        if not encodings or len(body) <= _LARGE:
            return decode(body, encodings, self.settings.max_decoded_bytes)
        return await asyncio.to_thread(decode, body, encodings, self.settings.max_decoded_bytes)

    def _failed(self, journey: _Journey, error: Exception) -> Failed:
        if isinstance(error, HopRefused):
            return error.outcome(journey.trip(self._clock.now()))
        if is_shortage(error):
            return self._short(journey, detail_of(error))
        cause = cause_of(error)
        if self._closed:
            cause = Failure.OFFLINE  # we hung up: no fault of the server's
        if cause is None:
            # A bug of ours or of a library that some server found: it must not stop the loop, nor go unseen.
            _log.error("unexpected error while fetching %s", journey.url, exc_info=error)
            cause = Failure.PROTOCOL
        return Failed(trip=journey.trip(self._clock.now()), cause=cause, detail=detail_of(error))

    def _short(self, journey: _Journey, why: str) -> Failed:
        """We lack something ourselves: the request did not leave, and is made later."""
        if self._on_shortage is not None:
            self._on_shortage(why)
        journey.requests = max(0, journey.requests - 1)
        detail = f"not asked for want of our own means: {why}"
        return Failed(trip=journey.trip(self._clock.now()), cause=Failure.LATER, detail=detail, retry_after=SHORT_WAIT)

    def _open(self) -> Pool:
        """The connections, made at the first request because they belong to the running loop."""
        if self._pool is None:
            if self._closed:
                raise RuntimeError("the fetcher is closed")
            is_insecure = self._access is not None and self._access.insecure
            self._pool = Pool(
                self.settings,
                now=self._clock.now,
                lookup=self._lookup,
                ssl_context=self._ssl,
                insecure=is_insecure,
            )
        return self._pool


def _beginning(answer: Answer, headers: Mapping[str, str]) -> bytes:
    """Of the page that comes with a refusal; empty where it tells nothing, or cannot be read."""
    if answer.status not in _REFUSALS:
        return b""
    try:
        return decode_start(answer.body, headers.get("content-encoding", ""), _SAID)
    except FetchError:
        return b""


def _received(answer: Answer, address: str) -> ReceivedHead:
    """The head as it came, without cookies: what they let in is somebody's secret."""
    fields = [(name.decode("latin-1"), value.decode("latin-1").strip()) for name, value in answer.fields]
    kept = tuple(field for field in fields if field[0].lower() != "set-cookie")
    return ReceivedHead(answer.version, answer.reason.decode("latin-1"), kept, address)


def _shown(request: bytes) -> tuple[tuple[str, str], ...]:
    """The headers of a request that are nobody's secret."""
    lines = [line.partition(": ") for line in request.decode().split("\r\n")[1:]]
    return tuple((name, value) for name, _, value in lines if name in _TOLD)


def _spelt(name: str, known: Iterable[str]) -> str:
    """The name as it is written already, if it is."""
    return next((one for one in known if one.lower() == name.lower()), name)
