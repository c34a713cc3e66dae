"""Learning: pairs of versions side by side, what was rated, training, and the models."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Query
from fastapi.responses import Response

from afresh.app.links import compare_versions
from afresh.app.models import ActiveModel
from afresh.core.links.learning import KeptModel, Label, RatingPair
from afresh.core.protocols import Store
from afresh.core.verdicts import Kernel
from afresh.errors import AfreshError
from afresh.service.context import ServiceContext
from afresh.service.encoding import Json
from afresh.service.link_views import DiffView, view_diff
from afresh.service.params import Context, User
from afresh.service.routes.learning import (
    LabelView,
    ModelView,
    PairView,
    view_label,
    view_model,
    view_pair,
)
from afresh.service.times import iso
from afresh.web.rendering import from_iso, render

router = APIRouter()

LABELS = 50
SessionQuery = Annotated[str, Query(max_length=100, pattern=r"^[A-Za-z0-9_-]*$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningPage:
    """The next pair to rate, what was rated, and the models."""

    at: str | None
    session: str  # ratings of this session count when it is saved
    waiting: int  # pairs that could be rated, at most a hundred
    pair: PairView | None
    diff: DiffView | None
    unsaved: int
    counts: dict[str, int]
    labels: tuple[LabelView, ...]  # newest first
    models: tuple[ModelView, ...]


async def _learning(context: ServiceContext, session: str, user: str) -> LearningPage:
    pairs, unsaved, counts, labels, models = await context.run(_read, context.store, session, user)
    diff = None
    if pairs:
        first = pairs[0]
        compare = partial(compare_versions, old=first.old, new=first.new, model=ActiveModel(context.store)())
        try:
            diff = view_diff(await context.run(compare, context.store, first.resource))
        except AfreshError:  # trimmed in between: the pair is shown without its difference
            diff = None
    return LearningPage(
        at=iso(context.now()),
        session=session,
        waiting=len(pairs),
        pair=view_pair(pairs[0]) if pairs else None,
        diff=diff,
        unsaved=unsaved,
        counts=counts,
        labels=tuple(view_label(label) for label in labels),
        models=tuple(view_model(model) for model in models),
    )


def _read(
    store: Store, session: str, user: str
) -> tuple[list[RatingPair], int, dict[str, int], list[Label], list[KeptModel]]:
    unsaved = len(store.labels(limit=10_000, session=session)) if session else 0
    newest = store.labels(limit=10_000)[::-1][:LABELS]
    return store.pairs_to_rate(limit=100, rater=user), unsaved, dict(store.label_counts()), newest, list(store.models())


@router.get("/learning.json")
async def show_learning_json(context: Context, user: User, session: SessionQuery = "") -> Response:
    """The twin of the page of learning."""
    return Json(await _learning(context, session, user))


@router.get("/learning")
async def show_learning(context: Context, user: User, session: SessionQuery = "") -> Response:
    """Rate versions side by side, train, choose a model."""
    page = await _learning(context, session or f"s-{uuid4().hex[:12]}", user)
    return render(
        "learning.html",
        page=page,
        now=from_iso(page.at),
        kernels=list(Kernel),
        twin="/learning.json",
        here="/learning",
        version=context.version,
    )
