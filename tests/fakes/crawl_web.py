"""A small web to crawl: sites whose pages link to one another, on loopback, with a ledger of every request.

Everything a crawler can do wrong shows in the ledger or in the counts: asking twice, asking too soon, asking what
robots.txt forbids, missing a page that can be reached, following what cannot.
"""

import asyncio
import random
import time
from collections import Counter

from aiohttp import web

from afresh.lab.web.ledger import Ledger
from afresh.lab.web.listening import LoopbackWeb

_HTML = "text/html; charset=utf-8"
_WORDS = ("river", "harbour", "meadow", "lantern", "orchard", "bridge", "winter", "archive", "kettle", "signal")


class CrawlWeb(LoopbackWeb):
    """``sites`` hosts ``s0.localhost`` … with ``pages`` pages each; page 0 of site 0 leads to all that can be reached.

    Every third site states a Crawl-delay and forbids ``/private/``, which its pages link to all the same. One page a
    site redirects, one link a site leads nowhere (404), and a page that no link leads to must stay unseen.
    """

    def __init__(
        self, *, sites: int = 6, pages: int = 8, seed: int = 0, polite_delay: float = 0.2, crawl_delay: float = 0.4
    ) -> None:
        self.names = [f"s{number}.localhost" for number in range(sites)]
        self._pages, self._rng = pages, random.Random(seed)
        self.crawl_delays = {name: crawl_delay for place, name in enumerate(self.names) if place % 3 == 0}
        self.ledger = Ledger(polite_delay=polite_delay, crawl_delays=self.crawl_delays)
        self.visits: Counter[str] = Counter()  # by URL, robots.txt left out
        self._links = self._draw_links()

    def _draw_links(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """A tree within each site, a ring of sites, and chords drawn at random."""
        sites, rng = len(self.names), self._rng
        links: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for site in range(sites):
            for page in range(self._pages):
                children = [(site, child) for child in (2 * page + 1, 2 * page + 2) if child < self._pages]
                chords = [(rng.randrange(sites), rng.randrange(self._pages)) for _ in range(2)]
                links[site, page] = [*children, *chords, *([((site + 1) % sites, 0)] if page == 0 else [])]
        return links

    # --- the truth ---

    def url(self, site: int, path: str) -> str:
        return f"http://{self.names[site]}:{self.port}{path}"

    @property
    def seed_url(self) -> str:
        return self.url(0, "/page/0")

    @property
    def reachable(self) -> set[str]:
        """All that an obedient crawler asks for: pages, redirects and dead links; not the private, not the hidden."""
        sites = range(len(self.names))
        pages = {self.url(site, f"/page/{page}") for site in sites for page in range(self._pages)}
        return pages | {self.url(site, path) for site in sites for path in ("/moved", "/missing")}

    def unvisited(self) -> set[str]:
        return self.reachable - set(self.visits)

    # --- answering ---

    def _answer(self, site: int, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text=self._robots(site), content_type="text/plain")
        if path == "/moved":
            return web.Response(status=301, headers={"Location": "/page/0"})
        kind, _, number = path.strip("/").partition("/")
        if kind in ("page", "hidden", "private") and number.isdigit() and int(number) < self._pages:
            return web.Response(text=self._page(site, int(number)), headers={"Content-Type": _HTML})
        return web.Response(status=404, text="<title>404</title>", headers={"Content-Type": _HTML})

    def _robots(self, site: int) -> str:
        delay = self.crawl_delays.get(self.names[site])
        stated = f"Crawl-delay: {delay}\n" if delay is not None else ""
        return f"User-agent: *\nDisallow: /private/\n{stated}"

    def _page(self, site: int, page: int) -> str:
        targets = [self.url(other, f"/page/{number}") for other, number in self._links[site, page]]
        extra = ["/moved", "/missing", f"/private/{page}"] if page == 0 else []
        links = "".join(f'<li><a href="{target}">{_WORDS[n % 10]}</a></li>' for n, target in enumerate(targets + extra))
        prose = " ".join(f"The {_WORDS[(site + page + n) % 10]} of site {site} stands at {page}." for n in range(12))
        return f"<!doctype html><title>Site {site}, page {page}</title><p>{prose}</p><ul>{links}</ul>"

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        name = request.headers.get("Host", "").partition(":")[0].lower()
        if name not in self.names:
            return web.Response(status=404)
        path, headers = request.raw_path, {key.lower(): value for key, value in request.headers.items()}
        seen = self.ledger.begin(
            name, path, time.time(), headers=headers, pattern="", allowed=not path.startswith("/private/")
        )
        if path != "/robots.txt":
            self.visits[f"http://{name}:{self.port}{path}"] += 1
        answer = self._answer(self.names.index(name), path)
        self.ledger.finish(seen, time.time(), answer.status)
        return answer

    async def complete(self, *, times: int, within: float) -> bool:
        """Whether every reachable page is asked for so many times before the time is up."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            if all(self.visits[url] >= times for url in self.reachable):
                return True
            await asyncio.sleep(0.1)
        return False
