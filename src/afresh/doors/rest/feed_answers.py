"""Feeds that are made when they are asked for: their forms, and the answer to a reader who may have them already."""

from collections.abc import Callable
from enum import StrEnum
from hashlib import sha1

from fastapi import Request
from fastapi.responses import Response

from afresh.doors.rest.conditional import is_current, validators
from afresh.doors.rest.context import ServiceContext
from afresh.parse.render_feed import FORMATS, FeedPage


class FeedFormat(StrEnum):
    """The ending of a feed's address."""

    ATOM = "atom"
    RSS = "rss"
    JSON = "json"


def address_of(request: Request) -> str:
    """Where the request went, with what it asked for."""
    asked = f"?{request.url.query}" if request.url.query else ""
    return str(request.base_url).rstrip("/") + request.url.path + asked


async def feed_answer(
    request: Request, context: ServiceContext, form: FeedFormat, read: Callable[..., FeedPage]
) -> Response:
    """The feed in the form asked for, or 304 to who has it already."""
    current = context.public_address(address_of(request))
    made = await context.run(read, context.store, address=current)
    render, media_type = FORMATS[form]
    body = await context.run(render, made)
    etag = f'W/"{sha1(body, usedforsecurity=False).hexdigest()}"'
    headers = validators(etag=etag, modified=made.updated, now=context.now())
    headers |= {"Cache-Control": "max-age=60", "Vary": "Host"}
    if is_current(request.headers, etag=etag, modified=made.updated):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)
