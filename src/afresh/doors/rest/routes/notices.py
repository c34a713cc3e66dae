"""``/notices``: who is told of new entries, changed pages, failing feeds and pages, broken links."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from afresh.base.records.notices import NewNotice, Topic
from afresh.doors.presenting.notices import (
    NoticePage,
    NoticeView,
    notice_page,
    view_notice,
)
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import After, Context, Limit, duration
from afresh.doors.rest.problems import documented
from afresh.notices.outbox import add_notice, new_secret

router = APIRouter(prefix="/notices", tags=["notices"])

Number = Annotated[int, Path(ge=1, le=2**63 - 1, description="Number of a notice.", examples=[3])]
_PLAIN = r"^[^\x00-\x1f]*$"


class NoticeRequest(BaseModel):
    """A notice to be made; it tells what happens from then on."""

    model_config = ConfigDict(extra="forbid")

    topic: Annotated[
        Topic,
        Field(
            description="What is told: new entries of all feeds, a query, a tag or a folder; failing feeds and pages,"
            " broken links, changed pages."
        ),
    ]
    subject: Annotated[
        str,
        Field(max_length=200, pattern=_PLAIN, description="Name of the query feed, tag or folder.", examples=["solar"]),
    ] = ""
    target: Annotated[
        str,
        Field(
            min_length=3,
            max_length=2000,
            pattern=_PLAIN,
            description="Address of a webhook, or a URL of apprise. Never shown again in full.",
            examples=["https://example.org/hook"],
        ),
    ]
    secret: Annotated[
        str | None,
        Field(
            max_length=200, pattern=_PLAIN, description="Signs a webhook; null: a new one is made and answered once."
        ),
    ] = None
    digest: Annotated[
        float,
        duration(0, 2_592_000),
        Field(description="How long events are gathered: seconds, or a duration like `1h`."),
    ] = 0.0
    quiet: Annotated[
        str, Field(max_length=80, pattern=_PLAIN, examples=["22:00-07:00 Europe/Paris"], description="Quiet hours.")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """What became of a test."""

    is_taken: bool


@router.get("", response_model=NoticePage)
async def list_notices(context: Context, after: After = 0, limit: Limit = 100) -> Response:
    """A page of notices with what waits and what went wrong."""
    return Json(await context.run(notice_page, context.store, after=after, limit=limit))


@router.post("", status_code=201, response_model=NoticeView, responses=documented(400, 404, 413, 415))
async def create_notice(context: Context, body: NoticeRequest) -> Response:
    """Makes a notice; a webhook without a secret gets one, which is in the answer and nowhere else."""
    is_made = body.secret is None and body.target.startswith(("http://", "https://"))
    secret = new_secret() if is_made else body.secret or ""
    new = NewNotice(**{**body.model_dump(), "secret": secret})
    made = await context.run(add_notice, context.store, new, check_target=context.check_target, now=context.now())
    view = await context.run(view_notice, context.store, made, secret=secret if is_made else None)
    return Json(view, status_code=201)


@router.get("/{number}", response_model=NoticeView, responses=documented(404))
async def show_notice(context: Context, number: Number) -> Response:
    """One notice."""
    notice = await context.run(context.store.notices.notice, number)
    return Json(await context.run(view_notice, context.store, notice))


@router.delete("/{number}", status_code=204, responses=documented(404))
async def drop_notice(context: Context, number: Number) -> Response:
    """Forgets a notice and what waits for it."""
    await context.run(context.store.notices.drop_notice, number)
    return Response(status_code=204)


@router.post("/{number}/test", response_model=TrialView, responses=documented(404, 502))
async def test_notice(context: Context, number: Number) -> Response:
    """Sends a test to the target at once, quiet hours or not; 502 if it is not taken, with what went wrong."""
    error = await context.test_notice(number)
    if error:
        raise HTTPException(502, f"the target did not take the test: {error}")
    return Json(TrialView(is_taken=True))
