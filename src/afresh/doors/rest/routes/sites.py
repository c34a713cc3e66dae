"""``/sites``: the units of politeness."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from afresh.doors.presenting.sites import SitePage, SiteView, site_page, view_site
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import ALL_WORDS, Context, Limit, Text, duration
from afresh.doors.rest.problems import documented

router = APIRouter(prefix="/sites", tags=["sites"])


@router.get("", response_model=SitePage)
async def list_sites(
    context: Context,
    after: Annotated[Text, Query(description="Where to read on: `next` of the answer before.")] = "",
    limit: Limit = 100,
    q: Annotated[Text, Query(description=f"Parts of the name, {ALL_WORDS}.")] = "",
    failing: Annotated[bool, Query(description="Only sites whose last request failed.")] = False,
) -> Response:
    """A page of sites, ascending by name."""
    found = await context.run(context.store.list_sites, after=after, limit=limit, text=q, failing=failing)
    return Json(site_page(found, limit))


class SitePatch(BaseModel):
    """What an operator may change of a site."""

    model_config = ConfigDict(extra="forbid")

    delay: Annotated[
        Annotated[float, duration(0, 86_400)] | None,
        Field(description="Seconds between requests, or a duration like `5s`; null: the default."),
    ]


@router.patch("/{name}", response_model=SiteView, responses=documented(400, 404, 413, 415))
async def change_site(
    context: Context,
    name: Annotated[
        str, Path(max_length=300, pattern=r"^[^\x00]*$", description="The site.", examples=["example.org"])
    ],
    body: SitePatch,
) -> Response:
    """Sets the pause between two requests to a site."""
    if await context.run(context.store.site, name) is None:
        raise HTTPException(404, f"no resource of {name} is watched")
    await context.run(context.store.set_site_delay, name, body.delay)
    changed = await context.run(context.store.site, name)
    assert changed is not None
    return Json(view_site(changed))
