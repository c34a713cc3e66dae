"""Judge: what does an outcome mean for the feed it came from?"""

from dataclasses import dataclass
from hashlib import sha1
from typing import assert_never

from afresh.base.errors import ParseError
from afresh.base.models import (
    Failed,
    Failure,
    FeedDocument,
    Fetched,
    Kind,
    NotModified,
    Outcome,
    Rejected,
    Resource,
    Result,
    Trip,
)
from afresh.feeds.stream import Comparison, compare
from afresh.pages.planner import fingerprint
from afresh.parse.feed import parse_feed
from afresh.parse.headers import clock_offset, max_age
from afresh.parse.sitemap import Sitemap, read_sitemap

_REFUSED = (Failure.ADDRESS, Failure.ROBOTS, Failure.TOO_LARGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a visit came to, and what was read from it."""

    result: Result
    status: int | None = None
    error: str = ""
    retry_after: float | None = None  # seconds the server asked us to wait
    document: FeedDocument | None = None
    comparison: Comparison | None = None
    max_age: float | None = None
    clock_offset: float | None = None  # None: the answer had no usable Date
    fingerprint: bytes = b""  # of a page's text
    title: str = ""  # of a page; of a sitemap, what it has
    sitemap: Sitemap | None = None

    @property
    def new(self) -> int:
        return len(self.comparison.new) if self.comparison else 0

    @property
    def missed(self) -> bool:
        return self.comparison is not None and self.comparison.missed


def judge(resource: Resource, outcome: Outcome, *, shift_clock: bool = True) -> Finding:
    """Turn an outcome into a finding; reads the document, if there is one, as what the resource is watched for."""
    trip = outcome.trip
    match outcome:
        case Fetched() if resource.kind is Kind.FEED:
            return _judge_document(resource, outcome, shift_clock=shift_clock)
        case Fetched() if resource.kind is Kind.SITEMAP:
            return _judge_sitemap(resource, outcome)
        case Fetched():
            return _judge_page(resource, outcome)
        case NotModified():
            return Finding(result=Result.NOT_MODIFIED, status=304, max_age=_freshness(trip), clock_offset=_clock(trip))
        case Rejected(status=status, retry_after=wait):
            return Finding(result=_rejection(status, wait), status=status, retry_after=wait, error=f"HTTP {status}")
        case Failed(cause=Failure.LATER, detail=detail, retry_after=wait):
            return Finding(result=Result.THROTTLED, retry_after=wait, error=detail)
        case Failed(cause=cause, detail=detail, retry_after=wait):
            error = f"{cause}: {detail}" if detail else str(cause)
            return Finding(result=_failure(cause), retry_after=wait, error=error)
        case _:
            assert_never(outcome)


def _judge_document(resource: Resource, outcome: Fetched, *, shift_clock: bool) -> Finding:
    trip = outcome.trip
    offset = _clock(trip)
    try:
        document = parse_feed(outcome.body, content_type=trip.headers.get("content-type", ""), url=trip.final_url)
    except ParseError as error:
        return Finding(
            result=Result.UNPARSABLE,
            status=outcome.status,
            error=str(error),
            max_age=_freshness(trip),
            clock_offset=offset,
        )
    comparison = compare(
        document.entries,
        resource.window,
        now=trip.finished,
        previous_poll=resource.last_ok,
        clock_offset=(offset or 0.0) if shift_clock else 0.0,
    )
    return Finding(
        result=Result.NEW if comparison.new else Result.SAME,
        status=outcome.status,
        document=document,
        comparison=comparison,
        max_age=_freshness(trip),
        clock_offset=offset,
    )


def _judge_page(resource: Resource, outcome: Fetched) -> Finding:
    mark, title = fingerprint(outcome)
    trip = outcome.trip
    is_known = mark in resource.window.uids
    return Finding(
        result=Result.SAME if is_known else Result.NEW,
        status=outcome.status,
        fingerprint=mark,
        title=title,
        max_age=_freshness(trip),
        clock_offset=_clock(trip),
    )


def _judge_sitemap(resource: Resource, outcome: Fetched) -> Finding:
    trip = outcome.trip
    try:
        found = read_sitemap(outcome.body, url=resource.url, content_type=trip.headers.get("content-type", ""))
    except ParseError as error:
        return Finding(result=Result.UNPARSABLE, status=outcome.status, error=str(error))
    mark = sha1(outcome.body, usedforsecurity=False).digest()
    return Finding(
        result=Result.SAME if mark in resource.window.uids else Result.NEW,
        status=outcome.status,
        fingerprint=mark,
        title=f"{len(found.urls)} pages, {len(found.sitemaps)} sitemaps",
        sitemap=found,
        clock_offset=_clock(trip),
    )


def _rejection(status: int, wait: float | None) -> Result:
    if status == 410:
        return Result.GONE
    if status == 429 or (status == 503 and wait is not None):
        return Result.THROTTLED
    return Result.HTTP_ERROR


def _failure(cause: Failure) -> Result:
    if cause is Failure.OFFLINE:
        return Result.OFFLINE
    return Result.REFUSED if cause in _REFUSED else Result.UNREACHABLE


def _freshness(trip: Trip) -> float | None:
    return max_age(trip.headers, trip.finished)


def _clock(trip: Trip) -> float | None:
    return clock_offset(trip.headers, trip.finished)
