"""Links of pages: those of one page, of all pages of a site, or of a sitemap.

A page is asked for once: the request that checks it brings the links it has itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Fetched, Request
from afresh.base.outcome_words import outcome_words
from afresh.base.records.links import LinkRef
from afresh.doors.cli.check_rows import Row, Rows, address_of
from afresh.links.documents.reading import occurrences_of_page
from afresh.links.documents.targets import WebPage, listed
from afresh.parse.sitemap import read_sitemap
from afresh.parse.url import canonical, site_of, sitemap_address

if TYPE_CHECKING:
    from afresh.doors.cli.check_run import CheckRun
    from afresh.links.documents.selection import Selection
    from afresh.links.documents.targets import Occurrence

_MOST_SITEMAPS = 50
_MOST_LISTED = 50_000  # pages of sitemaps


class Crawl:
    """Follows links from page to page, no further than it is told."""

    def __init__(self, run: CheckRun, selection: Selection, *, is_recursive: bool, max_pages: int) -> None:
        self._run, self._selection = run, selection
        self._is_recursive, self._left = is_recursive, max_pages
        self._to_read: set[str] = set()  # addresses of pages whose own links are wanted
        self._read: set[str] = set()
        self._sites: set[str] = set()
        self._found: list[Occurrence] = []

    async def rows(
        self, rows: Rows, found: Sequence[Occurrence], *, pages: Iterable[str], sitemaps: Iterable[str]
    ) -> list[Row]:
        """Rows of what was found before, of the pages, and of what they lead to; the way to the web is open."""
        self._run.on_page = self._take_page
        waiting = [*found]
        for url in sitemaps:
            waiting += await self._listed(url)
        for url in pages:
            self._sites.add(site_of(canonical(url)))
            self._want(canonical(url))
            waiting.append(listed(LinkRef(url=url)))
        told: list[Row] = []
        while waiting:
            told += await rows.of(waiting)
            waiting, _ = self._selection.choose(self._found)
            self._found = []
            if self._is_recursive:
                self._follow(waiting)
        return told

    def _want(self, address: str) -> None:
        if self._left > 0 and address not in self._read:
            self._left -= 1
            self._to_read.add(address)

    def _follow(self, found: Sequence[Occurrence]) -> None:
        """Pages of the same sites are read, too."""
        for item in found:
            if isinstance(item.target, WebPage):
                address = address_of(item.target.url)
                if address not in self._to_read and _is_of(address, self._sites):
                    self._want(address)

    def _take_page(self, url: str, outcome: Fetched) -> None:
        try:
            address = canonical(url)
        except UsageError:
            return
        if address in self._to_read and address not in self._read:
            self._read.add(address)
            self._found += occurrences_of_page(outcome)

    async def _listed(self, url: str) -> list[Occurrence]:
        """The pages that a sitemap names, and those of the sitemaps it names."""
        found: list[Occurrence] = []
        waiting, asked = [sitemap_address(url)], 0
        while waiting and asked < _MOST_SITEMAPS and len(found) < _MOST_LISTED:
            here, asked = waiting.pop(0), asked + 1
            outcome = await self._run.fetch(Request(url=here, is_crawl=True))
            if not isinstance(outcome, Fetched):
                raise UsageError(f"no sitemap came from {here}: {outcome_words(outcome)}")
            try:
                sitemap = read_sitemap(
                    outcome.body, url=here, content_type=outcome.trip.headers.get("content-type", "")
                )
            except ParseError as error:
                raise UsageError(f"{here}: {error}") from error
            found += [listed(LinkRef(url=page.url), file=here) for page in sitemap.urls]
            waiting += [place.url for place in sitemap.sitemaps]
        return found[:_MOST_LISTED]


def _is_of(address: str, sites: set[str]) -> bool:
    try:
        return site_of(address) in sites
    except UsageError:
        return False
