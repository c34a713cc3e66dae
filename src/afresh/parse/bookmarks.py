"""Bookmarks as browsers and services exchange them: the Netscape format, with folders, tags, dates and notes.

Firefox, Chrome, Safari, Edge, Pinboard, Raindrop and linkding write it; Pocket and Instapaper write lists under
headings, which read the same. A file that was cut in half still gives what it has. Read tag by tag: a tree of a
hundred thousand links takes longer, and nesting is what these files get wrong.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape, unescape

from afresh.base.folder_names import names_of
from afresh.base.records.links import LinkRef
from afresh.parse.encoding import decode
from afresh.parse.listing import (
    LinkList,
    address,
    folder_name,
    folder_within,
    kept,
    kind_of,
    legal,
    moment,
    new_link,
    note_of,
    tags_of,
    title_of,
    visits_of,
    watch_of,
)

#: Attributes of a tag as they are written, or all of a usual link: address, when it was saved, tags, title, note.
Said = str | tuple[str, str, str, str, str]

_HEAD = (
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
    '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n'
    "<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n"
)
# The second part always matches once it has begun, so that nothing is looked at more than twice: the time is that of
# the length. A quote that is not closed on its line is a character like any other.
_TAG = re.compile(
    # As nearly all links are written, whole, with what was noted: half of the time.
    r"""<(?:A\sHREF="([^"\n]*+)"(?:\sADD_DATE="(\d*+)")?(?:\s(?:LAST_|ICON|PRIVATE|TOREAD)\w*+="[^"\n]*+")*+"""
    r"""(?:\sTAGS="([^"\n]*+)")?>([^<]*+)</A>\s*+(?:<DD>([^<]*+))?(?=<DT><[AH]|</DL>)"""
    r"""|(?i:(/?(?:a|h[1-6]|d[ld]|[uo]l))(?=[\s/>])((?:[^<>"']++|"[^"\n]*+"|'[^'\n]*+'|["'])*+)>?(?:([^<]*+)</a>)?))"""
)
_SAID = re.compile(r"""([\w:.-]++)\s*+=\s*+(?:"([^"\n]*+)"|'([^'\n]*+)'|([^\s"'>]++))""")
# What of a link is read; the last two are ours.
_TOLD = frozenset(("href", "feedurl", "tags", "add_date", "time_added", "data-kind", "data-watch", "data-visits"))
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MARKUP = re.compile(r"<[^<>]*+>")
_NETSCAPE = re.compile(r"netscape-bookmark-file", re.IGNORECASE)
_POCKET = re.compile(
    r"<a\s[^<>]{0,9000}?\b(?:time_added|add_date)\s{0,9}=|<title>\s{0,9}(?:Pocket|Instapaper:) Export", re.IGNORECASE
)
_NOTES = re.compile(r"\[/?linkding-notes\]")
_HEAD_LENGTH = 65_536  # characters in which such a file shows what it is


def is_bookmarks(text: str) -> bool:
    """Whether HTML is somebody's bookmarks and not a page."""
    head = text[:_HEAD_LENGTH]
    return _NETSCAPE.search(head) is not None or _POCKET.search(head) is not None


def read_bookmarks(body: bytes) -> LinkList:
    """The links of a bookmarks file, in order."""
    text = legal(decode(body, html=True))
    is_netscape = _NETSCAPE.search(text[:_HEAD_LENGTH]) is not None
    links = kept(_links(_COMMENT.sub("", text) if "<!--" in text else text, is_netscape=is_netscape))
    return LinkList(format="bookmarks", **links, kind="link")


def lines_in_bookmarks(body: bytes) -> dict[str, list[int]]:
    """The lines in which each address stands: for a report, which is read beside the file; an import needs none.

    >>> lines_in_bookmarks(b'<DL>\\n<DT><A HREF="http://a.example/?x&amp;y">A</A>\\n<DT><a href=http://b.example/>B</a>')
    {'http://a.example/?x&y': [2], 'http://b.example/': [3]}
    """
    text = legal(decode(body, html=True))
    lines: dict[str, list[int]] = {}
    line, counted = 1, 0
    for tag in _TAG.finditer(text):
        href = tag[1]
        if href is None:
            if tag[6].lower() != "a":
                continue
            said = {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _SAID.finditer(tag[7])}
            href = said.get("feedurl") or said.get("href", "")
        line, counted = line + text.count("\n", counted, tag.start()), tag.start()
        lines.setdefault(address(_unescaped(href)), []).append(line)
    return lines


def _links(text: str, *, is_netscape: bool) -> Iterator[LinkRef]:
    """Lists nest, and a heading names the list behind it; a note stands behind its link."""
    folders, heading = [""], ""
    link: tuple[str, str, str] | None = None  # attributes, title and folder of the one whose note may follow
    for name, said, inside in _pieces(text):
        if isinstance(said, tuple):
            if link:
                yield _link(*link)
            link = None
            yield _usual_link(*said, folders[-1])
        elif name == "a":
            if link:
                yield _link(*link)
            link = (said, inside, folders[-1]) if "=" in said else None
        elif name == "dd":
            if link:
                yield _link(*link, note=inside)
            link = None
        elif name != "/a":
            if link:
                yield _link(*link)
            link = None
            if name in ("dl", "ul", "ol"):
                folders.append(folder_within(folders[-1], heading))
                heading = ""
            elif name in ("/dl", "/ul", "/ol"):
                if len(folders) > 1:
                    folders.pop()
            elif name[0] == "h" and not (name == "h1" and is_netscape):  # that one is the title of the file
                heading = folder_name(_plain(inside))
    if link:
        yield _link(*link)


