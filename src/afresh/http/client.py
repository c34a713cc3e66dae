"""The fetcher: one request in, one outcome out, whatever the web does."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import time
from collections import OrderedDict
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from afresh.base.errors import TooLarge, TooManyRedirects
from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Redirect, Rejected, Request, Trip
from afresh.base.settings.fetching import FetchSettings
from afresh.base.shortage import SHORT_WAIT
from afresh.http.decoding import ACCEPT_ENCODING, decode, decode_start
from afresh.http.failures import RefusedSocket, cause_of, detail_of, is_shortage
from afresh.http.guard import ALLOWING, Guard
from afresh.http.headers import is_sendable, readable, received_bytes
from afresh.http.hop import Hop, HopRefused
from afresh.http.location import BadLocation, Location, locate
from afresh.http.resolver import GuardedResolver, Lookup, default_lookup
from afresh.parse.headers import clock_offset, retry_after

if TYPE_CHECKING:
    from afresh.base.protocols import Clock
    from afresh.http.access import Access
    from afresh.http.health import NetworkHealth

_log = logging.getLogger(__name__)

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_LARGE = 65_536  # bodies past this are unpacked in a thread, to let the others go on meanwhile
_MAX_IDLE = 256  # connections kept for a next request; past it we ask servers to close, or descriptors run out


class _Journey:
    """What is known so far about a request under way; becomes the outcome's trip however it ends."""

    __slots__ = ("bytes", "headers", "redirects", "request", "requests", "started", "url")

    def __init__(self, request: Request, started: float) -> None:
        self.request = request
        self.started = started
        self.url = request.url
        self.bytes = 0
        self.redirects: tuple[Redirect, ...] = ()
        self.requests = 0
        self.headers: dict[str, str] = {}

    def trip(self, now: float) -> Trip:
        return Trip(
            url=self.request.url,
            final_url=self.url,
            started=self.started,
            finished=now,
            bytes=self.bytes,
            redirects=self.redirects,
            requests=self.requests,
            headers=self.headers,
        )


