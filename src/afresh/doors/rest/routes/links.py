"""``/links``: watched links, their checks and versions, what changed, and what a person says of it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from afresh.base.errors import AfreshError
from afresh.base.models import Kind
from afresh.base.protocols import Store
from afresh.base.records.links import (
    CheckStatus,
    KeptLink,
    LinkFilter,
    ModelChoice,
    NothingToAccept,
    Standing,
    Usage,
    Version,
)
from afresh.doors.presenting.checks import CheckPage, view_check
from afresh.doors.presenting.comparisons import DiffView, view_diff
from afresh.doors.presenting.links import (
    FolderView,
    LinkPage,
    LinkView,
    VersionList,
    view_folders,
    view_link,
    view_version,
)
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import following
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import (
    ALL_WORDS,
    BIGGEST,
    After,
    Before,
    Context,
    Limit,
    ResourceId,
    Text,
    User,
    VersionQuery,
)
from afresh.doors.rest.problems import documented
from afresh.doors.rest.routes.resources import make_due
from afresh.links.comparing import compare_versions
from afresh.links.models import ActiveModel
from afresh.links.repairs import repaired_address
from afresh.parse.child_reader import read_text
from afresh.parse.documents import read_document
from afresh.parse.encoding import decode

router = APIRouter(prefix="/links", tags=["links"])

#: A stored page is a stranger: no scripts, no forms, no requests, an origin of its own; only our pages may frame it.
SANDBOX = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
VersionId = Annotated[int, Path(ge=1, le=BIGGEST, description="Number of a stored version.", examples=[4])]
CONTENT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {}, "text/plain": {}}, "description": "The document, sandboxed."},
    **documented(404),
}
VERSION_CONTENT = "/{resource_id}/versions/{version_id}/content"


class ContentForm(StrEnum):
    """How a stored version is shown."""

    PAGE = "page"  # the document itself, sandboxed
    TEXT = "text"  # its visible text


class Decision(BaseModel):
    """What a person says of a version."""

    model_config = ConfigDict(extra="forbid")

    version: Annotated[int | None, Field(ge=1, le=BIGGEST, description="Null: the newest one.")] = None
    teach: Annotated[
        bool | None, Field(description="Also an example for the next training; null: where a version is rejected.")
    ] = None
    by: Annotated[
        str, Field(max_length=100, pattern=r"^[^\x00]*$", description="Who says so; empty: whoever asks.")
    ] = ""


class LinkAction(StrEnum):
    """What can be done to many links at once."""

    ADDRESS = "address"  # take the address where the page is now
    ACCEPT = "accept"  # the newest version is the page


class LinksRequest(BaseModel):
    """The same for many links."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[
        list[Annotated[int, Field(ge=1, le=BIGGEST)]], Field(min_length=1, max_length=1000, examples=[[17, 18]])
    ]
    action: LinkAction


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksChanged:
    """What became of many links."""

    changed: int
    refused: Annotated[tuple[str, ...], Field(description="Those that stayed as they are, and why.")]
    left: Annotated[Mapping[str, int], Field(description="How many stayed, by the reason in brief.")]


FolderList = list_of(FolderView, "FolderList", "The folders of links.")


