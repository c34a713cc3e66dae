"""The frontier's ASGI app: its operations behind the same gate as everything else."""

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from afresh import __version__
from afresh.base.errors import AfreshError
from afresh.doors.pages.static import static_files
from afresh.doors.rest.assembly import API_PREFIX, assemble
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.encoding import encode
from afresh.doors.rest.frontier import handlers, operating, queueing
from afresh.doors.rest.frontier.door import IMPORT_TYPES, Door, Operation
from afresh.doors.rest.frontier.metrics import frontier_metrics
from afresh.doors.rest.frontier.openapi import document
from afresh.doors.rest.incoming_gate import BodyLimits, Rules
from afresh.doors.rest.metrics import CONTENT_TYPE
from afresh.doors.rest.who_asks import Doorkeeper

_ANSWERS, _SHOWN = "answers", 600.0  # seconds for which health shows that a request could not be answered
#: Lists of results are larger than forms.
_LIMITS = BodyLimits(ordinary=8_000_000, imports=64_000_000, imports_end="/urls")
_RULES = Rules(
    open_paths=("/static/", f"{API_PREFIX}/openapi.json"),
    import_types=IMPORT_TYPES,
    only_admins_import=True,
)


def operations(*, dev: bool) -> tuple[Operation, ...]:
    """The operations there are; those for development only if asked for."""
    declared = (handlers.routes, operating.routes, queueing.routes)
    return tuple(op for routes in declared for op in routes.operations if dev or not op.dev)


def create_frontier_app(door: Door, keeper: Doorkeeper, *, auth: AuthSettings | None = None) -> Starlette:
    """The app; raises ConfigError if the settings would leave it open to others."""
    offered = operations(dev=door.dev)
    described = encode(document(offered, version=__version__, prefix=API_PREFIX))
    by_path: dict[str, dict[str, Operation]] = {}
    for op in offered:
        by_path.setdefault(op.path, {})[op.method] = op

    async def show_document(request: Request) -> Response:  # noqa: ARG001 (Starlette's signature)
        return Response(described, media_type="application/json")

    routes: list[BaseRoute] = [Route(f"{API_PREFIX}/openapi.json", show_document, methods=["GET"])]
    routes += [
        Route(API_PREFIX + path, _endpoint(door, methods), methods=list(methods)) for path, methods in by_path.items()
    ]
    app = Starlette(routes=[*routes, *_pages(door)])
    assemble(app, auth=auth or AuthSettings(), keeper=keeper, limits=_LIMITS, rules=_RULES)
    return app


def _pages(door: Door) -> list[BaseRoute]:
    """The page of the frontier; what it needs is loaded when somebody looks, a scheduler shall start in a moment."""

    async def show(request: Request) -> Response:
        from afresh.doors.pages.frontier import show_frontier  # noqa: PLC0415

        return await show_frontier(door, request)

    async def show_library(request: Request) -> Response:
        from afresh.doors.pages.plots import show_library  # noqa: PLC0415

        return show_library(request)

    async def show_metrics(request: Request) -> Response:  # noqa: ARG001 (Starlette's signature)
        return Response(await frontier_metrics(door), media_type=CONTENT_TYPE)

    paths = ("/", "/fetchers", "/fetchers.json", "/plots/frontier.json", "/plots/frontier.csv")
    pages = [Route(path, show, methods=["GET"]) for path in paths]
    pages += [Route("/metrics", show_metrics, methods=["GET"]), Route("/static/chart.js", show_library)]
    return [*pages, Mount("/static", static_files())]


def _endpoint(door: Door, methods: dict[str, Operation]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            return await methods[request.method](door, request)
        except (AfreshError, HTTPException):
            raise  # answered by what they say
        except Exception:  # a fault of our own: health shows it, whoever caught it
            path = request.url.path.removeprefix(API_PREFIX)
            door.frontier.troubles.report(_ANSWERS, f"{request.method} {path} failed; the log says why", lasting=_SHOWN)
            raise

    return endpoint
