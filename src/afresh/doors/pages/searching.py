"""The page of what a search found, of each kind of thing."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.doors.pages.rendering import query, show
from afresh.doors.presenting.searching import SearchView
from afresh.doors.presenting.times import iso
from afresh.doors.rest.params import Context, Text
from afresh.doors.rest.routes.search import findings

router = APIRouter()

ROWS = 10  # of each kind


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage(SearchView):
    """What a search found, as of a time."""

    at: str | None


@router.get("/search")
@router.get("/search.json")
async def show_search(request: Request, context: Context, q: Annotated[Text, Query()] = "") -> Response:
    """Entries, feeds, pages, links, sites, query feeds and settings that match."""
    found = await findings(context, q.strip(), ROWS)
    told = {name: getattr(found, name) for name in SearchView.__dataclass_fields__}
    page = SearchPage(at=iso(context.now()), **told)
    twin = "/search.json" + query(q=page.q)
    return show(request, "search.html", context, page, searched=page.q, twin=twin, here="/search")
