"""Add: a URL arrives and gets its canonical form, its site and its kind."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from afresh.base.errors import AfreshError
from afresh.base.models import CHOSEN, Kind, NewResource, Row, Status, no_numbers
from afresh.base.settings import Settings
from afresh.base.value_class import dataclass, maker
from afresh.engine import accepted_values as values
from afresh.http.guard import Guard
from afresh.parse.url import (
    MAX_URL,
    Sites,
    kept_link,
    kept_url,
    plain_parts,
    sitemap_address,
    strip_session_ids,
    without_secret,
)

if TYPE_CHECKING:
    from afresh.base.models import Resource
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
    is_listed: bool = False  # a sitemap names it among others: nobody chose it by itself
    visits: str = ""  # what was decided about its visits elsewhere, as ``Visiting.to_text`` writes it; empty: nothing
    wrong: str = ""  # why it cannot be added, where the file that names it asks for what there is not; empty: it can


def named_by_document(
    url: str, *, title: str, folder: str = "", below: str = "", tags: tuple[str, ...] = (), kind: Kind = Kind.FEED
) -> Wanted:
    """What a document asks for: its texts are cut where they are too long, while a person's (``below``) is refused."""
    values.check({"folder": below})
    place = values.fitting(_within(below, folder))
    return Wanted(url=url, title=values.fitting(title), folder=place, tags=tags, kind=kind)


def wanted_links(
    links: Sequence[LinkRef],
    *,
    folder: str = "",
    tags: tuple[str, ...] = (),
    kinds: Sequence[Kind] | None = None,
    status: Status = Status.ACTIVE,
) -> list[Wanted]:
    """Links as a file has them, with what their owner said of them; all in ``folder``, if there is one, with more tags.

    ``kinds`` are one for each; None: links.
    """
    values.check({"folder": folder})
    told = zip(
        links,
        values.fitting_all([link.title for link in links]),
        values.fitting_all([_within(folder, link.folder) for link in links]),
        values.fitting_all([link.note for link in links], values.LONGEST_NOTE),
        kinds or [Kind.LINK] * len(links),
        strict=True,
    )
    return [
        _wanted(
            url=link.url,
            title=title,
            folder=place,
            tags=values.fitting_tags((*tags, *link.tags)) if link.tags else tags,
            kind=kind,
            status=status,
            note=note,
            saved=link.saved,
            home=link.home,
            watch=link.watch if kind is Kind.PAGE else "",
            visits=link.visits,
        )
        for link, title, place, note, kind in told
    ]


def _within(outer: str, inner: str) -> str:
    return f"{outer}/{inner}" if outer and inner else outer or inner


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult:
    """What became of one wanted URL."""

    wanted: str
    url: str = ""
    id: int | None = None  # None: not added
    is_new: bool = False
    has_moved: bool = False  # it is known, and has another address now
    error: str = ""

    @property
    def shown(self) -> str:
        """As it was given, without a password."""
        return without_secret(self.wanted)


_wanted, _result, _resource = maker(Wanted), maker(AddResult), maker(NewResource)


def add(store: Store, wanted: Sequence[Wanted], settings: Settings, *, now: float) -> list[AddResult]:
    """Add what can be added; a malformed URL spoils only itself, a value nobody can have is refused before anything."""
    for name in ("title", "folder", "note", "tags", "weight", "rule", "pinned"):
        values.check_each(name, list(map(attrgetter(name), wanted)))
    sites, guard = Sites(settings.politeness), Guard.of(settings.fetch)
    state = no_numbers()
    good: list[NewResource] = []
    refused: dict[int, AddResult] = {}
    for place, item in enumerate(wanted):
        if item.wrong:
            refused[place] = AddResult(wanted=item.url, error=item.wrong)
            continue
        try:
            url, site = address_and_site(item.url, item.kind, sites, guard)
        except AfreshError as error:
            refused[place] = AddResult(wanted=item.url, error=str(error))
            continue
        good.append(_new(item, url, site, state))
    came = iter(store.add(good, now=now))
    results: list[AddResult] = []
    for place, item in enumerate(wanted):
        if place in refused:
            results.append(refused[place])
            continue
        added = next(came)
        told = _result(wanted=item.url, url=added.url, id=added.id, is_new=added.is_new, has_moved=added.has_moved)
        results.append(told)
        if item.watch and added.is_new:
            _watch(store, added.id, item.watch)
        if item.visits and added.is_new:
            _decide_visits(store, added.id, item.visits, settings, now=now)
    return results


