"""Links: how they stand, the versions of one, what changed, and a person's word on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.base.errors import UsageError
from afresh.base.models import Kind
from afresh.base.protocols import Store
from afresh.base.records.link_status import Standing, Usage
from afresh.base.records.links import EVERYBODYS, SHIPPED, Check, KeptLink, LinkFilter, ModelChoice, Version
from afresh.doors.pages.rendering import query, show
from afresh.doors.presenting.checks import CheckView, view_check
from afresh.doors.presenting.comparisons import DiffView, view_diff
from afresh.doors.presenting.links import LinkView, VersionView, view_link, view_version
from afresh.doors.presenting.showing import following
from afresh.doors.presenting.times import iso
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.params import BIGGEST, After, Context, ResourceId, Text
from afresh.links.comparing import compare_versions
from afresh.links.models import ActiveModel

router = APIRouter()

ROWS = 50
VersionQuery = Annotated[int | None, Query(ge=1, le=BIGGEST, description="Number of a stored version.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage:
    """Links of one standing, or all."""

    at: str | None
    standing: str  # empty: any
    q: str
    standings: Mapping[str, int]
    items: tuple[LinkView, ...]
    next: int | None  # pass as ``after``


@dataclass(frozen=True, slots=True, kw_only=True)
class OneLinkPage:
    """One link with its versions and checks, and the newest version against the reference."""

    at: str | None
    kind: Kind  # pages are checked as links, too, without becoming one
    link: LinkView
    versions: tuple[VersionView, ...]
    checks: tuple[CheckView, ...]
    diff: DiffView | None  # None: there is nothing to compare yet
    models: tuple[str, ...]  # that could judge it, as they are chosen


async def _links(context: ServiceContext, standing: str, q: str, after: int) -> LinksPage:
    chosen = Standing(standing) if standing in list(Standing) else None
    where = LinkFilter(standing=chosen, text=q)
    found = await context.run(context.store.links.list_links, where, after=after, limit=ROWS)
    counts = await context.run(context.store.links.link_standings)
    return LinksPage(
        at=iso(context.now()),
        standing=chosen.value if chosen else "",
        q=q,
        standings={str(name): count for name, count in counts.items()},
        items=tuple(view_link(link) for link in found),
        next=following(found, ROWS),
    )


@router.get("/links")
@router.get("/links.json")
async def show_links(
    request: Request,
    context: Context,
    standing: Annotated[Text, Query()] = "",
    q: Annotated[Text, Query()] = "",
    after: After = 0,
) -> Response:
    """Which links are well, moved, suspect or broken."""
    page = await _links(context, standing, q.strip(), after)
    return show(
        request,
        "links.html",
        context,
        page,
        standings=list(Standing),
        after=after,
        twin="/links.json" + query(standing=page.standing, q=page.q, after=after or None),
        here="/links",
    )


async def _link(context: ServiceContext, number: int, old: int | None, new: int | None) -> OneLinkPage:
    kind = (await context.run(context.store.get, number)).kind
    link, versions, checks, models = await context.run(_read, context.store, number)
    diff = None
    if link.state.reference is not None and len(versions) > 1:
        try:
            made = await context.run(
                compare_versions,
                context.store.links,
                number,
                old=old,
                new=new,
                model=ActiveModel(context.store.learning),
            )
            diff = view_diff(made)
        except UsageError:  # a version that was trimmed since the page was opened
            diff = None
    return OneLinkPage(
        at=iso(context.now()),
        kind=kind,
        link=view_link(link),
        versions=tuple(view_version(version, link) for version in versions),
        checks=tuple(view_check(check) for check in checks),
        diff=diff,
        models=tuple(dict.fromkeys((*map(str, models), str(link.model)))),
    )


def _read(store: Store, number: int) -> tuple[KeptLink, list[Version], list[Check], list[ModelChoice]]:
    kept = store.learning.models()
    owners = sorted({model.owner for model in kept if model.owner})
    models = [EVERYBODYS, *(ModelChoice(owner=owner) for owner in owners), ModelChoice(number=SHIPPED)]
    models += [ModelChoice(number=model.id) for model in kept]
    return (
        store.links.link(number),
        store.links.versions(number, limit=ROWS),
        store.links.link_checks(number, limit=ROWS),
        models,
    )


@router.get("/links/{resource_id}")
@router.get("/links/{resource_id}.json")
async def show_link(
    request: Request, context: Context, resource_id: ResourceId, old: VersionQuery = None, new: VersionQuery = None
) -> Response:
    """One link: verdict, what changed, versions, checks, and the buttons to disagree."""
    page = await _link(context, resource_id, old, new)
    return show(
        request,
        "link.html",
        context,
        page,
        usages=list(Usage),
        twin=f"/links/{resource_id}.json" + query(old=old, new=new),
        here="/links",
    )
