"""How a request is known to the frontier: its site, the name of its page, and its place among those that wait."""

import secrets

from scrapy import Request
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.request import RequestFingerprinter, RequestFingerprinterProtocol
from w3lib.url import canonicalize_url

_LONGEST = 1_900  # characters of a URL in a name; the frontier keeps 2,048

_HIGHEST = 10_000  # priorities from minus this to this are told apart
_BAND = 1.6e9 / (2 * _HIGHEST + 1)  # of a priority, in seconds of a due time
_BEGIN, _SPAN = 1.7e9, 1e9  # when crawling began, and how long it lasts, in seconds since 1970
_NEWEST, _OLDEST, _START = 0, 1, 2  # parts of a band


def site_of(request: Request) -> str:
    """The unit of politeness: its host.

    >>> site_of(Request("https://Example.org:8443/a")), site_of(Request("data:,x"))
    ('example.org', 'data:')
    """
    parts = urlparse_cached(request)
    return (parts.hostname or f"{parts.scheme}:")[:255]


def page_of(request: Request, fingerprinter: RequestFingerprinterProtocol) -> str:
    """The name of its page: two requests have the same if Scrapy takes them for the same.

    For nearly all that is the URL as Scrapy's fingerprints have it. What else counts (a method, a body, whatever a
    fingerprinter of the project's own looks at) is told apart behind a ``#``.
    """
    url = canonicalize_url(request.url)
    is_plain = request.method == "GET" and not request.body and not request.meta.get("verbatim_url")
    if is_plain and len(url) <= _LONGEST and type(fingerprinter) is RequestFingerprinter:
        return url
    return f"{url[:_LONGEST]}#{fingerprinter.fingerprint(request).hex()}"


def once_more(page: str) -> str:
    """A name nobody has, for a request that shall not be filtered."""
    return f"{page[:_LONGEST]}#{secrets.token_hex(8)}"


def due_time(priority: int, now: float, *, newest_first: bool, is_start: bool = False) -> float:
    """When a request is due, so that the frontier's order by time is Scrapy's order: a moment long ago.

    Higher priorities come first; of the same priority the newest or the oldest, told apart by some milliseconds, and
    start requests last. Priorities beyond ±10,000 count as these.

    >>> now = 1.8e9
    >>> first, last = due_time(1, now, newest_first=True), due_time(0, now, newest_first=True)
    >>> 0 < first < last < due_time(-5, now, newest_first=True) < now
    True
    >>> due_time(0, now + 1, newest_first=True) < last
    True
    """
    age = min(max((now - _BEGIN) / _SPAN, 0.0), 1.0)
    part = _START + age if is_start else _NEWEST + 1.0 - age if newest_first else _OLDEST + age
    band = _HIGHEST - min(max(priority, -_HIGHEST), _HIGHEST)
    return (band + part / 3) * _BAND
