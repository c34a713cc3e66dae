"""Conditional GET: has what the client keeps changed? (RFC 9110 §13)"""

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from starlette.datastructures import Headers


def is_current(headers: Headers, *, etag: str, modified: float) -> bool:
    """Whether a 304 answers the request; If-None-Match counts before If-Modified-Since."""
    asked = headers.get("if-none-match")
    if asked is not None:
        tags = [_opaque(tag) for tag in asked.split(",")]
        return "*" in tags or _opaque(etag) in tags
    since = headers.get("if-modified-since")
    if since is None:
        return False
    try:
        moment = parsedate_to_datetime(since)
    except ValueError:
        return False
    # Text without a zone is what it should not be; HTTP knows only GMT.
    return int(modified) <= moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


def validators(*, etag: str, modified: float, now: float) -> dict[str, str]:
    """The headers to ask with next time.

    The time is left out within its own second: another change in that second would otherwise go unnoticed by a
    client that asks by time alone.
    """
    headers = {"ETag": etag}
    if now >= int(modified) + 1:
        headers["Last-Modified"] = format_datetime(datetime.fromtimestamp(int(modified), UTC), usegmt=True)
    return headers


def _opaque(tag: str) -> str:
    """Weak comparison (§8.8.3.2): the mark of weakness does not count."""
    return tag.strip().removeprefix("W/")
