"""Fetchers: who works for a frontier, what each holds, and what there is to do."""

from dataclasses import asdict, dataclass

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.requests import Request
from starlette.responses import RedirectResponse

from afresh import __version__
from afresh.base.records.frontier import FetcherAccount
from afresh.base.records.frontier_store import Holding
from afresh.doors.pages.rendering import render
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import from_iso, iso
from afresh.doors.rest.doorkeeper import Need
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.frontier.door import Door
from afresh.doors.rest.guard import CALLER
from afresh.doors.rest.params import Context
from afresh.doors.rest.problems import Refused
from afresh.frontier.scheduling import Frontier

router = APIRouter()

_AWAY = 900.0  # seconds of silence after which a fetcher is called away
_ALONE = (("/fetchers", "Fetchers"),)  # the pages of a frontier


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherRow:
    """One fetcher; its secret is no part of it."""

    uuid: str
    name: str
    contact: str
    location: str
    tld_preference: str
    registered: str | None
    last_seen: str | None  # last list or report
    is_away: bool  # silent for a while
    leased_sites: int  # each with a list of its own
    latest_return: str | None  # when the first of these reservations ends


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchersPage:
    """A frontier at a glance; without one, nothing but the time."""

    at: str | None
    items: tuple[FetcherRow, ...] = ()
    totals: dict[str, float | None] | None = None  # None: no frontier runs here


async def fetchers_page(frontier: Frontier) -> FetchersPage:
    """Accounts, reservations and totals of a frontier."""
    now, stats = frontier.now(), await frontier.stats()
    # Asked of the store: what the frontier remembers of its fetchers may be some seconds old.
    accounts = await frontier.run(frontier.store.fetchers)
    held = await frontier.run(frontier.store.holdings)
    rows = tuple(_row(account, held.get(account.uuid), now) for account in accounts)
    return FetchersPage(at=iso(now), items=rows, totals=asdict(stats))


def _row(account: FetcherAccount, held: Holding | None, now: float) -> FetcherRow:
    return shown(
        FetcherRow,
        account,
        is_away=account.last_seen is None or now - account.last_seen > _AWAY,
        leased_sites=held.sites if held else 0,
        latest_return=iso(held.first_end) if held else None,
    )


# --- at a frontier ---------------------------------------------------------------------------------------------------


async def show_at_frontier(door: Door, request: Request) -> Response:
    """The page or its twin, for whoever may list the fetchers: with tokens, an administrator."""
    if not request.scope[CALLER].may(Need.ADMIN):
        raise Refused(403, "this token does not allow that; ask with an administrator's")
    if request.url.path == "/":
        return RedirectResponse("/fetchers", status_code=303)
    page = await fetchers_page(door.frontier)
    if request.url.path.endswith(".json"):
        return Json(page)
    return _shown(page, __version__, places=_ALONE)


# --- at the daemon ---------------------------------------------------------------------------------------------------


@router.get("/fetchers.json")
async def show_fetchers_json(context: Context) -> Response:
    """The twin of the page of fetchers."""
    return Json(FetchersPage(at=iso(context.now())))


@router.get("/fetchers")
async def show_fetchers(context: Context) -> Response:
    """The daemon fetches by itself: the page says how to start a frontier."""
    return _shown(FetchersPage(at=iso(context.now())), context.version)


def _shown(page: FetchersPage, version: str, **more: object) -> Response:
    return render(
        "fetchers.html",
        page=page,
        now=from_iso(page.at),
        twin="/fetchers.json",
        here="/fetchers",
        version=version,
        **more,
    )
