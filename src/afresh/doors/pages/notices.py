"""The page of notices: who is told what, with a button to try it."""

from fastapi import APIRouter
from fastapi.responses import Response

from afresh.base.records.notices import Topic
from afresh.doors.pages.rendering import query, render
from afresh.doors.presenting.lists import NumberedPage
from afresh.doors.presenting.notices import NoticeView, notice_page
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import After, Context

router = APIRouter()

ROWS = 50


async def _notices(context: ServiceContext, after: int) -> NumberedPage[NoticeView]:
    return await context.run(notice_page, context.store, after=after, limit=ROWS)


@router.get("/notices.json")
async def show_notices_json(context: Context, after: After = 0) -> Response:
    """The twin of the page of notices."""
    return Json(await _notices(context, after))


@router.get("/notices")
async def show_notices(context: Context, after: After = 0) -> Response:
    """Who is told of new entries, changed pages, failing feeds and pages, broken links."""
    return render(
        "notices.html",
        page=await _notices(context, after),
        now=context.now(),
        topics=list(Topic),
        after=after,
        twin="/notices.json" + query(after=after or None),
        here="/notices",
        version=context.version,
    )
