"""A feed document of any format becomes a ``FeedDocument``, or a ``ParseError`` that says what came instead."""

import re
from dataclasses import replace
from xml.etree.ElementTree import Element

from afresh.base.errors import ParseError
from afresh.base.models import FeedDocument, ParsedEntry, ReadPath
from afresh.parse import atom, rss
from afresh.parse.atom import read_atom
from afresh.parse.elements import local_name
from afresh.parse.feed_by_pattern import NotPlain, PlainItems, cut_out
from afresh.parse.markup import (
    CHARACTERS,
    TAGS,
    TRAILING,
    Refused,
    plain_source,
    repaired_text,
    require_few_tags,
    without_control,
    without_trailing,
)
from afresh.parse.rss import read_rss
from afresh.parse.tree import read_repaired, read_well_formed

MAX_BYTES = 32 * 2**20
_HTML = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL)
_MENTIONS_FEED = re.compile(
    rb"<(?:\w{1,20}:)?(?:rss|feed|rdf|channel)[\s>]|(?:^|\?>)\s*<(?:item|entry)[\s>]", re.IGNORECASE
)
#: How the words about a page begin that was taken for a feed.
HTML_PAGE = "an HTML page, not a feed"
CUT_OFF, HALF_AN_ENTRY = "cut off before its end", "cut off within its last entry"  #: what was repaired
_LOOKS_LIKE_FEED = re.compile(rb"<(?:\w{1,20}:)?(?:rss|feed|rdf|channel|item|entry)[\s>]", re.IGNORECASE)
_ITEM = re.compile(rb"<(?:\w{1,20}:)?(?:item|entry)(?:[\s>]|\Z)", re.IGNORECASE)
_ITEM_END = re.compile(rb"</(?:\w{1,20}:)?(?:item|entry)\s*>", re.IGNORECASE)
_END = re.compile(rb"</(?:\w{1,20}:)?(?:rss|feed|rdf)\s*>|</channel\s*>\s*\Z", re.IGNORECASE)

_SHAPES = {b"rss": rss.SHAPE, b"feed": atom.SHAPE}


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
        from afresh.parse.jsonfeed import read_json  # noqa: PLC0415 (one feed in a hundred)

        return read_json(body, content_type, url)
    if _HTML.match(body):
        raise _html_error()
    found, error = _by_tree(body, content_type, url)
    if found is not None and _is_believable(found, body):
        return found
    patient = _patiently(body, content_type, url)
    readings = [reading for reading in (patient, found) if reading is not None and not _says_nothing(reading)]
    if readings:
        return _with_its_end(max(readings, key=_worth), body)  # the patient one of two that are as good
    if found is not None and not found.repaired:
        return found
    raise error or ParseError("malformed, and nothing of a feed in it")


def says_something(entry: ParsedEntry) -> bool:
    """Whether there is anything to know an entry by, or to read in it; a date alone is neither."""
    known = entry.title or entry.link or entry.native_id  # the rest is read only where these are missing
    return bool(known or entry.content or entry.summary or entry.enclosures)


def _with_its_end(found: FeedDocument, body: bytes) -> FeedDocument:
    """The same, told if it was cut off after an entry or within its last one; refused if before the first."""
    text = body.replace(b"\0", b"")
    if _END.search(text):
        return found
    if not any(map(says_something, found.entries)):
        raise ParseError("ends before its first entry: it was cut off, or not written to its end")
    begun = max((match.start() for match in _ITEM.finditer(text)), default=0)
    is_whole = _ITEM_END.search(text, begun) is not None
    if not is_whole and not says_something(found.entries[-1]):  # no more than its tag: that is no half entry
        found, is_whole = replace(found, entries=found.entries[:-1]), True
    return replace(found, repaired=(*found.repaired, CUT_OFF if is_whole else HALF_AN_ENTRY))


