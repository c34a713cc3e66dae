"""Search: one question over everything that is kept, and over entries with filters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from afresh.base.durations import parse_duration
from afresh.base.errors import ModelError, UsageError
from afresh.base.models import Kind, ResourceFilter
from afresh.base.records.searching import EntryFilter, FoundEntries
from afresh.base.search_words import has_words, words_sought

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from afresh.base.models import Resource, Site
    from afresh.base.protocols import Store
    from afresh.base.records.links import KeptLink
    from afresh.base.records.queries import KeptQuery, Offered

_MANY = 1_000  # query feeds that are looked through
_DAYS = {"today": 0, "yesterday": 1}  # that have passed since it began
_FEW = 10  # folders or tags that are named where one is not there


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a search found of each kind of thing; links apart from what else is watched."""

    resources: tuple[Resource, ...] = ()
    links: tuple[KeptLink, ...] = ()
    sites: tuple[Site, ...] = ()
    queries: tuple[KeptQuery, ...] = ()


def search_entries(store: Store, text: str, *, limit: int = 10) -> FoundEntries:
    """The newest entries that have the words; asked beside ``search``, for both read much."""
    return store.search.entries(EntryFilter(text=text), limit=limit) if words_sought(text) else FoundEntries()


def search(store: Store, text: str, *, limit: int = 10) -> Findings:
    """Everything that has the words in its name, address or text; at most so many of each kind."""
    if not (words := words_sought(text)):
        return Findings()
    named = store.list_resources(ResourceFilter(text=text), limit=4 * limit)
    links = [one for one in named if one.kind is Kind.LINK][:limit]
    return Findings(
        resources=tuple(one for one in named if one.kind is not Kind.LINK)[:limit],
        links=tuple(store.links.link(one.id) for one in links),
        sites=tuple(store.list_sites(text=text, limit=limit)),
        queries=_queries(store.queries.list_queries(limit=_MANY), words, limit),
    )


def _queries(known: Sequence[KeptQuery], words: Sequence[str], limit: int) -> tuple[KeptQuery, ...]:
    return tuple(one for one in known if has_words((one.name, one.title, one.text), words))[:limit]


def search_options(
    options: Iterable[tuple[str, str, str, str]], text: str, *, limit: int = 10
) -> list[tuple[str, str, str, str]]:
    """Options whose name or meaning has the words; their values are nobody's to be searched."""
    words = words_sought(text)
    return [one for one in options if words and has_words((one[0], one[3]), words)][:limit]


def entry_filter(
    store: Store,
    *,
    now: float,
    text: str = "",
    resource: int | None = None,
    query: str = "",
    folder: str = "",
    tag: str = "",
    since: str = "",
    until: str = "",
    published: str = "",
) -> EntryFilter:
    """What somebody asks for in words; raises QueryNotFound, or UsageError for a time nobody understands."""
    return EntryFilter(
        text=text.strip(),
        resource=resource,
        query=store.queries.query(query).id if query else None,
        folder=folder.strip("/ ") or None,
        tag=tag.strip() or None,
        since=moment(since, now) if since else None,
        until=moment(until, now) if until else None,
        published=moment(published, now) if published else None,
    )


def read_entries(store: Store, where: EntryFilter, *, after: int | None, limit: int) -> FoundEntries:
    """As many as are wanted, however many have to be looked at: the newest, or those behind a number, oldest first."""
    items: list[Offered] = []
    place = after
    while True:
        wanted = limit - len(items)
        if after is None:
            found = store.search.entries(where, before=place, limit=wanted)
        else:
            found = store.search.entries_after(place or 0, where, limit=wanted)
        items += found.items
        place = found.next
        if len(items) == limit or not found.is_cut:
            return FoundEntries(items=tuple(items), next=place)


def not_there(store: Store, *, folder: str | None = None, tag: str | None = None) -> str:
    """What to say of a folder or a tag that nothing is in or has, with those there are; empty: there is something."""
    if tag is not None and not (known := store.search.tags()).get(tag):
        return f"nothing is tagged {tag}; " + (f"tags are: {_few(known)}" if known else "nothing has a tag")
    name = "" if folder is None else folder.strip("/ ")
    if name and not store.count(ResourceFilter(folder=name)):
        folders = {path: count for path, count in store.search.folders().items() if path}
        return f"nothing is in folder {name}; " + (
            f"folders are: {_few(folders)}" if folders else "nothing is in a folder"
        )
    return ""


def _few(counts: Mapping[str, int]) -> str:
    """Those most is in or has, by name."""
    most = sorted(sorted(counts, key=lambda name: -counts[name])[:_FEW])
    more = len(counts) - len(most)
    return ", ".join(most) + (f" and {more:,} more" if more else "")


def moment(text: str, now: float) -> float:
    """A time: as ISO 8601 (UTC where no zone is given), as a duration, that long ago, or the beginning of a day (UTC).

    >>> moment("1970-01-02", 0.0), moment("2h", 10_000.0), moment("yesterday", 200_000.0)
    (86400.0, 2800.0, 86400.0)
    """
    if (days := _DAYS.get(text.strip().lower())) is not None:
        return (now // 86_400.0 - days) * 86_400.0
    try:
        ago = parse_duration(text)
        return now - ago if math.isfinite(ago) else 0.0
    except ModelError:
        pass
    try:
        at = datetime.fromisoformat(text.strip())
        return at.replace(tzinfo=at.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f"not a time: {text!r}; write it like 2026-01-31, 2026-01-31T12:00Z, today, or 2h for that long ago"
        ) from None