def _pieces(text: str) -> Iterator[tuple[str, Said, str]]:
    """Name and attributes of each tag that tells something, and the text up to the next one."""
    before: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if before:
            yield before[6].lower(), before[7], text[before.end() : tag.start()]
        href, saved, tags, title, note, name, said, inside = tag.groups("")
        before = tag if name and tag[8] is None else None
        if not name:  # most of a file
            yield "a", (href, saved, tags, title, note), ""
        elif before is None:  # a link with its end
            yield name.lower(), said, inside
    if before:
        yield before[6].lower(), before[7], text[before.end() :]


def _usual_link(href: str, saved: str, tags: str, title: str, note: str, folder: str) -> LinkRef:
    """One without mark-up, of which nothing else is said."""
    url = address(_unescaped(href))
    return new_link(
        url=url,
        title=title_of(_unescaped(title), url),
        folder=folder,
        tags=_tags(tags) if tags else (),
        note=_note(_unescaped(note)) if note else "",
        saved=float(saved) if len(saved) == 10 else moment(saved),  # as nearly all have it
    )


def _link(said: str, title: str, folder: str, *, note: str = "") -> LinkRef:
    found = ((match[1].lower(), match) for match in _SAID.finditer(said))
    values = {name: match[2] or match[3] or match[4] or "" for name, match in found if name in _TOLD}
    href, feed, tags, kind, watch = (
        values.get(name, "") for name in ("href", "feedurl", "tags", "data-kind", "data-watch")
    )
    saved = values.get("add_date") or values.get("time_added") or ""
    url, home = address(_unescaped(href)), ""
    if feed and not feed.isspace():  # of a live bookmark the feed is what is worth watching
        url, home, kind = address(_unescaped(feed)), url, kind or "feed"
    return new_link(
        url=url,
        title=title_of(_plain(title), url),
        folder=folder,
        tags=_tags(tags) if tags else (),
        note=_note(_plain(note)) if note else "",
        saved=moment(saved),
        home=home,
        watch=watch_of(_unescaped(watch)) if watch else "",
        visits=visits_of(_unescaped(values.get("data-visits", ""))),
        kind=kind_of(kind) if kind else "",
    )


@lru_cache(maxsize=4_096)  # the same few again and again
def _tags(written: str) -> tuple[str, ...]:
    return tags_of(_unescaped(written))


def _note(text: str) -> str:
    return note_of(*_NOTES.split(text))


def _plain(inside: str) -> str:
    return _unescaped(_MARKUP.sub("", inside) if "<" in inside else inside)


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    plain = text.replace("&amp;", "&")
    if len(text) - len(plain) == 4 * plain.count("&"):  # as in nearly all addresses: a fifth of the time
        return plain
    return unescape(text)


def write_bookmarks(links: Iterable[LinkRef]) -> str:
    """The links in their folders (``a/b`` is b within a), in their order.

    >>> "<H3>news</H3>" in write_bookmarks([LinkRef(url="http://x.example/", title="X", folder="news")])
    True
    """
    inside: dict[tuple[str, ...], list[LinkRef]] = {}
    for link in links:
        inside.setdefault(tuple(names_of(link.folder)), []).append(link)
    # A folder once, with its own links before those of the folders in it; folders in the order in which they came.
    came: dict[tuple[str, ...], int] = {}
    for folder in inside:
        for depth in range(len(folder) + 1):
            came.setdefault(folder[:depth], len(came))
    lines = ["<DL><p>"]
    at: tuple[str, ...] = ()
    for folder in sorted(came, key=lambda folder: [came[folder[:depth]] for depth in range(len(folder) + 1)]):
        lines += ["</DL><p>"] * (len(at) + 1 - len(folder) if folder else 0)
        if folder:
            lines += [f"<DT><H3>{escape(folder[-1])}</H3>", "<DL><p>"]
        lines += [_line(link) for link in inside.get(folder, ())]
        at = folder
    return _HEAD + "\n".join([*lines, *["</DL><p>"] * (len(at) + 1), ""])


def _line(link: LinkRef) -> str:
    attributes = {
        "FEEDURL": link.url if link.home else "",
        "HREF": link.home or link.url,
        "ADD_DATE": "" if link.saved is None else f"{link.saved:.0f}",
        "TAGS": ",".join(link.tags),
        "DATA-KIND": link.kind if link.kind != ("feed" if link.home else "link") else "",
        "DATA-WATCH": link.watch,
        "DATA-VISITS": link.visits,
    }
    said = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value)
    note = f"\n<DD>{escape(link.note)}" if link.note else ""
    return f"<DT><A{said}>{escape(link.title or link.url)}</A>{note}"
