"""The frontier's ASGI app: a table of operations behind a gate."""

from collections.abc import Awaitable, Callable

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from afresh import __version__
from afresh.doors.pages.static import static_files
from afresh.doors.rest.auth import AuthSettings, require_safe_bind
from afresh.doors.rest.frontier.access import MOST_IMPORT, MOST_RESULTS, FrontierGate
from afresh.doors.rest.frontier.door import Door, Operation
from afresh.doors.rest.frontier.openapi import document
from afresh.doors.rest.frontier.operations import OPERATIONS
from afresh.doors.rest.guard import BodyLimits
from afresh.doors.rest.headers import HeadAsGet, SecurityHeaders
from afresh.doors.rest.problem import problem

API_PREFIX = "/api/v1"


class FrontierLimits(BodyLimits):
    """Lists of results are larger than forms."""

    def of(self, path: str) -> int:
        return MOST_IMPORT if path.rstrip("/").endswith("/urls") else MOST_RESULTS


class PlainPaths:
    """``/fetchers/`` is ``/fetchers``: the thesis writes the slash."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and len(scope["path"]) > 1 and scope["path"].endswith("/"):
            scope = {**scope, "path": scope["path"].rstrip("/")}
        await self.app(scope, receive, send)


def operations(*, dev: bool) -> tuple[Operation, ...]:
    """The operations there are; those for development only if asked for."""
    return tuple(op for op in OPERATIONS if dev or not op.dev)


def create_frontier_app(door: Door, *, auth: AuthSettings | None = None) -> Starlette:
    """The app; raises ConfigError if the settings would leave it open to others."""
    auth = auth or AuthSettings()
    require_safe_bind(auth.host, auth.tokens)
    offered = operations(dev=door.dev)
    described = msgspec.json.encode(document(offered, version=__version__, prefix=API_PREFIX))
    by_path: dict[str, dict[str, Operation]] = {}
    for op in offered:
        by_path.setdefault(op.path, {})[op.method] = op

    async def show_document(request: Request) -> Response:  # noqa: ARG001 (Starlette's signature)
        return Response(described, media_type="application/json")

    routes: list[BaseRoute] = [Route(f"{API_PREFIX}/openapi.json", show_document, methods=["GET"])]
    routes += [
        Route(API_PREFIX + path, _endpoint(door, methods), methods=list(methods)) for path, methods in by_path.items()
    ]
    routes += _pages(door)
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(PlainPaths),
            Middleware(FrontierGate, auth=auth, limits=FrontierLimits(), access=door.access),
            Middleware(HeadAsGet),
        ],
        exception_handlers={HTTPException: _on_http, Exception: _on_bug},
    )


def _pages(door: Door) -> list[BaseRoute]:
    """The page of fetchers; what it needs is loaded when somebody looks, a scheduler shall start in a moment."""

    async def show(request: Request) -> Response:
        from afresh.doors.pages.fetchers import show_at_frontier  # noqa: PLC0415

        return await show_at_frontier(door, request)

    paths = ("/", "/fetchers", "/fetchers.json")
    return [*(Route(path, show, methods=["GET"]) for path in paths), Mount("/static", static_files())]


def _endpoint(door: Door, methods: dict[str, Operation]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await methods["GET" if request.method == "HEAD" else request.method](door, request)

    return endpoint


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return problem(404, f"nothing lives at {request.url.path}")
    if error.status_code == 405:
        allowed = dict(error.headers or {})
        return problem(405, f"{request.method} is not possible at {request.url.path}", headers=allowed)
    return problem(error.status_code, str(error.detail))


async def _on_bug(request: Request, error: Exception) -> Response:  # noqa: ARG001 (Starlette's signature)
    return problem(500, "the frontier could not answer this; its log says why")
