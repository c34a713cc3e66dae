"""Puts the REST service and the pages together into one ASGI app."""

from typing import Any

from fastapi import APIRouter, FastAPI

from afresh.doors.pages.routers import PAGES
from afresh.doors.pages.static import static_files
from afresh.doors.rest.auth import AuthSettings, require_safe_bind
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.doorkeeper import Doorkeeper
from afresh.doors.rest.guard import BodyLimits, Gate
from afresh.doors.rest.headers import HeadAsGet, SecurityHeaders
from afresh.doors.rest.openapi import openapi_document
from afresh.doors.rest.problems import CatchBugs, install_handlers
from afresh.doors.rest.routes import PUBLIC_ROUTERS, ROUTERS
from afresh.doors.rest.routes.system import show_metrics
from afresh.lab.runs import Runs
from afresh.lab.verdicts.trainings import Trainings

API_PREFIX = "/api/v1"
_DESCRIPTION = """What afresh watches, found and plans.

Times are ISO 8601 in UTC, durations are seconds. Lists are paged by key: pass `next` of an answer as `after` (visits:
`before`) of the next request. Errors are problem documents (RFC 9457)."""


def create_app(
    context: ServiceContext, *, auth: AuthSettings | None = None, limits: BodyLimits | None = None
) -> FastAPI:
    """The app, guarded as the settings say; raises ConfigError if they would leave it open to others."""
    auth = auth or AuthSettings()
    require_safe_bind(auth.host, auth.tokens, auth.passwords)
    keeper = Doorkeeper(auth)
    app = FastAPI(
        title="afresh",
        version=context.version,
        description=_DESCRIPTION,
        docs_url=None,  # the stock documentation pages load scripts from elsewhere
        redoc_url=None,
        openapi_url=f"{API_PREFIX}/openapi.json",
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.context = context
    app.state.runs = Runs()
    app.state.trainings = Trainings()
    for router in ROUTERS:
        app.include_router(router, prefix=API_PREFIX)
    root = APIRouter()
    root.add_api_route("/metrics", show_metrics, include_in_schema=False)
    app.include_router(root)
    for router in PUBLIC_ROUTERS:
        app.include_router(router)
    for router in PAGES:
        app.include_router(router, include_in_schema=False)
    app.mount("/static", static_files())
    install_handlers(app)
    _keep_openapi(app)
    # Added last is outermost: headers on everything, then the gate, then the net for our own errors, then HEAD.
    app.add_middleware(HeadAsGet)
    app.add_middleware(CatchBugs)
    app.add_middleware(Gate, auth=auth, limits=limits or BodyLimits(), keeper=keeper)
    app.add_middleware(SecurityHeaders)
    return app


def _keep_openapi(app: FastAPI) -> None:
    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = openapi_document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend it
