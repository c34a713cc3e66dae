"""Watched pages below ``/resources``: versions, what changed, and what of a page is watched."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from afresh.base.protocols import Store
from afresh.base.records.searching import EntryFilter
from afresh.base.records.watches import USUAL, Only, Watch
from afresh.doors.presenting.changes import (
    OutlineView,
    PageDifferenceView,
    PageVersionList,
    TriedView,
    WatchView,
    view_comparison,
    view_outline,
    view_page_version,
    view_watch,
)
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.feed_answers import FeedFormat, feed_answer
from afresh.doors.rest.params import Context, Limit, ResourceId, Text, VersionQuery, Word
from afresh.doors.rest.problems import documented
from afresh.doors.rest.requests import said
from afresh.doors.rest.routes.links import CONTENT, SANDBOX, VERSION_CONTENT, ContentForm, VersionId, sandboxed
from afresh.engine.watch_pages import change_watch, checked, page_scope
from afresh.feeds.queries.publishing import newest_page
from afresh.pages.comparing import compare_pages, compare_pictures, picture_of, version_of
from afresh.pages.outlining import outline_of
from afresh.pages.watching import Watches, show

router = APIRouter(prefix="/resources", tags=["pages"])
#: Outside of the API's prefix: addresses to subscribe to.
published = APIRouter(prefix="/feeds")

_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {}}, "description": "The picture."},
    **documented(404),
}
_Texts = Annotated[tuple[Text, ...], said(maxItems=20)]


class WatchRequest(BaseModel):
    """What of a page is watched, and which changes count; a field left out stays."""

    model_config = ConfigDict(extra="forbid")

    css: Annotated[_Texts, Field(description="Parts to watch, as CSS selectors.", examples=[[".price"]])] = ()
    xpath: Annotated[_Texts, Field(description="The same as XPath.")] = ()
    json_path: Annotated[_Texts, Field(description="Parts of a JSON document.")] = ()
    without_css: Annotated[_Texts, Field(description="Parts to leave out.")] = ()
    ignore: Annotated[_Texts, Field(description="Regular expressions of text to leave out.")] = ()
    main_text: Annotated[bool, Field(description="Prose alone.")] = False
    everything: Annotated[bool, Field(description="What changes at every visit counts, too.")] = False
    case: Annotated[bool, Field(description="A capital is another letter.")] = True
    only: Annotated[Only, Field(description="Which differences count.")] = Only.ALL
    at_least: Annotated[int, Field(ge=1, le=100_000, description="Words that must differ.")] = 1
    appears: Annotated[_Texts, Field(description="Told when one of these is there, and was not.")] = ()
    vanishes: Annotated[_Texts, Field(description="Told when one of these was there, and is no more.")] = ()
    render: Annotated[bool, Field(description="A browser runs its scripts first; needs the extra `browser`.")] = False
    screenshot: Annotated[bool, Field(description="A browser also takes a picture of each version.")] = False

    def changes(self) -> dict[str, Any]:
        """Only what was sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class TryRequest(WatchRequest):
    """A page, and what of it would be watched."""

    url: Annotated[Text, Field(min_length=1, description="Its address.", examples=["https://example.org/"])]


@router.get("/{resource_id}/versions", response_model=PageVersionList, responses=documented(404))
async def list_page_versions(context: Context, resource_id: ResourceId, limit: Limit = 100) -> Response:
    """Its stored versions, newest first."""
    await context.run(context.store.get, resource_id)
    found = await context.run(context.store.links.versions, resource_id, limit=limit)
    return Json(PageVersionList(items=tuple(view_page_version(version, resource_id) for version in found)))


@router.get(VERSION_CONTENT, response_class=Response, responses=CONTENT)
async def show_page_version(
    context: Context, resource_id: ResourceId, version_id: VersionId, form: ContentForm = ContentForm.PAGE
) -> Response:
    """A stored version: the page in a sandbox, without scripts and requests, or its visible text."""
    return await sandboxed(context, await context.run(version_of, context.store, resource_id, version_id), form)


