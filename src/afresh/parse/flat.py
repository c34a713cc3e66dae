"""The fast path: feeds whose items are a plain row of elements with text, which most are.

libxml2 reads only what surrounds the items; the compiled scanner cuts the items into elements. The scanner accounts for
every byte of the items or gives up, and then the whole document is read as XML.
"""

import html
import re

import numpy as np
from numpy.typing import NDArray

from afresh.core.models import FeedDocument, ParsedEntry
from afresh.errors import ParseError
from afresh.parse import atom, rss
from afresh.parse.elements import local_name
from afresh.parse.fields import MAX_ENTRIES, absolute, document
from afresh.parse.markup import Element, declares_utf8, read_xml
from afresh.parse.scanner import COLUMNS, scan

_PLACE = b"<afresh.items/>"
_ATTRIBUTE = re.compile(rb"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NAME = re.compile(r"\s*<name>([^<]*)</name>\s*(?:<(?:uri|email)>[^<]*</(?:uri|email)>\s*)*\Z")
_SPECIAL = frozenset(("category", "guid", "link", "atom:link"))  # fields of RSS that are more than their text
_ITEM, _ENTRY = np.frombuffer(b"item", np.uint8), np.frombuffer(b"entry", np.uint8)

Bytes = NDArray[np.uint8]
Rows = list[list[int]]


class _NotFlatError(Exception):
    """The document is more than the fast path can read."""


def read_flat(body: bytes, content_type: str, url: str) -> FeedDocument | None:
    """The feed, or None if it has to be read as XML."""
    if not declares_utf8(body, content_type):
        return None
    begin = body.find(b"<item>")
    tag, begin = (_ITEM, begin) if begin >= 0 else (_ENTRY, body.find(b"<entry>"))
    last = body.rfind(b"</item>" if tag is _ITEM else b"</entry>")
    if begin < 0 or last < begin:
        return None
    end = last + tag.size + 3
    surrounding = body[:begin] + _PLACE + body[end:]
    if b"base" in surrounding:
        return None
    try:
        root, _ = read_xml(surrounding, lenient=False)
        return _read(root, body, (begin, end), tag is _ITEM, url)
    except (ParseError, _NotFlatError, UnicodeDecodeError):
        return None


def _read(root: Element, body: bytes, span: tuple[int, int], is_rss: bool, url: str) -> FeedDocument:
    place = _find_place(root)
    parent = place.getparent()
    if parent is None:
        raise _NotFlatError
    name = local_name(root)
    namespace = parent.tag[: parent.tag.index("}") + 1] if parent.tag[:1] == "{" else ""
    if is_rss and name == "rss" and local_name(parent) == "channel" and parent.getparent() is root:
        fields = _prefixed(rss.field_names(namespace), place, namespace)
        facts = rss.facts_of(root, parent, namespace, url)
        return document(facts, _rss_entries(body, *_scanned(body, span, _ITEM, fields), list(fields.values()), url))
    if not is_rss and name == "feed" and parent is root:
        fields = _prefixed(atom.field_names(namespace), place, namespace)
        facts = atom.facts_of(root, namespace, url)
        return document(facts, _atom_entries(body, *_scanned(body, span, _ENTRY, fields), list(fields.values()), url))
    raise _NotFlatError


def _scanned(body: bytes, span: tuple[int, int], tag: Bytes, fields: dict[bytes, str]) -> tuple[bytes, Rows]:
    """The plain text of the items, and a row for each element with a known name."""
    begin, end = span
    rows = np.empty(((end - begin) // 16 + 16, COLUMNS), np.int64)
    out = np.empty(end - begin, np.uint8)
    names = np.frombuffer(b"".join(fields), np.uint8)
    ends = np.cumsum([len(name) for name in fields], dtype=np.int64)
    count = scan(np.frombuffer(body, np.uint8), begin, end, tag, names, ends, rows, out)
    if count < 0:
        raise _NotFlatError
    return out.tobytes(), rows[:count].tolist()


def _find_place(root: Element) -> Element:
    """The place holder stands in the default namespace, and exactly once."""
    found = [element for element in root.iter() if local_name(element) == "afresh.items"]
    if len(found) != 1:
        raise _NotFlatError
    return found[0]


def _prefixed(fields: dict[str, str], place: Element, namespace: str) -> dict[bytes, str]:
    """Names as they are written in this document, prefix and all, to fields."""
    spaces: dict[str, list[str]] = {}  # one namespace may have several prefixes, and be the default as well
    for prefix, uri in place.nsmap.items():
        spaces.setdefault(f"{{{uri}}}", []).append(f"{prefix}:" if prefix else "")
    if None in place.nsmap and namespace != f"{{{place.nsmap[None]}}}":
        raise _NotFlatError
    if None not in place.nsmap:
        spaces[""] = [""]
    found = {}
    for tag, field in fields.items():
        space, brace, local = tag.rpartition("}")
        for written in spaces.get(space + brace, ()):
            found[(written + local).encode()] = field
    return found


def _rss_entries(body: bytes, out: bytes, rows: Rows, fields: list[str], url: str) -> list[ParsedEntry]:
    entries: list[ParsedEntry] = []
    found: dict[str, str] = {}
    categories: list[str] = []
    for which, given, given_end, start, end in rows:
        if which < 0:
            entries.append(rss.make_entry(found, categories, None, rss.DATES_RSS2, url))
            if len(entries) == MAX_ENTRIES:
                break
            found, categories = {}, []
            continue
        if end < 0:
            raise _NotFlatError
        field, text = fields[which], out[start:end].decode()
        if field not in _SPECIAL:
            if not found.get(field):
                found[field] = text
        elif field == "category":
            categories.append(text)
        elif field == "guid":
            found.setdefault("guid", text)
            if "link" not in found and _attributes(body[given:given_end]).get("isPermaLink", "true").lower() == "true":
                found.setdefault("permalink", text.strip())
        elif field == "link":
            blank = not text or text.isspace()
            found.setdefault("link", _attributes(body[given:given_end]).get("href", "") if blank else text)
        elif field == "atom:link":
            attributes = _attributes(body[given:given_end])
            if attributes.get("rel", "alternate") == "alternate":
                found.setdefault(field, attributes.get("href", ""))
    return entries


def _atom_entries(body: bytes, out: bytes, rows: Rows, fields: list[str], url: str) -> list[ParsedEntry]:
    entries: list[ParsedEntry] = []
    found: dict[str, str] = {}
    categories: list[str] = []
    for which, given, given_end, start, end in rows:
        if which < 0:
            entries.append(atom.make_entry(found, categories))
            if len(entries) == MAX_ENTRIES:
                break
            found, categories = {}, []
            continue
        field, text = fields[which], out[start : abs(end)].decode()
        if end < 0:
            name = _NAME.match(text)
            if field != "author" or name is None or "&" in text:
                raise _NotFlatError
            found.setdefault("author", name[1])
        elif field == "link":
            if "link" not in found:
                attributes = _attributes(body[given:given_end])
                if attributes.get("rel", "alternate") == "alternate":
                    found["link"] = absolute(attributes.get("href"), url)
        elif field == "category":
            attributes = _attributes(body[given:given_end])
            categories.append(attributes.get("label") or attributes.get("term") or text)
        elif field not in found:
            found[field] = text
            if field == "content" and not text:
                found["src"] = absolute(_attributes(body[given:given_end]).get("src"), url)
    return entries


def _attributes(text: bytes) -> dict[str, str]:
    found = {name.decode(): (double or single).decode() for name, double, single in _ATTRIBUTE.findall(text)}
    return {name: html.unescape(value) for name, value in found.items()} if b"&" in text else found
