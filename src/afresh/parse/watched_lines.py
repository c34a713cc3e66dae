"""What a document shows of what is watched, as lines: HTML, text, PDF, JSON, XML; of anything else size and hash."""

import re
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from xml.etree.ElementTree import Element

import orjson
from selectolax.lexbor import SelectolaxError

from afresh.base.errors import ParseError
from afresh.base.page_text import PageText
from afresh.base.records.watches import Watch
from afresh.parse.documents import read_document, reader_of
from afresh.parse.encoding import decode
from afresh.parse.linear_regex import removing
from afresh.parse.nesting import is_hostile
from afresh.parse.page import MAX_BYTES
from afresh.parse.tree import read_repaired
from afresh.parse.watched_parts import json_lines, select_html, select_json

_MARKED_UP = re.compile(rb"\s*<(?:\?xml|rss|feed|urlset|sitemapindex|opml|rdf)\b", re.IGNORECASE)
_UTF8 = "text/html; charset=utf-8"
#: What pages of a site have in common, where its authors say so.
_FRAME = "nav, header, footer, aside, menu, [role=navigation], [role=banner], [role=contentinfo]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A document as its watcher sees it."""

    lines: tuple[str, ...] = ()
    title: str = ""
    kind: str = "html"  # "html", "text", "pdf", "json", "xml", "file", "empty"
    missing: tuple[str, ...] = ()  # selectors that found nothing
    truncated: bool = False  # longer than what is read


def read_shown(body: bytes, *, url: str = "", content_type: str = "", watch: str = "{}") -> Shown:
    """What is shown of what is watched; never fails.

    >>> read_shown(b"<p>one</p><p class=x>two</p>", watch='{"css":[".x"]}').lines
    ('two',)
    """
    chosen = Watch.from_text(watch)
    shown = _read(body, url, content_type, chosen)
    return shown if chosen.is_usual else _without(shown, chosen)


def read_own(body: bytes, *, url: str = "", content_type: str = "", watch: str = "{}") -> Shown:
    """The lines of an HTML page outside the frame of its site, without those that are links; never fails.

    >>> read_own(b"<nav>Menu</nav><a href=/>Home</a><p>Text</p><footer>2026</footer>").lines
    ('Text',)
    """
    chosen = Watch.from_text(watch)
    inside = replace(chosen, without_css=(*chosen.without_css, _FRAME))
    page = read_document(_selected(body, content_type, inside)[0], url=url, content_type=_UTF8)
    links = {link.text for link in page.links}
    shown = Shown(lines=tuple(piece for piece in page.pieces if piece not in links))
    return shown if chosen.is_usual else _without(shown, chosen)


def _read(body: bytes, url: str, content_type: str, watch: Watch) -> Shown:
    said = content_type.partition(";")[0].strip().lower()
    if len(body) <= MAX_BYTES and (value := _json(body, said)) is not None:
        return _of_json(value[0], watch)
    if "html" not in said and reader_of(body, content_type) is None and _MARKED_UP.match(body[:1_000]):
        try:
            return _of_xml(read_repaired(body, content_type)[0])
        except ParseError:
            pass  # read as a browser would
    missing: tuple[str, ...] = ()
    if (watch.css or watch.xpath or watch.without_css) and reader_of(body, content_type) is None:
        body, content_type, missing = _selected(body, content_type, watch)
    page = read_document(body, url=url, content_type=content_type)
    return _of_page(page, body, said, watch, missing)


def _selected(body: bytes, content_type: str, watch: Watch) -> tuple[bytes, str, tuple[str, ...]]:
    raw = decode(body[:MAX_BYTES], content_type, html=True)
    given = watch.css + watch.xpath + watch.without_css
    if is_hostile(raw.encode("utf-8", "replace")):  # no tree is built of it, so nothing can be found
        return b"", _UTF8, given
    try:
        document, missing = select_html(raw, watch)
    except SelectolaxError:
        return b"", _UTF8, given
    return document.encode("utf-8", "replace"), _UTF8, missing


def _of_page(page: PageText, body: bytes, said: str, watch: Watch, missing: tuple[str, ...]) -> Shown:
    if page.kind == "binary":
        digest = sha256(body).hexdigest()
        told = (f"{said or 'a file'}, {len(body):,} bytes", f"SHA-256 {digest}")
        return Shown(kind="file", lines=told, truncated=page.truncated)
    lines = _prose(page) if watch.main_text else page.pieces
    return Shown(lines=lines, title=page.title, kind=page.kind, missing=missing, truncated=page.truncated)


def _prose(page: PageText) -> tuple[str, ...]:
    """The pieces that ``main`` was made of."""
    found, at = [], 0
    for piece in page.pieces:
        if page.main.startswith(piece, at) and page.main[at + len(piece) : at + len(piece) + 1] in ("", " "):
            found.append(piece)
            at += len(piece) + 1
    return tuple(found)


def _json(body: bytes, said: str) -> tuple[Any] | None:
    """The value, in a tuple, for it may be null; None: it is not JSON."""
    if "json" not in said and not (said in ("", "text/plain") and body.lstrip()[:1] in (b"{", b"[")):
        return None
    try:
        return (orjson.loads(body),)
    except ValueError:
        return None


def _of_json(value: Any, watch: Watch) -> Shown:
    if not watch.json_path:
        return Shown(kind="json", lines=json_lines([value]))
    values, missing = select_json(value, watch.json_path)
    return Shown(kind="json", lines=json_lines(values), missing=missing)


def _of_xml(root: Element) -> Shown:
    lines = []
    for element in root.iter():
        name = element.tag.rpartition("}")[2]
        if text := " ".join((element.text or "").split()):
            lines.append(f"{name}: {text}")
        lines += (
            f"{name} {key.rpartition('}')[2]}: {' '.join(value.split())}" for key, value in element.attrib.items()
        )
    return Shown(kind="xml", lines=tuple(lines))


def _without(shown: Shown, watch: Watch) -> Shown:
    """The lines without what their watcher does not want to see."""
    lines = list(shown.lines)
    for pattern in watch.ignore:
        lines = [" ".join(removing(pattern)(line).split()) for line in lines]
    if not watch.case:
        lines = [line.casefold() for line in lines]
    kept = tuple(line for line in lines if line)
    return Shown(lines=kept, title=shown.title, kind=shown.kind, missing=shown.missing, truncated=shown.truncated)