@router.get("/{resource_id}/versions/{version_id}/picture", response_class=Response, responses=_PICTURE)
async def show_picture(context: Context, resource_id: ResourceId, version_id: VersionId) -> Response:
    """What a version showed, where pictures are taken (`screenshot`)."""
    return _png(await context.run(picture_of, context.store, resource_id, version_id))


@router.get("/{resource_id}/difference/picture", response_class=Response, responses=_PICTURE)
async def show_picture_of_difference(
    context: Context, resource_id: ResourceId, old: VersionQuery = None, new: VersionQuery = None
) -> Response:
    """Pictures of two versions side by side, before on the left, with the changed parts marked."""
    return _png(await context.run(compare_pictures, context.store, resource_id, old, new))


@router.get("/{resource_id}/difference", response_model=PageDifferenceView, responses=documented(404))
async def compare_page(
    context: Context, resource_id: ResourceId, old: VersionQuery = None, new: VersionQuery = None
) -> Response:
    """What differs between two versions: the newest and the one before it, if not told."""
    made = await context.run(compare_pages, context.store, resource_id, old, new)
    return Json(view_comparison(made, await context.run(context.store.get, resource_id)))


@router.get("/{resource_id}/outline", response_model=OutlineView, responses=documented(404))
async def show_outline(context: Context, resource_id: ResourceId) -> Response:
    """The parts of its newest version that one could watch, each with a selector; none where no page is stored."""
    await context.run(context.store.get, resource_id)
    return Json(view_outline(await context.run(outline_of, context.store, resource_id)))


@router.get("/{resource_id}/watch", response_model=WatchView, responses=documented(404))
async def show_watch(context: Context, resource_id: ResourceId) -> Response:
    """What of the page is watched: by itself, its tags and its site together."""
    return Json(view_watch(await context.run(_watch_of, context.store, resource_id)))


@router.patch("/{resource_id}/watch", response_model=WatchView, responses=documented(400, 404, 413, 415))
async def change_page_watch(context: Context, resource_id: ResourceId, body: WatchRequest) -> Response:
    """Says what of the page is watched; counts from its next visit on."""
    await context.run(context.store.get, resource_id)
    await context.run(change_watch, context.store, page_scope(resource_id), body.changes())
    return Json(view_watch(await context.run(_watch_of, context.store, resource_id)))


@router.post("/try", response_model=TriedView, responses=documented(400, 413, 415))
async def try_watch(context: Context, body: TryRequest) -> Response:
    """What would be watched of a page: it is asked for once, in its site's turn; nothing is kept."""
    changes = {name: value for name, value in body.changes().items() if name != "url"}
    watch = checked(replace(USUAL, **changes))
    page = await context.fetch_page(body.url, render=watch.renders)
    shown = await context.run(show, page.body, watch, url=page.url, content_type=page.content_type)
    return Json(TriedView(url=page.url, title=shown.title, kind=shown.kind, lines=shown.lines, missing=shown.missing))


@published.get("/r/{resource_id}.{form}", include_in_schema=False)
async def show_resource_feed(request: Request, context: Context, resource_id: ResourceId, form: FeedFormat) -> Response:
    """The newest entries of a resource, or changes of a page, as a feed."""
    resource = await context.run(context.store.get, resource_id)
    title = resource.title or resource.url
    return await feed_answer(
        request, context, form, partial(newest_page, title=title, where=EntryFilter(resource=resource_id))
    )


@published.get("/t/{tag}.{form}", include_in_schema=False)
async def show_tag_feed(request: Request, context: Context, tag: Word, form: FeedFormat) -> Response:
    """The newest entries and changes of all with a tag, as a feed."""
    return await feed_answer(
        request, context, form, partial(newest_page, title=f"tagged {tag}", where=EntryFilter(tag=tag))
    )


def _png(picture: bytes) -> Response:
    """A picture that can be nothing else, whoever asks for it."""
    headers = {
        "Content-Security-Policy": SANDBOX,
        "Content-Disposition": "inline; filename=page.png",
        "Cache-Control": "private, max-age=3600",
    }
    return Response(picture, media_type="image/png", headers=headers)


def _watch_of(store: Store, resource: int) -> Watch:
    return Watches(store).of(store.get(resource))
