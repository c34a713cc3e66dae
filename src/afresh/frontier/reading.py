"""From an outcome to what a frontier wants to know of it: result, links, content, a hint at error pages."""

from collections.abc import Callable
from hashlib import blake2b
from urllib.parse import urljoin

from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Rejected, Trip
from afresh.base.page_numbers import LONGEST_URL
from afresh.base.page_text import PageText
from afresh.base.records.frontier import PageLine, PageReport, PageResult
from afresh.frontier.urls import CrawlUrls
from afresh.parse.child_reader import read_text
from afresh.parse.page import parse_crawled_page
from afresh.parse.robots_tags import forbids_following

_LONGEST_TYPE = 100  # characters
LONGEST_WHY = 200  # characters told of what went wrong
_GONE = frozenset((404, 410))
_REFUSING = frozenset((401, 403, 405, 406, 451))  # asked again, they would say the same

#: whether a page that answers 200 says itself that it was not found
IsErrorPage = Callable[[PageText], bool]


def read_outcome(
    page: PageLine, outcome: Outcome, urls: CrawlUrls, is_error_page: IsErrorPage, most_links: int
) -> PageReport:
    """The report of one page. Parses: not for the event loop."""
    trip = outcome.trip
    match outcome:
        case Fetched(body=body, status=status):
            return _read_page(page, trip, body, urls, is_error_page, most_links)._replace(http=status)
        case NotModified():
            return _report(page, trip, PageResult.NOT_MODIFIED, changed=False, content_hash=page.content_hash, http=304)
        case Rejected(status=status):
            result = PageResult.NOT_FOUND if status in _GONE | _REFUSING else PageResult.ERROR
            return _report(page, trip, result, why=f"HTTP {status}", http=status)
        case Failed(cause=Failure.REDIRECTS):
            return _redirected(page, trip, urls)
        case Failed(cause=Failure.TOO_LARGE, detail=detail):  # it would be so again: nothing is won by another try
            return _report(page, trip, PageResult.NOT_FOUND, why=detail[:LONGEST_WHY], http=200)
        case Failed(cause=cause, detail=detail):
            return _report(page, trip, _RESULTS.get(cause, PageResult.ERROR), why=detail[:LONGEST_WHY])


#: failures that are not the server's fault, or will not pass
_RESULTS = {
    Failure.ROBOTS: PageResult.EXCLUDED,
    Failure.ADDRESS: PageResult.REFUSED,
    Failure.OFFLINE: PageResult.SKIPPED,
    Failure.LATER: PageResult.SKIPPED,
}


def _read_page(
    page: PageLine, trip: Trip, body: bytes, urls: CrawlUrls, is_error_page: IsErrorPage, most_links: int
) -> PageReport:
    text = read_text(parse_crawled_page, body, url=trip.final_url, content_type=trip.headers.get("content-type", ""))
    seen = text.text.encode("utf-8", "surrogatepass") if text.text else body
    links, left_out = ((), 0) if _is_not_to_be_followed(text, trip) else _links(text, urls, most_links)
    told = _report(
        page,
        trip,
        PageResult.FETCHED,
        content_hash=blake2b(seen, digest_size=16).hexdigest(),
        links=links,
        soft_404=is_error_page(text),
    )
    return told._replace(links_left_out=left_out)


def _links(text: PageText, urls: CrawlUrls, most: int) -> tuple[tuple[str, ...], int]:
    """What a page leads to, each once, and how much of that is left out; so far as nobody has read it, links count."""
    found: dict[str, None] = {}
    targets = list(dict.fromkeys(_targets(text)))
    for place, target in enumerate(targets):
        if len(found) >= most:
            return tuple(found), len(targets) - place + text.more_links
        read = urls.read(target)
        if read is not None:
            found[read[0]] = None
    return tuple(found), text.more_links


def _targets(text: PageText) -> tuple[str, ...]:
    """What a page leads to; ``rel="nofollow"`` of a single link is about ranking and keeps nobody away."""
    return (*(link.url for link in text.links), *text.frames, *(url for url in (text.refresh,) if url))


def _is_not_to_be_followed(text: PageText, trip: Trip) -> bool:
    return forbids_following(text.robots) or forbids_following(trip.headers.get("x-robots-tag", ""))


def _redirected(page: PageLine, trip: Trip, urls: CrawlUrls) -> PageReport:
    """A redirect is a page with one link: its target may be another site's, which somebody else may hold."""
    location = trip.headers.get("location", "")
    try:
        there = urljoin(trip.final_url, location) if location else ""
    except ValueError:
        there = ""
    status = trip.redirects[-1].status if trip.redirects else 0
    target = urls.read(there) if there else None
    if target is None or target[0] == page.url:
        why = "a redirect to itself, or to nowhere"
        return _report(page, trip, PageResult.ERROR, why=why, http=status, redirect=there)
    return _report(page, trip, PageResult.FETCHED, links=(target[0],), http=status, redirect=target[0])


def _report(
    page: PageLine,
    trip: Trip,
    result: PageResult,
    *,
    changed: bool | None = None,
    content_hash: str = "",
    links: tuple[str, ...] = (),
    soft_404: bool = False,
    why: str = "",
    http: int = 0,
    redirect: str = "",
) -> PageReport:
    return PageReport(
        url=page.url,
        result=result,
        fetched=trip.finished,
        changed=changed,
        content_hash=content_hash,
        etag=trip.headers.get("etag", "")[:1000],
        last_modified=trip.headers.get("last-modified", "")[:100],
        soft_404=soft_404,
        bytes=trip.bytes,
        seconds=max(0.0, trip.finished - trip.started),
        links=links,
        number=page.number,
        why=why,
        http=http,
        content_type=trip.headers.get("content-type", "")[:_LONGEST_TYPE],
        redirect=redirect[:LONGEST_URL],
    )
