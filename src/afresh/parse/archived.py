"""Archived versions of pages, with what the archive added taken out: toolbar, scripts, comments, rewritten addresses.

Knows the Wayback Machine (today's and that of 2003) and pywb, and reads WARC files. What an archive wrote into a page
would otherwise look like a change of the page.  [M03] §5.2.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO

from afresh.base.errors import ParseError
from afresh.base.extras import need

MAX_RECORDS = 10_000
MAX_BODY = 8 * 2**20

#: Blocks an archive inserts, from its opening mark to its closing one.
_BLOCKS = tuple(
    (re.compile(start, re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for start, end in (
        (rb"<!--\s*BEGIN WAYBACK TOOLBAR INSERT\s*-->", rb"<!--\s*END WAYBACK TOOLBAR INSERT\s*-->"),
        (
            rb"<script[^<>]{0,300}(?:archive\.org/|/_static/js/)[^<>]{0,300}>",
            rb"<!--\s*End Wayback Rewrite JS Include\s*-->",
        ),
        (rb"<!--\s*WB Insert\s*-->", rb"<!--\s*End WB Insert\s*-->"),
        (rb"<script[^<>]{0,200}>\s{0,20}<!--\s{0,20}//\s{0,20}FILE ARCHIVED ON", rb"</script>"),
        (rb"<!--\s{0,20}FILE ARCHIVED ON", rb"-->"),
        (rb"<!--\s{0,20}playback timings", rb"-->"),
        (rb"<!--\s*Begin Wayback Rewrite JS Include\s*-->", rb"<!--\s*End Wayback Rewrite JS Include\s*-->"),
    )
)
#: Single elements of an archive: its scripts and style sheets.
_ELEMENTS = re.compile(
    rb"<script[^<>]{0,500}(?:archive\.org/(?:_static|includes|_wb)|/_static/js/(?:bundle-playback|wombat|ruffle))[^<>]{0,500}>"
    rb"[^<]{0,2000}</script>"
    rb"|<script[^>]{0,200}>\s*(?:window\.RufflePlayer|__wm\.)[^<]{0,5000}</script>"
    rb"|<link[^>]{0,300}archive\.org/_static[^>]{0,300}>",
    re.IGNORECASE,
)
#: An address rewritten to pass through the archive; its host may be left out, a kind ("im_", "js_") follow the time.
_REWRITTEN = re.compile(
    rb"(?:(?:https?:)?//web\.archive\.org)?/web/(\d{4,14})(?:[a-z]{2}_)?/((?:https?:)?(?:/|%2F|\\/){0,2}[^\s\"'<>)]{0,2000})",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://[^/]+/(?:[^/]+/)?(\d{4,14})(?:[a-z]{2}_)?/(https?:/{1,2}.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedPage:
    """A version of a page from an archive, as its server sent it as far as that can be told."""

    url: str
    at: float
    body: bytes
    content_type: str = ""


def strip_archive(body: bytes) -> bytes:
    """The page without the archive's additions; a page that has none comes back as it was.

    >>> strip_archive(b'<a href="/web/20030401000000/http://example.org/x">x</a>')
    b'<a href="http://example.org/x">x</a>'
    """
    if b"web" not in body and b"WB Insert" not in body and b"ARCHIVED ON" not in body:
        return body
    for start, end in _BLOCKS:
        body = _without(body, start, end)
    body = _ELEMENTS.sub(b"", body)
    return _REWRITTEN.sub(_original, body)


def archived_address(url: str) -> tuple[str, float] | None:
    """Original address and time of an address in an archive; None: it is none.

    >>> archived_address("https://web.archive.org/web/20030401123000/http://example.org/x")
    ('http://example.org/x', 1049200200.0)
    """
    found = _ADDRESS.fullmatch(url.strip())
    at = None if found is None else timestamp(found[1])
    if found is None or at is None:
        return None
    return re.sub(r"^(https?:)/{1,2}", r"\1//", found[2]), at


def timestamp(digits: str) -> float | None:
    """The time of an archive's fourteen digits, or of fewer (a day, a year); None: no such time."""
    filled = digits + "00000101000000"[len(digits) :]
    try:
        return datetime.strptime(filled[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def read_warc(body: bytes, *, name: str = "") -> Iterator[ArchivedPage]:
    """The pages of a WARC file (plain or gzip) in their order; UsageError without the library, ParseError if broken."""
    need("archive", "reading WARC files")
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 (an extra)
    from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415

    has_records = False
    try:
        for count, record in enumerate(ArchiveIterator(BytesIO(body))):
            if count >= MAX_RECORDS:
                return
            has_records = has_records or bool(record.rec_type)
            if (page := _page_of(record)) is not None:
                yield page
    except (ArchiveLoadFailed, OSError, ValueError, EOFError) as error:
        raise ParseError(f"{name or 'the file'} is not a WARC file, or it is broken: {error}") from error
    if not has_records:
        raise ParseError(f"{name or 'the file'} is not a WARC file, or it is empty")


def is_warc(body: bytes) -> bool:
    """Whether this looks like a WARC file, plain or compressed."""
    return body.startswith((b"WARC/", b"\x1f\x8b"))


def _page_of(record: object) -> ArchivedPage | None:
    """A response with a page; everything else of a WARC file is left out."""
    headers, http = getattr(record, "rec_headers", None), getattr(record, "http_headers", None)
    if getattr(record, "rec_type", "") != "response" or headers is None or http is None:
        return None
    if not str(http.get_statuscode()).startswith("2"):
        return None
    url = str(headers.get_header("WARC-Target-URI") or "").strip("<>")
    at = _warc_date(str(headers.get_header("WARC-Date") or ""))
    if not url.startswith(("http://", "https://")) or at is None:
        return None
    body = record.content_stream().read(MAX_BODY)  # type: ignore[attr-defined]
    content_type = str(http.get_header("Content-Type") or "")
    return ArchivedPage(url=url, at=at, body=strip_archive(body), content_type=content_type)


def _warc_date(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None


def _without(body: bytes, start: re.Pattern[bytes], end: re.Pattern[bytes]) -> bytes:
    """What is left between blocks; in linear time, since a block without an end ends the search."""
    kept: list[bytes] = []
    at = 0
    while (opening := start.search(body, at)) is not None:
        closing = end.search(body, opening.end())
        if closing is None:
            break
        kept.append(body[at : opening.start()])
        at = closing.end()
    return b"".join([*kept, body[at:]])


def _original(found: re.Match[bytes]) -> bytes:
    """The address as it stood in the page; relative ones were made absolute by the archive and stay so."""
    target = found[2]
    if not target.lower().startswith((b"http:", b"https:", b"//")):
        return found[0]
    return re.sub(rb"^(https?:)/(?!/)", rb"\1//", target)
