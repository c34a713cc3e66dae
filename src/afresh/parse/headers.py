"""What HTTP headers say: how long an answer is fresh, when to come back, how the server's clock runs, its hub."""

import re
from collections.abc import Mapping
from datetime import UTC

MAX_AGE = 366 * 86_400.0  # RFC 2616 §14.21: nothing is fresh for much more than a year
_MAX_LINKS = 16_384  # characters of a Link header that are read
MAX_RETRY_AFTER = 7 * 86_400.0  # a longer wish is honoured by asking again after a week

_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)
_NO_STORE = re.compile(r"(?:^|[,\s])(?:no-cache|no-store)(?:[,\s=]|$)", re.IGNORECASE)
# A link value (RFC 8288 §3): the target, then parameters, whose quoted values may hold anything.
_PARAMETER = r"""\s*;\s*([\w!#$&+.^`|~*-]{1,40})(?:\s*=\s*("[^"]*"|[^\s",;<>]*))?"""
_LINK = re.compile(rf"<([^<>]{{1,4000}})>((?:{_PARAMETER})*)")
_PARAMETERS = re.compile(_PARAMETER)
_SECONDS = re.compile(r"\s*(-?\d{1,15})(?:\.\d*)?\s*\Z", re.ASCII)


def http_date(value: str | None) -> float | None:
    """An HTTP date as seconds since 1970, None if it is none. All three forms of RFC 9110 §5.6.7 are read."""
    if not value or len(value) > 64:
        return None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    from afresh.parse.dates import parse_date  # noqa: PLC0415 (loads every form of a date, and few servers send one)

    if (seconds := parse_date(value)) is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def max_age(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds for which the answer stays fresh from now on: ``max-age`` less ``Age``, else ``Expires`` less ``Date``.

    None: the server does not say. 0: stale at once, which an invalid ``Expires`` such as ``0`` means too.
    """
    control = headers.get("cache-control", "")
    if match := _MAX_AGE.search(control):
        return min(max(0.0, float(match[1]) - _age(headers)), MAX_AGE)
    if _NO_STORE.search(control):
        return 0.0
    if "expires" not in headers:
        return None
    expires = http_date(headers["expires"])
    if expires is None:
        return 0.0
    date = http_date(headers.get("date"))
    return min(max(0.0, expires - (now if date is None else date)), MAX_AGE)


def _age(headers: Mapping[str, str]) -> float:
    match = _SECONDS.match(headers.get("age", ""))
    return max(0.0, float(match[1])) if match else 0.0


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds a server asks us to stay away: a number or a date; past is 0, more than a week is a week.

    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 10.0), retry_after("later", 0.0)
    (120.0, 50.0, None)
    """
    if not value:
        return None
    if match := _SECONDS.match(value):
        seconds: float | None = float(match[1])
    else:
        until = http_date(value)
        seconds = None if until is None else until - now
    return None if seconds is None else min(max(0.0, seconds), MAX_RETRY_AFTER)


def clock_offset(headers: Mapping[str, str], received_at: float) -> float | None:
    """Our clock minus the server's, in seconds (Reichert §3.5.5); None without a usable ``Date``.

    An answer out of a cache was dated when it was made, so its ``Age`` is added.
    """
    date = http_date(headers.get("date"))
    return None if date is None else received_at - (date + _age(headers))


def link_hub(headers: Mapping[str, str]) -> str:
    """The WebSub hub a ``Link`` header names (WebSub §4), empty if there is none that can be called.

    >>> link_hub({"link": '<https://e.org/feed>; rel="self", <https://hub.e.org/>; rel="hub"'})
    'https://hub.e.org/'
    """
    for link in _LINK.finditer(headers.get("link", "")[:_MAX_LINKS]):
        given = {name.lower(): value.strip('"') for name, value in reversed(_PARAMETERS.findall(link[2]))}
        target = link[1].strip()
        if "hub" in given.get("rel", "").lower().split() and target.startswith(("https://", "http://")):
            return target
    return ""
