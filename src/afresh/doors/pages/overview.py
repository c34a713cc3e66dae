"""The routes of the pages and of their JSON twins."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.doors.pages.rendering import query, show
from afresh.doors.pages.status import View, feed_page, status_page
from afresh.doors.rest.params import After, Before, Context, ResourceId, Text, VersionQuery
from afresh.feeds.rules import names

router = APIRouter()

Search = Annotated[Text, Query(description="Words in URL, title, tags or folder.")]


@router.get("/")
@router.get("/status.json")
async def show_status(
    request: Request, context: Context, view: View = View.DUE, q: Search = "", after: After = 0
) -> Response:
    """The status page: feeds, next visits and why."""
    page = await status_page(context, view=view, q=q.strip(), after=after)
    twin = "/status.json" + query(view=view.value, q=page.q, after=after or None)
    return show(request, "status.html", context, page, twin=twin, views=list(View), after=after, here="/")


@router.get("/feeds/{resource_id}")
@router.get("/feeds/{resource_id}.json")
async def show_feed(
    request: Request,
    context: Context,
    resource_id: ResourceId,
    before: Before = None,
    old: VersionQuery = None,
    new: VersionQuery = None,
) -> Response:
    """One resource: facts, visits with reasons, entries, and why; of a page what changed."""
    page = await feed_page(context, resource_id, before=before, old=old, new=new)
    twin = f"/feeds/{resource_id}.json" + query(before=before, old=old, new=new)
    return show(request, "feed.html", context, page, twin=twin, before=before, rules=names(), here="/resources")