class LinkPatch(BaseModel):
    """What of a link may be changed."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[
        str | None,
        Field(max_length=4000, description="The address where its page is now.", examples=["https://example.org/new"]),
    ] = None
    profile: Annotated[
        Usage | None,
        Field(description="What the link means: a place, this very content, or a page that changes by nature."),
    ] = None
    model: Annotated[
        str | None,
        Field(
            max_length=200,
            pattern=r"^[^\x00]*$",
            description="Which model judges it: everybody, owner:NAME, shipped, or the number of one.",
            examples=["everybody"],
        ),
    ] = None


@router.get("", response_model=LinkPage)
async def list_links(
    context: Context,
    standing: Annotated[Standing | None, Query(description="Only links that stand so.")] = None,
    status: Annotated[CheckStatus | None, Query(description="Only links whose last check said so.")] = None,
    folder: Annotated[Text | None, Query(description="In this folder, or below it.")] = None,
    within: Annotated[Text | None, Query(description="Another name of `folder`.", deprecated=True)] = None,
    tag: Annotated[Text | None, Query(description="Has this tag.")] = None,
    q: Annotated[Text, Query(description=f"Words in URL, title, tags or folder, {ALL_WORDS}.")] = "",
    after: After = 0,
    limit: Limit = 100,
) -> Response:
    """A page of links, ascending by id, and how many stand how altogether."""
    within = within if folder is None else folder
    where = LinkFilter(standing=standing, status=status, folder=within, tag=tag, text=q)
    found = await context.run(context.store.links.list_links, where, after=after, limit=limit)
    counts = await context.run(context.store.links.link_standings)
    items = tuple(view_link(link) for link in found)
    standings = {str(name): n for name, n in counts.items()}
    return Json(LinkPage(items=items, next=following(found, limit), standings=standings))


@router.get("/folders", response_model=FolderList)
async def list_folders(context: Context) -> Response:
    """The tree of folders that links are in, each before those below it."""
    return Json(FolderList(items=view_folders(await context.run(context.store.search.folders, Kind.LINK))))


@router.post("/bulk", response_model=LinksChanged, responses=documented(400, 413, 415))
async def change_links(context: Context, user: User, body: LinksRequest) -> Response:
    """Takes the new addresses of many links, or accepts their newest versions; what cannot be is told, one by one."""
    refused: list[str] = []
    left = Counter[str]()
    changed = 0
    for number in dict.fromkeys(body.ids):
        try:
            await _change_one(context, number, body.action, user)
            changed += 1
        except AfreshError as error:
            refused.append(f"link {number}: {error}")
            left[error.brief if isinstance(error, NothingToAccept) else str(error)] += 1
    return Json(LinksChanged(changed=changed, refused=tuple(refused), left=left))


async def _change_one(context: ServiceContext, number: int, action: LinkAction, user: str) -> None:
    if action is LinkAction.ACCEPT:
        await context.run(context.store.links.accept_version, number, None, by=user or "operator", now=context.now())
        return
    link = await context.run(context.store.links.link, number)
    await context.take_address(number, repaired_address(link.url, link.state))


@router.get("/{resource_id}", response_model=LinkView, responses=documented(404))
async def show_link(context: Context, resource_id: ResourceId) -> Response:
    """One link."""
    return Json(view_link(await context.run(context.store.links.link, resource_id)))


@router.patch("/{resource_id}", response_model=LinkView, responses=documented(400, 404, 409, 413, 415))
async def change_link(context: Context, resource_id: ResourceId, body: LinkPatch) -> Response:
    """Says where the link's page is now, what it means, and which model judges it; counts from its next check on."""
    choice = None if body.model is None else ModelChoice.parse(body.model)
    if body.url is not None:
        await context.take_address(resource_id, body.url)
    return Json(view_link(await context.run(_change, context.store, resource_id, body.profile, choice)))


@router.post("/{resource_id}/check", status_code=202, response_model=LinkView, responses=documented(404, 409))
async def check_link(context: Context, resource_id: ResourceId) -> Response:
    """Makes the link due now; it is checked as soon as politeness allows."""
    await make_due(context, resource_id)
    return Json(view_link(await context.run(context.store.links.link, resource_id)), status_code=202)


@router.get("/{resource_id}/checks", response_model=CheckPage, responses=documented(404))
async def list_checks(context: Context, resource_id: ResourceId, before: Before = None, limit: Limit = 100) -> Response:
    """Its checks, newest first."""
    await context.run(context.store.links.link, resource_id)
    found = await context.run(context.store.links.link_checks, resource_id, before=before, limit=limit)
    return Json(CheckPage(items=tuple(view_check(check) for check in found), next=following(found, limit)))


