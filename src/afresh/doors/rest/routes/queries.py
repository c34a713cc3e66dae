"""``/queries``: query feeds, made and dropped; ``/feeds/q/NAME.atom|.rss|.json``: what they publish."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha1
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from afresh.base.errors import ParseError
from afresh.doors.presenting.queries import (
    PreviewView,
    QueryPage,
    QueryView,
    SharePage,
    query_page,
    view_preview,
    view_query,
    view_shares,
)
from afresh.doors.rest.conditional import is_current, validators
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.feed_answers import FeedFormat
from afresh.doors.rest.params import After, Context, Limit, Text
from afresh.doors.rest.problems import documented
from afresh.feeds.queries.creating import create, drop, preview
from afresh.feeds.queries.language import MAX_TEXT
from afresh.feeds.queries.publishing import find_leaf, read_leaf
from afresh.feeds.queries.sources import shares
from afresh.parse.render_feed import FORMATS

router = APIRouter(prefix="/queries", tags=["queries"])
#: Outside of the API's prefix: an address to subscribe to.
published = APIRouter(prefix="/feeds/q")

_FRESH = 60  # seconds a current document may be reused without asking
_ARCHIVED = 86_400  # the same for archive pages, which hardly ever change
_NAME = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
Name = Annotated[str, Path(max_length=64, pattern=_NAME, description="Name of a query feed.", examples=["solar"])]


class PreviewRequest(BaseModel):
    """A query feed to be tried."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_TEXT,
            pattern=r"^[^\x00]*$",
            description="A statement of the query language.",
            examples=['CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar power"'],
        ),
    ]


class QueryRequest(PreviewRequest):
    """A query feed to be made."""

    replace: Annotated[bool, Field(description="Take the place of a query feed of the same name.")] = False


@router.get("", response_model=QueryPage)
async def list_queries(
    context: Context,
    after: Annotated[Text, Query(description="Where to read on: `next` of the answer before.")] = "",
    limit: Limit = 100,
) -> Response:
    """A page of query feeds with their selectivity."""
    found = await context.run(context.store.queries.list_queries, after=after, limit=limit)
    return Json(query_page(found, limit))


@router.post("", status_code=201, response_model=QueryView, responses=documented(400, 413, 415))
async def create_query(context: Context, body: QueryRequest) -> Response:
    """Makes a query feed: all of it, or nothing and a problem that says where the statement is wrong."""
    with _mistakes_told():
        made = await context.run(create, context.store, body.query, now=context.now(), replace=body.replace)
    return Json(view_query(made.query), status_code=201)


@router.post("/preview", response_model=PreviewView, responses=documented(400, 413, 415))
async def preview_query(context: Context, body: PreviewRequest) -> Response:
    """What a statement would make, tried on what is known: counts by source, the newest entries; nothing is kept."""
    with _mistakes_told():
        return Json(view_preview(await context.run(preview, context.store, body.query)))


@contextmanager
def _mistakes_told() -> Iterator[None]:
    """A mistake in a statement is a problem document with the place."""
    try:
        yield
    except ParseError as error:
        raise HTTPException(422, f"{error}\n{error.excerpt}" if error.excerpt else str(error)) from error


@router.get("/{name}", response_model=QueryView, responses=documented(404))
async def show_query(context: Context, name: Name) -> Response:
    """One query feed."""
    return Json(view_query(await context.run(context.store.queries.query, name)))


@router.get("/{name}/sources", response_model=SharePage, responses=documented(404))
async def list_query_sources(context: Context, name: Name, after: After = 0, limit: Limit = 100) -> Response:
    """The resources that it reads, one row each, with the share of their entries that it takes."""
    found = await context.run(shares, context.store, name, after=after, limit=limit)
    return Json(view_shares(found, limit))


@router.delete("/{name}", status_code=204, responses=documented(404))
async def drop_query(context: Context, name: Name) -> Response:
    """Forgets a query feed and its archive; refused while another builds on it."""
    await context.run(drop, context.store, name)
    return Response(status_code=204)


@published.get("/{name}.{form}", include_in_schema=False)
async def show_published(
    request: Request,
    context: Context,
    name: Name,
    form: FeedFormat,
    page: Annotated[int | None, Query(ge=1, le=10**12)] = None,
) -> Response:
    """The feed itself: the newest entries, or an archived page."""
    leaf = await context.run(find_leaf, context.store, name, page)
    # The host name and the format are part of the document, hence of its tag.
    current = context.public_address(str(request.base_url).rstrip("/") + request.url.path)
    mark = sha1(f"{leaf.stamp} {form} {current}".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    etag, modified, now = f'W/"{mark}"', leaf.query.modified, context.now()
    headers = validators(etag=etag, modified=modified, now=now)
    headers["Cache-Control"] = f"max-age={_ARCHIVED if leaf.is_archive else _FRESH}"
    headers["Vary"] = "Host"
    if context.hub:
        headers["Link"] = f'<{context.hub}>; rel="hub", <{current}>; rel="self"'
    if is_current(request.headers, etag=etag, modified=modified):
        return Response(status_code=304, headers=headers)
    made = await context.run(
        read_leaf, context.store, leaf, lambda number: current if number is None else f"{current}?page={number}"
    )
    render, media_type = FORMATS[form]
    made = replace(made, hub_url=context.hub)
    return Response(await context.run(render, made), media_type=media_type, headers=headers)
