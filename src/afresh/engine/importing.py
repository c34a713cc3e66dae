"""Import: a file of links or feeds becomes what to watch, whatever program wrote it.

Other packages add readers of other formats (``parse.links.IMPORTERS``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from afresh.base.models import Kind
from afresh.engine import accepted_values as values
from afresh.engine.add import Wanted, named_by_document
from afresh.parse.links import importer_for, read_links
from afresh.parse.listing import Listed
from afresh.parse.opml import read_opml
from afresh.parse.sitemap import parse_sitemap

if TYPE_CHECKING:
    from afresh.base.records.links import LinkRef


def wanted_from(
    body: bytes, *, name: str = "", kind: Kind = Kind.FEED, folder: str = "", tags: tuple[str, ...] = ()
) -> Sequence[Wanted]:
    """What an OPML file, bookmarks, a sitemap, CSV, Markdown or a plain list asks to watch.

    Raises ParseError for a file that cannot be read, UsageError for a folder or tag nothing can have. The pages of a
    sitemap are pages whatever ``kind`` says, and the sitemaps of an index are read by the daemon.
    """
    values.check({"folder": folder, "tags": tags})
    head = body.lstrip()[:300].lower()
    if b"<urlset" in head or b"<sitemapindex" in head or body[:2] == b"\x1f\x8b":
        found = parse_sitemap(body)
        parts = ((Kind.PAGE, found.urls), (Kind.SITEMAP, found.sitemaps))
        return [Wanted(url=item.url, kind=what, folder=folder, tags=tags) for what, items in parts for item in items]
    # Any other XML has to be OPML: read as a plain list, each of its lines would be refused by itself.
    is_xml = head.startswith(b"<?xml") and b"<html" not in head and importer_for(name) is None
    links: Iterable[LinkRef | Listed] = read_opml(body) if is_xml else read_links(body, name=name)
    return [
        named_by_document(link.url, title=link.title, folder=link.folder, below=folder, tags=tags, kind=kind)
        for link in links
    ]