class AiohttpFetcher:
    """Fetches over HTTP/1.1 with aiohttp; implements ``base.protocols.Fetcher``.

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
        self._session: aiohttp.ClientSession | None = None
        self._resolver: GuardedResolver | None = None
        self._recent: OrderedDict[tuple[str, str, int], float] = OrderedDict()
        self._closed = False

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        """Carries out the request; the only exceptions are those of a caller's mistake.

        ``hop`` is asked before every request that leaves. What it waits does not count as time the request took.
        """
        session = self._open()
        journey = _Journey(request, self._clock.now())
        try:
            outcome = await self._travel(session, journey, hop)
        except Exception as error:  # the edge, where what the web does becomes data
            outcome = self._failed(journey, error)
        if self._health is None:
            return outcome
        site = urlsplit(request.url).netloc if isinstance(outcome, Failed) else ""  # of who answers it is not asked
        return self._health.judge(outcome, site, self._clock.now())

    async def close(self) -> None:
        """Ends all connections; harmless twice."""
        self._closed = True
        session, resolver = self._session, self._resolver
        self._session = self._resolver = None
        if session is not None:
            if self._access is not None and self._access.cookies is not None:
                self._access.cookies.keep(session.cookie_jar)
            await session.close()
        if resolver is not None:
            await resolver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- one request --------------------------------------------------------------------------------------------------

    async def _travel(self, session: aiohttp.ClientSession, journey: _Journey, hop: Hop | None) -> Outcome:
        """Follows redirects until an answer that is none."""
        first = here = locate(journey.request.url)
        seen = {here.url}
        left = self.settings.total_timeout
        while True:
            self._check(here)
            before = self._clock.now()
            if hop is not None:
                await hop(here)
            async with self._slots, asyncio.timeout(left):
                journey.started += self._clock.now() - before  # to wait for a turn is no time that the request took
                began = time.monotonic()
                outcome = await self._ask(session, journey, first, here)
            if not isinstance(outcome, int):
                return outcome
            left = max(0.0, left - (time.monotonic() - began))
            here = self._next_hop(journey, here, outcome)
            if here.url in seen:
                raise TooManyRedirects(f"redirect loop at {here.url}", url=here.url)
            seen.add(here.url)

    async def _ask(
        self, session: aiohttp.ClientSession, journey: _Journey, first: Location, here: Location
    ) -> Outcome | int:
        """One request: its outcome, or the status of a redirect."""
        headers, conditional = self._headers(journey.request, first, here)
        journey.requests += 1
        response = await session.get(URL(here.url, encoded=True), headers=headers, allow_redirects=False)
        try:
            journey.headers = readable(response.headers, limit=self.settings.max_header_bytes)
            journey.bytes += received_bytes(response.raw_headers)
            if response.status in _REDIRECTS:
                return response.status
            return await self._answer(response, journey, conditional=conditional)
        finally:
            response.release()  # an unread rest closes the connection

    def _check(self, target: Location) -> None:
        self._guard.check_port(target.port)
        self._guard.check_host(target.host)
        if self.settings.proxy and target.host.rstrip(".").endswith("localhost"):
            self._guard.check_host("127.0.0.1")  # the proxy would resolve it to itself

    def _headers(self, request: Request, first: Location, here: Location) -> tuple[CIMultiDict[str], bool]:
        """The request's headers, and whether they make it conditional."""
        headers: CIMultiDict[str] = CIMultiDict(
            (("User-Agent", self.settings.user_agent), ("Accept", request.accept), ("Accept-Encoding", ACCEPT_ENCODING))
        )
        conditional = False
        # A validator means something to the server that issued it; to another it is a mark to recognise us by.
        if first is here or first.trusts(here):
            for name, value in (("If-None-Match", request.etag), ("If-Modified-Since", request.last_modified)):
                if value and is_sendable(value):
                    headers[name] = value
                    conditional = True
        if first.authorization and first.origin == here.origin:
            headers["Authorization"] = first.authorization
        if self._access is not None:
            for name, value in self._access.headers_for(here):
                headers[name] = value
        if request.no_cache or self.settings.no_cache:
            headers["Cache-Control"] = "no-cache"
        if not self._may_keep(here):
            headers["Connection"] = "close"
        return headers, conditional

    def _next_hop(self, journey: _Journey, here: Location, status: int) -> Location:
        most = self.settings.max_redirects if journey.request.follows else 0
        if len(journey.redirects) >= most:
            raise TooManyRedirects(f"more than {most} redirects", url=here.url)
        target = journey.headers.get("location", "")
        if not target:
            raise BadLocation(f"status {status} without a Location", url=here.url)
        there = locate(target, here.url)
        journey.redirects = (*journey.redirects, Redirect(status, there.url))
        journey.url = there.url
        return there

    async def _answer(self, response: aiohttp.ClientResponse, journey: _Journey, *, conditional: bool) -> Outcome:
        status = response.status
        if 200 <= status < 300:
            body = await self._read(response, journey)
            encodings = journey.headers.get("content-encoding", "")
            if journey.request.enough:
                body = decode_start(body, encodings, journey.request.enough)
            elif len(body) <= _LARGE:
                body = decode(body, encodings, self.settings.max_decoded_bytes)
            else:
                body = await asyncio.to_thread(decode, body, encodings, self.settings.max_decoded_bytes)
            return Fetched(trip=journey.trip(self._clock.now()), status=status, body=body)
        if status == 304 and conditional:
            return NotModified(trip=journey.trip(self._clock.now()))
        if status < 200 or status == 304:
            raise BadLocation(f"status {status} to a question that was not asked", url=journey.url)
        now = self._clock.now()
        wait = journey.headers.get("retry-after")
        # A date is one of the server's clock, which need not be ours.
        asked = retry_after(wait, now - (clock_offset(journey.headers, now) or 0.0)) if wait else None
        return Rejected(trip=journey.trip(now), status=status, retry_after=asked)

    async def _read(self, response: aiohttp.ClientResponse, journey: _Journey) -> bytes:
        """The body as it came over the wire; stops at the size cap, or when there is enough."""
        enough = journey.request.enough
        limit = max(self.settings.max_bytes, enough)
        announced = journey.headers.get("content-length", "")
        if not enough and announced.isdecimal() and int(announced[:20]) > limit:
            raise TooLarge(f"{announced[:20]} bytes announced, {limit} allowed", url=journey.url)
        parts: list[bytes] = []
        size = 0
        stream = response.content
        while part := await stream.readany():
            size += len(part)
            journey.bytes += len(part)
            if size > limit and not enough:
                raise TooLarge(f"more than {limit} bytes", url=journey.url)
            parts.append(part)
            if enough and size >= enough:
                break
        return parts[0] if len(parts) == 1 else b"".join(parts)

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

    # --- connections --------------------------------------------------------------------------------------------------

    def _open(self) -> aiohttp.ClientSession:
        """The session, made at the first request because it belongs to the running loop."""
        if self._session is not None:
            return self._session
        if self._closed:
            raise RuntimeError("the fetcher is closed")
        settings = self.settings
        lookup = self._lookup or default_lookup()
        # Behind a proxy every connection goes to the proxy, whose address the operator chose.
        guard = Guard(allow_private=True) if settings.proxy else self._guard
        self._resolver = GuardedResolver(guard, lookup=lookup, now=self._clock.now, ttl=settings.dns_ttl)
        connector = aiohttp.TCPConnector(
            limit=0,  # ``_slots`` limits; a second queue would start the timeouts while waiting
            resolver=self._resolver,
            use_dns_cache=False,
            keepalive_timeout=settings.keep_alive,
            socket_factory=_guarded_sockets(guard),
            ssl=self._ssl or not (self._access is not None and self._access.insecure),
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=self._cookies(),
            timeout=aiohttp.ClientTimeout(
                total=None, connect=settings.connect_timeout, sock_read=settings.read_timeout, ceil_threshold=5
            ),
            auto_decompress=False,
            trust_env=False,
            proxy=settings.proxy or None,
            max_line_size=settings.max_header_bytes,
            max_field_size=settings.max_header_bytes,
            max_headers=settings.max_headers,
        )
        # aiohttp would repeat a GET at once when a kept connection turns out closed: a second request that no pause
        # precedes. There is no public switch for it.
        self._session._retry_connection = False
        return self._session

    def _cookies(self) -> aiohttp.abc.AbstractCookieJar:
        """None are kept, unless somebody names a file for them."""
        if self._access is None or self._access.cookies is None:
            return aiohttp.DummyCookieJar()
        jar = aiohttp.CookieJar(unsafe=True)  # also of hosts that are addresses
        self._access.cookies.fill(jar)
        return jar

    def _may_keep(self, target: Location) -> bool:
        """Whether this connection may stay open: no, when many hosts already hold one.

        aiohttp limits connections in use, not idle ones; at a thousand hosts a minute these would pile up.
        """
        now = self._clock.now()
        recent = self._recent
        while recent and next(iter(recent.values())) < now - self.settings.keep_alive:
            recent.popitem(last=False)
        if target.origin not in recent and len(recent) >= _MAX_IDLE:
            return False
        recent[target.origin] = now
        recent.move_to_end(target.origin)
        return True


def _guarded_sockets(guard: Guard) -> aiohttp.connector.SocketFactoryType:
    """Makes sockets for approved addresses only: the address checked is the address connected to."""

    def make(info: aiohttp.connector.AddrInfoType) -> socket.socket:
        family, kind, proto, _, address = info
        if not guard.approves(str(address[0])):
            raise RefusedSocket(f"not a public address: {address[0]!r}; {ALLOWING}")
        return socket.socket(family, kind, proto)

    return make
