"""What the sitemaps list that a site's robots.txt names: read by its fetcher, in the site's own turns, once a day.

Whatever they say is hostile until proved harmless: documents of the site's own host only, pages of its registrable
domain only, so many of each.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from afresh.base.calendar import DAY
from afresh.base.errors import ParseError
from afresh.base.executor import Executor, InPlace
from afresh.base.models import Fetched, Outcome
from afresh.frontier.urls import CrawlUrls
from afresh.parse.child_reader import read
from afresh.parse.sitemap import Sitemap, read_sitemap
from afresh.parse.url import Scope, site_of_host

MOST_LISTED = 5_000  # pages of a site taken in a day
Ask = Callable[[str], Awaitable[Outcome | None]]  # None: nothing more shall be asked for now


@dataclass(slots=True)
class SitemapReader:
    """Remembers whose sitemaps were read today. ``documents``: most of a site a day; 0: none is read."""

    named: Callable[[str], Sequence[str]]  # those that robots.txt of a URL's origin names, as far as it was read
    urls: CrawlUrls
    executor: Executor | InPlace
    documents: int = 5
    read: int = 0  # documents so far
    _last: dict[int, float] = field(default_factory=dict)  # by the hash of a site's name

    async def listed(self, site: str, page: str, ask: Ask, *, now: float) -> list[str]:
        """Pages that the sitemaps of a page's site list, canonical, each once; nothing if it was asked today."""
        if not self.documents or now - self._last.get(hash(site), -DAY) < DAY:
            return []
        self._last[hash(site)] = now
        waiting = deque(self._of_host(self.named(page), site))
        seen, found = set(waiting), dict[str, None]()
        for _ in range(self.documents):
            if not waiting or len(found) >= MOST_LISTED or (outcome := await ask(waiting.popleft())) is None:
                break
            self.read += 1
            if isinstance(outcome, Fetched):
                pages, further = await self.executor.read(self._read, outcome, site)
                found.update(dict.fromkeys(pages))
                waiting.extend(url for url in further if url not in seen)
                seen.update(further)
        return list(found)[:MOST_LISTED]

    def _read(self, outcome: Fetched, site: str) -> tuple[list[str], list[str]]:
        """Pages and further sitemaps; parses: not for the event loop."""
        trip = outcome.trip
        try:
            kind = trip.headers.get("content-type", "")
            document = read(read_sitemap, Sitemap, outcome.body, url=trip.final_url, content_type=kind)
        except ParseError:
            return [], []
        known = [self.urls.read(one.url) for one in document.urls]
        pages = [one[0] for one in known if one is not None and _domain(one[1]) == _domain(site)]
        return pages[:MOST_LISTED], self._of_host([one.url for one in document.sitemaps], site)

    def _of_host(self, named: Sequence[str], site: str) -> list[str]:
        known = [self.urls.read(url) for url in named]
        return list(dict.fromkeys(one[0] for one in known if one is not None and one[1] == site))


def _domain(host: str) -> str:
    return site_of_host(host, None, Scope.DOMAIN, {})
