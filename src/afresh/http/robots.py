"""robots.txt, asked for once a day and obeyed (RFC 9309).

Robots rules are for crawlers. They are honoured for pages and links that afresh finds or checks by itself; a feed that
a person subscribed to is fetched for that person, as every feed reader does, unless the settings say otherwise
(``respect_robots``, ``respect_robots_for_feeds``).
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace

from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Request, Trip
from afresh.base.protocols import Clock, Fetcher
from afresh.http.location import BadLocation, Location, locate
from afresh.parse.robots import Robots

_KEEP = 86_400.0  # RFC 9309 §2.4: not longer than a day
_RETRY = 600.0  # after a failure: disallowed for now, asked again soon
_STALE = 30 * 86_400.0  # §2.3.1.4: so long an unreachable robots.txt counts as its last known form
_MAX_SITES = 20_000
_PATIENCE = 30.0  # seconds a request waits behind the one for robots.txt; longer pauses go through the queue
_UNREACHABLE = frozenset((Failure.DNS, Failure.CONNECT, Failure.TLS, Failure.TIMEOUT, Failure.OFFLINE, Failure.ADDRESS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What robots.txt says about a URL."""

    allowed: bool
    delay: float | None = None  # Crawl-delay, seconds
    asked: bool = False  # robots.txt was fetched just now, so the site has had a request
    failure: Failed | None = None  # the site could not be reached: the page cannot be either
    is_temporary: bool = False  # not allowed because robots.txt could not be read, not because it says so
    is_known: bool = True  # False: no robots.txt was ever read, ``delay`` says nothing


@dataclass(frozen=True, slots=True)
class _Known:
    robots: Robots | None  # None: never read, everything is disallowed
    read: float  # when it was last read successfully
    expires: float
    failure: Failed | None = None
    delay: float | None = None  # its Crawl-delay for us


def _robots_address(place: Location) -> str:
    """Where the rules of a place are: /robots.txt of its origin."""
    return place.url[: place.url.index("/", len(place.scheme) + 3)] + "/robots.txt"


class RobotsCache:
    """Keeps the robots.txt of each origin; fetches them through the ordinary fetcher, limits and guard included."""

    def __init__(self, fetcher: Fetcher, *, clock: Clock, agent: str = "afresh") -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._agent = agent
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def permission(self, url: str) -> Permission:
        """Whether ``url`` may be fetched; asks the site at most once a day, or every ten minutes while it fails."""
        try:
            place = locate(url)
        except BadLocation:
            return Permission(allowed=True)  # the fetcher will say what is wrong with it
        known, asked = await self._get(_robots_address(place))
        if known.robots is None:
            return Permission(allowed=False, asked=asked, failure=known.failure, is_known=False)
        return Permission(
            allowed=known.robots.allows(place.url, self._agent),
            delay=known.delay,
            asked=asked,
        )

    async def _get(self, address: str) -> tuple[_Known, bool]:
        known = self._fresh(address)
        if known is not None:
            return known, False
        lock = self._locks.setdefault(address, asyncio.Lock())
        async with lock:  # many pages of a new site ask for its robots.txt once
            try:
                known = self._fresh(address)
                if known is not None:
                    return known, False
                outcome = await self._fetcher.fetch(Request(url=address, accept="text/plain, */*;q=0.1"))
                return self._keep(address, outcome), True
            finally:
                self._locks.pop(address, None)

    def _fresh(self, address: str) -> _Known | None:
        known = self._known.get(address)
        return known if known is not None and known.expires > self._clock.now() else None

    def _keep(self, address: str, outcome: Outcome) -> _Known:
        known = read_answer(outcome, self._known.get(address), self._clock.now())
        if known.robots is not None:
            known = replace(known, delay=known.robots.crawl_delay(self._agent))
        self._known[address] = known
        self._known.move_to_end(address)
        while len(self._known) > _MAX_SITES:
            self._known.popitem(last=False)
        return known


def read_answer(outcome: Outcome, before: _Known | None, now: float) -> _Known:
    """What an answer to the question for robots.txt means (RFC 9309 §2.3.1)."""
    match outcome:
        case Fetched(body=body, status=status):
            return _Known(Robots.parse(body, status), now, now + _KEEP)
        case Rejected(status=status) if 400 <= status < 500 and status != 429:
            return _Known(Robots.parse(b"", status), now, now + _KEEP)  # unavailable: no restrictions
        case Failed(cause=Failure.REDIRECTS):
            return _Known(Robots.parse(b"", 404), now, now + _KEEP)  # §2.3.1.2: too many redirects, not there
    failure = outcome if isinstance(outcome, Failed) and outcome.cause in _UNREACHABLE else None
    if before is not None and before.robots is not None and now - before.read < _STALE:
        return _Known(before.robots, before.read, now + _RETRY, failure)
    return _Known(None, 0.0, now + _RETRY, failure)


class RobotsFetcher:
    """A fetcher that asks robots.txt first; a refusal is the outcome ROBOTS.

    If robots.txt had to be fetched for it, the page waits ``delay`` seconds (or the site's Crawl-delay): the two are
    requests to one site like any others. A Crawl-delay too long to wait for is answered as if the server had said
    "later". With ``only_crawls`` requests that somebody asked for by name are let through.
    """

    def __init__(
        self, inner: Fetcher, robots: RobotsCache, *, clock: Clock, delay: float = 1.0, only_crawls: bool = False
    ) -> None:
        self._inner = inner
        self._robots = robots
        self._clock = clock
        self._delay = delay
        self._only_crawls = only_crawls

    async def fetch(self, request: Request) -> Outcome:
        if (self._only_crawls and not request.is_crawl) or request.url.endswith("/robots.txt"):
            return await self._inner.fetch(request)
        started = self._clock.now()
        permission = await self._robots.permission(request.url)
        if permission.allowed:
            pause = max(self._delay, permission.delay or 0.0) if permission.asked else 0.0
            if pause > _PATIENCE:
                now = self._clock.now()
                trip = Trip(url=request.url, final_url=request.url, started=started, finished=now, requests=0)
                return _told(Rejected(trip=trip, status=503, retry_after=pause), permission)
            if pause > 0.0:
                await self._clock.sleep(pause)
            return _told(await self._inner.fetch(request), permission)
        now = self._clock.now()
        trip = Trip(url=request.url, final_url=request.url, started=started, finished=now, requests=0)
        if permission.failure is not None:
            return Failed(trip=trip, cause=permission.failure.cause, detail=permission.failure.detail)
        return _told(Failed(trip=trip, cause=Failure.ROBOTS, detail="robots.txt disallows it"), permission)

    async def close(self) -> None:
        await self._inner.close()


def _told(outcome: Outcome, permission: Permission) -> Outcome:
    """The outcome with what robots.txt says about the pace."""
    trip = replace(outcome.trip, robots_read=permission.is_known, crawl_delay=permission.delay)
    if isinstance(outcome, Fetched):  # most of them
        return Fetched(trip=trip, status=outcome.status, body=outcome.body)
    return replace(outcome, trip=trip)


__all__ = ["Permission", "RobotsCache", "RobotsFetcher"]
