"""Any bytes a server may send for a page, read into a ``PageText``: never fails, bounded in time.

A tree is built by selectolax unless the document is nested so that tree building would take quadratic time; then
tags are merely taken out. What is not text is said to be binary.
"""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from afresh.base.page_text import TAG, Link, PageText
from afresh.base.report_limits import MOST_LINK_TEXT, MOST_LINKS
from afresh.parse.encoding import decode
from afresh.parse.nesting import is_hostile, texts

MAX_BYTES = 4 * 2**20
MAX_LINKS = 5_000
MAX_TITLE = 1_000
_TWICE = 2 * MAX_BYTES  # characters of headings, or of links, within each other
_SEPARATOR = "\x01"  # no white space, and nothing that is written
_SPACES = tuple("\n\t\r\v\f\x1c\x1d\x1e\x1f")  # of ASCII, besides the plain one

_UNSEEN = ["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "math"]  # and "head"
#: Inline mark-up that must not cut a sentence into pieces.
_INLINE = [
    "b", "i", "u", "em", "strong", "span", "code", "font", "tt", "small", "big", "sup", "sub", "abbr", "acronym",
    "cite", "mark", "kbd", "samp", "var", "q", "s", "del", "ins", "dfn", "time", "bdi", "bdo", "wbr",
]  # fmt: skip
_HEADINGS = {**{name: name for name in ("h1", "h2", "h3", "h4", "h5", "h6", "big")}, "font": "font[size]"}
_REFRESH = re.compile(r"\s*(\d[\d.]*)(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?[\"']?\s*([^\"'\s][^\"']*)", re.IGNORECASE)
_LOCATION = re.compile(
    r"location(?:\.href)?\s*=\s*[\"']([^\"'\s]{1,2000})[\"']"
    r"|location\.(?:replace|assign)\(\s*[\"']([^\"'\s]{1,2000})[\"']",
)
_FLAT_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,4000})", re.IGNORECASE)
_FLAT_LINK = re.compile(r"<a\s[^<>]{0,400}?href\s*=\s*[\"']?([^\"'\s<>]{1,2000})", re.IGNORECASE)
_FLAT_META = re.compile(r"<meta\s[^<>]{0,400}>", re.IGNORECASE)
_FLAT_NAME = re.compile(r"name\s*=\s*[\"']?robots\b", re.IGNORECASE)
_FLAT_CONTENT = re.compile(r"content\s*=\s*[\"']?([^\"'<>]{0,200})", re.IGNORECASE)
_FLAT_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1[^<>]{0,100}>?|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_FLAT_TAG = re.compile(r"<[^<>]{0,10000}>")
_SIGNATURES = (
    b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"MZ\x90", b"BZh",
    b"\xfd7zXZ", b"RIFF", b"OggS", b"ID3", b"\0asm", b"Rar!", b"7z\xbc\xaf", b"SQLite format 3\0", b"wOFF", b"wOF2",
)  # fmt: skip
_TEXT_BYTES = bytes(range(32, 127)) + b"\t\n\r\f\x1b\b" + bytes(range(128, 256))
_ORIGIN = re.compile(r"(https?://[^/?#]+)(/(?:[^?#]*/)?)", re.IGNORECASE)
#: A path, from the root or from the folder, that begins with a plain name: no scheme, host, dots or bare query.
_USUAL = re.compile(r"/?(?:[\w%~-][^:?#]*)(?:[?#].*)?\Z|/\Z")
_MAIN_WORDS = 4  # a piece with fewer words is a label, not prose


