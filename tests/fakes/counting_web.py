"""A web on this machine that counts: which site was asked for what, when, and was that polite?

    async with CountingWeb(delay=0.5) as web:
        ...  # afresh asks web.url("patient-check", "/p1")
    assert web.breaches() == []

A site is a name below ``localhost``. What comes before its first hyphen is its manner, the rest tells sites of one
manner apart, so that many commands can be watched side by side. The server knows nothing of afresh: it holds the
other side of politeness.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Self

from aiohttp import web

_PROSE = "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody to see. "
_CLOSE = 0.02  # seconds; two clocks and a timer are never closer than this


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the sites of one kind behave."""

    crawl_delay: float = 0.0  # seconds, in robots.txt
    slow: float = 0.0  # seconds an answer takes
    retry_after: int = 0  # seconds: the first page asked for is answered with 429 and this wish
    silent_robots: int = 0  # so many times robots.txt is answered with 503 at first
    soft: bool = False  # every address has a page; those that do not exist say so in words only
    guests: str = ""  # manner of the site that /away leads to


MANNERS = {
    "plain": Manner(),
    "patient": Manner(crawl_delay=2.0),
    "slow": Manner(slow=0.7),
    "busy": Manner(retry_after=3),
    "unsure": Manner(silent_robots=2),
    "soft": Manner(crawl_delay=1.5, soft=True),
    "moving": Manner(guests="patient"),
}
FORBIDDEN = "/secret/"  # on every site, by its robots.txt


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as the server saw it; seconds of one steady clock."""

    site: str
    path: str
    start: float
    end: float
    agent: str
    pause: float  # until the next request, counted from ``end``
    status: int


@dataclass(slots=True, repr=False)
class CountingWeb:
    """Serves the sites and keeps the account; ``delay`` is the pause that afresh was told to make by its settings."""

    delay: float
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    _runner: web.ServerRunner | None = None
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    async def __aenter__(self) -> Self:
        self._runner = web.ServerRunner(web.Server(self._serve))
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, backlog=512).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def url(self, site: str, path: str = "/") -> str:
        return f"http://{site}.localhost:{self.port}{path}"

    # --- the account ---

    def of(self, ending: str) -> list[Asked]:
        """What was asked of the sites whose names end so, in the order it came."""
        return sorted((one for one in self.asked if one.site.endswith(ending)), key=lambda one: one.start)

    def breaches(self, ending: str = "") -> list[str]:
        """Pairs of requests to a site that were closer than its pause, in words."""
        found = []
        last: dict[str, Asked] = {}
        free: dict[str, float] = {}  # when a site may be asked again: a long pause outlasts requests in between
        for one in self.of(ending):
            if one.start < free.get(one.site, 0.0) - _CLOSE:
                before = last[one.site]
                gap = one.start - before.end
                wanted = free[one.site] - before.end
                found.append(f"{one.site}: {before.path} -> {one.path} after {gap:.2f} s, not {wanted:.2f} s")
            last[one.site] = one
            free[one.site] = max(free.get(one.site, 0.0), one.end + one.pause)
        return found

    def trespasses(self, ending: str = "") -> list[str]:
        """Requests for what robots.txt forbids."""
        return [f"{one.site}{one.path}" for one in self.of(ending) if one.path.startswith(FORBIDDEN)]

    def got(self, site: str, path: str) -> bool:
        """Whether a page was asked for and given."""
        return any(one.site == site and one.path == path and one.status == 200 for one in self.asked)

    # --- the sites ---

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        start = time.monotonic()
        site = (request.host or "").partition(".localhost")[0]
        manner = MANNERS[site.partition("-")[0]]
        self._counts[site, "/robots.txt" if request.path == "/robots.txt" else "page"] += 1
        answer = self._answer(site, manner, request.path)
        if manner.slow:
            await asyncio.sleep(manner.slow)
        wish = float(answer.headers.get("Retry-After", 0))
        self.asked.append(
            Asked(
                site=site,
                path=request.path,
                start=start,
                end=time.monotonic(),
                agent=request.headers.get("User-Agent", ""),
                pause=max(self.delay, self._told_delay(site, manner), wish),
                status=answer.status,
            )
        )
        return answer

    def _answer(self, site: str, manner: Manner, path: str) -> web.Response:
        if path == "/robots.txt":
            return self._robots(site, manner)
        if manner.retry_after and self._counts[site, "page"] == 1:
            return web.Response(status=429, headers={"Retry-After": str(manner.retry_after)})
        match path.strip("/").split("/")[0].partition(".")[0].rstrip("0123456789"):
            case "":
                return _html("Home", self._feeds() + _links("/p1", "/p2", "/secret/a"))
            case "p" | "secret":
                return _html(path, f"<h1>{path}</h1><p>{(path + ' ' + _PROSE) * 8}</p>")
            case "feed":
                return web.Response(body=_rss(path), content_type="application/rss+xml")
            case "sitemap":
                return self._sitemap(site)
            case "door":
                return web.Response(status=302, headers={"Location": "/secret/behind-the-door"})
            case "fdoor":
                return web.Response(status=302, headers={"Location": "/secret/feed.xml"})
            case "fhop":
                return web.Response(status=302, headers={"Location": path.replace("fhop", "feed")})
            case "away" if manner.guests:
                target = self.url(site.replace("moving", manner.guests, 1), path.replace("away", "p"))
                return web.Response(status=302, headers={"Location": target})
            case _ if manner.soft:
                return _html("Page not found", "<h1>404 - Page not found</h1><p>The page could not be found.</p>")
        return web.Response(status=404)

    def _robots(self, site: str, manner: Manner) -> web.Response:
        if self._counts[site, "/robots.txt"] <= manner.silent_robots:
            return web.Response(status=503)
        delay = f"Crawl-delay: {manner.crawl_delay:g}\n" if manner.crawl_delay else ""
        sitemap = f"Sitemap: {self.url(site, '/sitemap.xml')}\n"
        return web.Response(text=f"User-agent: *\n{delay}Disallow: {FORBIDDEN}\n{sitemap}")

    def _told_delay(self, site: str, manner: Manner) -> float:
        """The Crawl-delay, as soon as anybody was told of it."""
        return manner.crawl_delay if self._counts[site, "/robots.txt"] > manner.silent_robots else 0.0

    def _feeds(self) -> str:
        kind = 'rel="alternate" type="application/rss+xml"'
        return "".join(f'<link {kind} href="/{name}.xml">' for name in ("feed1", "feed2", "secret/feed"))

    def _sitemap(self, site: str) -> web.Response:
        places = "".join(f"<url><loc>{self.url(site, path)}</loc></url>" for path in ("/p1", "/p2", "/secret/a"))
        body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
        return web.Response(text=body, content_type="application/xml")


def _html(title: str, body: str) -> web.Response:
    text = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return web.Response(text=text, content_type="text/html")


def _links(*paths: str) -> str:
    return "".join(f'<p><a href="{path}">{path}</a></p>' for path in paths)


def _rss(path: str) -> bytes:
    item = f"<item><title>{path}</title><guid>{path}-{int(time.time())}</guid></item>"
    return f"<rss version='2.0'><channel><title>{path}</title>{item}</channel></rss>".encode()
