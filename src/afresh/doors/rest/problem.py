"""The problem document (RFC 9457); apart from the handlers, so that a lean door need not load a framework."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from afresh.doors.rest.encoding import encode

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field of a request that was not understood."""

    where: Annotated[str, Field(description="Path of the field.", examples=["body.pinned"])]
    message: Annotated[str, Field(description="What is wrong with it.", examples=["Input should be greater than 0"])]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem document (RFC 9457)."""

    title: Annotated[str, Field(description="The kind of problem.", examples=["Not Found"])]
    status: Annotated[int, Field(description="The HTTP status again.", examples=[404])]
    detail: Annotated[str, Field(description="What happened, to what, and what to try.", examples=["not watched: 17"])]
    type: Annotated[str, Field(description="Always about:blank: the status says the kind.")] = "about:blank"
    errors: Annotated[tuple[FieldError, ...], Field(description="The fields at fault, if any.")] = ()


def problem(
    status: int, detail: str, *, headers: dict[str, str] | None = None, errors: tuple[FieldError, ...] = ()
) -> Response:
    """A response that carries a problem document."""
    body = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors)
    return Response(encode(body), status_code=status, media_type=MEDIA_TYPE, headers=headers)