def parse_page(body: bytes, *, url: str = "", content_type: str = "", most_links: int = MAX_LINKS) -> PageText:
    """Read a document; what it cannot be read as, it says in ``kind``.

    >>> parse_page(b"<title>T</title><p>one <b>two</b></p>").text
    'one two'
    """
    if not body.strip():
        return PageText(url=url, kind="empty")
    truncated = len(body) > MAX_BYTES
    body = body[:MAX_BYTES]
    if _is_binary(body):
        return PageText(url=url, kind="binary", truncated=truncated)
    raw = decode(body, content_type, html=True).replace("\0", "").replace(_SEPARATOR, " ")
    if _is_plain(raw, content_type):
        return _plain_page(raw, url, truncated=truncated)
    if not is_hostile(raw.encode("utf-8", "replace")):  # as it is read: bytes of UTF-16 would hide their tags
        try:
            return _tree_page(raw, url, truncated=truncated, most_links=most_links)
        except SelectolaxError:
            pass  # the library refuses some broken documents; what can be read flat is read
    return _flat_page(raw, url, truncated=truncated, most_links=most_links)


def parse_crawled_page(body: bytes, *, url: str = "", content_type: str = "") -> PageText:
    """The same with all links that a report may carry; beyond the first thousands without their texts."""
    page = parse_page(body, url=url, content_type=content_type, most_links=MOST_LINKS)
    # How it is built is of no interest to a crawl, and with so many links too much for one answer of a process.
    return replace(page, markup="") if len(page.links) > MAX_LINKS else page


def _tree_page(raw: str, url: str, *, truncated: bool, most_links: int) -> PageText:
    tree = LexborHTMLParser(raw)
    # Asking a tree for what it cannot hold costs as much as for what it does: names that nowhere stand are left out.
    named = frozenset(map(str.lower, set(TAG.findall(raw))))
    base = _base(tree, url) if "base" in named else url
    refresh, delay = _refresh(tree, base) if "meta" in named else ("", 0.0)
    frames = tree.css("frame,iframe")[:100] if "frame" in named or "iframe" in named else []
    told = partial(
        PageText,
        url=url,
        raw=raw,
        title=_title(tree),
        language=_language(tree),
        canonical=_canonical(tree, base) if "link" in named else "",
        description=_description(tree) if "meta" in named else "",
        robots=_robots(tree) if "meta" in named else "",
        frames=tuple(_join(base, node.attributes.get("src") or "") for node in frames),
        refresh=refresh,
        refresh_delay=delay,
        script_target=_script_target(raw, base),
        truncated=truncated,
    )
    tree.strip_tags(["head", *(name for name in _UNSEEN if name in named)])
    return _with_body(told, tree, base, named, most_links)


def _with_body(
    told: Callable[..., PageText], tree: LexborHTMLParser, base: str, named: frozenset[str], most_links: int
) -> PageText:
    """The page with what its body says; takes the tree apart."""
    markup = tree.html or ""
    headings = _headings(tree, named, markup)
    passwords = len(tree.css("input[type=password]")) if "input" in named else 0
    forms = len(tree.css("form")) if "form" in named else 0
    links, more_links = _links(tree, base, most_links) if "a" in named or "area" in named else ((), 0)
    if inline := [name for name in _INLINE if name in named]:
        tree.unwrap_tags(inline)
        tree.merge_text_nodes()
    anchors = _anchor_pieces(tree) if "a" in named else set()
    shown = tree.body or tree.root
    pieces = () if shown is None else tuple(filter(None, _squeezed(shown.text(separator=_SEPARATOR))))
    return told(
        text=" ".join(pieces),
        pieces=pieces,
        main=_main(pieces, anchors),
        links=links,
        more_links=more_links,
        markup=markup,
        headings=headings,
        passwords=passwords,
        forms=forms,
    )


def _plain_page(raw: str, url: str, *, truncated: bool) -> PageText:
    pieces = tuple(piece for line in raw.splitlines() if (piece := _squeeze(line)))
    text = " ".join(pieces)
    return PageText(url=url, kind="text", raw=raw, text=text, pieces=pieces, main=text, truncated=truncated)


