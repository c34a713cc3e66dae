"""Errors for a person's browser: the problem document's words on a page."""

from collections.abc import Mapping

from fastapi import Request
from fastapi.responses import Response

from afresh.doors.pages.rendering import render


def error_page(
    request: Request, status: int, title: str, detail: str, headers: Mapping[str, str] | None
) -> Response | None:
    """The page that says what went wrong; None: the client is no browser that asked for a page."""
    path = request.url.path
    if path.startswith("/api/") or path.endswith(".json") or "text/html" not in request.headers.get("accept", ""):
        return None
    version = request.app.state.context.version
    return render("error.html", status, headers, status=status, title=title, detail=detail, version=version)
