"""Import: a file of links or feeds becomes what to watch, whatever program wrote it.

Other packages add readers of other formats (``parse.links.IMPORTERS``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from afresh.base.models import Kind
from afresh.base.records.links import LinkRef
from afresh.engine import accepted_values as values
from afresh.engine.add import Wanted, named_by_document
from afresh.parse import apart
from afresh.parse.links import importer_for, read_links
from afresh.parse.listing import LinkList
from afresh.parse.opml import read_opml
from afresh.parse.sitemap import Sitemap, parse_sitemap


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
        found = apart.read(parse_sitemap, Sitemap, body)
        parts = ((Kind.PAGE, found.urls), (Kind.SITEMAP, found.sitemaps))
        return [Wanted(url=item.url, kind=what, folder=folder, tags=tags) for what, items in parts for item in items]
    # Any other XML has to be OPML: read as a plain list, each of its lines would be refused by itself.
    links: Iterable[LinkRef]
    if importer_for(name) is not None:  # known to this process alone
        links = read_links(body, name=name)
    elif head.startswith(b"<?xml") and b"<html" not in head:
        links = apart.read(read_opml, LinkList, body)
    else:
        links = apart.read(read_links, list[LinkRef], body, name=name)
    return [
        named_by_document(link.url, title=link.title, folder=link.folder, below=folder, tags=tags, kind=kind)
        for link in links
    ]