def _flat_page(raw: str, url: str, *, truncated: bool, most_links: int) -> PageText:
    """A page whose tags were taken out instead of being understood."""
    title = _FLAT_TITLE.search(raw)
    hrefs = _FLAT_LINK.findall(raw)
    links, more_links = _fitting((_join(url, html.unescape(href)) for href in hrefs[:most_links]), len(hrefs))
    visible = html.unescape(_FLAT_TAG.sub(_SEPARATOR, _FLAT_UNSEEN.sub(_SEPARATOR, raw)))
    pieces = tuple(piece for part in visible.split(_SEPARATOR) if (piece := _squeeze(part)))
    return PageText(
        url=url,
        title=_squeeze(html.unescape(title[1]))[:MAX_TITLE] if title else "",
        raw=raw,
        text=" ".join(pieces),
        pieces=pieces,
        main=_main(pieces, set()),
        links=links,
        more_links=more_links,
        markup=raw,
        robots=_flat_robots(raw),
        truncated=truncated,
        flattened=True,
    )


def _is_binary(body: bytes) -> bool:
    """Whether the first bytes are of something that is not text: a known signature, or zeros outside UTF-16/32."""
    head = body[:4096]
    if head.startswith(_SIGNATURES):
        return True
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or head[:4] in (b"\0\0\xfe\xff", b"<\0\0\0", b"\0\0\0<"):
        return False
    if head[:1] == b"\0" or head[1:2] == b"\0":  # UTF-16 without a mark
        return head.count(0) > 0.6 * len(head) or head.count(0) < 0.2 * len(head)
    strange = len(head.translate(None, _TEXT_BYTES))
    return strange > 0.1 * len(head)


def _is_plain(raw: str, content_type: str) -> bool:
    said = content_type.partition(";")[0].strip().lower()
    if said == "text/plain":
        return True
    return "html" not in said and not TAG.search(raw)


def _anchor_pieces(tree: LexborHTMLParser) -> set[str]:
    found = texts(tree.css("a"), most=_TWICE, separator=_SEPARATOR)
    return set(filter(None, _squeezed(_SEPARATOR.join([text for _, text in found]))))


def _squeezed(text: str) -> list[str]:
    """The pieces, squeezed: all at once, which takes half the time of one after the other."""
    if not text.isascii() or "  " in text or any(space in text for space in _SPACES):
        text = " ".join(text.split())
    return [piece.strip(" ") for piece in text.split(_SEPARATOR)]


def _main(pieces: tuple[str, ...], anchors: set[str]) -> str:
    """The prose: pieces that are no link text and not mere labels; all that are no link text if hardly any is left."""
    prose = [piece for piece in pieces if piece not in anchors] if anchors else pieces
    long = [piece for piece in prose if piece.count(" ") >= _MAIN_WORDS - 1]
    return " ".join(long if sum(map(len, long)) >= 100 else prose)


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    return _squeeze(node.text())[:MAX_TITLE] if node else ""


def _language(tree: LexborHTMLParser) -> str:
    node = tree.root
    if node is None or node.tag != "html":
        return ""
    return (node.attributes.get("lang") or node.attributes.get("xml:lang") or "").strip().lower()[:20]


def _canonical(tree: LexborHTMLParser, base: str) -> str:
    node = tree.css_first("link[rel=canonical]")
    href = (node.attributes.get("href") or "").strip() if node else ""
    return _join(base, href) if href else ""


def _description(tree: LexborHTMLParser) -> str:
    node = tree.css_first("meta[name=description i]")
    return _squeeze(node.attributes.get("content") or "")[:MAX_TITLE] if node else ""


def _robots(tree: LexborHTMLParser) -> str:
    said = [node.attributes.get("content") or "" for node in tree.css("meta[name=robots i]")[:10]]
    return _squeeze(", ".join(said))[:MAX_TITLE]


def _flat_robots(raw: str) -> str:
    tags = [tag for tag in _FLAT_META.findall(raw) if _FLAT_NAME.search(tag)]
    return ", ".join(found[1] for tag in tags[:10] if (found := _FLAT_CONTENT.search(tag)))[:MAX_TITLE]


