"""Fetchers, at the daemon: it fetches by itself, and the page says how a frontier is started."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from afresh.base.iso_times import from_iso
from afresh.doors.pages.rendering import render
from afresh.doors.presenting.times import iso
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import Context

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchersPage:
    """Nothing but the time: no frontier runs here."""

    at: str | None
    items: tuple[()] = ()
    totals: None = None


@router.get("/fetchers.json")
async def show_fetchers_json(context: Context) -> Response:
    """The twin of the page of fetchers."""
    return Json(FetchersPage(at=iso(context.now())))


@router.get("/fetchers")
async def show_fetchers(context: Context) -> Response:
    """How to start a frontier."""
    page = FetchersPage(at=iso(context.now()))
    return render(
        "fetchers.html",
        page=page,
        now=from_iso(page.at),
        twin="/fetchers.json",
        here="/fetchers",
        version=context.version,
    )
