"""Sites, settings and import: small pages over use cases that have their own doors."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.base.models import Kind
from afresh.doors.pages.paged_by_name import AfterName, shown_by_name
from afresh.doors.pages.rendering import render
from afresh.doors.presenting.sites import SiteView, site_page
from afresh.doors.presenting.system import SettingView, view_settings
from afresh.doors.presenting.times import iso
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import Context, Text

router = APIRouter()

ROWS = 100

# --- sites -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SitesPage:
    """Sites by name."""

    at: str | None
    q: str  # part of the name; empty: any
    failing: bool  # only sites whose last request failed
    items: tuple[SiteView, ...]
    next: str | None  # pass as ``after``


NamePart = Annotated[Text, Query(description="Part of the name.")]
Failing = Annotated[bool, Query(description="Only sites whose last request failed.")]


async def _sites(context: ServiceContext, q: str, failing: bool, after: str) -> SitesPage:
    found = await context.run(context.store.list_sites, text=q, failing=failing, after=after, limit=ROWS)
    page = site_page(found, ROWS)
    return SitesPage(at=iso(context.now()), q=q, failing=failing, items=page.items, next=page.next)


@router.get("/sites")
@router.get("/sites.json")
async def show_sites(
    request: Request, context: Context, q: NamePart = "", failing: Failing = False, after: AfterName = ""
) -> Response:
    """The units of politeness: pause, wishes of the server, queue."""
    page = await _sites(context, q.strip(), failing, after)
    return shown_by_name(request, "sites", page, after, context, q=page.q, failing="true" if failing else "")


# --- settings --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsPage:
    """All options by group."""

    at: str | None
    items: tuple[SettingView, ...]


def _settings(context: ServiceContext) -> SettingsPage:
    return SettingsPage(at=iso(context.now()), items=view_settings(context.options()))


@router.get("/settings.json")
async def show_settings_json(context: Context) -> Response:
    """The twin of the page of settings."""
    return Json(_settings(context))


@router.get("/settings")
async def show_settings(context: Context) -> Response:
    """Every option, its value and where that came from."""
    page = _settings(context)
    groups: dict[str, list[SettingView]] = {}
    for item in page.items:
        groups.setdefault(item.name.partition(".")[0], []).append(item)
    return render("settings.html", groups=groups, twin="/settings.json", here="/settings", version=context.version)


# --- import ----------------------------------------------------------------------------------------------------------


@router.get("/import")
async def show_import(context: Context) -> Response:
    """Add URLs, or drop a file with many."""
    return render("import.html", kinds=list(Kind), here="/import", version=context.version)
