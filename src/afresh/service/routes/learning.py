"""``/labels`` and ``/models``: what people say of pairs of versions, and what is learnt from it."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from afresh.app.models import put_to_use
from afresh.core.links.learning import KeptModel, Label, LabelOrigin, NewLabel, Rating, RatingPair
from afresh.core.verdicts import Kernel
from afresh.errors import UsageError
from afresh.service.encoding import Json
from afresh.service.params import BIGGEST, After, Context, Limit, Text, User
from afresh.service.problems import documented
from afresh.service.times import finite, iso

labels = APIRouter(prefix="/labels", tags=["learning"])
models = APIRouter(prefix="/models", tags=["learning"])

Number = Annotated[int, Path(ge=1, le=BIGGEST)]
Session = Annotated[str, Path(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_-]+$", examples=["s-17"])]
Who = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$", description="Empty: the operator.")]
_ONE_AT_A_TIME = asyncio.Lock()


class LabelRequest(BaseModel):
    """A rating of two stored versions."""

    model_config = ConfigDict(extra="forbid")

    old: Annotated[int, Field(ge=1, le=BIGGEST, examples=[1])]
    new: Annotated[int, Field(ge=1, le=BIGGEST, examples=[2])]
    verdict: Rating
    check: Annotated[int | None, Field(ge=1, le=BIGGEST, description="The check it speaks of.")] = None
    rater: Who = ""
    session: Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9_-]*$", description="Empty: saved at once.")] = (
        ""
    )
    note: Text = ""


class LabelPatch(BaseModel):
    """What of a rating may be changed."""

    model_config = ConfigDict(extra="forbid")

    weight: Annotated[float | None, Field(ge=0, le=1e6, allow_inf_nan=False, description="0: devalued.")] = None
    verdict: Rating | None = None


class TrainRequest(BaseModel):
    """How a model shall be trained; null: as the one in use."""

    model_config = ConfigDict(extra="forbid")

    owner: Who = ""
    kernel: Kernel | None = None
    measures: Annotated[list[Annotated[str, Field(max_length=100)]] | None, Field(max_length=50)] = None
    time_limit: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False, description="Seconds for tuning.")] = 30.0
    transduction: Annotated[bool, Field(description="Also learn from unrated pairs the machine is sure of.")] = False
    use: Annotated[bool, Field(description="Put it to use if it is no worse on the ratings.")] = True
    note: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """Two versions waiting for a rating."""

    check: int
    resource: int
    url: str
    title: str
    old: int
    new: int
    probability: Annotated[float, Field(description="That it is the same page, says the model.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairList:
    """Pairs to rate, the most doubtful first."""

    items: tuple[PairView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelView:
    """A rating."""

    id: int
    old: int
    new: int
    verdict: Rating
    machine: Annotated[str, Field(description="What the model said; empty: not asked.")]
    origin: LabelOrigin
    rater: str
    at: str | None
    weight: float
    session: Annotated[str, Field(description="Not saved yet; empty: saved.")]
    note: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPage:
    """Ratings, ascending by number."""

    items: tuple[LabelView, ...]
    next: int | None
    counts: Annotated[dict[str, int], Field(description="Saved ratings by what they say; those that count.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """What ending a session came to."""

    ratings: int


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelList:
    """Trained models, newest first; none in use: the shipped one judges."""

    items: tuple[ModelView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedView:
    """What a training came to."""

    model: ModelView
    is_better: Annotated[bool, Field(description="No worse than the one in use, on the ratings.")]
    in_use: bool
    progress: Annotated[tuple[str, ...], Field(description="What it said while it went on.")]


@labels.get("/next", response_model=PairList)
async def list_pairs(
    context: Context,
    user: User,
    limit: Limit = 20,
    rater: Annotated[Text, Query(description="Whose ratings; empty: of whoever asks.")] = "",
) -> Response:
    """Pairs of versions to be rated, the most doubtful first (active learning)."""
    found = await context.run(context.store.pairs_to_rate, limit=limit, rater=rater or user)
    return Json(PairList(items=tuple(view_pair(pair) for pair in found)))


@labels.get("", response_model=LabelPage)
async def list_labels(context: Context, after: After = 0, limit: Limit = 100) -> Response:
    """Ratings, ascending by number."""
    found = await context.run(context.store.labels, after=after, limit=limit)
    counts = await context.run(context.store.label_counts)
    following = found[-1].id if len(found) == limit else None
    return Json(LabelPage(items=tuple(view_label(label) for label in found), next=following, counts=dict(counts)))


@labels.post("", status_code=201, response_model=LabelView, responses=documented(400, 404, 413, 415))
async def rate_pair(context: Context, user: User, body: LabelRequest) -> Response:
    """Rates two versions; with a session it counts only when the session is saved."""
    new = NewLabel(
        old=body.old,
        new=body.new,
        verdict=body.verdict,
        check=body.check,
        rater=body.rater or user,
        session=body.session,
        note=body.note,
    )
    return Json(view_label(await context.run(context.store.add_label, new, now=context.now())), status_code=201)


@labels.patch("/{number}", response_model=LabelView, responses=documented(400, 404, 413, 415))
async def change_label(context: Context, number: Number, body: LabelPatch) -> Response:
    """Devalues a rating, or changes it."""
    changed = await context.run(context.store.change_label, number, weight=body.weight, verdict=body.verdict)
    return Json(view_label(changed))


@labels.delete("/{number}", status_code=204, responses=documented(404))
async def remove_label(context: Context, number: Number) -> Response:
    """Forgets a rating."""
    await context.run(context.store.remove_label, number)
    return Response(status_code=204)


@labels.post("/sessions/{session}/save", response_model=SessionView)
async def save_session(context: Context, session: Session) -> Response:
    """The ratings of a session count from now on."""
    return Json(SessionView(ratings=await context.run(context.store.end_session, session, saves=True)))


@labels.post("/sessions/{session}/discard", response_model=SessionView)
async def discard_session(context: Context, session: Session) -> Response:
    """The ratings of a session are forgotten."""
    return Json(SessionView(ratings=await context.run(context.store.end_session, session, saves=False)))


@models.get("", response_model=ModelList)
async def list_models(context: Context) -> Response:
    """Trained models, newest first."""
    found = await context.run(context.store.models)
    return Json(ModelList(items=tuple(view_model(model) for model in found)))


@models.post("/train", response_model=TrainedView, responses=documented(400, 409, 413, 415))
async def train_model(context: Context, body: TrainRequest) -> Response:
    """Trains a model from the ratings, validates it and, if it is no worse, puts it to use."""
    if _ONE_AT_A_TIME.locked():
        raise HTTPException(409, "a model is being trained; wait for it")
    async with _ONE_AT_A_TIME:
        lines: list[str] = []
        try:
            trained, is_used = await context.run(partial(_train, context, body, lines))
        except UsageError as error:
            raise HTTPException(422, str(error)) from error
    kept = await context.run(context.store.model, trained.model.id)
    return Json(TrainedView(model=view_model(kept), is_better=trained.is_better, in_use=is_used, progress=tuple(lines)))


@models.post("/{number}/use", response_model=ModelView, responses=documented(404, 422))
async def use_model(context: Context, number: Number) -> Response:
    """Puts a model to use, in place of the one before."""
    await context.run(put_to_use, context.store, number, now=context.now())
    return Json(view_model(await context.run(context.store.model, number)))


@models.post("/rollback", response_model=ModelList)
async def roll_back(context: Context) -> Response:
    """Goes back to the model that was in use when the present one was trained."""
    active = await context.run(context.store.active_model)
    if active is not None:
        await context.run(context.store.activate_model, active.parent, now=context.now())
    return await list_models(context)


def _train(context: Context, body: TrainRequest, lines: list[str]) -> Any:
    from afresh.lab.verdicts.learning import Wish, train_from_ratings  # noqa: PLC0415 (needs the extra lab)

    wish = Wish(
        owner=body.owner,
        kernel=body.kernel,
        measures=tuple(body.measures) if body.measures else None,
        time_limit=body.time_limit,
        transduction=body.transduction,
        note=body.note,
    )
    trained = train_from_ratings(context.store, wish, now=context.now(), progress=lines.append)
    is_used = body.use and trained.is_better
    if is_used:
        context.store.activate_model(trained.model.id, owner=body.owner, now=context.now())
    return trained, is_used


def view_pair(pair: RatingPair) -> PairView:
    return PairView(
        check=pair.check,
        resource=pair.resource,
        url=pair.url,
        title=pair.title,
        old=pair.old,
        new=pair.new,
        probability=pair.probability,
    )


def view_label(label: Label) -> LabelView:
    return LabelView(
        id=label.id,
        old=label.old,
        new=label.new,
        verdict=label.verdict,
        machine=label.machine,
        origin=label.origin,
        rater=label.rater,
        at=iso(label.at),
        weight=label.weight,
        session=label.session,
        note=label.note,
        url=label.url,
    )


def view_model(model: KeptModel) -> ModelView:
    return ModelView(
        id=model.id,
        owner=model.owner,
        version=model.version,
        parent=model.parent,
        created=iso(model.created),
        is_active=model.is_active,
        activated=iso(model.activated),
        kernel=model.kernel,
        measures=model.measures,
        examples=model.examples,
        settings=dict(model.settings),
        figures={name: finite(float(value)) for name, value in model.figures.items()},
        note=model.note,
    )
