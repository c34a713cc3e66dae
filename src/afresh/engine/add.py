"""Add: a URL arrives and gets its canonical form, its site and its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError
from afresh.base.models import Kind, NewResource, Status
from afresh.base.settings import Settings
from afresh.engine import accepted_values as values
from afresh.http.guard import Guard
from afresh.parse.sites import Sites
from afresh.parse.url import kept_url, sitemap_address, strip_session_ids

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.links import LinkRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A URL somebody wants watched, as written."""

    url: str
    title: str = ""
    folder: str = ""
    tags: tuple[str, ...] = ()
    kind: Kind = Kind.FEED
    status: Status = Status.ACTIVE  # PAUSED: kept without being watched
    weight: float = 1.0
    rule: str | None = None
    pinned: float | None = None
    note: str = ""  # what its owner wrote about it
    saved: float | None = None  # when its owner saved it elsewhere; None: not known
    home: str = ""  # of a feed: the page it belongs to
    watch: str = ""  # of a page: what of it is watched, as ``Watch.to_text`` writes it; empty: as usual


def named_by_document(
    url: str, *, title: str, folder: str = "", below: str = "", tags: tuple[str, ...] = (), kind: Kind = Kind.FEED
) -> Wanted:
    """What a document asks for: its texts are cut where they are too long, while a person's (``below``) is refused."""
    values.check({"folder": below})
    place = values.fitting(_within(below, folder))
    return Wanted(url=url, title=values.fitting(title), folder=place, tags=tags, kind=kind)


def wanted_link(link: LinkRef, *, folder: str = "", tags: tuple[str, ...] = (), kind: Kind = Kind.LINK) -> Wanted:
    """A link as a file has it, with what its owner said of it; in ``folder``, if there is one, and with more tags."""
    if folder:
        values.check({"folder": folder})
    return Wanted(
        url=link.url,
        title=values.fitting(link.title),
        folder=values.fitting(_within(folder, link.folder)),
        tags=values.fitting_tags((*tags, *link.tags)) if link.tags else tags,
        kind=kind,
        note=values.fitting(link.note, values.LONGEST_NOTE),
        saved=link.saved,
        home=link.home,
        watch=link.watch if kind is Kind.PAGE else "",
    )


def _within(outer: str, inner: str) -> str:
    return f"{outer}/{inner}" if outer and inner else outer or inner


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult:
    """What became of one wanted URL."""

    wanted: str
    url: str = ""
    id: int | None = None  # None: not added
    is_new: bool = False
    error: str = ""


def add(store: Store, wanted: Sequence[Wanted], settings: Settings, *, now: float) -> list[AddResult]:
    """Add what can be added; a malformed URL spoils only itself, a value nobody can have is refused before anything."""
    for name in ("title", "folder", "note", "tags", "weight", "rule", "pinned"):
        values.check_each(name, {getattr(item, name) for item in wanted})
    sites, guard = Sites(settings.politeness), Guard.of(settings.fetch)
    results: list[AddResult | None] = []
    good: list[NewResource] = []
    places: list[int] = []
    for item in wanted:
        try:
            url = strip_session_ids(sitemap_address(item.url)) if item.kind is Kind.SITEMAP else kept_url(item.url)
            values.check_address(url, guard)
        except AfreshError as error:
            results.append(AddResult(wanted=item.url, error=str(error)))
            continue
        places.append(len(results))
        results.append(None)
        good.append(
            NewResource(
                url=url,
                site=sites.of(url),
                kind=item.kind,
                status=item.status,
                title=item.title,
                folder=item.folder,
                tags=item.tags,
                weight=item.weight,
                rule=item.rule,
                pinned=item.pinned,
                note=item.note,
                saved=item.saved,
                home=item.home,
            )
        )
    for place, added in zip(places, store.add(good, now=now), strict=True):
        results[place] = AddResult(wanted=wanted[place].url, url=added.url, id=added.id, is_new=added.is_new)
        if added.is_new and wanted[place].watch:
            _watch(store, added.id, wanted[place].watch)
    return [result for result in results if result is not None]


def _watch(store: Store, number: int, parts: str) -> None:
    from afresh.base.records.watches import Watch  # noqa: PLC0415 (few lists say what of a page)
    from afresh.engine.watch_pages import page_scope  # noqa: PLC0415

    store.watches.put_watch(page_scope(number), Watch.from_text(parts))


def watch_again(store: Store, results: Sequence[AddResult]) -> int:
    """Known links that were kept without being watched are watched from now on; how many rested."""
    rested = 0
    for number in {item.id for item in results if item.id is not None and not item.is_new}:
        resource = store.get(number)
        if resource.kind is Kind.LINK and resource.status is Status.PAUSED:
            store.update(number, status=Status.ACTIVE)
            rested += 1
    return rested
