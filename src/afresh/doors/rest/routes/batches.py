"""``/resources/bulk`` and ``/resources/import``: many resources in one request."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.exceptions import HTTPException

from afresh.base.errors import ParseError, ResourceNotFound
from afresh.base.models import Kind, Resource, ResourceFilter, Status
from afresh.base.protocols import Store
from afresh.doors.presenting.imports import ImportView, view_import
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import BIGGEST, Context, Text
from afresh.doors.rest.problems import documented
from afresh.doors.rest.requests import Folder, Tag, Tags
from afresh.engine.add import complete_known
from afresh.engine.edit_resource import Action, change_one_of_many, check_action
from afresh.engine.importing import read_import

router = APIRouter(prefix="/resources", tags=["resources"])

MOST = 200_000  # resources one bulk request may touch


class BulkFilter(BaseModel):
    """Which resources, as a listing filters them; null means any."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind | None = None
    status: Status | None = None
    folder: Text | None = None
    tag: Text | None = None
    site: Text | None = None
    failing: bool | None = None
    repaired: bool | None = None
    q: Text = ""


def _by_its_name(action: object) -> object:
    """``poll`` is what ``visit`` was called; it is still understood."""
    return Action.VISIT if action == "poll" else action


class BulkRequest(BaseModel):
    """The same change for many resources: those named, or all that a filter finds."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[Annotated[int, Field(ge=1, le=BIGGEST)]], Field(max_length=1000, examples=[[17, 18]])] = []
    where: Annotated[BulkFilter | None, Field(description="Instead of ids; {} is everything.")] = None
    action: Annotated[Action, BeforeValidator(_by_its_name)]
    tag: Annotated[Tag | None, Field(description="For tag and untag.", examples=["daily"])] = None
    folder: Annotated[Folder | None, Field(description="For move; empty: into none.", examples=["News"])] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkView:
    """What a bulk request came to."""

    changed: int
    unknown: Annotated[int, Field(description="Numbers that are no resource.")]


class ImportRequest(BaseModel):
    """A file of links, as text: OPML, bookmarks, sitemap, CSV, JSON, Markdown or a plain list."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=9_000_000, examples=["https://example.org/feed.xml\n"])]
    name: Annotated[Text, Field(description="Its file name, where there was one.", examples=["feeds.opml"])] = ""
    kind: Annotated[
        Kind | None,
        Field(
            description="What to watch them for; if left out, what the file says: bookmarks are links, all else feeds."
        ),
    ] = None
    folder: Folder = ""
    tags: Tags = ()
    keep_intervals: Annotated[
        bool, Field(description="How often another program looked at a page is its longest interval here.")
    ] = False


@router.post("/bulk", response_model=BulkView, responses=documented(400, 413, 415))
async def change_resources(context: Context, body: BulkRequest) -> Response:
    """Pauses, resumes, visits, tags, moves to a folder or removes many resources at once."""
    check_action(body.action, body.tag, body.folder)
    if not body.ids and body.where is None:
        raise HTTPException(422, "say which: ids, or where")
    changed, unknown = await context.run(partial(_change, context.store, body, now=context.now()))
    if body.action in (Action.VISIT, Action.RESUME):
        context.poke()
    return Json(BulkView(changed=changed, unknown=unknown))


@router.post("/import", response_model=ImportView, responses=documented(400, 413, 415))
async def import_resources(context: Context, body: ImportRequest) -> Response:
    """Watches everything a file names."""
    try:
        said = body.model_dump(exclude={"text"})
        read = partial(read_import, **said, settings=context.settings)
        found = await context.run(read, body.text.encode("utf-8", "replace"))
    except ParseError as error:
        raise HTTPException(422, str(error)) from error
    results = await context.add_wanted(found.wanted)
    known = [None if one.is_new else one.id for one in results]
    completed = await context.run(complete_known, context.store, found.wanted, known)
    return Json(view_import(found, results, completed=completed))


def _change(store: Store, body: BulkRequest, *, now: float) -> tuple[int, int]:
    found, unknown = _chosen(store, body)
    if body.action is Action.REMOVE:
        return store.remove([resource.id for resource in found]), unknown
    done = [
        change_one_of_many(store, resource, body.action, tag=body.tag, folder=body.folder, now=now)
        for resource in found
    ]
    return sum(done), unknown


def _chosen(store: Store, body: BulkRequest) -> tuple[list[Resource], int]:
    if body.where is not None:
        asked = body.where
        where = ResourceFilter(text=asked.q)
        where = replace(where, **{name: getattr(asked, name) for name in ("kind", "status", "folder", "tag", "site")})
        where = replace(where, failing=asked.failing, repaired=asked.repaired)
        if store.count(where) > MOST:
            raise HTTPException(422, f"that would be more than {MOST} resources; narrow the filter")
        return list(store.iterate(where)), 0
    found: list[Resource] = []
    for number in body.ids:
        try:
            found.append(store.get(number))
        except ResourceNotFound:
            continue
    return found, len(body.ids) - len(found)
