"""``/signals``: whoever knows that pages have changed may say so."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from afresh.base.records.pages import Signal
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import Context
from afresh.doors.rest.problems import documented

router = APIRouter(prefix="/signals", tags=["signals"])


class SignalRequest(BaseModel):
    """Pages that are said to have changed."""

    model_config = ConfigDict(extra="forbid")

    urls: Annotated[
        list[str],
        Field(min_length=1, max_length=1000, examples=[["https://example.org/page"]]),
    ]
    signal: Annotated[
        Signal, Field(description="What kind of signal it is: each kind is believed as it proved true.")
    ] = Signal.PING


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalView:
    """What became of it."""

    heard: Annotated[int, Field(description="Watched pages to which it was news; they come to their turn sooner.")]


@router.post("", status_code=202, response_model=SignalView, responses=documented(400, 413, 415))
async def announce_changes(context: Context, body: SignalRequest) -> Response:
    """Says that pages have changed; each is visited sooner by what this kind of signal proved worth at its site."""
    return Json(SignalView(heard=await context.announce(body.urls, signal=body.signal)), status_code=202)