@router.get("/{resource_id}/versions", response_model=VersionList, responses=documented(404))
async def list_versions(context: Context, resource_id: ResourceId, limit: Limit = 100) -> Response:
    """Its stored versions, newest first."""
    link = await context.run(context.store.links.link, resource_id)
    found = await context.run(context.store.links.versions, resource_id, limit=limit)
    return Json(VersionList(items=tuple(view_version(version, link) for version in found)))


@router.get(VERSION_CONTENT, response_class=Response, responses=CONTENT)
async def show_version(
    context: Context, resource_id: ResourceId, version_id: VersionId, form: ContentForm = ContentForm.PAGE
) -> Response:
    """A stored version: the page in a sandbox, without scripts and requests, or its visible text."""
    version = await context.run(context.store.links.version, version_id)
    if version.resource != resource_id:
        raise HTTPException(404, f"version {version_id} is none of resource {resource_id}")
    return await sandboxed(context, version, form)


async def sandboxed(context: ServiceContext, version: Version, form: ContentForm) -> Response:
    """A stored document so that it can neither do anything nor ask for anything."""
    body = await context.run(context.store.links.version_body, version.id)
    shown, media_type = await context.run(_shown, version, body, form)
    headers = {
        "Content-Security-Policy": SANDBOX,
        "X-Frame-Options": "SAMEORIGIN",
        "X-DNS-Prefetch-Control": "off",  # a name looked up tells its owner that somebody reads
        "Content-Disposition": "inline; filename=stored-version",
        "Cache-Control": "private, max-age=3600",
    }
    return Response(shown, media_type=media_type, headers=headers)


@router.get("/{resource_id}/diff", response_model=DiffView, responses=documented(404))
async def compare_link(
    context: Context, resource_id: ResourceId, old: VersionQuery = None, new: VersionQuery = None
) -> Response:
    """Two versions (the reference and the newest, if not told): verdict, the measures that decided, what changed."""
    model = ActiveModel(context.store.learning)
    made = await context.run(compare_versions, context.store.links, resource_id, old=old, new=new, model=model)
    return Json(view_diff(made))


@router.post("/{resource_id}/accept", response_model=LinkView, responses=documented(400, 404, 413, 415))
async def accept_version(context: Context, user: User, resource_id: ResourceId, body: Decision) -> Response:
    """The version is the page: it is compared with from now on, and the link is well again.

    422 where the last check brought no page: there is nothing to accept, and the link stands as it did.
    """
    # "The page is now this" does not say that old and new are alike.
    teach = bool(body.teach)
    return await _decide(context, context.store.links.accept_version, resource_id, body, user, teach=teach)


@router.post("/{resource_id}/reject", response_model=LinkView, responses=documented(400, 404, 413, 415))
async def reject_version(context: Context, user: User, resource_id: ResourceId, body: Decision) -> Response:
    """The version is not the page: the link is broken until the page comes back."""
    teach = body.teach is not False
    return await _decide(context, context.store.links.reject_version, resource_id, body, user, teach=teach)


async def _decide(
    context: ServiceContext,
    decide: Callable[..., KeptLink],
    resource_id: int,
    body: Decision,
    user: str,
    *,
    teach: bool,
) -> Response:
    """Has the store take a person's word on a version."""
    by = body.by or user or "operator"
    link = await context.run(decide, resource_id, body.version, by=by, now=context.now(), teach=teach)
    return Json(view_link(link))


def _change(store: Store, resource: int, usage: Usage | None, choice: ModelChoice | None) -> KeptLink:
    if choice is not None:
        store.learning.choose_model(resource, choice)
    return store.links.link(resource) if usage is None else store.links.set_usage(resource, usage)


def _shown(version: Version, body: bytes, form: ContentForm) -> tuple[bytes, str]:
    """What is sent of a stored document; only HTML is sent as such, everything else as plain text."""
    page = read_text(read_document, body, url=version.url, content_type=version.content_type)
    if form is ContentForm.TEXT or page.kind != "html":
        return "\n".join(page.pieces).encode("utf-8", "replace"), "text/plain; charset=utf-8"
    text = decode(body, version.content_type, html=True)
    return text.encode("utf-8", "replace"), "text/html; charset=utf-8"
