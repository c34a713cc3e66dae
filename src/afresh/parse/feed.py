"""A feed document of any format becomes a ``FeedDocument``, or a ``ParseError`` that says what came instead."""

import re
from dataclasses import replace
from xml.etree.ElementTree import Element

from afresh.base.errors import ParseError
from afresh.base.models import FeedDocument, ReadPath
from afresh.parse.atom import read_atom
from afresh.parse.elements import local_name
from afresh.parse.jsonfeed import read_json
from afresh.parse.markup import TAGS, Refused
from afresh.parse.patient import read_patiently
from afresh.parse.rss import read_rss
from afresh.parse.tree import read_tree

MAX_BYTES = 32 * 2**20
_HTML = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL)
_LOOKS_LIKE_FEED = re.compile(rb"<(?:\w{1,20}:)?(?:rss|feed|rdf|channel|item|entry)[\s>]", re.IGNORECASE)


def parse_feed(body: bytes, *, content_type: str = "", url: str = "") -> FeedDocument:
    """The feed in these bytes. ``url`` is where they came from: relative links are relative to it.

    The content type is believed only where it names the character set; servers send feeds as anything.

    >>> parse_feed(b"<rss version='2.0'><channel><item><title>Hi</title></item></channel></rss>").entries[0].title
    'Hi'
    """
    if len(body) > MAX_BYTES:
        raise ParseError(f"{len(body):,} bytes, more than the {MAX_BYTES:,} that are read")
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n\0\xff\xfe")[:1]
    if not start:
        raise ParseError("an empty document")
    if start in b"{[":
        return read_json(body, content_type, url)
    if _HTML.match(body):
        raise _html_error()
    try:
        root, path, repaired = read_tree(body, content_type)
        found = _read(root, url)
    except ParseError as error:
        return _last_resort(body, content_type, url, error)
    if found is None:
        return _last_resort(body, content_type, url, _not_a_feed(root))
    if repaired and _says_nothing(found):
        return _last_resort(body, content_type, url, ParseError("malformed, and nothing of a feed in it"))
    return found if path is ReadPath.FAST else replace(found, path=path, repaired=repaired)


def _says_nothing(found: FeedDocument) -> bool:
    """Of a malformed document hardly more than its first tag was understood: an empty feed has at least a name."""
    return not found.entries and not found.facts.title


def _read(root: Element, url: str) -> FeedDocument | None:
    name = local_name(root)
    if name in ("feed", "entry"):
        return read_atom(root, url)
    if name in ("rss", "rdf", "channel"):
        return read_rss(root, url)
    return None


def _last_resort(body: bytes, content_type: str, url: str, error: ParseError) -> FeedDocument:
    """Ask the patient parser if the document at least mentions what feeds are made of."""
    if isinstance(error, Refused) or not _LOOKS_LIKE_FEED.search(body.replace(b"\0", b"")):
        raise error
    try:
        found = read_patiently(body, content_type, url)
    except ParseError:
        raise error from None
    if _says_nothing(found):
        raise error
    return replace(found, repaired=(TAGS,))


def _not_a_feed(root: Element) -> ParseError:
    name = local_name(root)
    if name in ("html", "head", "body"):
        return _html_error()
    return ParseError(f"an XML document of the kind <{name[:40]}>, not a feed")


def _html_error() -> ParseError:
    return ParseError("an HTML page, not a feed; `afresh discover` finds the feeds a page announces")
