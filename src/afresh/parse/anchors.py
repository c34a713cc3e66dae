"""The links of a page as its anchors name them, for whoever keeps links: addresses and texts, not places."""

import html
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

from afresh.base.records.links import LinkRef
from afresh.parse.listing import one_line
from afresh.parse.nesting import is_hostile, texts

# A file may be made to be slow to read: no pattern looks on for long where none of its links can follow.
_FLAT_ANCHOR = re.compile(
    r"<a\s[^<>]{0,2000}?\bhref\s{0,9}=\s{0,9}[\"']?([^\"'\s<>]{1,4000})[^<>]{0,2000}>([^<]{0,500})", re.IGNORECASE
)


def read_anchors(text: str) -> Iterator[LinkRef]:
    """The links of HTML, in order."""
    found = _flat_anchors(text) if is_hostile(text.encode("utf-8", "replace")) else _anchors(text)
    for url, title in found:
        yield LinkRef(url=url.strip(), title=one_line(title)[:500])


def _anchors(text: str) -> list[tuple[str, str]]:
    """Address and text of each anchor."""
    nodes = LexborHTMLParser(text).css("a[href]")
    return [(node.attributes.get("href") or "", inside[:4_000]) for node, inside in texts(nodes, most=2 * len(text))]


def _flat_anchors(text: str) -> list[tuple[str, str]]:
    """The same of a document that would take too long to be understood: as its tags say by themselves."""
    return [(html.unescape(match[1]), html.unescape(match[2])) for match in _FLAT_ANCHOR.finditer(text)]
