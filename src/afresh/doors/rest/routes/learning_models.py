"""``/models``: what is learnt from ratings, put to use, and taken back."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from afresh.base.extras import need
from afresh.base.records.labels import KeptModel
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import numbers
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import BIGGEST, Context, Text, duration
from afresh.doors.rest.problems import documented
from afresh.doors.rest.routes.learning import Number, Who
from afresh.lab.verdicts.trainings import Wish
from afresh.links.models import put_to_use, roll_back, use_trained
from afresh.links.verdicts.kernels import Kernel

router = APIRouter(prefix="/models", tags=["learning"])

_ONE_AT_A_TIME = asyncio.Lock()


class TrainRequest(BaseModel):
    """How a model shall be trained; null: as the one in use."""

    model_config = ConfigDict(extra="forbid")

    owner: Who = ""
    rater: Annotated[
        str | None,
        Field(max_length=100, pattern=r"^[^\x00]*$", description="Learn from this person's ratings only; null: all."),
    ] = None
    link: Annotated[
        int | None, Field(ge=1, le=BIGGEST, description="Learn from the ratings of this link only, and judge only it.")
    ] = None
    kernel: Kernel | None = None
    measures: Annotated[
        list[Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")]] | None,
        Field(max_length=50, description="By name, or by class (TEXT, LINK, …).", examples=[["TEXT", "title"]]),
    ] = None
    time_limit: Annotated[
        float,
        duration(1, 600),
        Field(description="For tuning: seconds, or a duration like `1m`."),
    ] = 30.0
    transduction: Annotated[bool, Field(description="Also learn from unrated pairs the machine is sure of.")] = False
    use: Annotated[bool, Field(description="Put it to use if it is better, and of enough ratings.")] = True
    note: Text = ""

    def as_wish(self) -> Wish:
        measures = tuple(self.measures) if self.measures else None
        return Wish(**self.model_dump(exclude={"use", "measures"}), measures=measures)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
    """A trained model without its arrays."""

    id: int
    owner: str
    version: int
    parent: Annotated[int | None, Field(description="In use when it was trained; null: the shipped one.")]
    created: str | None
    is_active: bool
    activated: str | None
    kernel: str
    measures: tuple[str, ...]
    examples: int
    settings: dict[str, Any]
    figures: dict[str, float | None]
    note: str


ModelList = list_of(ModelView, "ModelList", "Trained models, newest first; none in use: the shipped one judges.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedView:
    """What a training came to."""

    model: ModelView
    is_better: Annotated[bool, Field(description="Clearly better than the one in use.")]
    in_use: bool
    progress: Annotated[tuple[str, ...], Field(description="What it said while it went on.")]


@router.get("", response_model=ModelList)
async def list_models(context: Context) -> Response:
    """Trained models, newest first."""
    found = await context.run(context.store.learning.models)
    return Json(ModelList(items=tuple(view_model(model) for model in found)))


@router.post("/train", response_model=TrainedView, responses=documented(400, 404, 409, 413, 415))
async def train_model(context: Context, body: TrainRequest) -> Response:
    """Trains a model from the ratings and, if it is better and there are ten ratings of each kind, puts it to use."""
    need("lab", "training")
    if _ONE_AT_A_TIME.locked():
        raise HTTPException(409, "a model is being trained; wait for it")
    async with _ONE_AT_A_TIME:
        lines: list[str] = []
        # Not in the store's few threads: this takes seconds, and others read meanwhile.
        trained, is_used = await asyncio.to_thread(_train, context, body, lines)
    kept = await context.run(context.store.learning.model, trained.model.id)
    return Json(TrainedView(model=view_model(kept), is_better=trained.is_better, in_use=is_used, progress=tuple(lines)))


@router.post("/{number}/use", response_model=ModelView, responses=documented(404, 422))
async def use_model(context: Context, number: Number) -> Response:
    """Puts a model to use, in place of the one before."""
    await context.run(put_to_use, context.store.learning, number, now=context.now())
    return Json(view_model(await context.run(context.store.learning.model, number)))


@router.post("/rollback", response_model=ModelList, responses=documented(422))
async def roll_back_model(
    context: Context, owner: Annotated[Text, Query(description="Whose model; empty: everybody's.")] = ""
) -> Response:
    """Goes back to the model that was in use when the present one was trained."""
    await context.run(roll_back, context.store.learning, owner, now=context.now())
    return await list_models(context)


def _train(context: Context, body: TrainRequest, lines: list[str]) -> Any:
    from afresh.lab.verdicts.learning import train_from_ratings  # noqa: PLC0415 (needs the extra lab)

    trained = train_from_ratings(context.store, body.as_wish(), now=context.now(), progress=lines.append)
    is_used = body.use and trained.may_judge
    if is_used:
        use_trained(context.store.learning, trained.model, link=body.link, now=context.now())
    return trained, is_used


def view_model(model: KeptModel) -> ModelView:
    return shown(
        ModelView,
        model,
        settings=dict(model.settings),
        figures=numbers(model.figures),
    )
