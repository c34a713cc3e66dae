"""``/resources``: what is watched."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from afresh.base.models import Kind, ResourceFilter, Status
from afresh.doors.presenting.entries import EntryPage, entry_page
from afresh.doors.presenting.folders import ResourceFolderList, view_resource_folders
from afresh.doors.presenting.resources import (
    AddedPage,
    ResourcePage,
    ResourceView,
    VisitPage,
    WhyView,
    resource_page,
    view_added,
    view_resource,
    view_why,
    visit_page,
)
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import ALL_WORDS, After, Before, Context, Limit, ResourceId, Text
from afresh.doors.rest.problems import documented
from afresh.doors.rest.requests import AddRequest, ResourcePatch
from afresh.engine.edit_resource import change
from afresh.store.finding import find_address

router = APIRouter(prefix="/resources", tags=["resources"])


@router.get("", response_model=ResourcePage)
async def list_resources(
    context: Context,
    kind: Kind | None = None,
    status: Status | None = None,
    folder: Annotated[Text | None, Query(description="In this folder, or below it; empty: in none.")] = None,
    tag: Annotated[Text | None, Query(description="Has this tag.")] = None,
    site: Annotated[Text | None, Query(description="Belongs to this site.")] = None,
    failing: Annotated[bool | None, Query(description="Whether the last visits failed.")] = None,
    repaired: Annotated[bool | None, Query(description="Whether its document had to be repaired to be read.")] = None,
    q: Annotated[Text, Query(description=f"Words in URL, title, tags or folder, {ALL_WORDS}.")] = "",
    after: After = 0,
    limit: Limit = 100,
) -> Response:
    """A page of resources, ascending by id."""
    where = ResourceFilter(
        kind=kind, status=status, folder=folder, tag=tag, site=site, failing=failing, repaired=repaired, text=q
    )
    found = await context.run(context.store.list_resources, where, after=after, limit=limit)
    return Json(resource_page(found, limit))


@router.post("", response_model=AddedPage, responses=documented(400, 413, 415))
async def add_resources(context: Context, body: AddRequest) -> Response:
    """Adds URLs: a status each; what is known already stays as it is."""
    if body.discover:
        results = await context.add_discovered(body.urls, folder=body.folder, tags=body.tags)
    else:
        results = await context.add_wanted(body.wanted())
    return Json(AddedPage(items=view_added(results)))


@router.get("/folders", response_model=ResourceFolderList)
async def list_resource_folders(
    context: Context, kind: Annotated[Kind | None, Query(description="Of resources of this kind.")] = None
) -> Response:
    """The tree of folders that resources are in, each before those below it."""
    return Json(ResourceFolderList(items=view_resource_folders(await context.run(context.store.search.folders, kind))))


@router.get("/lookup", response_model=ResourceView, responses=documented(404))
async def look_up_resource(
    context: Context, url: Annotated[str, Query(min_length=1, max_length=8000, pattern=r"^[^\x00]*$")]
) -> Response:
    """The resource of a URL, however it is written."""
    return Json(view_resource(await context.run(lambda: context.store.get(find_address(context.store, url)))))


@router.get("/{resource_id}", response_model=ResourceView, responses=documented(404))
async def show_resource(context: Context, resource_id: ResourceId) -> Response:
    """One resource."""
    return Json(view_resource(await context.run(context.store.get, resource_id)))


@router.patch("/{resource_id}", response_model=ResourceView, responses=documented(400, 404, 409, 413, 415))
async def change_resource(context: Context, resource_id: ResourceId, body: ResourcePatch) -> Response:
    """Changes what the operator may change; with another `url` it keeps its entries and what was learnt."""
    wanted, settings = body.changes(), context.settings
    url = str(wanted.pop("url", ""))
    changed = await context.run(change, context.store, resource_id, wanted, now=context.now(), settings=settings)
    if url:  # once nothing else is refused
        await context.change_address(resource_id, url)
        changed = await context.run(context.store.get, resource_id)
    context.poke()
    return Json(view_resource(changed))


@router.delete("/{resource_id}", status_code=204, responses=documented(404))
async def remove_resource(context: Context, resource_id: ResourceId) -> Response:
    """Stops watching and forgets the resource."""
    await context.run(context.store.get, resource_id)
    await context.run(context.store.remove, [resource_id])
    return Response(status_code=204)


@router.post("/{resource_id}/visit", status_code=202, response_model=ResourceView, responses=documented(404, 409))
async def visit_resource(context: Context, resource_id: ResourceId) -> Response:
    """Makes the resource due now; it is visited as soon as politeness allows."""
    await make_due(context, resource_id)
    return Json(view_resource(await context.run(context.store.get, resource_id)), status_code=202)


async def make_due(context: Context, resource_id: int) -> None:
    """Refuses what is paused: nobody would visit it."""
    resource = await context.run(context.store.get, resource_id)
    if resource.status is not Status.ACTIVE:
        raise HTTPException(409, f"{resource.url} is {resource.status}; PATCH the resource with paused = false first")
    await context.visit_now(resource_id)


@router.post("/{resource_id}/announced", response_model=AddedPage, responses=documented(404))
async def take_announced_feeds(context: Context, resource_id: ResourceId) -> Response:
    """Reads a page that was taken for a feed, and watches the feeds it announces in its place; it stays if there are
    none."""
    return Json(AddedPage(items=view_added(await context.take_announced(resource_id))))


@router.post(
    "/{resource_id}/poll",
    status_code=202,
    response_model=ResourceView,
    responses=documented(404, 409),
    deprecated=True,
)
async def poll_resource(context: Context, resource_id: ResourceId) -> Response:
    """The old name of `visit`; the answer's `Link` says the new one."""
    answer = await visit_resource(context, resource_id)
    answer.headers["Deprecation"] = "true"
    answer.headers["Link"] = f'</api/v1/resources/{resource_id}/visit>; rel="successor-version"'
    return answer


@router.get("/{resource_id}/why", response_model=WhyView, responses=documented(404))
async def explain_resource(context: Context, resource_id: ResourceId) -> Response:
    """Why the next visit is when it is, in words and numbers."""
    resource = await context.run(context.store.get, resource_id)
    site = await context.run(context.store.site, resource.site)
    return Json(view_why(resource, await context.explain(resource_id), site, context.now()))


@router.get("/{resource_id}/visits", response_model=VisitPage, responses=documented(404))
async def list_visits_of_resource(
    context: Context, resource_id: ResourceId, before: Before = None, limit: Limit = 100
) -> Response:
    """Its visits, newest first."""
    await context.run(context.store.get, resource_id)
    found = await context.run(context.store.visits, resource=resource_id, before=before, limit=limit)
    return Json(visit_page(found, limit))


@router.get("/{resource_id}/entries", response_model=EntryPage, responses=documented(404))
async def list_entries_of_resource(
    context: Context, resource_id: ResourceId, after: After = 0, limit: Limit = 100
) -> Response:
    """Its entries, by the same sequence as all entries."""
    await context.run(context.store.get, resource_id)
    found = await context.run(context.store.entries, after=after, limit=limit, resource=resource_id)
    return Json(entry_page(found, after))
