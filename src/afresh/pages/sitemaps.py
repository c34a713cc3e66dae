"""Sitemaps: what they name is watched, and what they say has changed is looked at sooner.

A sitemap is a resource of its own: leased, paced and fetched like any other, read once a day. An index, or the
robots.txt of a site, names further sitemaps, which become resources too. Whatever it says is hostile until proved
harmless: only pages of its own registrable domain are taken, so many a site and a domain, so many levels deep.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from afresh.base.errors import AfreshError, ResourceNotFound
from afresh.base.models import Kind, NewResource, Report, Resource
from afresh.base.records.pages import Announcement, ListedPage, Signal
from afresh.base.settings.sections import RevisitSettings
from afresh.pages.sitemap_limits import SITEMAPS, Room
from afresh.parse.url import Scope, Sites, canonical, site_of, strip_session_ids

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.pages.announcements import Heralds

log = logging.getLogger("afresh.sitemaps")

_DEEPEST = 3  # robots.txt, an index, a sitemap
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
        room = Room(self.store, site_of(source.url, Scope.DOMAIN), source.site, self.settings)
        added = self._watch_pages(source, report.listed, room, now=now)
        told = [Announcement(url=page.url, at=page.modified) for page in report.listed if page.modified is not None]
        self.heralds.hear(self._of_domain(source, told), signal=Signal.SITEMAP, now=now)
        added += self._watch_sitemaps(source, report.sitemaps, room, now=now)
        room.keep()
        return added

    def _of_domain(self, source: Resource, told: Sequence[Announcement]) -> list[Announcement]:
        return [item for item in told if _same_domain(item.url, source.url)]

    def _watch_pages(self, source: Resource, listed: Sequence[ListedPage], room: Room, *, now: float) -> int:
        wanted = [new for page in listed if (new := self._page(source, page)) is not None]
        found = self._new_within(wanted, room, now=now)
        if found < len(wanted):
            log.debug("%s: %d pages, %d of them new", source.url, len(wanted), found)
        return found

    def _new_within(self, wanted: Sequence[NewResource], room: Room, *, now: float) -> int:
        """Adds page after page until a site or the domain has enough; what is known already takes no room."""
        found = 0
        for start in range(0, len(wanted), 1_000):
            fits = [new for new in wanted[start : start + 1_000] if room.take(new.site)]
            for new, added in zip(fits, self.store.add(fits, now=now), strict=True):
                found += added.is_new
                if not added.is_new:
                    room.give_back(new.site)
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

    def _watch_sitemaps(self, source: Resource, listed: Sequence[ListedPage], room: Room, *, now: float) -> int:
        depth = int(source.state[DEPTH]) + 1 if len(source.state) > DEPTH and math.isfinite(source.state[DEPTH]) else 1
        if depth >= _DEEPEST or not listed:
            return 0
        left = room.sitemaps()
        found = 0
        for item in listed[:SITEMAPS]:
            try:
                url = canonical(item.url)
            except AfreshError:
                continue
            if found >= left or not _same_domain(url, source.url):
                continue
            if not self._read_again(url, item.modified, now=now):
                found += self._add(source, url, depth, room, now=now)
        return found

    def _add(self, source: Resource, url: str, depth: int, room: Room, *, now: float) -> int:
        site = self.sites.of(url)
        if not room.take(site):
            return 0
        new = new_sitemap(url, site, folder=source.folder, tags=source.tags, depth=depth)
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
