"""Entries: a page with filters, one entry, and the button that says whether it was worth something."""

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.requests import Request

from afresh.base.protocols import Store
from afresh.base.records.searching import FoundEntries
from afresh.doors.pages.rendering import query, show
from afresh.doors.presenting.entries import EntryDetailView, FoundEntryPage, found_entry_page
from afresh.doors.presenting.folders import ResourceFolderView, view_resource_folders
from afresh.doors.presenting.times import iso
from afresh.doors.rest.params import Before, Context
from afresh.doors.rest.routes.entries import Asked, AskedEntries, Seq, detail_of, find

router = APIRouter()

ROWS = 50
DAYS_ROWS = 500  # by publication: all of a day, for there is no next page
_MANY = 200  # query feeds that are offered to choose from


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesPage(FoundEntryPage):
    """Entries that were asked for, newest first, and what could be asked for."""

    at: str | None
    asked: Asked
    queries: tuple[str, ...]
    folders: tuple[ResourceFolderView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneEntryPage:
    """One entry."""

    at: str | None
    entry: EntryDetailView


@dataclass(frozen=True, slots=True)
class _Read:
    found: FoundEntries
    queries: tuple[str, ...]
    folders: Mapping[str, int]


def _read(store: Store, asked: Asked, now: float, before: int | None) -> _Read:
    return _Read(
        find(store, asked, now=now, before=before, limit=DAYS_ROWS if asked.published else ROWS),
        tuple(one.name for one in store.queries.list_queries(limit=_MANY)),
        store.search.folders(),
    )


@router.get("/entries")
@router.get("/entries.json")
async def show_entries(request: Request, context: Context, asked: AskedEntries, before: Before = None) -> Response:
    """What was found: by words, folder, tag, query feed and time."""
    read = await context.run(_read, context.store, asked, context.now(), before)
    found = found_entry_page(read.found, asked.q)
    page = EntriesPage(
        at=iso(context.now()),
        asked=asked,
        items=found.items,
        next=found.next,
        is_cut=found.is_cut,
        queries=read.queries,
        folders=view_resource_folders(read.folders),
    )
    filters = asked.words()
    twin = "/entries.json" + query(**filters, before=before)
    return show(request, "entries.html", context, page, filters=filters, before=before, twin=twin, here="/entries")


@router.get("/entries/{seq}")
@router.get("/entries/{seq}.json")
async def show_entry(request: Request, context: Context, seq: Seq) -> Response:
    """One entry with its text, and where it went."""
    page = OneEntryPage(at=iso(context.now()), entry=await context.run(detail_of, context.store, seq))
    return show(request, "entry.html", context, page, twin=f"/entries/{seq}.json", here="/entries")
