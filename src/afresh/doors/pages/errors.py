"""Errors for a person's browser: the problem document's words on a page."""

from collections.abc import Mapping

from fastapi import Request
from fastapi.responses import Response

from afresh.doors.pages.rendering import render


def wants_page(request: Request) -> bool:
    """Whether the client is a browser that asked for a page, not for JSON."""
    path = request.url.path
    return (
        not path.startswith("/api/") and not path.endswith(".json") and "text/html" in request.headers.get("accept", "")
    )


def error_page(
    request: Request, status: int, title: str, detail: str, *, headers: Mapping[str, str] | None
) -> Response:
    """The page that says what went wrong."""
    version = request.app.state.context.version
    return render("error.html", status, headers, status=status, title=title, detail=detail, version=version)
