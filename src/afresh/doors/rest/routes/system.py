"""``/stats``, ``/health``, ``/settings``, ``/metrics``: how afresh itself is doing."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

from afresh.base.troubles import Standing
from afresh.doors.presenting.daemons import DaemonsView, view_daemons
from afresh.doors.presenting.system import (
    BudgetView,
    HealthView,
    SettingsView,
    StatsView,
    view_budget,
    view_health,
    view_settings,
    view_stats,
)
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.metrics import CONTENT_TYPE, render_metrics
from afresh.doors.rest.params import Context

router = APIRouter(tags=["system"])


@router.get("/stats", response_model=StatsView)
async def show_stats(context: Context) -> Response:
    """Totals of the store by name."""
    now = context.now()
    return Json(view_stats(await context.run(context.store.stats, now=now), now))


@router.get("/health", response_model=HealthView, responses={503: {"model": HealthView, "description": "Failing"}})
async def show_health(context: Context) -> Response:
    """How afresh is doing: 200 if it is at work (ok or degraded), 503 if nothing is watched (failing)."""
    health = view_health(context.health(), context.version, context.now())
    return Json(health, status_code=503 if health.status == Standing.FAILING else 200)


@router.get("/budget", response_model=BudgetView | None)
async def show_budget(context: Context) -> Response:
    """Price, use, whether the controller has settled, and what more would buy; null: nothing is known yet."""
    return Json(view_budget(context.budget()))


@router.get("/daemons", response_model=DaemonsView)
async def show_daemons(context: Context) -> Response:
    """The daemons that share this store, the leader first."""
    found = await context.run(context.store.daemons.list_daemons)
    return Json(DaemonsView(items=view_daemons(found, context.now())))


@router.get("/settings", response_model=SettingsView)
async def show_settings(context: Context) -> Response:
    """Every option, its value and where it came from; secrets are hidden."""
    return Json(SettingsView(items=view_settings(context.options())))


@router.get("/metrics", response_class=PlainTextResponse)
async def show_metrics(context: Context) -> Response:
    """The same totals for Prometheus (also at /metrics)."""
    totals = await context.run(context.store.stats, now=context.now())
    return Response(render_metrics(totals, context.health(), context.version), media_type=CONTENT_TYPE)
