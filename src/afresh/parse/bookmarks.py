"""Bookmarks as browsers import them: the Netscape format, folders and all."""

from collections.abc import Iterable
from html import escape

from afresh.base.records.links import LinkRef

_HEAD = (
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
    '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n'
    "<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n"
)


def write_bookmarks(links: Iterable[LinkRef]) -> str:
    """The links in their folders (``a/b`` is b within a), in their order.

    >>> "<H3>news</H3>" in write_bookmarks([LinkRef(url="http://x.example/", title="X", folder="news")])
    True
    """
    folders: dict[str, list[LinkRef]] = {}
    for link in links:
        folders.setdefault(link.folder, []).append(link)
    lines = ["<DL><p>"]
    for folder, inside in folders.items():
        parts = [part for part in folder.split("/") if part]
        for part in parts:
            lines += [f"<DT><H3>{escape(part)}</H3>", "<DL><p>"]
        lines += [_line(link) for link in inside]
        lines += ["</DL><p>"] * len(parts)
    return _HEAD + "\n".join([*lines, "</DL><p>", ""])


def _line(link: LinkRef) -> str:
    tags = f' TAGS="{escape(",".join(link.tags))}"' if link.tags else ""
    return f'<DT><A HREF="{escape(link.url)}"{tags}>{escape(link.title or link.url)}</A>'
