"""Import: a file of links or feeds becomes what to watch, whatever program wrote it."""

from collections.abc import Sequence

from afresh.app.add import Wanted
from afresh.core.models import Kind
from afresh.parse.links import read_links
from afresh.parse.sitemap import parse_sitemap


def wanted_from(
    body: bytes, *, name: str = "", kind: Kind = Kind.FEED, folder: str = "", tags: tuple[str, ...] = ()
) -> Sequence[Wanted]:
    """What an OPML file, bookmarks, a sitemap, CSV, Markdown or a plain list asks to watch.

    Raises ParseError for a file that cannot be read. The pages of a sitemap are pages whatever ``kind`` says; an index
    of sitemaps names documents, not pages, and gives nothing.
    """
    head = body.lstrip()[:300].lower()
    if b"<urlset" in head or b"<sitemapindex" in head:
        found = parse_sitemap(body)
        return [Wanted(url=page.url, kind=Kind.PAGE, folder=folder, tags=tags) for page in found.urls]
    return [
        Wanted(
            url=link.url,
            title=link.title,
            folder="/".join(part for part in (folder, link.folder) if part),
            tags=tags,
            kind=kind,
        )
        for link in read_links(body, name=name)
    ]
