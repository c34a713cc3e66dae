"""Sitemaps: what they name is watched, and what they say has changed is looked at sooner.

A sitemap is a resource of its own: leased, paced and fetched like any other, read once a day. An index, or the
robots.txt of a site, names further sitemaps, which become resources too. Whatever it says is hostile until proved
harmless: only pages of its own domain are taken, so many a site, so many levels deep.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from afresh.app.heralds import Heralds
from afresh.app.settings import RevisitSettings
from afresh.app.sites import Sites
from afresh.core.models import Kind, NewResource, Report, Resource
from afresh.core.protocols import ResourceFilter, Store
from afresh.core.revisits.values import Announcement, ListedPage, Signal
from afresh.errors import AfreshError, ResourceNotFound
from afresh.parse.url import Scope, canonical, site_of, strip_session_ids

log = logging.getLogger("afresh.sitemaps")

_DEEPEST = 3  # robots.txt, an index, a sitemap
_SITEMAPS = 1_000  # most sitemaps of a site
DEPTH = 0  # slot of a sitemap's state: how many documents led to it


@dataclass(frozen=True, slots=True)
class Sitemaps:
    """Follows what sitemaps say."""

    store: Store
    heralds: Heralds
    sites: Sites
    settings: RevisitSettings = field(default_factory=RevisitSettings)

    def follow(self, report: Report, *, now: float) -> int:
        """Watches the pages a sitemap names, hears its lastmods, goes on to the sitemaps it names; how many are new."""
        source = report.resource
        added = self._watch_pages(source, report.listed, now=now)
        told = [Announcement(url=page.url, at=page.modified) for page in report.listed if page.modified is not None]
        self.heralds.hear(self._of_domain(source, told), signal=Signal.SITEMAP, now=now)
        return added + self._watch_sitemaps(source, report.sitemaps, now=now)

    def _of_domain(self, source: Resource, told: Sequence[Announcement]) -> list[Announcement]:
        return [item for item in told if _same_domain(item.url, source.url)]

    def _watch_pages(self, source: Resource, listed: Sequence[ListedPage], *, now: float) -> int:
        room: dict[str, int] = {}
        wanted: list[NewResource] = []
        for page in listed:
            new = self._page(source, page)
            if new is None:
                continue
            if new.site not in room:
                known = self.store.site(new.site)
                room[new.site] = self.settings.pages_per_site - (known.resources if known else 0)
            wanted.append(new)
        found = self._new_within(wanted, room, now=now)
        if found < len(wanted):
            log.debug("%s: %d pages, %d of them new", source.url, len(wanted), found)
        return found

    def _new_within(self, wanted: Sequence[NewResource], room: dict[str, int], *, now: float) -> int:
        """Adds page after page until a site has enough; what is known already takes no room."""
        found = 0
        for start in range(0, len(wanted), 1_000):
            some = [new for new in wanted[start : start + 1_000] if room[new.site] > 0]
            fits: list[NewResource] = []
            left = dict(room)
            for new in some:
                if left[new.site] > 0:
                    left[new.site] -= 1
                    fits.append(new)
            for new, added in zip(fits, self.store.add(fits, now=now), strict=True):
                room[new.site] -= added.is_new
                found += added.is_new
        return found

    def _page(self, source: Resource, page: ListedPage) -> NewResource | None:
        try:
            url = strip_session_ids(canonical(page.url))
        except AfreshError:
            return None
        if not _same_domain(url, source.url):
            return None
        state = self.heralds.pages.first_belief(page.frequency, page.priority)
        return NewResource(
            url=url,
            site=self.sites.of(url),
            kind=Kind.PAGE,
            folder=source.folder,
            tags=source.tags,
            weight=source.weight,
            state=state,
            state_of=self.heralds.pages.name if len(state) else "",
        )

    def _watch_sitemaps(self, source: Resource, listed: Sequence[ListedPage], *, now: float) -> int:
        depth = int(source.state[DEPTH]) + 1 if len(source.state) > DEPTH and math.isfinite(source.state[DEPTH]) else 1
        if depth >= _DEEPEST or not listed:
            return 0
        known = self.store.count(ResourceFilter(kind=Kind.SITEMAP, site=source.site))
        found = 0
        for item in listed[:_SITEMAPS]:
            try:
                url = canonical(item.url)
            except AfreshError:
                continue
            if known + found >= _SITEMAPS or not _same_domain(url, source.url):
                continue
            if not self._read_again(url, item.modified, now=now):
                found += self._add(source, url, depth, now=now)
        return found

    def _add(self, source: Resource, url: str, depth: int, *, now: float) -> int:
        new = new_sitemap(url, self.sites.of(url), folder=source.folder, tags=source.tags, depth=depth)
        return int(self.store.add([new], now=now)[0].is_new)

    def _read_again(self, url: str, modified: float | None, *, now: float) -> bool:
        """Whether the sitemap is known; one that changed after it was read is read again at once."""
        try:
            known = self.store.get(url)
        except ResourceNotFound:
            return False
        is_news = modified is not None and known.last_ok is not None and known.last_ok < min(modified, now)
        if known.kind is Kind.SITEMAP and is_news and known.due > now:
            self.store.update(known.id, due=now)
        return True


def new_sitemap(url: str, site: str, *, folder: str = "", tags: tuple[str, ...] = (), depth: int = 0) -> NewResource:
    """A sitemap to be read, ``depth`` documents away from the one somebody asked for."""
    state = np.array([float(depth)])
    return NewResource(url=url, site=site, kind=Kind.SITEMAP, folder=folder, tags=tags, state=state, state_of="sitemap")


def _same_domain(url: str, other: str) -> bool:
    """Whether two URLs have one registrable domain: nobody lists pages for strangers."""
    try:
        return site_of(canonical(url), Scope.DOMAIN) == site_of(other, Scope.DOMAIN)
    except AfreshError:
        return False
