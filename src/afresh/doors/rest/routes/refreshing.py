"""``/refresh``: how feeds are visited, for one, a folder, a tag or a query feed, and what shall be reached."""

from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from afresh.base.protocols import Store
from afresh.doors.presenting.refreshing import ChoiceView, RefreshView, view_choice, view_refresh
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import DURATION, Context, Text
from afresh.doors.rest.problems import documented
from afresh.doors.rest.requests import said
from afresh.engine.choose_refresh import (
    change_choice,
    choices_of,
    kept_groups,
    scope_of,
)

router = APIRouter(prefix="/refresh", tags=["resources"])

_SCOPES = ("feed", "folder", "tag", "query")


class RefreshRequest(BaseModel):
    """Who it holds for (one of the first four), and what; a field left out stays, null takes it back."""

    model_config = ConfigDict(extra="forbid")

    feed: Annotated[int | None, Field(ge=1, le=2**63 - 1, description="Number of a feed.")] = None
    folder: Annotated[Text | None, Field(description="A folder, with those below it.", examples=["news"])] = None
    tag: Annotated[Text | None, Field(description="All feeds with this tag.")] = None
    query: Annotated[Text | None, Field(description="All feeds that this query feed reads.")] = None
    strategy: Annotated[Text | None, Field(description="Who decides about visits.", examples=["2steps"])] = None
    estimator: Annotated[Text | None, Field(description="What a strategy goes by.", examples=["hybrid"])] = None
    mean_delay: Annotated[Annotated[float, DURATION] | None, said(minimum=1)] = None
    completeness: Annotated[float | None, said(minimum=0.5, maximum=0.9999)] = None

    def changes(self) -> dict[str, Any]:
        """Only what was sent."""
        return {name: getattr(self, name) for name in self.model_fields_set if name not in _SCOPES}


@router.get("", response_model=RefreshView)
async def show_refresh(context: Context) -> Response:
    """What was said for some feeds, what strategies do, and what has become of targets."""
    choices, groups = await context.run(_read, context.store)
    report = context.budget()
    return Json(view_refresh(choices, groups, () if report is None else report.targets))


@router.patch("", response_model=ChoiceView, responses=documented(400, 404, 413, 415))
async def change_refresh(context: Context, body: RefreshRequest) -> Response:
    """Says how some feeds are visited and what shall be reached for them."""
    scope, choice = await context.run(_change, context.store, body)
    context.poke()
    return Json(view_choice(scope, choice))


def _read(store: Store) -> Any:
    return choices_of(store), kept_groups(store)


def _change(store: Store, body: RefreshRequest) -> Any:
    scope = scope_of(store, feed=body.feed, folder=body.folder, tag=body.tag, query=body.query)
    return scope, change_choice(store, scope, body.changes())
