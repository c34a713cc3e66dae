"""Errors as problem documents (RFC 9457): one shape for everything that goes wrong at the REST door."""

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afresh.base.errors import (
    AfreshError,
    ConfigError,
    Conflict,
    LabelNotFound,
    ModelError,
    ModelNotFound,
    NoticeNotFound,
    ParseError,
    QueryNotFound,
    ResourceNotFound,
    StoreBusy,
    UsageError,
    VersionNotFound,
)
from afresh.doors.pages.errors import error_page, wants_page
from afresh.doors.rest.problem import MEDIA_TYPE, FieldError, Problem, problem

__all__ = ["MEDIA_TYPE", "CatchBugs", "FieldError", "Problem", "documented", "install_handlers", "problem"]

_MAX_ERRORS = 20
_log = logging.getLogger(__name__)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that may answer with these problems."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


def install_handlers(app: FastAPI) -> None:
    """Makes every error of the app a problem document (or, for a person's browser, a page that says the same)."""
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_validation)
    app.add_exception_handler(AfreshError, _on_afresh)


def _answer(request: Request, status: int, detail: str, **more: Any) -> Response:
    if wants_page(request):
        return error_page(request, status, HTTPStatus(status).phrase, detail, headers=more.get("headers"))
    return problem(status, detail, **more)


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if error.status_code == HTTPStatus.NOT_FOUND and detail == HTTPStatus.NOT_FOUND.phrase:
        detail = f"nothing lives at {request.url.path}"
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f"{request.method} is not possible at {request.url.path}"
    headers = dict(error.headers) if error.headers else None
    return _answer(request, error.status_code, detail, headers=headers)


async def _on_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(item["type"] == "json_invalid" for item in found):
        return _answer(request, 400, "the body is not valid JSON")
    # The input itself is left out: it may be large, and it may be something JSON cannot carry.
    errors = tuple(FieldError(".".join(str(part) for part in item["loc"]), item["msg"]) for item in found[:_MAX_ERRORS])
    detail = "; ".join(f"{item.where}: {item.message}" for item in errors[:3])
    return _answer(request, 422, detail, errors=errors)


async def _on_afresh(request: Request, error: Exception) -> Response:
    status = 500
    match error:
        case (
            ResourceNotFound()
            | QueryNotFound()
            | NoticeNotFound()
            | VersionNotFound()
            | LabelNotFound()
            | ModelNotFound()
        ):
            status = 404
        case Conflict():
            status = 409
        case UsageError() | ModelError() | ConfigError() | ParseError():
            status = 422
        case StoreBusy():
            status = 503
    if status >= 500:
        _log.error("request failed", exc_info=error, extra={"path": request.url.path})
    return _answer(request, status, str(error))


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
