"""How much the sitemaps of one registrable domain may still add.

A wildcard in the DNS makes as many hosts as its owner likes, each a site with room of its own. So all sites that a
domain's sitemaps name are counted together: their pages, their sitemaps, and how many sites there are. Which sites
these are is kept as a setting of the store; what each holds is asked of the store whenever a sitemap was read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afresh.base.models import Kind, ResourceFilter
from afresh.base.settings.sections import RevisitSettings

if TYPE_CHECKING:
    from afresh.base.protocols import Store

SITES = 1_000  # most sites of a domain
SITEMAPS = 1_000  # most sitemaps of a domain
_KEY = "sitemaps.sites/"


class Room:
    """What may still be added below a domain; lives for one reading of one sitemap."""

    def __init__(self, store: Store, domain: str, site: str, settings: RevisitSettings) -> None:
        """``site``: that of the sitemap itself."""
        self._store, self._settings = store, settings
        self._key = _KEY + domain
        kept = json.loads(store.get_setting(self._key) or "[]")
        self._left: dict[str, int] = {}  # pages by site
        self._domain = settings.pages_per_domain
        for known in dict.fromkeys((site, *kept)):
            self._count(known)
        self._kept = tuple(kept)

    def take(self, site: str) -> bool:
        """Takes one place at a site, if there is one."""
        if site not in self._left:
            if len(self._left) >= SITES:
                return False
            self._count(site)
        if self._left[site] <= 0 or self._domain <= 0:
            return False
        self._change(site, -1)
        return True

    def give_back(self, site: str) -> None:
        """The place was not needed."""
        self._change(site, 1)

    def sitemaps(self) -> int:
        """How many more sitemaps may be read."""
        asked = (ResourceFilter(kind=Kind.SITEMAP, site=site) for site in self._left)
        return SITEMAPS - sum(self._store.count(where) for where in asked)

    def keep(self) -> None:
        """Remembers the sites; those that are gone make room for others."""
        there = tuple(site for site in self._left if self._store.site(site) is not None)
        if there != self._kept:
            self._store.put_setting(self._key, json.dumps(there))
            self._kept = there

    def _count(self, site: str) -> None:
        known = self._store.site(site)
        held = known.resources if known else 0
        self._left[site] = self._settings.pages_per_site - held
        self._domain -= held

    def _change(self, site: str, by: int) -> None:
        self._left[site] += by
        self._domain += by
