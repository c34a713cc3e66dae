"""One request and one answer of the demo web as plain values, and the rules of conditional requests between them."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate, parsedate_to_datetime
from enum import StrEnum
from functools import cached_property


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request as a site sees it."""

    host: str  # name and port
    path: str  # with query
    now: float
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    number: int = 1  # the how-many-th request for this feed, from 1
    previous: float | None = None  # when the feed was asked for before; None: never


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds until the first byte
    hang_up: bool = False  # close the connection without a word


class Validators(StrEnum):
    """What a server offers to ask conditionally with."""

    BOTH = "both"
    ETAG = "etag"
    WEAK_ETAG = "weak etag"
    LAST_MODIFIED = "last-modified"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Document:
    """A body with what its headers say about it.

    ``modified`` is a whole second, and nothing changes twice within one, so Last-Modified is exact.
    """

    body: bytes
    content_type: str
    modified: float | None = None

    @cached_property
    def tag(self) -> str:
        return f'"{hashlib.sha1(self.body, usedforsecurity=False).hexdigest()[:16]}"'


def respond(call: Call, document: Document, validators: Validators, *, conditional: bool = True) -> Answer:
    """200 with the document, or 304 if the caller shows that it has it (RFC 9110 §13)."""
    etag, modified = _offered(document, validators)
    headers = {"Cache-Control": "max-age=0"}
    if etag:
        headers["ETag"] = etag
    if modified:
        headers["Last-Modified"] = modified
    if conditional and _is_current(call.headers, etag, document.modified if modified else None):
        return Answer(status=304, headers=headers)
    return Answer(status=200, body=document.body, headers={"Content-Type": document.content_type, **headers})


def _offered(document: Document, validators: Validators) -> tuple[str, str]:
    etag = modified = ""
    if validators in (Validators.BOTH, Validators.ETAG):
        etag = document.tag
    elif validators is Validators.WEAK_ETAG:
        etag = f"W/{document.tag}"
    if validators in (Validators.BOTH, Validators.LAST_MODIFIED) and document.modified is not None:
        modified = formatdate(document.modified, usegmt=True)
    return etag, modified


def _is_current(headers: Mapping[str, str], etag: str, modified: float | None) -> bool:
    known = headers.get("if-none-match", "")
    if known:  # takes precedence over the date (RFC 9110 §13.2.2)
        tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
        return bool(etag) and (etag.removeprefix("W/") in tags or "*" in tags)
    since = _http_date(headers.get("if-modified-since", ""))
    return modified is not None and math.floor(modified) <= since


def _http_date(text: str) -> float:
    """Seconds of an HTTP date; minus infinity for none or nonsense, which makes a request unconditional."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return -math.inf
