"""Files with new addresses in place of old ones, everything else byte for byte as it was."""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape

from afresh.parse.document_links import read_text
from afresh.parse.document_links.html import read_html, unescaped
from afresh.parse.document_links.model import WrittenLink
from afresh.parse.encoding import decode
from afresh.parse.link_json import as_json_text, places_in_json
from afresh.parse.link_tables import cell_of, places_in_table
from afresh.parse.links import kind_of
from afresh.parse.listing import places_in_list

_PREFIXES = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"")
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "cp1252", "latin-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """A file as it would be."""

    name: str
    before: str
    after: str
    body: bytes
    changes: int

    def diff(self) -> str:
        """What changes, as ``diff -u`` says it."""
        old, new = self.before.splitlines(keepends=True), self.after.splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, f"a/{self.name}", f"b/{self.name}", n=1)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def fixed(body: bytes, name: str, new_address: Callable[[str], str]) -> Fixed | None:
    """The file with the addresses that ``new_address`` gives for those it has ("": stays); None: nothing changes.

    Also None where the file cannot be written as it was read: then nothing is touched.
    """
    text = decode(body)
    encoding = _encoding_of(body, text)
    if encoding is None:
        return None
    kind = kind_of(text.lstrip("\ufeff"), name, is_meant=False)
    put = _PUTTING.get(kind, _in_document)
    parts, at, changes = [], 0, 0
    for link in sorted(_links(text, kind), key=lambda link: link.start):
        if link.start < at or not (new := new_address(link.target)) or not (written := put(new, text, link)):
            continue
        parts += [text[at : link.start], written]
        at, changes = link.end, changes + 1
    if not changes:
        return None
    after = "".join([*parts, text[at:]])
    prefix, codec = encoding
    try:
        made = prefix + after.encode(codec)
    except UnicodeEncodeError:
        return None
    return Fixed(name=name, before=text, after=after, body=made, changes=changes)


def _links(text: str, kind: str) -> Iterable[WrittenLink]:
    """Those of a file that can be replaced."""
    match kind:
        case "bookmarks" | "opml" | "html":
            return read_html(text).links
        case "csv":
            return places_in_table(text)
        case "list":
            return places_in_list(text)
        case "json":
            return places_in_json(text)
        case _:
            return [link for link in read_text(text, f".{kind}").links if link.start >= 0]


def _in_document(new: str, text: str, link: WrittenLink) -> str:
    if text[link.start - 1 : link.start] in ('"', "'", "="):
        return _in_tag(new, text, link)
    if not _is_plain(text, link):
        return ""
    return new.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E").replace(" ", "%20")


def _in_tag(new: str, text: str, link: WrittenLink) -> str:
    return escape(new) if _is_plain(text, link) else ""


def _is_plain(text: str, link: WrittenLink) -> bool:
    """Whether it is not written in a form that nobody could put back."""
    return unescaped(text[link.start : link.end]).replace("\\", "") == link.target


def _in_list(new: str, _text: str, _link: WrittenLink) -> str:
    return new.replace(" ", "%20")


#: How an address is put in the place of another, by the kind of file; "": it cannot be.
_PUTTING: Mapping[str, Callable[[str, str, WrittenLink], str]] = {
    **dict.fromkeys(("bookmarks", "opml", "html"), _in_tag),
    "csv": cell_of,
    "list": _in_list,
    "json": lambda new, _text, _link: as_json_text(new),
}


def _encoding_of(body: bytes, text: str) -> tuple[bytes, str] | None:
    """The beginning and the encoding that make the same bytes of the text again; None: none does."""
    for prefix in _PREFIXES:
        if not body.startswith(prefix):
            continue
        for encoding in _ENCODINGS:
            try:
                if prefix + text.encode(encoding) == body:
                    return prefix, encoding
            except UnicodeEncodeError:
                continue
    return None
