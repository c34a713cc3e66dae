"""Why nothing came of pages at their last try: kept until something does, or the page is removed."""

from collections.abc import Sequence
from typing import Any

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import page_span
from afresh.base.records.frontier import FailedPage, PageFailure, PageResult
from afresh.base.records.queues import FIRST_CRAWL
from afresh.store.frontier.session import Session
from afresh.store.frontier.store_part import Concern, reading


class Failures(Concern):
    """Answers which pages failed."""

    @reading
    def failures(self, session: Session, site: str = "", *, crawl: int = FIRST_CRAWL, limit: int) -> list[FailedPage]:
        if not site:
            return [_to_failed(row) for row in session.rows("failures", {"limit": limit})]
        found = _pages_of(session, site, crawl)
        rows = session.rows("failures_of_site", found | {"name": site, "limit": limit}) if found else []
        return [_to_failed(row) for row in rows]

    @reading
    def count_failures(
        self, session: Session, site: str = "", *, crawl: int = FIRST_CRAWL, newest: int
    ) -> list[tuple[PageResult, str, int]]:
        found = _pages_of(session, site, crawl) if site else {}
        if site and not found:
            return []
        rows = session.rows("count_failures_of_site" if site else "count_failures", found | {"limit": newest})
        return [(PageResult(result), why, count) for result, why, count in rows]


def _pages_of(session: Session, site: str, crawl: int) -> dict[str, int]:
    """The number of a site and those of its pages; empty: it is not known."""
    place = {"site": site, "crawl": crawl, "bucket": bucket_of(site, session.buckets)}
    numbers = session.rows("site_number", place)
    if not numbers:
        return {}
    first, last = page_span(numbers[0][0])
    return {"site": numbers[0][0], "first": first, "last": last}


def to_failure(columns: Sequence[Any]) -> PageFailure | None:
    """When, result, why and fetcher of the last try of a page, which may have gone well."""
    at, result, why, fetcher = columns
    return None if at is None else PageFailure(at, PageResult(result), why, fetcher)


def _to_failed(row: Sequence[Any]) -> FailedPage:
    url, site, at, result, why, fetcher, due = row
    return FailedPage(url, site, due, PageFailure(at, PageResult(result), why, fetcher))