def _headings(tree: LexborHTMLParser, named: frozenset[str], raw: str) -> tuple[str, ...]:
    sought = [selector for name, selector in _HEADINGS.items() if name in named]
    if "role" in raw:
        sought.append("[role=heading]")
    if not sought:
        return ()
    return tuple(text for node in texts(tree.css(",".join(sought)), most=_TWICE) if (text := _heading(*node)))


def _heading(node: LexborNode, text: str) -> str:
    """The text of a heading; empty for a FONT of normal size ([M03] eq. 4.18: larger than 3, the base)."""
    if node.tag == "font":
        size = (node.attributes.get("size") or "").strip()
        digits = size.lstrip("+")
        if not digits.isdecimal() or len(digits) > 2 or (int(digits) < 1 if "+" in size else int(digits) <= 3):
            return ""
    return _squeeze(text)[:MAX_TITLE]


def _links(tree: LexborHTMLParser, base: str, most: int) -> tuple[tuple[Link, ...], int]:
    """So many of them, and how many more there are."""
    found = []
    resolve = _resolver(base)
    every = tree.css("a[href],area[href]")
    nodes = [*texts(every[:MAX_LINKS], most=_TWICE)]
    if not nodes:
        return (), len(every)
    inside = _squeezed(_SEPARATOR.join([text.replace(_SEPARATOR, " ") for _, text in nodes]))
    for (node, _), text in zip(nodes, inside, strict=True):
        href = (node.attributes.get("href") or "").strip()
        if not text and (image := node.css_first("img[alt]")):
            text = _squeeze(image.attributes.get("alt") or "")
        # A link within the page stays as written: resolved, it would only repeat the page's own address.
        found.append(Link(text[:MAX_TITLE], href[:2000] if href.startswith("#") else resolve(href)))
    if len(every) <= MAX_LINKS:
        return tuple(found), len(every) - len(nodes)
    hrefs = ((node.attributes.get("href") or "").strip() for node in every[MAX_LINKS:most])
    further, more = _fitting((href[:2000] if href.startswith("#") else resolve(href) for href in hrefs), len(every))
    return (*found, *further), more - len(found)


def _fitting(urls: Iterator[str], count: int) -> tuple[tuple[Link, ...], int]:
    """Links without texts, as many as a report may carry; and how many of ``count`` that leaves."""
    found, size = [], 0
    for url in urls:
        size += len(url)
        if size > MOST_LINK_TEXT:
            break
        found.append(Link("", url))
    return tuple(found), count - len(found)


def _refresh(tree: LexborHTMLParser, base: str) -> tuple[str, float]:
    """Target and delay of a meta refresh to another address; a page that reloads itself has none."""
    node = tree.css_first("meta[http-equiv=refresh i]")
    found = _REFRESH.match(node.attributes.get("content") or "") if node else None
    if not found:
        return "", 0.0
    target = _join(base, found[2].strip())
    try:
        delay = float(found[1])
    except ValueError:
        delay = 0.0
    return ("", 0.0) if target.partition("#")[0] == base.partition("#")[0] else (target, delay)


def _script_target(raw: str, base: str) -> str:
    if "location" not in raw:
        return ""
    found = _LOCATION.search(raw)
    return _join(base, found[1] or found[2]) if found else ""


def _base(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    return _join(url, node.attributes.get("href") or "") if node else url


def _join(base: str, href: str) -> str:
    try:
        return urljoin(base, href.strip())[:4000]
    except ValueError:  # "http://[", which no browser follows either
        return href[:4000]


def _resolver(base: str) -> Callable[[str], str]:
    """Resolves addresses against one base; the usual forms by gluing, ten times quicker than taking both apart."""
    found = _ORIGIN.match(base)
    origin, folder = (found[1], found[1] + found[2]) if found else ("", "")

    def resolve(href: str) -> str:
        if href.startswith(("http://", "https://")):
            return href[:4000]
        if origin and "/." not in href and _USUAL.match(href):
            return ((origin if href.startswith("/") else folder) + href)[:4000]
        return _join(base, href)

    return resolve
