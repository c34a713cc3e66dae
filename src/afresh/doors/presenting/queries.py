"""Query feeds: what they ask, how much passes, where to subscribe."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from afresh.base.records.queries import KeptQuery, QuerySource, SourceShare
from afresh.doors.presenting.entries import FoundEntryView, view_found_entry
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.lists import NamedPage, NumberedPage, named_page_of, numbered_page_of
from afresh.doors.presenting.showing import following, shown
from afresh.feeds.queries.creating import Preview
from afresh.feeds.queries.warnings import warnings_in


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySourceView:
    """One source of a query feed."""

    source: Annotated[str, About("As written.", 'FOLDER "science"')]
    is_gone: Annotated[bool, About("The resource is not watched any more.")]
    seen: Annotated[int, About("Entries it offered.")]
    matched: Annotated[int, About("Of these, passed its filter.")]
    selectivity: Annotated[float | None, About("matched / seen; null before the first entry.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryView:
    """One query feed."""

    name: Annotated[str, About("", "solar")]
    title: Annotated[str, About("Of its feed.")]
    query: Annotated[str, About("The statement as written.")]
    created: Time | None
    modified: Annotated[str | None, About("When its feed last changed.")]
    entries: Annotated[int, About("Entries published so far.")]
    seen: Annotated[int, About("Entries its sources offered.")]
    selectivity: Annotated[float | None, About("Share of these that passed; null before the first.")]
    sources: tuple[QuerySourceView, ...]
    warnings: Annotated[tuple[str, ...], About("What may not be meant, in words: a source that nothing filters.")]
    atom: Annotated[str, About("Address of its Atom feed.", "/feeds/q/solar.atom")]
    rss: str
    json: str


QueryPage = named_page_of(QueryView, "QueryPage", "Query feeds, ascending by name.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareView:
    """One resource that a query feed reads."""

    resource: Annotated[int, About("Its number.", 17)]
    label: Annotated[str, About("Its title, else its URL.", "Example news")]
    seen: Annotated[int, About("Entries found of it.")]
    matched: Annotated[int, About("Of these, taken by the query feed and still held.")]
    selectivity: Annotated[float | None, About("matched / seen; null before the first entry.")]


SharePage = numbered_page_of(ShareView, "SharePage", "Resources that a query feed reads, ascending by number.")


def view_query(kept: KeptQuery) -> QueryView:
    address = f"/feeds/q/{kept.name}"
    return shown(
        QueryView,
        kept,
        title=kept.title or kept.name,
        query=kept.text,
        entries=kept.places,
        sources=tuple(_view_source(source) for source in kept.sources),
        warnings=warnings_in(kept.text),
        atom=f"{address}.atom",
        rss=f"{address}.rss",
        json=f"{address}.json",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewView:
    """What a statement would make, tried on what is known; nothing is kept."""

    name: Annotated[str, About("", "solar")]
    title: str
    is_new: Annotated[bool, About("False: there is a query feed of that name.")]
    sources: tuple[QuerySourceView, ...]
    taken: Annotated[int, About("Known entries that it would start with.")]
    warnings: Annotated[tuple[str, ...], About("What may not be meant, in words.")]
    newest: Annotated[tuple[FoundEntryView, ...], About("The newest of what it would take.")]


def view_preview(made: Preview) -> PreviewView:
    return shown(
        PreviewView,
        made,
        sources=tuple(map(_view_source, made.sources)),
        newest=tuple(map(view_found_entry, made.newest)),
    )


def view_shares(found: Sequence[SourceShare], limit: int) -> NumberedPage[ShareView]:
    return SharePage(items=tuple(shown(ShareView, one) for one in found), next=following(found, limit, "resource"))


def _view_source(source: QuerySource) -> QuerySourceView:
    return shown(QuerySourceView, source, source=source.label, is_gone=not source.selector)


def query_page(found: Sequence[KeptQuery], limit: int) -> NamedPage[QueryView]:
    return QueryPage(items=tuple(view_query(kept) for kept in found), next=following(found, limit, "name"))
