"""Links: how they stand, the versions of one, what changed, and a person's word on it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.base.errors import UsageError
from afresh.base.extras import wanting
from afresh.base.models import Kind
from afresh.base.protocols import Store
from afresh.base.records.links import (
    EVERYBODYS,
    SHIPPED,
    Check,
    CheckStatus,
    KeptLink,
    LinkFilter,
    ModelChoice,
    Standing,
    Usage,
    Version,
)
from afresh.doors.pages.rendering import query, show
from afresh.doors.presenting.checks import CheckView, view_check
from afresh.doors.presenting.comparisons import DiffView, view_diff
from afresh.doors.presenting.link_reports import COLUMNS, cells_of_link, summary_of, table_as_csv, table_as_html
from afresh.doors.presenting.links import FolderView, LinkView, VersionView, view_folders, view_link, view_version
from afresh.doors.presenting.showing import following, shown
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
    status: str  # the same
    folder: str  # with those below it; empty: any
    tag: str
    q: str
    folders: tuple[FolderView, ...]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The filters of the page; empty means any."""

    standing: str
    status: str
    folder: str
    tag: str
    q: str

    def where(self) -> LinkFilter:
        chosen = Standing(self.standing) if self.standing else None
        said = CheckStatus(self.status) if self.status else None
        return LinkFilter(standing=chosen, status=said, folder=self.folder or None, tag=self.tag or None, text=self.q)


def _asked(
    standing: Annotated[Text, Query()] = "",
    status: Annotated[Text, Query()] = "",
    folder: Annotated[Text, Query()] = "",
    tag: Annotated[Text, Query()] = "",
    q: Annotated[Text, Query()] = "",
) -> Asked:
    known = standing if standing in list(Standing) else ""
    said = status if status in list(CheckStatus) else ""
    return Asked(standing=known, status=said, folder=folder.strip("/ "), tag=tag.strip(), q=q.strip())


AskedQuery = Annotated[Asked, Depends(_asked)]


_ORDER = sorted(Standing, key=lambda standing: standing.urgency)


def _read_page(
    store: Store, asked: Asked, after: int
) -> tuple[list[KeptLink], int | None, Mapping[Standing, int], Mapping[str, int]]:
    found, further = _most_urgent(store, asked.where(), after)
    return found, further, store.links.link_standings(), store.search.folders(Kind.LINK)


def _most_urgent(store: Store, where: LinkFilter, after: int) -> tuple[list[KeptLink], int | None]:
    """A page of links, those that are broken first, and where the next begins: a number and how its link stands."""
    if where.standing is not None:
        found = store.links.list_links(where, after=after, limit=ROWS)
        return found, following(found, ROWS)
    found = []
    number, place = divmod(after, len(_ORDER))
    for standing in _ORDER[place:]:
        found += store.links.list_links(replace(where, standing=standing), after=number, limit=ROWS - len(found))
        if len(found) == ROWS:
            return found, found[-1].id * len(_ORDER) + standing.urgency
        number = 0
    return found, None


async def _links(context: ServiceContext, asked: Asked, after: int) -> LinksPage:
    found, further, counts, folders = await context.run(_read_page, context.store, asked, after)
    return shown(
        LinksPage,
        asked,
        at=iso(context.now()),
        folders=view_folders(folders),
        standings={str(name): count for name, count in counts.items()},
        items=tuple(map(view_link, found)),
        next=further,
    )


@router.get("/links")
@router.get("/links.json")
async def show_links(request: Request, context: Context, asked: AskedQuery, after: After = 0) -> Response:
    """Which links are well, moved, suspect or broken."""
    page = await _links(context, asked, after)
    filters = {name: value for name, value in asdict(asked).items() if value}
    return show(
        request,
        "links.html",
        context,
        page,
        standings=list(Standing),
        statuses=list(CheckStatus),
        filters=filters,
        after=after,
        twin="/links.json" + query(**filters, after=after or None),
        here="/links",
    )


@router.get("/links/report.csv")
async def show_csv_report(context: Context, asked: AskedQuery) -> Response:
    """All links that are shown, as a table."""
    return _report(await context.run(_csv_report, context.store, asked), "csv")


@router.get("/links/report.html")
async def show_html_report(context: Context, asked: AskedQuery) -> Response:
    """The same as one page to keep or to send; it has a script of its own, so it is no page of ours."""
    return _report(await context.run(_html_report, context.store, asked), "html")


def _csv_report(store: Store, asked: Asked) -> str:
    return table_as_csv(COLUMNS, map(cells_of_link, _all(store, asked)))


def _html_report(store: Store, asked: Asked) -> str:
    links = list(_all(store, asked))
    return table_as_html(COLUMNS, list(map(cells_of_link, links)), summary_of(links))


def _all(store: Store, asked: Asked) -> Iterator[KeptLink]:
    after = 0
    while page := store.links.list_links(asked.where(), after=after, limit=1_000):
        yield from page
        after = page[-1].id


def _report(text: str, form: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="links.{form}"'}
    return Response(text.encode("utf-8", "replace"), media_type=f"text/{form}; charset=utf-8", headers=headers)


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
        wanting=wanting("lab", "Training"),
        twin=f"/links/{resource_id}.json" + query(old=old, new=new),
        here="/links",
    )
