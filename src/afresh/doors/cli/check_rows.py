"""From the links of documents to checks: each page is asked for once, files are looked at, every link gets its row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError
from afresh.base.records.link_status import CheckStatus, Standing
from afresh.base.records.links import Check, LinkRef
from afresh.links.documents.anchors import has_anchor, no_anchor
from afresh.links.documents.targets import LocalFile, NotAsked, Unresolved, WebPage
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.doors.cli.check_report import Explained
    from afresh.doors.cli.check_run import CheckRun
    from afresh.links.documents.local_files import LocalFiles
    from afresh.links.documents.occurrences import Occurrence


@dataclass(frozen=True, slots=True)
class Row:
    """A link where it stands, and its check."""

    at: Occurrence
    check: Check
    why: Explained | None = None


def address_of(page: WebPage) -> str:
    """What is asked for: links that differ in their fragment or in spelling alone are one."""
    try:
        return canonical(page.url)
    except AfreshError:
        return page.url


def pages_of(found: Sequence[Occurrence]) -> dict[str, LinkRef]:
    """The pages to be asked for, by address, each with what is said of it first."""
    pages: dict[str, LinkRef] = {}
    for item in found:
        if isinstance(item.target, WebPage):
            key = address_of(item.target)
            if key not in pages:
                pages[key] = replace(item.link, url=item.target.url)
    return pages


async def rows_of(found: Sequence[Occurrence], run: CheckRun | None, files: LocalFiles) -> list[Row]:
    """All links in their order; ``run`` None: those of the web are left out."""
    pages = {} if run is None else pages_of(found)
    checks: dict[str, Check] = {}
    if run is not None and pages:
        run.with_fragments = frozenset(
            pages[address_of(item.target)].url
            for item in found
            if isinstance(item.target, WebPage) and item.target.fragment
        )
        checks = dict(zip(pages, await run.gather(list(pages.values())), strict=True))
    rows = []
    for item in found:
        target = item.target
        if isinstance(target, WebPage):
            if run is not None:
                rows.append(_page_row(item, target, checks, pages, run))
        else:
            rows.append(Row(item, _other_check(item, target, files)))
    return rows


def _page_row(
    item: Occurrence, page: WebPage, checks: dict[str, Check], pages: dict[str, LinkRef], run: CheckRun
) -> Row:
    key = address_of(page)
    asked = pages[key].url
    check = replace(checks[key], url=item.url)
    if check.standing in (Standing.OK, Standing.MOVED) and not has_anchor(run.anchors.get(asked), page.fragment):
        check = replace(check, status=CheckStatus.FRAGMENT_MISSING, detail=no_anchor(page.fragment))
    return Row(item, check, run.reasons.get(asked))


def _other_check(item: Occurrence, target: LocalFile | NotAsked | Unresolved, files: LocalFiles) -> Check:
    now = time.time()
    match target:
        case LocalFile():
            return files.check(item.url, target, at=now)
        case NotAsked(why):
            return Check(url=item.url, at=now, status=CheckStatus.PROTOCOL_UNSUPPORTED, detail=why)
        case Unresolved(why):
            return Check(url=item.url, at=now, status=CheckStatus.MISSING, detail=why)
