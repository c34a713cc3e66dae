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
        place = {"site": site, "crawl": crawl, "bucket": bucket_of(site, session.buckets)}
        numbers = session.rows("site_number", place)
        if not numbers:
            return []
        first, last = page_span(numbers[0][0])
        values = {"site": numbers[0][0], "name": site, "first": first, "last": last, "limit": limit}
        return [_to_failed(row) for row in session.rows("failures_of_site", values)]


def to_failure(columns: Sequence[Any]) -> PageFailure | None:
    """When, result, why and fetcher of the last try of a page, which may have gone well."""
    at, result, why, fetcher = columns
    return None if at is None else PageFailure(at, PageResult(result), why, fetcher)


def _to_failed(row: Sequence[Any]) -> FailedPage:
    url, site, at, result, why, fetcher, due = row
    return FailedPage(url, site, due, PageFailure(at, PageResult(result), why, fetcher))
