"""``/search``: one question over everything."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from afresh.doors.presenting.searching import SearchView, view_findings
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import ALL_WORDS, Context, Text
from afresh.engine.searching import search, search_entries, search_options

router = APIRouter(prefix="/search", tags=["search"])


async def findings(context: ServiceContext, q: str, limit: int) -> SearchView:
    """What is found, names and entries side by side."""
    found, entries = await asyncio.gather(
        context.run(search, context.store, q, limit=limit), context.run(search_entries, context.store, q, limit=limit)
    )
    return view_findings(q, found, entries, search_options(context.options(), q, limit=limit))


@router.get("", response_model=SearchView)
async def search_everything(
    context: Context,
    q: Annotated[
        Text, Query(description=f"Words in names, addresses and texts, {ALL_WORDS}.", examples=["solar"])
    ] = "",
    limit: Annotated[int, Query(ge=1, le=100, description="How many of each kind at most.")] = 10,
) -> Response:
    """Resources, links, sites, query feeds, entries and settings that have the words."""
    return Json(await findings(context, q.strip(), limit))
