"""A web that changes on command: outcomes by URL, times by hand, no sockets."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

from afresh.base.executor import Executor
from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Redirect, Rejected, Request, Trip
from afresh.http.failures import HopRefused
from afresh.http.hop import Hop
from afresh.http.location import locate

P = ParamSpec("P")
T = TypeVar("T")


class HandClock:
    """Time that passes only when told; sleeping yields to others and moves on, once no thread is at work."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self._now = now
        self.at_work = 0  # calls under way in threads, see SteadyExecutor

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        while self.at_work:
            await asyncio.sleep(0.0002)
        self._now += seconds
        await asyncio.sleep(0)


class SteadyExecutor(Executor):
    """The threads of the loop; time by hand stands still while they work, however slow the machine is."""

    def __init__(self, clock: HandClock) -> None:
        super().__init__()
        self._clock = clock

    async def write(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._clock.at_work += 1
        try:
            return await super().write(function, *args, **kwargs)
        finally:
            self._clock.at_work -= 1

    async def read(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._clock.at_work += 1
        try:
            return await super().read(function, *args, **kwargs)
        finally:
            self._clock.at_work -= 1

    async def judge(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._clock.at_work += 1
        try:
            return await super().judge(function, *args, **kwargs)
        finally:
            self._clock.at_work -= 1


def rss(*titles: str, dates: dict[str, float] | None = None, ttl: int | None = None) -> bytes:
    """A small RSS document; entries in the order given."""
    from email.utils import formatdate

    items = "".join(
        f"<item><title>{title}</title><guid>{title}</guid>"
        + (f"<pubDate>{formatdate(dates[title])}</pubDate>" if dates and title in dates else "")
        + "</item>"
        for title in titles
    )
    hint = f"<ttl>{ttl}</ttl>" if ttl is not None else ""
    return f"<rss version='2.0'><channel><title>T</title>{hint}{items}</channel></rss>".encode()


class FakeWeb:
    """A fetcher whose answers are set by the test and whose requests are remembered."""

    def __init__(self, clock: HandClock) -> None:
        self.clock = clock
        self.requests: list[tuple[float, Request]] = []
        self.answers: dict[str, Callable[[Request, Trip], Outcome]] = {}

    def document(self, url: str, body: bytes, **headers: str) -> None:
        self.answers[url] = lambda _, trip: Fetched(trip=with_headers(trip, headers), status=200, body=body)

    def not_modified(self, url: str, **headers: str) -> None:
        self.answers[url] = lambda _, trip: NotModified(trip=with_headers(trip, headers))

    def status(self, url: str, status: int, retry_after: float | None = None) -> None:
        self.answers[url] = lambda _, trip: Rejected(
            trip=with_headers(trip, {}), status=status, retry_after=retry_after
        )

    def failure(self, url: str, cause: Failure) -> None:
        self.answers[url] = lambda _, trip: Failed(trip=trip, cause=cause, detail="as told")

    def moved(self, url: str, target: str, body: bytes, *, status: int = 301) -> None:
        def answer(_: Request, trip: Trip) -> Outcome:
            hop = Redirect(status, target)
            arrived = Trip(
                url=url, final_url=target, started=trip.started, finished=trip.finished,
                redirects=(hop,), headers={"content-type": "text/xml"},
            )  # fmt: skip
            return Fetched(trip=arrived, status=200, body=body)

        self.answers[url] = answer

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        """The answer; behind a gate every hop is asked about, as a client of the real web does."""
        if hop is not None:
            return await self._by_hops(request, hop)
        now = self.clock.now()
        self.requests.append((now, request))
        trip = Trip(url=request.url, final_url=request.url, started=now, finished=now)
        await asyncio.sleep(0)
        answer = self.answers.get(request.url)
        return answer(request, trip) if answer else Failed(trip=trip, cause=Failure.DNS, detail="no such host")

    async def _by_hops(self, request: Request, hop: Hop) -> Outcome:
        now = self.clock.now()
        trip = Trip(url=request.url, final_url=request.url, started=now, finished=now, requests=0)
        try:
            await hop(locate(request.url))
            if request.url.endswith("/robots.txt") and request.url not in self.answers:
                self.requests.append((self.clock.now(), request))
                now = self.clock.now()
                return Rejected(trip=replace(trip, started=now, finished=now, requests=1), status=404)
            outcome = await self.fetch(request)
            for step in outcome.trip.redirects:
                trip = replace(outcome.trip, requests=1)
                await hop(locate(step.url))
                self.requests.append((self.clock.now(), replace(request, url=step.url)))
                now = self.clock.now()
                outcome = replace(outcome, trip=replace(outcome.trip, started=now, finished=now))
        except HopRefused as error:
            return error.outcome(replace(trip, finished=self.clock.now()))
        return outcome

    async def close(self) -> None:
        pass


def with_headers(trip: Trip, headers: dict[str, str]) -> Trip:
    named = {name.replace("_", "-"): value for name, value in headers.items()} or {"content-type": "text/xml"}
    return Trip(url=trip.url, final_url=trip.final_url, started=trip.started, finished=trip.finished, headers=named)
