"""``/sites``: the units of politeness."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from afresh.service.encoding import Json
from afresh.service.params import Context, Limit, Text
from afresh.service.views import SitePage, view_site

router = APIRouter(prefix="/sites", tags=["sites"])


@router.get("", response_model=SitePage)
async def list_sites(
    context: Context,
    after: Annotated[Text, Query(description="Where to read on: `next` of the answer before.")] = "",
    limit: Limit = 100,
) -> Response:
    """A page of sites, ascending by name."""
    found = await context.run(context.store.list_sites, after=after, limit=limit)
    following = found[-1].name if len(found) == limit else None
    return Json(SitePage(items=tuple(view_site(site) for site in found), next=following))
