"""Pages of things that are paged by their name."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.doors.pages.rendering import Dated, query, show
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.params import Text

AfterName = Annotated[Text, Query(description="Where to read on: `next` of the page before.")]


def shown_by_name(
    request: Request, name: str, page: Dated, after: str, context: ServiceContext, **asked: str
) -> Response:
    """A page of things paged by their name, with what was asked for besides."""
    return show(
        request,
        f"{name}.html",
        context,
        page,
        after=after,
        asked=asked,
        twin=f"/{name}.json" + query(after=after, **asked),
        here=f"/{name}",
    )
