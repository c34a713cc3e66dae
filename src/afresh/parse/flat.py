"""The fast path: feeds whose items are a plain row of elements with text, which most are.

libxml2 reads only what surrounds the items; each item is cut into its elements by one regular expression. The
expression either accounts for every character of an item or gives up, and then the whole document is read as XML.
What it accepts it reads as XML would: one level of elements, text without markup or one CDATA section.
"""

import html
import re

from afresh.core.models import FeedDocument, ParsedEntry
from afresh.errors import ParseError
from afresh.parse import atom, rss
from afresh.parse.elements import local_name
from afresh.parse.fields import MAX_ENTRIES, absolute, document
from afresh.parse.markup import Element, declares_utf8, read_xml

_PLACE = "<afresh.items/>"
# No position is tried twice: what is no element is swallowed up to the end, and makes the fast path give up.
_ELEMENT = re.compile(
    r"<([\w:.-]+)(\s[^<>]*?)?"  # name, attributes
    r"(?:/>|>\s*(?:<!\[CDATA\[([^\]]*(?:\](?!\]>)[^\]]*)*)\]\]>\s*|([^<]*))</\1\s*>)\s*"  # section or text
    r"|<author>\s*<name>([^<]*)</name>\s*(?:<(?:uri|email)>[^<]*</(?:uri|email)>\s*)*</author>\s*"
    r"|(.+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));")
_CONTROLS = bytes(c for c in range(32) if c not in (9, 10, 13))
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


class _NotFlatError(Exception):
    """The document is more than the fast path can read."""


def read_flat(body: bytes, content_type: str, url: str) -> FeedDocument | None:
    """The feed, or None if it has to be read as XML."""
    if not declares_utf8(body, content_type) or b"base=" in body or len(body.translate(None, _CONTROLS)) != len(body):
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    is_rss = "<item>" in text
    tag = "item" if is_rss else "entry"
    head, *items = text.split(f"<{tag}>", MAX_ENTRIES + 1)
    if not items or len(items) > MAX_ENTRIES or "\r" in text or "\ufffe" in text or "\uffff" in text:
        return None
    end = f"</{tag}>"
    last, _, tail = items[-1].rpartition(end)
    items[-1] = last + end
    try:
        root, _ = read_xml((head + _PLACE + tail).encode(), lenient=False)
        return _read(root, items, end, url)
    except (ParseError, _NotFlatError):
        return None


def _read(root: Element, items: list[str], end: str, url: str) -> FeedDocument:
    place = root.find(".//afresh.items") if root.find(".//afresh.items") is not None else _find_place(root)
    parent = place.getparent()
    name = local_name(root)
    namespace = parent.tag[: parent.tag.index("}") + 1] if parent.tag[:1] == "{" else ""
    if end == "</item>" and name == "rss" and local_name(parent) == "channel" and parent.getparent() is root:
        fields = _prefixed(rss.field_names(namespace), place, namespace)
        facts = rss.facts_of(root, parent, namespace, url)
        entries = [_rss_entry(_chunk(item, end), fields, url) for item in items]
    elif end == "</entry>" and name == "feed" and parent is root:
        fields = _prefixed(atom.field_names(namespace), place, namespace)
        facts = atom.facts_of(root, namespace, url)
        entries = [_atom_entry(_chunk(item, end), fields, url) for item in items]
    else:
        raise _NotFlatError
    return document(facts, entries)


def _find_place(root: Element) -> Element:
    """The place holder stands in the default namespace, and exactly once."""
    found = [element for element in root.iter() if local_name(element) == "afresh.items"]
    if len(found) != 1:
        raise _NotFlatError
    return found[0]


def _prefixed(fields: dict[str, str], place: Element, namespace: str) -> dict[str, str]:
    """Names as they are written in this document, prefix and all, to fields."""
    spaces = {f"{{{uri}}}": f"{prefix}:" if prefix else "" for prefix, uri in place.nsmap.items()}
    spaces.setdefault("", "")
    if None in place.nsmap and namespace != f"{{{place.nsmap[None]}}}":
        raise _NotFlatError
    found = {}
    for tag, field in fields.items():
        space, brace, local = tag.rpartition("}")
        prefix = spaces.get(space + brace)
        if prefix is not None:
            found[prefix + local] = field
    return found


def _chunk(item: str, end: str) -> str:
    item = item.strip()
    if not item.endswith(end):
        raise _NotFlatError
    return item[: -len(end)]


def _rss_entry(item: str, fields: dict[str, str], url: str) -> ParsedEntry:
    found: dict[str, str] = {}
    categories: list[str] = []
    for name, attributes, section, text, _, rest in _ELEMENT.findall(item.lstrip()):
        field = fields.get(name)
        if field is None:
            if rest or not name:
                raise _NotFlatError
            continue
        if text:
            section = _unescaped(text) if "&" in text else text
        if field == "category":
            categories.append(section)
        elif attributes and field in ("guid", "link", "atom:link"):
            _with_attributes(found, field, section, _attributes(attributes))
        elif not found.get(field):
            found[field] = section
            if field == "guid" and "link" not in found:
                found["permalink"] = section.strip()
        elif field == "link":
            continue
    if "link" in found and found["link"].isspace():
        raise _NotFlatError
    return rss.make_entry(found, categories, None, rss.DATES_RSS2, url)


def _with_attributes(found: dict[str, str], field: str, text: str, attributes: dict[str, str]) -> None:
    if field == "guid":
        found.setdefault("guid", text)
        if "link" not in found and attributes.get("isPermaLink", "true").lower() == "true":
            found.setdefault("permalink", text.strip())
    elif field == "link":
        found.setdefault("link", text if text.strip() else attributes.get("href", ""))
    elif attributes.get("rel", "alternate") == "alternate":
        found.setdefault(field, attributes.get("href", ""))


def _atom_entry(item: str, fields: dict[str, str], url: str) -> ParsedEntry:
    found: dict[str, str] = {}
    categories: list[str] = []
    for name, attributes, section, text, author, rest in _ELEMENT.findall(item.lstrip()):
        field = fields.get(name)
        if field is None:
            if rest:
                raise _NotFlatError
            if author and fields.get("author") == "author":
                found.setdefault("author", _unescaped(author))
            continue
        if text:
            section = _unescaped(text) if "&" in text else text
        if field == "link":
            if "link" not in found:
                given = _attributes(attributes)
                if given.get("rel", "alternate") == "alternate":
                    found["link"] = absolute(given.get("href"), url)
        elif field == "category":
            given = _attributes(attributes)
            categories.append(given.get("label") or given.get("term") or section)
        elif field not in found:
            found[field] = section
            if field == "content" and not section and attributes:
                found["src"] = absolute(_attributes(attributes).get("src"), url)
    return atom.make_entry(found, categories)


def _attributes(text: str) -> dict[str, str]:
    if "xmlns" in text:
        raise _NotFlatError
    found = {name: double or single for name, double, single in _ATTRIBUTE.findall(text)}
    return {name: _unescaped(value) for name, value in found.items()} if "&" in text else found


def _unescaped(text: str) -> str:
    """The text with references as characters; what XML itself does not define is left to the patient path."""
    if "&#" not in text:  # the common case, at the speed of plain searches
        plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'")
        if plain.count("&") == plain.count("&amp;"):
            return plain.replace("&amp;", "&")
    if text.count("&") != len(_REFERENCE.findall(text)):
        raise _NotFlatError
    return _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _NAMED[match[1]]
    character = html.unescape(match[0])
    if len(character) != 1 or character == "\ufffd" or (character < " " and character not in "\t\r\n"):
        raise _NotFlatError
    return character
