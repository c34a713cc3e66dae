"""Reports on their way to a frontier: one that it cannot take is found, put aside with its reason, and holds up nobody.

A batch that is answered with an error of the frontier's own is sent in halves, down to a single page. The frontier is
told that the report of this page is put aside, and the rest goes on. Where it takes nothing at all, nothing is put
aside: the batch waits. Sent again, no page counts twice, since its list knows which of its pages are still out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import uuid4

from afresh.base.errors import AfreshError, StoreError
from afresh.base.records.frontier import PageReport, SiteReport

MOST_BYTES = 4_000_000  # of one report; frontiers take twice as much
USUAL_BYTES = 1_000_000  # … but for a single page with many links
_PAGE_BYTES = 400  # a page's report without URL and links, at most
_FEW = 3  # single pages that are refused while nothing is taken: then it is not they who are to blame
_MOST_ASIDE = 20  # put aside while nothing is taken: then somebody has to look


class ReportFailed(StoreError):
    """A report that the frontier cannot take, though it answers."""


class Reports(Protocol):
    """The frontier, as it takes reports."""

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        """Returns when the frontier has acknowledged; tries again while it is away. ReportFailed: it cannot take it."""
        ...

    async def put_aside(self, site: SiteReport, why: str) -> None:
        """Tells that the report of a page is put aside: the page is tried again, and an operator sees why."""
        ...


@dataclass(frozen=True, slots=True)
class Aside:
    """A report that the frontier could not take."""

    report: SiteReport  # of one page, or of none
    why: str


class Delivery:
    """Delivers reports; ``keep`` is given those that are put aside."""

    def __init__(self, reports: Reports, keep: Callable[[Aside], None]) -> None:
        self._reports, self._keep = reports, keep
        self.acknowledged = 0  # reports
        self.put_aside = 0
        self._in_a_row = 0  # put aside since something was taken
        self._doubtful: list[Aside] = []  # neither taken, nor could it be told that they are put aside
        self._late: list[SiteReport] = []
        self._is_out = False
        self._before = 0  # acknowledged before this batch

    async def deliver(self, sites: Sequence[SiteReport]) -> list[SiteReport]:
        """Returns what has to be sent again later, since the frontier takes nothing now."""
        self._doubtful, self._late, self._is_out = [], [], False
        self._before = self.acknowledged
        for part in in_parts(sites):
            await self._send(part)
        if not self._takes_some():
            return [*(one.report for one in self._doubtful), *self._late]
        for one in self._doubtful:  # others were taken, so it is this one
            await self._close(one.report)
            self._set_aside(one)
        return self._late

    def _takes_some(self) -> bool:
        """Whether something of this batch was taken."""
        return self.acknowledged > self._before

    async def _send(self, sites: Sequence[SiteReport]) -> None:
        if self._is_out:
            self._late += sites
            return
        try:
            await self._reports.report(sites, key=str(uuid4()))
        except ReportFailed as error:
            await self._divide(sites, error)
        else:
            self.acknowledged += 1
            self._in_a_row = 0

    async def _divide(self, sites: Sequence[SiteReport], error: ReportFailed) -> None:
        if len(sites) > 1:
            middle = len(sites) // 2
            await self._send(sites[:middle])
            await self._send(sites[middle:])
            return
        [site] = sites
        if len(site.pages) > 1:
            middle = len(site.pages) // 2
            await self._send([site._replace(pages=site.pages[:middle], is_partial=True)])
            # what its server took was told with the first half
            await self._send([site._replace(pages=site.pages[middle:], round_trip=None)])
            return
        await self._blame(Aside(site, str(error)))

    async def _blame(self, one: Aside) -> None:
        """A single page that is not taken: its report is put aside if the frontier hears of that."""
        try:
            await self._reports.put_aside(one.report, one.why)
        except AfreshError:
            self._doubtful.append(one)
            self._is_out = len(self._doubtful) >= _FEW and not self._takes_some()
        else:
            self._set_aside(one)

    async def _close(self, site: SiteReport) -> None:
        """Ends a list whose last page cannot be told: it is handed out again. Where that fails, it ends with time.

        A part is followed by others, of which the last ends the list.
        """
        if site.is_partial:
            return
        try:
            await self._reports.report([site._replace(pages=(), is_partial=False)], key=str(uuid4()))
        except ReportFailed:
            return

    def _set_aside(self, one: Aside) -> None:
        self._keep(one)
        self.put_aside += 1
        self._in_a_row += 1
        if self._in_a_row >= _MOST_ASIDE:
            raise StoreError(f"the frontier takes no report any more ({_MOST_ASIDE} in a row are put aside): {one.why}")


def in_parts(
    sites: Sequence[SiteReport], *, most: int = MOST_BYTES, usual: int = USUAL_BYTES
) -> Iterator[list[SiteReport]]:
    """Reports that a frontier takes in one piece, of about ``usual`` bytes: while it takes one, others wait.

    A site too large for one is told in several, all but the last partial; a page too large loses its last links.
    """
    part: list[SiteReport] = []
    size = 0
    for site, length in _pieces(sites, most, usual):
        if part and size + length > usual:
            yield part
            part, size = [], 0
        part.append(site)
        size += length
    if part:
        yield part


def _pieces(sites: Sequence[SiteReport], most: int, usual: int) -> Iterator[tuple[SiteReport, int]]:
    """Sites, large ones in pieces, with their rough length as JSON."""
    for site in sites:
        pages: list[PageReport] = []
        size, round_trip = 0, site.round_trip
        for page, length in (_fitting(page, most) for page in site.pages):
            if pages and size + length > usual:
                yield site._replace(pages=tuple(pages), is_partial=True, round_trip=round_trip), size
                pages, size, round_trip = [], 0, None  # told once
            pages.append(page)
            size += length
        yield site._replace(pages=tuple(pages), round_trip=round_trip), size


def _fitting(page: PageReport, most: int) -> tuple[PageReport, int]:
    """A page with as many of its links as fit, and its rough length as JSON."""
    size = len(page.url) + _PAGE_BYTES
    for place, link in enumerate(page.links):
        size += len(link) + 3
        if size > most:
            left_out = page.links_left_out + len(page.links) - place
            return page._replace(links=page.links[:place], links_left_out=left_out), most
    return page, size
