"""The demo web on a socket: many small sites behind one loopback port, told apart by the Host header."""

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from aiohttp import web

from afresh.base.records.links import LinkRef
from afresh.feeds.patterns import Pattern
from afresh.lab.web.answers import Answer, Call
from afresh.lab.web.catalogue import catalogue
from afresh.lab.web.feeds import Format
from afresh.lab.web.ledger import Ledger, Seen
from afresh.lab.web.listening import LoopbackWeb
from afresh.lab.web.patterns import DEFAULT_DAY
from afresh.lab.web.site import Era, LiveFeed, LiveSite
from afresh.parse.opml import write_opml


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoFeed:
    """A feed of the demo web, as its truth is known to the server."""

    url: str
    site: str  # host name without port
    pattern: Pattern  # how it publishes
    manners: str  # "good", or what is wrong with its server
    format: Format
    window: int
    is_readable: bool  # False: no client can get an entry out of it; its entries do not count as published
    is_announced: bool  # on its site's start page


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One true entry. ``link`` is unique within the web and the same in every format, so it is the key to match by."""

    link: str
    title: str
    native_id: str
    time: float


class DemoWeb(LoopbackWeb):
    """A small living web on loopback.

    Everything it publishes follows from ``seed`` and ``start`` (by default the moment it is started). A demo day lasts
    ``day`` seconds; below about 20 the whole-second times of fast feeds begin to merge. ``polite_delay`` is what
    visitors have promised to wait between two requests to a site; the ledger holds them to it. ``clock`` and ``sleep``
    are replaced in tests.

    >>> web = DemoWeb(seed=1, start=1_000_000)
    >>> len(web.sites) >= 20, len(web.feeds) >= 30
    (True, True)
    """

    #: Cancelling the handler when a visitor leaves is how the ledger learns that a request is over.
    cancels_handlers = True

    def __init__(
        self,
        seed: int = 0,
        day: float = DEFAULT_DAY,
        start: float | None = None,
        clock: Callable[[], float] = time.time,
        *,
        polite_delay: float = 1.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.seed, self.day, self.clock, self.polite_delay = seed, day, clock, polite_delay
        self._sleep = sleep
        self._fixed_start = start
        self._settle(0)

    def _settle(self, port: int) -> None:
        """Builds the sites for a port: their documents contain their own addresses."""
        self.port = port
        self.began = float(math.floor(self.clock() if self._fixed_start is None else self._fixed_start))
        era = Era(self.seed, self.began, self.day, port)
        plans = catalogue(polite_delay=self.polite_delay)
        urls = [era.origin(plan.name) + "/" for plan in plans]
        self._sites = {
            f"{plan.name}.localhost": LiveSite(plan, era, [urls[n - 1], urls[(n + 7) % len(urls)]])
            for n, plan in enumerate(plans)
        }
        self._live = {feed.url: feed for site in self._sites.values() for feed in site.feeds.values()}
        crawl_delays = {name: site.plan.robots.crawl_delay or 0.0 for name, site in self._sites.items()}
        self.ledger = Ledger(polite_delay=self.polite_delay, crawl_delays=crawl_delays)

    # --- what there is ---

    @property
    def sites(self) -> list[str]:
        """Addresses of the start pages."""
        return [site.url for site in self._sites.values()]

    @property
    def feeds(self) -> list[DemoFeed]:
        """All feeds, each once; twins in another format are found by discovery only."""
        sites = self._sites.items()
        return [self._describe(name, f) for name, site in sites for f in site.feeds.values() if f.plan.listed]

    @staticmethod
    def _describe(site: str, feed: LiveFeed) -> DemoFeed:
        plan = feed.plan
        return DemoFeed(
            url=feed.url,
            site=site,
            pattern=plan.rhythm.pattern,
            manners=plan.manners.name,
            format=plan.format,
            window=plan.window,
            is_readable=plan.manners.is_readable,
            is_announced=plan.announced,
        )

    def published(
        self, feed: DemoFeed | str, *, until: float | None = None, history: bool = False
    ) -> list[Publication]:
        """The true entries of a feed since the web began (with ``history``, also those before), oldest first."""
        live = self._live[feed if isinstance(feed, str) else feed.url]
        times = live.stream.until(self.clock() if until is None else until)
        wanted = [number for number, at in enumerate(times) if history or at > self.began]
        items = [(live.item(number), times[number]) for number in wanted]
        return [Publication(link=i.link, title=i.title, native_id=i.id, time=at) for i, at in items]

    def handed_out(self, seen: Seen) -> list[str]:
        """Links of the entries in an answer of the log; none where it was no document, or one that had to be spoilt."""
        site = self._sites[seen.site]
        feed = site.feed_at(seen.path)
        if feed is None or seen.status != 200 or seen.aborted:
            return []
        return feed.links_at(seen.started)

    def entries_published(self, *, until: float | None = None) -> dict[str, int]:
        """Entries since the web began, by feed; feeds that nobody can read are left out."""
        now = self.clock() if until is None else until
        return {
            url: live.stream.count(now) - live.stream.count(self.began)
            for url, live in self._live.items()
            if live.plan.manners.is_readable and live.plan.listed
        }

    def summary(self, *, until: float | None = None) -> dict[str, object]:
        """The server's own account of the run, as plain values."""
        now = self.clock() if until is None else until
        published = self.entries_published(until=now)
        return {
            "seconds": now - self.began,
            "feeds": len(self.feeds),
            "sites": len(self._sites),
            "entries_published": sum(published.values()),
            "published": published,
            **self.ledger.summary(),
        }

    # --- answering ---

    def answer(self, call: Call) -> Answer:
        """The answer to one request, without a socket, a ledger or a wait."""
        site = self._sites.get(call.host.partition(":")[0].lower())
        return self._overview(call) if site is None else site.answer(call)

    def _overview(self, call: Call) -> Answer:
        """The web's own host (any name that is no site): what there is, and the ledger, for people."""
        match call.path:
            case "/":
                text = "\n".join(f"{feed.url}\t{feed.pattern}\t{feed.manners}" for feed in self.feeds)
            case "/feeds.txt":
                text = "\n".join(feed.url for feed in self.feeds)
            case "/subscriptions.opml":
                text = self._subscriptions()
            case "/ledger.json":
                text = json.dumps(self.summary(until=call.now), indent=1)
            case _:
                return Answer(status=404, body=b"no such site\n", headers={"Content-Type": "text/plain"})
        kind = "application/json" if call.path.endswith("json") else "text/plain; charset=utf-8"
        return Answer(status=200, body=text.encode() + b"\n", headers={"Content-Type": kind})

    def _subscriptions(self) -> str:
        """What a subscriber would have: the feeds of well-behaved sites, in a folder for each way to publish."""
        well = [feed for feed in self.feeds if feed.manners == "good"]
        return write_opml([LinkRef(url=feed.url, folder=str(feed.pattern)) for feed in well], title="Practice")

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = Call(host=headers.get("host", ""), path=request.raw_path, now=self.clock(), headers=headers)
        name = call.host.partition(":")[0].lower()
        site = self._sites.get(name)
        if site is None:
            return _response(self.answer(call), self.clock())
        feed = site.feed_at(call.path)
        pattern = feed.plan.rhythm.pattern.value if feed else ""
        seen = self.ledger.begin(
            name, call.path, call.now, headers=headers, pattern=pattern, allowed=site.allows(call.path)
        )
        try:
            answer = site.answer(call)
            if answer.delay > 0:
                await self._sleep(answer.delay)
        except asyncio.CancelledError:
            self.ledger.finish(seen, self.clock(), 0, aborted=True)
            raise
        now = self.clock()
        redirect, retry_after = _promises(call, answer, now)
        self.ledger.finish(seen, now, answer.status, redirect=redirect, retry_after=retry_after)
        if answer.hang_up and request.transport is not None:
            request.transport.abort()
        return _response(answer, now)


def _promises(call: Call, answer: Answer, now: float) -> tuple[tuple[str, str] | None, float | None]:
    """What an answer says about the next request: (site, address) of a redirect, seconds of a Retry-After."""
    redirect = retry_after = None
    if location := answer.headers.get("Location"):
        target = urlsplit(urljoin(f"http://{call.host}{call.path}", location))
        redirect = (target.hostname or "", target.path + (f"?{target.query}" if target.query else ""))
    if wait := answer.headers.get("Retry-After"):
        retry_after = float(wait) if wait.isdecimal() else parsedate_to_datetime(wait).timestamp() - now
    return redirect, retry_after


def _response(answer: Answer, now: float) -> web.Response:
    headers = {"Date": formatdate(now, usegmt=True), "Server": "afresh-demo", **answer.headers}
    return web.Response(status=answer.status or 500, body=answer.body or None, headers=headers)
