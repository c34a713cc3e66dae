"""What a server sent, read by a reader of its content type; readers can be added.

HTML, plain text and PDF are read; everything else is told to be binary, never guessed at.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha1

from afresh.base.page_text import PageText
from afresh.parse.page import parse_page

#: read(body, url=..., content_type=...) -> PageText; must not raise for any bytes
Read = Callable[[bytes, str, str], PageText]


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of document: which media types it takes, by which bytes it knows its own, and how."""

    name: str
    types: frozenset[str]
    recognises: Callable[[bytes], bool]
    read: Read
    is_slow: bool = False  # takes longer than the others should be kept waiting


def _is_pdf(body: bytes) -> bool:
    """Whether these are the bytes of a PDF; some begin with a line that is not theirs."""
    return b"%PDF-" in body[:1024]


def _read_pdf(body: bytes, url: str, content_type: str) -> PageText:
    if not _is_pdf(body):  # errors are often sent under the type of what was asked for
        return parse_page(body, url=url, content_type=content_type)
    from afresh.parse.pdf import parse_pdf  # noqa: PLC0415 (most documents are pages)

    return parse_pdf(body, url=url)


_READERS = [Reader("pdf", frozenset(("application/pdf", "application/x-pdf")), _is_pdf, _read_pdf, is_slow=True)]


def register(reader: Reader) -> None:
    """Adds a reader; it is asked before those that are there already. A reader of the same name is replaced."""
    _READERS[:] = [reader, *(known for known in _READERS if known.name != reader.name)]


def reader_of(body: bytes, content_type: str = "") -> Reader | None:
    """Who reads this: the first that knows the bytes, else the first for the media type; None: the HTML reader."""
    for reader in _READERS:
        if reader.recognises(body):
            return reader
    said = content_type.partition(";")[0].strip().lower()
    return next((reader for reader in _READERS if said in reader.types), None)


def read_document(body: bytes, *, url: str = "", content_type: str = "") -> PageText:
    """The document as far as it can be read; its ``kind`` says as what.

    >>> read_document(b"<p>one</p>").kind, read_document(b"plain", content_type="text/plain").kind
    ('html', 'text')
    """
    reader = reader_of(body, content_type)
    if reader is None:
        return parse_page(body, url=url, content_type=content_type)
    return reader.read(body, url, content_type)


def is_slow(body: bytes, content_type: str = "") -> bool:
    """Whether reading this is better done where nobody waits."""
    reader = reader_of(body, content_type)
    return reader is not None and reader.is_slow


def mark_of(page: PageText, body: bytes) -> bytes:
    """Identity of a version: of its visible text, or of its bytes where there is none."""
    seen = page.text.encode("utf-8", "surrogatepass") if page.text else body
    return sha1(seen, usedforsecurity=False).digest()
