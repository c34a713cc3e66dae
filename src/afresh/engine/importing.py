"""Import: a file of links or feeds becomes what to watch, whatever program wrote it.

Other packages add readers of other formats (``parse.links.IMPORTERS``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from afresh.base.errors import ParseError, UsageError
from afresh.base.extras import need
from afresh.base.models import Kind
from afresh.base.records.links import LinkRef
from afresh.base.records.visiting import Visiting
from afresh.base.records.watches import Watch
from afresh.base.settings import Settings
from afresh.base.without_defaults import unusual
from afresh.engine import accepted_values as values
from afresh.engine.add import Wanted, wanted_links
from afresh.http.browser import missing_browser
from afresh.parse import child_reader
from afresh.parse.links import importer_for, list_reader, read_links
from afresh.parse.listing import LinkList, Lost, for_servers, with_all_tags
from afresh.parse.packed import unpacked
from afresh.parse.recognising import DocumentKind, Recognised, recognise

_ADVICE = {
    DocumentKind.FEED: "; `afresh add` with its address watches it, `afresh parse` shows what is in it",
    DocumentKind.PAGE: "; `afresh discover` finds the feeds a page announces",
    DocumentKind.TABLE: "; one of them has to be called url",
}
_KINDS = frozenset(("", *Kind))
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|[\w-]+(?:\.[\w-]+)+(?:[/:?#]|\Z)|localhost\b|\[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """What a file asks to watch, and how it was read."""

    wanted: Sequence[Wanted]
    format: str  # in words
    repaired: int = 0  # places that had to be repaired
    lost: tuple[str, ...] = ()  # what it says that has no equal here, in words
    left_out: Mapping[str, int] = field(default_factory=dict)  # links that no server answers, by kind: "javascript:"
    repeated: int = 0  # links whose address another one before them has


def read_import(
    body: bytes,
    *,
    name: str = "",
    kind: Kind | None = None,
    folder: str = "",
    tags: tuple[str, ...] = (),
    keep_intervals: bool = False,
    settings: Settings | None = None,
) -> Import:
    """What an OPML file, bookmarks, a sitemap, CSV, JSON, Markdown or a plain list asks to watch.

    Raises ParseError for a file that cannot be read or names nothing, UsageError for a folder or tag nothing can have.
    ``kind`` None: each is what the file says, bookmarks are links, and all else is feeds. The pages of a sitemap are
    pages whatever it says, and the sitemaps of an index are read by the daemon. ``keep_intervals``: how often another
    program looked is the longest interval here. ``settings``: whose bounds hold where a list says none; None: the
    defaults.
    """
    values.check({"folder": folder, "tags": tags})
    body = unpacked(body)
    looks = recognise(body, name)
    if looks.kind is DocumentKind.SITEMAP:
        return _of_sitemap(body, looks, folder, tags)
    found = for_servers(with_all_tags(read_links_of(body, name, looks)))
    if not found.links:
        left = f"; left out: {in_words(found.left_out)}" if found.left_out else _ADVICE.get(looks.kind, "")
        raise ParseError(f"nothing to import: it looks like {looks.words}{left}")
    usual, lost = Kind(found.kind or Kind.FEED), Lost()
    kinds = [kind or kind_of(link, usual) for link in found.links]
    wanted = wanted_links(found.links, folder=folder, tags=tags, kinds=kinds)
    if kind is None and not _KINDS.issuperset(link.kind for link in found.links):
        wanted = [replace(item, wrong=_unknown(link)) for item, link in zip(wanted, found.links, strict=True)]
    if any(item.watch for item in wanted):
        wanted = [replace(item, watch=_watchable(item, lost)) if item.watch else item for item in wanted]
    if any(link.asked_every for link in found.links):
        wanted = [
            _paced(item, link.asked_every, lost, keeps=keep_intervals)
            for item, link in zip(wanted, found.links, strict=True)
        ]
    if any(item.visits for item in wanted):
        wanted = [
            replace(item, visits=_decided(item, lost, settings or Settings())) if item.visits else item
            for item in wanted
        ]
    return Import(
        wanted=wanted,
        format=found.format,
        repaired=found.repaired,
        lost=(*found.lost, *lost.told()),
        left_out=found.left_out,
        repeated=len(found.repeats),
    )


def in_words(left_out: Mapping[str, int]) -> str:
    """How many links were left out, of which kinds.

    >>> in_words({"ftp:": 1, "javascript:": 3})
    '3 javascript:, 1 ftp:'
    """
    return ", ".join(f"{count:,} {kind}" for kind, count in Counter(left_out).most_common())


def kind_of(link: LinkRef, usual: Kind) -> Kind:
    """What something is watched of is a page, what belongs to a page is its feed; else what the file says."""
    if link.watch:
        return Kind.PAGE
    return Kind(link.kind) if link.kind in tuple(Kind) else Kind.FEED if link.home else usual


def _unknown(link: LinkRef) -> str:
    return "" if link.kind in _KINDS else f"{link.kind!r} is no kind of resource; there are {', '.join(Kind)}"


def _paced(item: Wanted, asked_every: float, lost: Lost, *, keeps: bool) -> Wanted:
    """With how often another program looked as the longest interval, if that is wanted."""
    lost.page, lost.kind = item.url, item.kind.value
    if not asked_every:
        return item
    if not keeps:
        lost.note("time_between_check: afresh learns how often to look; --keep-intervals keeps it as longest interval")
        return item
    decided = Visiting.from_text(item.visits) if item.visits else Visiting()
    return replace(item, visits=replace(decided, longest=asked_every).to_text())


def _watchable(item: Wanted, lost: Lost) -> str:
    """What can be watched of a page, as it is stored; what cannot is noted."""
    from afresh.engine.watch_pages import checked  # noqa: PLC0415 (few lists are of pages)

    lost.page = item.url
    try:
        watch = Watch.from_text(item.watch)
        if watch.renders and (missing := missing_browser()):
            lost.note(f"a browser that renders: {missing}")
            watch = replace(watch, render=False, screenshot=False)
        return checked(watch).to_text()
    except UsageError as error:
        lost.note(str(error))
        return ""


def _decided(item: Wanted, lost: Lost, settings: Settings) -> str:
    """What can be decided about visits here; a rule that is not known here, say, is noted."""
    lost.page, lost.kind, visiting = item.url, item.kind.value, Visiting.from_text(item.visits)
    try:
        values.check({name: value for name, value in unusual(visiting).items() if name != "paused"})
        values.check_bounds(visiting.shortest, visiting.longest, kind=item.kind, settings=settings)
    except UsageError as error:
        lost.note(str(error))
        return Visiting(paused=visiting.paused).to_text()
    return item.visits


def read_links_of(body: bytes, name: str, looks: Recognised) -> LinkList:
    """The links of a file that looks like this; none if it is no list."""
    if (importer := importer_for(name)) is not None:  # known to this process alone
        return LinkList(format=f"a file of the kind {name.rpartition('.')[2]}", links=tuple(importer(body)))
    if looks.kind is DocumentKind.JOBS:
        from afresh.parse.watch_lists import read_urlwatch  # noqa: PLC0415 (few lists are of pages)

        need("urlwatch", f"a list of urlwatch ({name})")
        return child_reader.read(read_urlwatch, LinkList, body)
    if reader := list_reader(looks.kind):
        return child_reader.read(reader, LinkList, body)
    if looks.kind in (DocumentKind.FEED, DocumentKind.OTHER):
        return LinkList(format=looks.words, links=())
    found = child_reader.read(read_links, list[LinkRef], body, name=name)
    # Of a text that is no list each word at the beginning of a line would be refused by itself.
    is_list = any(_ADDRESS.match(link.url) for link in found)
    return LinkList(format=looks.words, links=tuple(found) if is_list else ())


def of_sitemap_at(address: str, *, folder: str, tags: tuple[str, ...]) -> Import:
    """A sitemap that the daemon reads, at its pace and again every day."""
    wanted = Wanted(url=address, kind=Kind.SITEMAP, folder=folder, tags=tags)
    return Import(wanted=[wanted], format="a sitemap")


def _of_sitemap(body: bytes, looks: Recognised, folder: str, tags: tuple[str, ...]) -> Import:
    from afresh.parse.sitemap import Sitemap, parse_sitemap  # noqa: PLC0415 (as the readers of lists)

    found = child_reader.read(parse_sitemap, Sitemap, body)
    parts = ((Kind.PAGE, found.urls), (Kind.SITEMAP, found.sitemaps))
    wanted = [
        Wanted(url=item.url, kind=what, folder=folder, tags=tags, is_listed=True)
        for what, items in parts
        for item in items
    ]
    if not wanted:
        raise ParseError(f"nothing to import: it looks like {looks.words} that names no page")
    return Import(wanted=wanted, format=looks.words)
