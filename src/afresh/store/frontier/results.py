"""What fetchers reported, kept for sinks: a row a report, its pages packed, numbered in one ascending sequence.

A page's number is that of its row times 2^24, plus its place in it.
"""

import zlib
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import msgspec

from afresh.base.records.frontier import KeptResult, PageReport, PageResult
from afresh.store.frontier.report_effects import Batch
from afresh.store.frontier.session import Session
from afresh.store.frontier.store_part import Concern, writing
from afresh.store.frontier.visits import UNTOLD

PLACES = 24  # bits of a page's place in its report
_SKIPPED = PageResult.SKIPPED
_told = attrgetter(*PageReport._fields)  # whatever a door has read it into
_read = msgspec.json.Decoder(list[tuple[str, str, list[PageReport]]])


class Told(NamedTuple):
    """What a fetcher said of a site: some pages of a batch."""

    fetcher: str
    site: str
    batch: Batch
    first: int
    last: int

    def pages(self) -> Iterator[PageReport]:
        """Those that were tried; ``changed`` as the frontier found out, where their fetcher left that to it."""
        found = self.batch.changed
        for place in range(self.first, self.last):
            page = self.batch.pages[place]
            if page.result is _SKIPPED:
                continue
            told = PageReport._make(_told(page))
            if told.changed is None and found is not None and found[place] != UNTOLD:
                told = told._replace(changed=bool(found[place]))
            yield told


def keep_results(session: Session, told: Sequence[Told], *, now: float) -> None:
    """What was reported, without the pages that were not tried."""
    kept = [(one.fetcher, one.site, list(one.pages())) for one in told]
    size = sum(len(pages) for _, _, pages in kept)
    if size:
        packed = zlib.compress(msgspec.json.encode(kept), 1)
        session.run("add_result", {"at": now, "size": size, "pages": packed})


class Results(Concern):
    """Reads them for sinks, and drops what all of these have taken."""

    @writing
    def results(self, session: Session, *, after: int, limit: int) -> list[KeptResult]:
        """Those behind a number, ascending; for one reader at a time."""
        session.run("only_reader_of_results")
        session.run("number_results")
        found: list[KeptResult] = []
        number = after >> PLACES
        while len(found) < limit and (rows := session.rows("results", {"number": number})):
            [(number, at, packed)] = rows
            found += [result for result in unpacked(number, at, packed) if result.number > after]
            number += 1
        return found[:limit]

    @writing
    def forget_results(self, session: Session, *, taken: int | None) -> int:
        """Rows of which every page up to this number has been taken; None: all of them."""
        return session.run("clear_results") if taken is None else session.run("forget_results", {"taken": taken})

    def lead(self) -> bool:
        """Whether this process carries results to sinks: of all on a store one, as long as it lives."""
        return self._database.lead()


def unpacked(number: int, at: float, packed: bytes) -> list[KeptResult]:
    """The pages of one row; fields that an earlier version did not keep have their defaults."""
    pages = ((fetcher, site, page) for fetcher, site, pages in _read.decode(zlib.decompress(packed)) for page in pages)
    return [
        KeptResult(number << PLACES | place, at, fetcher, site, page)
        for place, (fetcher, site, page) in enumerate(pages)
    ]
