"""``/search``: one question over everything."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from afresh.doors.presenting.searching import SearchView, view_findings
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import Context, Text
from afresh.engine.searching import search, search_options

router = APIRouter(prefix="/search", tags=["search"])


async def findings(context: ServiceContext, q: str, limit: int) -> SearchView:
    """What is found, in one visit of the executor."""
    found = await context.run(search, context.store, q, limit=limit)
    return view_findings(q, found, search_options(context.options(), q, limit=limit))


@router.get("", response_model=SearchView)
async def search_everything(
    context: Context,
    q: Annotated[Text, Query(description="Part of a name, an address or a text.", examples=["solar"])] = "",
    limit: Annotated[int, Query(ge=1, le=100, description="How many of each kind at most.")] = 10,
) -> Response:
    """Resources, links, sites, query feeds, entries and settings that have the text."""
    return Json(await findings(context, q.strip(), limit))
