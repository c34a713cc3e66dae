"""Fetchers: who works for a frontier, what each holds, and what there is to do."""

from collections import Counter
from dataclasses import asdict, dataclass

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.requests import Request
from starlette.responses import RedirectResponse

from afresh import __version__
from afresh.app.frontier.frontier import Frontier
from afresh.core.frontier.models import FetcherAccount, FrontierStats
from afresh.core.frontier.protocols import FrontierStore
from afresh.service.encoding import Json
from afresh.service.frontier.access import Need
from afresh.service.frontier.door import Door
from afresh.service.params import Context
from afresh.service.problem import problem
from afresh.service.times import iso
from afresh.web.rendering import from_iso, render

router = APIRouter()

MOST_COUNTED = 5_000  # sites looked at to tell who holds which; requests of fetchers wait meanwhile
_PIECE = 500
_AWAY = 900.0  # seconds of silence after which a fetcher is called away
_ALONE = (("/fetchers", "Fetchers"),)  # the pages of a frontier
_CHALLENGE = {"WWW-Authenticate": 'Basic realm="afresh frontier", charset="UTF-8"'}


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
    reserved_sites: int | None  # each with a list of its own; None: too many sites to count
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
    held = await _held(frontier, stats)
    rows = tuple(_row(account, held, now) for account in accounts)
    return FetchersPage(at=iso(now), items=rows, totals=asdict(stats))


#: How many sites each fetcher holds, and when its first reservation ends.
_Held = tuple[Counter[str], dict[str, float]]


async def _held(frontier: Frontier, stats: FrontierStats) -> _Held | None:
    counts: Counter[str] = Counter()
    ends: dict[str, float] = {}
    if stats.reserved_sites and stats.sites > MOST_COUNTED:
        return None
    after = "" if stats.reserved_sites else None
    while after is not None:  # piece by piece: lists are handed out in between
        after = await frontier.run(_count_piece, frontier.store, after, counts, ends)
    return counts, ends


def _count_piece(store: FrontierStore, after: str, counts: Counter[str], ends: dict[str, float]) -> str | None:
    sites = store.sites(after=after, limit=_PIECE)
    for site in sites:
        if site.leased_by and site.leased_until is not None:
            counts[site.leased_by] += 1
            ends[site.leased_by] = min(site.leased_until, ends.get(site.leased_by, site.leased_until))
    return sites[-1].fqdn if len(sites) == _PIECE else None


def _row(account: FetcherAccount, held: _Held | None, now: float) -> FetcherRow:
    counts, ends = held or (Counter(), {})
    return FetcherRow(
        uuid=account.uuid,
        name=account.name,
        contact=account.contact,
        location=account.location,
        tld_preference=account.tld_preference,
        registered=iso(account.registered),
        last_seen=iso(account.last_seen),
        is_away=account.last_seen is None or now - account.last_seen > _AWAY,
        reserved_sites=None if held is None else counts[account.uuid],
        latest_return=iso(ends.get(account.uuid)),
    )


# --- at a frontier ---------------------------------------------------------------------------------------------------


async def show_at_frontier(door: Door, request: Request) -> Response:
    """The page or its twin, for whoever may list the fetchers: with tokens, an administrator."""
    caller = await door.access.caller(request.headers.get("authorization", ""))
    if caller is None:
        return problem(401, "an administrator's token is needed (Basic: as the password)", headers=_CHALLENGE)
    if not caller.may(Need.ADMIN):
        return problem(403, "this token does not allow that; ask with an administrator's")
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
