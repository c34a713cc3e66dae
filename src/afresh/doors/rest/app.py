"""Puts the REST service and the pages together into one ASGI app."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response

from afresh.doors.pages.errors import error_page
from afresh.doors.pages.routers import PAGES
from afresh.doors.pages.static import static_files
from afresh.doors.rest.assembly import API_PREFIX, assemble
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.incoming_gate import BodyLimits, Rules
from afresh.doors.rest.known_fields import unknown_field
from afresh.doors.rest.known_parameters import require_known_parameters
from afresh.doors.rest.openapi import completed
from afresh.doors.rest.problems import FieldError, answer_problem
from afresh.doors.rest.routes import PUBLIC_ROUTERS, ROUTERS
from afresh.doors.rest.routes.system import show_metrics
from afresh.doors.rest.who_asks import Doorkeeper
from afresh.lab.runs import Runs
from afresh.lab.verdicts.trainings import Trainings

_MAX_ERRORS = 20
_DESCRIPTION = """What afresh watches, found and plans.

Times are ISO 8601 in UTC, durations are seconds. Lists are paged by key: pass `next` of an answer as `after` (visits:
`before`) of the next request. Errors are problem documents (RFC 9457)."""


def create_app(
    context: ServiceContext, *, auth: AuthSettings | None = None, limits: BodyLimits | None = None
) -> FastAPI:
    """The app, guarded as the settings say; raises ConfigError if they would leave it open to others."""
    auth = auth or AuthSettings()
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
        app.include_router(router, prefix=API_PREFIX, dependencies=[Depends(require_known_parameters)])
    root = APIRouter()
    root.add_api_route("/metrics", show_metrics, include_in_schema=False)
    app.include_router(root)
    for router in PUBLIC_ROUTERS:
        app.include_router(router)
    for router in PAGES:
        app.include_router(router, include_in_schema=False)
    app.mount("/static", static_files())
    app.state.error_page = error_page
    app.add_exception_handler(RequestValidationError, _on_validation)
    rules = Rules(is_hub=partial(_is_hub, context))
    assemble(app, auth=auth, keeper=Doorkeeper(auth), limits=limits or BodyLimits(), rules=rules)
    _keep_openapi(app)
    return app


async def _is_hub(context: ServiceContext, token: str) -> bool:
    receiver = context.pushes
    return receiver is not None and await context.run(receiver.knows, token)


async def _on_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(item["type"] == "json_invalid" for item in found):
        return answer_problem(request, 400, "the body is not valid JSON")
    # The input itself is left out: it may be large, and it may be something JSON cannot carry.
    errors = tuple(
        FieldError(".".join(str(part) for part in item["loc"]), _said(request, item)) for item in found[:_MAX_ERRORS]
    )
    detail = "; ".join(f"{item.where}: {item.message}" for item in errors[:3])
    return answer_problem(request, 422, detail, errors=errors)


def _said(request: Request, item: Mapping[str, Any]) -> str:
    if item["type"] == "extra_forbidden":
        return unknown_field(request.scope.get("route"), item["loc"])
    message: str = item["msg"]
    return message.removeprefix("Value error, ")


def _keep_openapi(app: FastAPI) -> None:
    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = completed(
                get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            )
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend it
