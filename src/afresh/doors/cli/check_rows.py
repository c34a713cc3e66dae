"""From the links of documents to checks: each page is asked for once, files are looked at, every link gets its row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError
from afresh.base.records.links import Check, CheckStatus, LinkRef, Standing
from afresh.base.value_class import dataclass
from afresh.links.documents.anchors import has_anchor, no_anchor
from afresh.links.documents.targets import LocalFile, NotAsked, Target, Unresolved, WebPage
from afresh.parse.url import kept_link

if TYPE_CHECKING:
    from afresh.doors.cli.check_report import Explained
    from afresh.doors.cli.check_run import CheckRun
    from afresh.links.documents.local_files import LocalFiles
    from afresh.links.documents.targets import Occurrence
    from afresh.links.status_checker import AcceptedStatuses


TAKEN = "it is kept at that address"  # of a link whose new address somebody has taken


@dataclass(frozen=True, slots=True)
class Row:
    """A link where it stands, and its check."""

    at: Occurrence
    check: Check
    why: Explained | None = None
    archived: str = ""  # where an archive has a copy of a page that is gone


def address_of(url: str) -> str:
    """Links that differ in spelling alone have one."""
    try:
        return kept_link(url)
    except AfreshError:
        return url


def pages_of(found: Sequence[Occurrence], *, keeps: bool) -> tuple[dict[str, LinkRef], dict[str, str]]:
    """The links to be checked, by address, each with what is said of it first; and the address of each spelling.

    Tags are those of all places.
    """
    pages: dict[str, LinkRef] = {}
    addresses: dict[str, str] = {}
    for item in found:
        if isinstance(item.target, WebPage):
            if (url := _checked_as(item, item.target, keeps=keeps)) not in addresses:
                addresses[url] = address_of(url)
            if (key := addresses[url]) in pages:
                pages[key] = pages[key].tagged(item.link.tags)
            else:
                pages[key] = item.link if item.link.url == url else replace(item.link, url=url)
    return pages, addresses


def _checked_as(item: Occurrence, page: WebPage, *, keeps: bool) -> str:
    """The link that is checked: that of the page, whatever part is named; a bookmark of a part is kept as such."""
    return f"{page.url}#{page.fragment}" if keeps and item.is_listed and page.fragment else page.url


@dataclass(frozen=True, slots=True)
class _Pages:
    """Links whose check has begun, and what is asked for them (see ``pages_of``)."""

    found: Sequence[Occurrence]
    pages: dict[str, LinkRef]
    addresses: dict[str, str]


class Rows:
    """Checks links and files; ``run`` None: those of the web are left out."""

    def __init__(
        self,
        run: CheckRun | None,
        *,
        endings: tuple[str, ...] = (),  # of files, tried behind a name that is none
        with_fragments: bool = True,
        accepted: AcceptedStatuses | None = None,  # None: as the judge sees it
    ) -> None:
        self._run, self._endings = run, endings
        self._with_fragments, self._accepted = with_fragments, accepted
        self._keeps = run is not None and run.keeps
        self._begun: list[_Pages] = []

    @cached_property
    def _files(self) -> LocalFiles:
        from afresh.links.documents.local_files import LocalFiles  # noqa: PLC0415 (most links are of the web)

        return LocalFiles(endings=self._endings)

    def prepare(self, found: Sequence[Occurrence]) -> list[LinkRef]:
        """The pages that ``of`` will ask for."""
        pages, addresses = pages_of(found, keeps=self._keeps)
        if self._run is not None and self._with_fragments:
            self._run.with_fragments |= frozenset(
                pages[addresses[_checked_as(item, item.target, keeps=self._keeps)]].url
                for item in found
                if isinstance(item.target, WebPage) and item.target.fragment and not (self._keeps and item.is_listed)
            )
        self._begun.append(_Pages(found, pages, addresses))
        return list(pages.values())

    async def of(self, found: Sequence[Occurrence]) -> list[Row]:
        """All links in their order."""
        if not self._begun or self._begun[-1].found is not found:
            self.prepare(found)
        begun = self._begun[-1]
        if self._run is not None and begun.pages:
            await self._run.gather(list(begun.pages.values()))
        return self._checked(begun)

    def kept(self) -> list[str]:
        """The address at which each link of the web is kept."""
        return [
            address_of(_checked_as(item, item.target, keeps=self._keeps))
            for begun in self._begun
            for item in begun.found
            if isinstance(item.target, WebPage)
        ]

    def so_far(self) -> tuple[list[Row], int]:
        """Of a check that was interrupted: the links that were checked, and how many were to be."""
        rows = [row for begun in self._begun for row in self._checked(begun)]
        return rows, sum(len(begun.found) for begun in self._begun)

    def _checked(self, begun: _Pages) -> list[Row]:
        """Without the links of which nothing is known, or not yet."""
        rows: list[Row] = []
        for item in begun.found:
            if not isinstance(item.target, WebPage):
                rows.append(Row(item, self._other(item)))
            elif self._run is not None:
                asked = begun.pages[begun.addresses[_checked_as(item, item.target, keeps=self._keeps)]].url
                if (check := self._run.found.get(asked)) is not None:
                    rows.append(self._page_row(item, item.target, check, asked, self._run))
        return rows

    def _page_row(self, item: Occurrence, page: WebPage, check: Check, asked: str, run: CheckRun) -> Row:
        if check.url != item.url:
            check = replace(check, url=item.url)
        if self._accepted is not None:
            check = self._accepted.judge(check)
        is_there = check.standing in (Standing.OK, Standing.MOVED)
        if page.fragment and is_there and not has_anchor(run.anchors.get(asked), page.fragment):
            check = replace(check, status=CheckStatus.FRAGMENT_MISSING, detail=no_anchor(page.fragment))
        return Row(item, check, run.reasons.get(asked))

    def _other(self, item: Occurrence) -> Check:
        now, target = time.time(), item.target
        if not isinstance(target, LocalFile):
            return _unasked(item.url, target, now)
        if not self._with_fragments:
            target = replace(target, fragment="")
        return self._files.check(item.url, target, at=now)


def _unasked(url: str, target: Target, now: float) -> Check:
    match target:
        case Unresolved(why):
            return Check(url=url, at=now, status=CheckStatus.MISSING, detail=why)
        case NotAsked(why):
            return Check(url=url, at=now, status=CheckStatus.PROTOCOL_UNSUPPORTED, detail=why)
        case _:
            raise AssertionError(target)
