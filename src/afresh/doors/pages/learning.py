"""Learning: pairs of versions side by side, what was rated, training while it goes on, and the models."""

from dataclasses import dataclass
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.requests import Request

from afresh.base.errors import AfreshError
from afresh.base.extras import wanting
from afresh.base.protocols import Store
from afresh.base.records.labels import KeptModel, Label, RatingPair
from afresh.doors.pages.rendering import is_twin, render, show
from afresh.doors.presenting.comparisons import DiffView, view_diff
from afresh.doors.presenting.times import iso
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import BIGGEST, Context, User
from afresh.doors.rest.routes.learning import LabelView, PairView, view_label, view_pair
from afresh.doors.rest.routes.learning_models import ModelView, view_model
from afresh.doors.rest.routes.trainings import (
    OurTrainings,
    TrainingNumber,
    TrainingView,
    view_training,
)
from afresh.links.comparing import Comparison, compare_stored, compare_versions
from afresh.links.measures.catalogue import COMBINATIONS, MEASURES, Family
from afresh.links.models import ActiveModel
from afresh.links.verdicts.kernels import Kernel

router = APIRouter()

LABELS = 50
SessionQuery = Annotated[str, Query(max_length=100, pattern=r"^[A-Za-z0-9_-]*$")]
LabelQuery = Annotated[int | None, Query(ge=1, le=BIGGEST, description="A rating to look at again.")]
#: what training may be told to measure: classes, then single measures by class
_MEASURES = {
    "classes": list(COMBINATIONS),
    **{family.value: [item.name for item in MEASURES if item.family is family] for family in Family},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningPage:
    """The next pair to rate, what was rated, trainings and the models."""

    at: str | None
    session: str  # ratings of this session count when it is saved
    waiting: int  # pairs that could be rated, at most a hundred
    pair: PairView | None  # None: nothing waits, or a rating is looked at again
    label: LabelView | None  # the rating that is looked at again
    diff: DiffView | None
    unsaved: int
    counts: dict[str, int]
    labels: tuple[LabelView, ...]  # newest first
    models: tuple[ModelView, ...]
    trainings: tuple[TrainingView, ...]  # since the start, newest first


@dataclass(frozen=True, slots=True)
class _Read:
    """What one visit of the page reads of the store."""

    pairs: list[RatingPair]
    label: Label | None
    made: Comparison | None
    unsaved: int
    counts: dict[str, int]
    labels: list[Label]
    models: list[KeptModel]


async def _learning(
    context: ServiceContext, trainings: OurTrainings, session: str, user: str, number: int | None
) -> LearningPage:
    read = await context.run(_read, context.store, session, user, number)
    return LearningPage(
        at=iso(context.now()),
        session=session,
        waiting=len(read.pairs),
        pair=view_pair(read.pairs[0]) if read.pairs and read.label is None else None,
        label=None if read.label is None else view_label(read.label),
        diff=None if read.made is None else view_diff(read.made),
        unsaved=read.unsaved,
        counts=read.counts,
        labels=tuple(view_label(label) for label in read.labels),
        models=tuple(view_model(model) for model in read.models),
        trainings=tuple(view_training(training) for training in trainings.all()),
    )


def _waiting_session(store: Store, user: str) -> str:
    """The newest session of the rater that has unsaved ratings: they wait for who left the page; empty: none."""
    unsaved = [label for label in store.learning.labels(limit=10_000) if label.session and label.rater == user]
    return max(unsaved, key=lambda label: label.id).session if unsaved else ""


def _read(store: Store, session: str, user: str, number: int | None) -> _Read:
    label = None if number is None else store.learning.label(number)
    pairs = store.learning.pairs_to_rate(limit=100, rater=user)
    return _Read(
        pairs=pairs,
        label=label,
        made=_compared(store, label, pairs),
        unsaved=len(store.learning.labels(limit=10_000, session=session)) if session else 0,
        counts=dict(store.learning.label_counts()),
        labels=store.learning.labels(limit=10_000)[::-1][:LABELS],
        models=list(store.learning.models()),
    )


def _compared(store: Store, label: Label | None, pairs: list[RatingPair]) -> Comparison | None:
    """The difference of what is shown; None where there is nothing, or a version was trimmed in between."""
    model = ActiveModel(store.learning)
    try:
        if label is not None:
            return compare_stored(
                store.links, store.links.version(label.old), store.links.version(label.new), model=model()
            )
        if pairs:
            return compare_versions(store.links, pairs[0].resource, old=pairs[0].old, new=pairs[0].new, model=model)
    except AfreshError:
        pass
    return None


@router.get("/learning")
@router.get("/learning.json")
async def show_learning(
    request: Request,
    context: Context,
    trainings: OurTrainings,
    user: User,
    session: SessionQuery = "",
    label: LabelQuery = None,
) -> Response:
    """Rate versions side by side, name examples, train, choose a model."""
    if not session and not is_twin(request):
        session = await context.run(_waiting_session, context.store, user) or f"s-{uuid4().hex[:12]}"
    page = await _learning(context, trainings, session, user, label)
    return show(
        request,
        "learning.html",
        context,
        page,
        kernels=list(Kernel),
        measures=_MEASURES,
        wanting=wanting("lab", "Training"),
        twin="/learning.json" if label is None else f"/learning.json?label={label}",
        here="/learning",
    )


@router.get("/learning/trainings/{number}.json")
async def show_training_json(trainings: OurTrainings, number: TrainingNumber) -> Response:
    """The twin of a training's page."""
    return Json(view_training(trainings.known(number, "training")))


@router.get("/learning/trainings/{number}")
async def show_training(context: Context, trainings: OurTrainings, number: TrainingNumber) -> Response:
    """One training: what it says while it goes on, and what it came to."""
    return render(
        "training.html",
        training=view_training(trainings.known(number, "training")),
        now=context.now(),
        at=iso(context.now()),
        twin=f"/learning/trainings/{number}.json",
        here="/learning",
        version=context.version,
    )