def address_and_site(url: str, kind: Kind, sites: Sites, guard: Guard) -> tuple[str, str]:
    """Where a URL is kept and the site it belongs to; an AfreshError if nothing there can be watched."""
    parts = plain_parts(url) if kind is not Kind.SITEMAP and len(url) <= MAX_URL else None
    if parts is not None and parts[2] is None and strip_session_ids(url) == url:
        return url, sites.of_name(parts[1])  # a name, the usual port and nothing to change, as nearly always
    if kind is Kind.SITEMAP:
        kept = strip_session_ids(sitemap_address(url))
    else:
        kept = kept_link(url) if kind is Kind.LINK else kept_url(url)
    values.check_address(kept, guard)
    return kept, sites.of(kept)


def _new(item: Wanted, url: str, site: str, state: Row) -> NewResource:
    return _resource(
        url=url,
        site=site,
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
        state=state,
        state_of=CHOSEN if item.kind is Kind.PAGE and not item.is_listed else "",
    )


def _watch(store: Store, number: int, parts: str) -> None:
    from afresh.base.records.watches import Watch  # noqa: PLC0415 (few lists say what of a page)
    from afresh.engine.watch_pages import page_scope  # noqa: PLC0415

    store.watches.put_watch(page_scope(number), Watch.from_text(parts))


def _decide_visits(store: Store, number: int, decided: str, settings: Settings, *, now: float) -> None:
    from afresh.base.records.visiting import Visiting  # noqa: PLC0415 (only our own lists say so)
    from afresh.base.without_defaults import unusual  # noqa: PLC0415
    from afresh.engine.edit_resource import change  # noqa: PLC0415

    change(store, number, unusual(Visiting.from_text(decided)), now=now, settings=settings)


def watch_again(store: Store, results: Sequence[AddResult]) -> int:
    """Known links that were kept without being watched are watched from now on; how many rested."""
    rested = 0
    for number in {item.id for item in results if item.id is not None and not item.is_new}:
        resource = store.get(number)
        if resource.kind is Kind.LINK and resource.status is Status.PAUSED:
            store.update(number, status=Status.ACTIVE)
            rested += 1
    return rested


def complete_known(store: Store, wanted: Sequence[Wanted], known: Sequence[int | None]) -> int:
    """What is watched already gets title, folder, tags and note where it has none; how many got something.

    ``known``: the number of each; None: it is not known, or new.
    """
    done = 0
    for item, number in zip(wanted, known, strict=True):
        if number is None or not (item.title or item.folder or item.tags or item.note):
            continue
        if missing := _missing(store.get(number), item):
            store.update(number, **missing)
            done += 1
    return done


def _missing(known: Resource, said: Wanted | LinkRef) -> dict[str, Any]:
    names = ("title", "folder", "tags", "note")
    return {name: value for name in names if (value := getattr(said, name)) and not getattr(known, name)}


def complete(store: Store, number: int, link: LinkRef, *, adds_tags: bool = False) -> Resource:
    """A link that is kept already gets what it has none of; what its owner said stays. As it is then.

    ``adds_tags``: somebody adds a second list, whose tags count as well.
    """
    known = store.get(number)
    if known.kind is not Kind.LINK:
        return known
    missing = _missing(known, link)
    if adds_tags and not set(link.tags) <= set(known.tags):
        missing["tags"] = tuple(dict.fromkeys((*known.tags, *link.tags)))
    return store.update(number, **missing) if missing else known