def _by_tree(body: bytes, content_type: str, url: str) -> tuple[FeedDocument | None, ParseError | None]:
    """What the tree says, or why it says nothing."""
    source = plain_source(body, content_type)
    if source is not None and (found := _well_formed(source, url)) is not None:
        return found, None
    require_few_tags(body)
    try:
        text, repaired = repaired_text(body, content_type)
        if repaired or source is None:
            found = _well_formed(text.lstrip().encode("utf-8", "replace"), url)
            if found is not None:
                return replace(found, path=ReadPath.TREE, repaired=(*repaired, *found.repaired)), None
        root, repaired = read_repaired(body, content_type)
        found = _read(root, url)
    except Refused:
        raise
    except ParseError as error:
        return None, error
    if found is None:
        other = _not_a_feed(root)
        if TAGS not in repaired and not _MENTIONS_FEED.search(body.replace(b"\0", b"")):
            raise other  # a whole document, whose own items are no entries
        return None, other
    return replace(found, path=ReadPath.TREE, repaired=repaired), None


def _well_formed(source: bytes, url: str) -> FeedDocument | None:
    """The feed of a document in UTF-8 that is well-formed but for what is easily left out; None if it is none."""
    if (found := _whole(source, url)) is not None:
        return found
    for word, shorter in ((TRAILING, without_trailing(source)), (CHARACTERS, without_control(source))):
        if shorter is not None and (found := _whole(shorter, url)) is not None:
            return replace(found, path=ReadPath.TREE, repaired=(word,))
    return None


def _whole(source: bytes, url: str) -> FeedDocument | None:
    """The feed of a well-formed document: plain items by their pattern, the rest as a tree; None if it is none."""
    rest, items = cut_out(source, _SHAPES)
    require_few_tags(rest)
    root = read_well_formed(rest)
    if root is None:
        return None
    try:
        return _read(root, url, items)
    except NotPlain:  # an item that was only quoted
        require_few_tags(source)
        whole = read_well_formed(source)
        return None if whole is None else _read(whole, url)


def _is_believable(found: FeedDocument, body: bytes) -> bool:
    """Whether the tree tells what the document says: tags fitted together, and there is something in the items."""
    if TAGS in found.repaired:
        return False  # an item may have swallowed all that follow
    if any(e.native_id or e.link or e.title or e.summary or e.content or e.published for e in found.entries):
        return True
    return not _ITEM.search(body.replace(b"\0", b""))


def _worth(reading: FeedDocument) -> int:
    """How much of its entries was understood, where texts that ran together are no gain."""
    return sum(_fields_of(entry) for entry in reading.entries)


def _fields_of(entry: ParsedEntry) -> int:
    has_link = bool(entry.link) and " " not in entry.link and entry.link.count("://") == 1
    has_title = bool(entry.title) and "://" not in entry.title
    known = (has_link, bool(entry.native_id) and " " not in entry.native_id, entry.published is not None, has_title)
    return sum(known) if any(known) else -1


def _patiently(body: bytes, content_type: str, url: str) -> FeedDocument | None:
    """What the patient reader finds, if the document at least mentions what feeds are made of."""
    if not _LOOKS_LIKE_FEED.search(body.replace(b"\0", b"")):
        return None
    from afresh.parse.damaged_feed import read_patiently  # noqa: PLC0415 (few are so damaged)

    try:
        text, repaired = repaired_text(body, content_type)
        found = _read(read_patiently(text), url)
    except Refused:
        raise
    except ParseError:
        return None
    return found and replace(found, path=ReadPath.PATIENT, repaired=(*repaired, TAGS))


def _says_nothing(found: FeedDocument) -> bool:
    """Of a malformed document hardly more than its first tag was understood: an empty feed has at least a name."""
    return not found.entries and not found.facts.title


def _read(root: Element, url: str, items: PlainItems | None = None) -> FeedDocument | None:
    name = local_name(root)
    if name in ("feed", "entry"):
        return read_atom(root, url, items)
    if name in ("rss", "rdf", "channel"):
        return read_rss(root, url, items)
    return None


def _not_a_feed(root: Element) -> ParseError:
    name = local_name(root)
    if name in ("html", "head", "body"):
        return _html_error()
    return ParseError(f"an XML document of the kind <{name[:40]}>, not a feed")


def _html_error() -> ParseError:
    return ParseError(f"{HTML_PAGE}; `afresh discover` finds the feeds a page announces")
