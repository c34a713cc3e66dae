"""Query feeds: all of them, and one with its statement, its sources and what it took."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.requests import Request

from afresh.base.protocols import Store
from afresh.base.records.queries import KeptQuery, Offered, SourceShare
from afresh.base.records.searching import EntryFilter
from afresh.doors.pages.paged_by_name import AfterName, shown_by_name
from afresh.doors.pages.rendering import show
from afresh.doors.presenting.entries import FoundEntryView, view_found_entry
from afresh.doors.presenting.queries import QueryView, ShareView, query_page, view_query, view_shares
from afresh.doors.presenting.times import iso
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.params import Context
from afresh.doors.rest.routes.queries import Name
from afresh.feeds.queries.sources import shares

router = APIRouter()

ROWS = 100
SHARES = 50  # resources that a query feed reads
ENTRIES = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class QueriesPage:
    """Query feeds by name."""

    at: str | None
    items: tuple[QueryView, ...]
    next: str | None  # pass as ``after``


async def _queries(context: ServiceContext, after: str) -> QueriesPage:
    found = await context.run(context.store.queries.list_queries, after=after, limit=ROWS)
    page = query_page(found, ROWS)
    return QueriesPage(at=iso(context.now()), items=page.items, next=page.next)


@router.get("/queries")
@router.get("/queries.json")
async def show_queries(request: Request, context: Context, after: AfterName = "") -> Response:
    """Feeds composed from others: what they ask, how much passes, where to subscribe."""
    return shown_by_name(request, "queries", await _queries(context, after), after, context)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneQueryPage:
    """One query feed."""

    at: str | None
    query: QueryView
    shares: tuple[ShareView, ...]
    has_more: bool  # resources than are listed
    entries: tuple[FoundEntryView, ...]  # the newest it took


def _read(store: Store, name: str) -> tuple[KeptQuery, list[SourceShare], tuple[Offered, ...]]:
    kept = store.queries.query(name)
    taken = store.search.entries(EntryFilter(query=kept.id), limit=ENTRIES)
    return kept, shares(store, name, limit=SHARES + 1), taken.items


@router.get("/queries/{name}")
@router.get("/queries/{name}.json")
async def show_query(request: Request, context: Context, name: Name) -> Response:
    """One query feed: its statement, tried while it is typed, counts by source, what it took."""
    kept, found, taken = await context.run(_read, context.store, name)
    page = OneQueryPage(
        at=iso(context.now()),
        query=view_query(kept),
        shares=view_shares(found[:SHARES], SHARES).items,
        has_more=len(found) > SHARES,
        entries=tuple(map(view_found_entry, taken)),
    )
    return show(request, "query.html", context, page, twin=f"/queries/{name}.json", here="/queries")
