"""A web of pages on loopback: many pages on few sites, each changing at its own rate, and the truth about all of them.

Unlike the small living web of feeds it is made for measuring: the server knows when every page changed and when it was
served, hence how fresh the visitor's copies are at any moment, and it counts every breach of politeness.
"""

import asyncio
import math
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from afresh.lab.web.ledger import Ledger
from afresh.lab.web.listening import LoopbackWeb

_LONGEST = 40.0  # demo days for which changes are drawn
_HTML = "text/html; charset=utf-8"


@dataclass(slots=True)
class TruePage:
    """A page, its changes and when it was served, in seconds since 1970."""

    path: str
    rate: float  # changes a second
    changes: NDArray[np.float64]
    served: list[float] = field(default_factory=list)

    def version(self, now: float) -> int:
        return int(np.searchsorted(self.changes, now, side="right"))

    def fresh_time(self, start: float, end: float) -> float:
        """Seconds between the two moments in which a visitor's copy was the page."""
        total = 0.0
        first = max(0, bisect_right(self.served, start) - 1)
        ends = [*self.served[first + 1 :], math.inf]
        for at, until in zip(self.served[first:], ends, strict=False):
            if at >= end:
                break
            number = self.version(at)
            changed = float(self.changes[number]) if number < len(self.changes) else math.inf
            total += max(0.0, min(until, changed, end) - max(at, start))
        return total


@dataclass(slots=True)
class TrueSite:
    """A site of the web: its pages by path, and the pause its robots.txt asks for."""

    name: str
    pages: dict[str, TruePage]
    crawl_delay: float | None = None


class PageWeb(LoopbackWeb):
    """Pages on loopback, served until the block ends.

    Sites differ in size: the largest has a tenth of all pages, the last has one. Rates are spread evenly on a
    logarithmic scale between ``slowest`` and ``fastest`` changes a demo day. Every tenth site asks for a Crawl-delay.
    """

    def __init__(
        self,
        *,
        pages: int,
        sites: int,
        seed: int = 0,
        day: float = 60.0,
        polite_delay: float = 0.25,
        slowest: float = 0.3,
        fastest: float = 10.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.day, self.polite_delay, self.clock = day, polite_delay, clock
        self._rng = np.random.default_rng(seed)
        self._rates = (slowest / day, fastest / day)
        self._sizes = site_sizes(pages, sites)
        self.began = clock()
        self.sites: dict[str, TrueSite] = {}
        self.ledger = Ledger(polite_delay=polite_delay)

    def _settle(self, port: int) -> None:
        self.port, self.began = port, self.clock()
        for number, size in enumerate(self._sizes):
            name = f"site{number:03d}.localhost"
            delay = 3.0 * self.polite_delay if number % 10 == 9 else None
            pages = {f"/page/{n}": self._page(f"/page/{n}") for n in range(size)}
            self.sites[name] = TrueSite(name, pages, delay)
        self.ledger.crawl_delays |= {name: site.crawl_delay for name, site in self.sites.items() if site.crawl_delay}

    def _page(self, path: str) -> TruePage:
        low, high = (math.log(rate) for rate in self._rates)
        rate = math.exp(self._rng.uniform(low, high))
        span = _LONGEST * self.day
        count = int(self._rng.poisson(rate * span))
        return TruePage(path, rate, self.began + np.sort(self._rng.uniform(0.0, span, count)))

    @property
    def roots(self) -> list[str]:
        """The start pages of all sites."""
        return [f"http://{name}:{self.port}/" for name in self.sites]

    @property
    def pages(self) -> list[TruePage]:
        return [page for site in self.sites.values() for page in site.pages.values()]

    def freshness(self, start: float, end: float) -> float:
        """Share of pages times share of time in which the visitor's copies were the pages."""
        pages = self.pages
        return sum(page.fresh_time(start, end) for page in pages) / (len(pages) * (end - start))

    @property
    def violations(self) -> int:
        """Breaches of politeness, and of a Crawl-delay that was asked for."""
        return sum(self.ledger.breaches.values()) + self.ledger.crawl_delay_ignored

    # --- answering ---

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        now = self.clock()
        name = request.headers.get("Host", "").partition(":")[0].lower()
        site = self.sites.get(name)
        if site is None:
            return web.Response(status=404)
        seen = self.ledger.begin(name, request.path, now)
        answer = self._answer(site, request, now)
        await asyncio.sleep(0)
        self.ledger.finish(seen, self.clock(), answer.status)
        return answer

    def _answer(self, site: TrueSite, request: web.BaseRequest, now: float) -> web.Response:
        if request.path == "/robots.txt":
            pause = f"Crawl-delay: {site.crawl_delay:g}\n" if site.crawl_delay else ""
            return web.Response(text=f"User-agent: *\n{pause}Sitemap: /sitemap.xml\n", content_type="text/plain")
        if request.path == "/sitemap.xml":
            return web.Response(body=self._sitemap(site), content_type="application/xml")
        page = site.pages.get(request.path)
        if page is None:
            return web.Response(status=404)
        version = page.version(now)
        tag = f'"{version}"'
        page.served.append(now)
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        body = f"<!doctype html><title>{page.path}</title><p>{site.name}{page.path}, version {version}.</p>"
        return web.Response(body=body.encode(), headers={"ETag": tag, "Content-Type": _HTML})

    def _sitemap(self, site: TrueSite) -> bytes:
        listed = "".join(f"<url><loc>http://{site.name}:{self.port}{path}</loc></url>" for path in site.pages)
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()


def site_sizes(pages: int, sites: int) -> list[int]:
    """Pages a site: the first has a tenth of them, the last one, the others about the same.

    >>> site_sizes(2000, 50)[0], site_sizes(2000, 50)[-1], sum(site_sizes(2000, 50))
    (200, 1, 2000)
    """
    if sites == 1 or pages <= sites:
        return [pages] if sites == 1 else [1] * pages
    first = max(1, pages // 10) if sites > 2 else pages - 1
    rest = pages - first - 1
    middle = [rest // (sites - 2) + (n < rest % (sites - 2)) for n in range(sites - 2)] if sites > 2 else []
    return [size for size in (first, *middle, 1) if size > 0]
