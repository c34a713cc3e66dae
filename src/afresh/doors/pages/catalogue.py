"""Resources: filtered, sorted and paged in SQL, with what can be done to many at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.base.models import Kind, Resource, ResourceFilter, Status
from afresh.base.protocols import Store
from afresh.doors.pages.rendering import query, show
from afresh.doors.presenting.folders import ResourceFolderView, view_resource_folders
from afresh.doors.presenting.resources import ResourceView, view_resource
from afresh.doors.presenting.showing import following
from afresh.doors.presenting.times import iso
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.params import After, Context, Text

router = APIRouter()

ROWS = 50


class Order(StrEnum):
    """What the table is sorted by."""

    DUE = "due"
    LAST_VISIT = "last_visit"  # the latest first
    TITLE = "title"
    ID = "id"


class Standing(StrEnum):
    """Whether visits go well."""

    ANY = ""
    FAILING = "failing"
    WELL = "well"
    REPAIRED = "repaired"  # its document had to be repaired to be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The filters of the page; empty means any."""

    kind: str
    status: str
    folder: str
    tag: str
    site: str
    standing: str
    q: str
    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class CataloguePage:
    """A page of resources."""

    at: str | None
    asked: Asked
    count: int | None  # of all that match; None: not counted, the text search would cost too much
    folders: tuple[ResourceFolderView, ...]  # that there are, whatever is asked for
    items: tuple[ResourceView, ...]
    next: int | None  # pass as ``after``; None: no further page


Short = Annotated[Text, Query()]


async def _page(context: ServiceContext, asked: Asked, after: int) -> CataloguePage:
    found, count, folders = await context.run(_read, context.store, asked, after)
    return CataloguePage(
        at=iso(context.now()),
        asked=asked,
        count=count,
        folders=view_resource_folders(folders),
        items=tuple(view_resource(resource) for resource in found),
        next=following(found, ROWS),
    )


def _read(store: Store, asked: Asked, after: int) -> tuple[list[Resource], int | None, Mapping[str, int]]:
    where = ResourceFilter(
        kind=Kind(asked.kind) if asked.kind else None,
        status=Status(asked.status) if asked.status else None,
        folder=asked.folder or None,
        tag=asked.tag or None,
        site=asked.site or None,
        failing={Standing.FAILING: True, Standing.WELL: False}.get(Standing(asked.standing)),
        repaired=True if asked.standing == Standing.REPAIRED else None,
        text=asked.q,
    )
    found = store.list_resources(where, after=after, limit=ROWS, order=asked.order.value)
    is_cheap = not (asked.q or asked.tag or asked.folder)
    return found, store.count(where) if is_cheap else None, store.search.folders()


def _asked(
    kind: Short = "",
    status: Short = "",
    folder: Short = "",
    tag: Short = "",
    site: Short = "",
    standing: Standing = Standing.ANY,
    q: Short = "",
    order: Order = Order.DUE,
) -> Asked:
    known_kind = kind if kind in list(Kind) else ""
    known_status = status if status in list(Status) else ""
    return Asked(
        kind=known_kind,
        status=known_status,
        folder=folder.strip("/ "),
        tag=tag.strip(),
        site=site.strip(),
        standing=standing.value,
        q=q.strip(),
        order=order,
    )


AskedQuery = Annotated[Asked, Depends(_asked)]


@router.get("/resources")
@router.get("/resources.json")
async def show_resources(request: Request, context: Context, asked: AskedQuery, after: After = 0) -> Response:
    """What is watched: a table with filters and bulk actions."""
    page = await _page(context, asked, after)
    filters = {name: getattr(asked, name) for name in ("kind", "status", "folder", "tag", "site", "standing", "q")}
    filters["order"] = "" if asked.order is Order.DUE else asked.order.value
    return show(
        request,
        "resources.html",
        context,
        page,
        filters=filters,
        after=after,
        kinds=list(Kind),
        statuses=list(Status),
        orders=list(Order),
        twin="/resources.json" + query(**filters, after=after or None),
        here="/resources",
    )
