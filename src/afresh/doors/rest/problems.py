"""Errors as problem documents (RFC 9457): one shape for everything that goes wrong at a REST door."""

import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from msgspec import Meta
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afresh.base.errors import (
    AfreshError,
    ConfigError,
    Conflict,
    ParseError,
    StoreAway,
    StoreError,
    UsageError,
)
from afresh.doors.rest.encoding import encode

MEDIA_TYPE = "application/problem+json"
#: What the store said names files and hosts: that is for the log.
STORE_AWAY = "the store cannot be used right now; try again"
#: As RFC 9110 has them; Python says so from 3.13 on.
_PHRASES = {413: "Content Too Large", 416: "Range Not Satisfiable", 422: "Unprocessable Content"}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field of a request that was not understood."""

    where: Annotated[str, Meta(description="Path of the field.", examples=["body.pinned"])]
    message: Annotated[str, Meta(description="What is wrong with it.", examples=["Input should be greater than 0"])]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem document (RFC 9457)."""

    title: Annotated[str, Meta(description="The kind of problem.", examples=["Not Found"])]
    status: Annotated[int, Meta(description="The HTTP status again.", examples=[404])]
    detail: Annotated[str, Meta(description="What happened, to what, and what to try.", examples=["not watched: 17"])]
    type: Annotated[str, Meta(description="Always about:blank: the status says the kind.")] = "about:blank"
    errors: Annotated[tuple[FieldError, ...], Meta(description="The fields at fault, if any.")] = ()


class Refused(HTTPException):
    """A request that is not carried out; ``where``: the field at fault."""

    def __init__(self, status: int, detail: str, *, where: str = "") -> None:
        super().__init__(status, detail)
        self.errors: tuple[FieldError, ...] = (FieldError(where, detail),) if where else ()


def phrase(status: int) -> str:
    """What a status is called."""
    return _PHRASES.get(status) or HTTPStatus(status).phrase


def problem(
    status: int, detail: str, *, headers: dict[str, str] | None = None, errors: tuple[FieldError, ...] = ()
) -> Response:
    """A response that carries a problem document."""
    body = Problem(title=phrase(status), status=status, detail=detail, errors=errors)
    return Response(encode(body), status_code=status, media_type=MEDIA_TYPE, headers=headers)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of an operation that may answer with these problems."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": phrase(status), "content": content} for status in statuses}


def install_handlers(app: Starlette) -> None:
    """Makes every error of the app a problem document (or, for a person's browser, a page that says the same)."""
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(AfreshError, _on_afresh)


def answer_problem(request: Request, status: int, detail: str, **more: Any) -> Response:
    """A problem document, or the page of the app for it."""
    page = getattr(request.app.state, "error_page", None)
    shown = None if page is None else page(request, status, phrase(status), detail, more.get("headers"))
    return shown or problem(status, detail, **more)


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if error.status_code == HTTPStatus.NOT_FOUND and detail == HTTPStatus.NOT_FOUND.phrase:
        detail = f"nothing lives at {request.url.path}"
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f"{request.method} is not possible at {request.url.path}"
    headers = dict(error.headers) if error.headers else None
    return answer_problem(request, error.status_code, detail, headers=headers, errors=getattr(error, "errors", ()))


def status_of(error: AfreshError) -> int:
    """The status that says what kind of error it is."""
    match error:
        case LookupError():
            return 404
        case Conflict():
            return 409
        case UsageError() | ConfigError() | ParseError():
            return 422
        case StoreError():
            return 503
    return 500


def log_failure(error: AfreshError, path: str) -> None:
    """A store that is away is known to health already, which logs it once."""
    if isinstance(error, StoreAway):
        _log.debug("a request was put off: %s", error, extra={"path": path})
    else:
        _log.error("request failed", exc_info=error, extra={"path": path})


async def _on_afresh(request: Request, error: Exception) -> Response:
    assert isinstance(error, AfreshError)
    status = status_of(error)
    if status < 500:
        return answer_problem(request, status, str(error))
    log_failure(error, request.url.path)
    if status == 503:
        return answer_problem(request, status, STORE_AWAY, headers={"Retry-After": "1"})
    return answer_problem(request, status, str(error))


class CatchBugs:
    """The outermost net: an error of our own becomes a problem document and a line in the log, never a stack trace.

    Not an exception handler of the app: Starlette runs that one outside all middleware, without our security headers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except Exception as error:
            if scope["type"] != "http" or started:
                raise
            _log.exception("request failed", extra={"path": scope["path"], "cause": repr(error)})
            answer = problem(500, "afresh could not answer this; its log says why")
            await answer(scope, receive, send)
