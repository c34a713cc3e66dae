"""``/labels``: what people say of pairs of versions."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from afresh.base.records.labels import Label, LabelOrigin, NewLabel, Rating, RatingPair
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import following, shown
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import BIGGEST, After, Context, Limit, Text, User
from afresh.doors.rest.problems import documented
from afresh.doors.rest.routes.links import CONTENT, ContentForm, sandboxed
from afresh.engine.link_examples import keep_example, read_sides

router = APIRouter(prefix="/labels", tags=["learning"])

Number = Annotated[int, Path(ge=1, le=BIGGEST)]
Session = Annotated[str, Path(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_-]+$", examples=["s-17"])]
Who = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$", description="Empty: the operator.")]
SessionName = Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9_-]*$", description="Empty: saved at once.")]
Page = Annotated[
    Annotated[int, Field(ge=1, le=BIGGEST)] | Annotated[str, Field(min_length=1, max_length=8_000)],
    Field(description="An address, asked now in its site's turn, or the number of a stored version.", examples=[1]),
]


class LabelSide(StrEnum):
    """One of the two versions a rating speaks of."""

    OLD = "old"
    NEW = "new"


class LabelRequest(BaseModel):
    """A rating of two stored versions."""

    model_config = ConfigDict(extra="forbid")

    old: Annotated[int, Field(ge=1, le=BIGGEST, examples=[1])]
    new: Annotated[int, Field(ge=1, le=BIGGEST, examples=[2])]
    verdict: Rating
    check: Annotated[int | None, Field(ge=1, le=BIGGEST, description="The check it speaks of.")] = None
    rater: Who = ""
    session: SessionName = ""
    note: Text = ""


class ExampleRequest(BaseModel):
    """Two pages somebody names, and what they are."""

    model_config = ConfigDict(extra="forbid")

    old: Page
    new: Page
    verdict: Rating
    rater: Who = ""
    session: SessionName = ""
    note: Text = ""


class LabelPatch(BaseModel):
    """What of a rating may be changed."""

    model_config = ConfigDict(extra="forbid")

    weight: Annotated[float | None, Field(ge=0, le=1e6, allow_inf_nan=False, description="0: devalued.")] = None
    verdict: Rating | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView(RatingPair):
    """Two versions waiting for a rating."""

    probability: Annotated[float, Field(description="That it is the same page, says the model.")]


PairList = list_of(PairView, "PairList", "Pairs to rate, the most doubtful first.")


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


@router.get("/next", response_model=PairList)
async def list_pairs(
    context: Context,
    user: User,
    limit: Limit = 20,
    rater: Annotated[Text, Query(description="Whose ratings; empty: of whoever asks.")] = "",
) -> Response:
    """Pairs of versions to be rated, the most doubtful first (active learning)."""
    found = await context.run(context.store.learning.pairs_to_rate, limit=limit, rater=rater or user)
    return Json(PairList(items=tuple(view_pair(pair) for pair in found)))


@router.get("", response_model=LabelPage)
async def list_labels(context: Context, after: After = 0, limit: Limit = 100) -> Response:
    """Ratings, ascending by number."""
    found = await context.run(context.store.learning.labels, after=after, limit=limit)
    counts = await context.run(context.store.learning.label_counts)
    items = tuple(view_label(label) for label in found)
    return Json(LabelPage(items=items, next=following(found, limit), counts=dict(counts)))


@router.post("", status_code=201, response_model=LabelView, responses=documented(400, 404, 413, 415))
async def rate_pair(context: Context, user: User, body: LabelRequest) -> Response:
    """Rates two versions; with a session it counts only when the session is saved."""
    new = NewLabel(**{**body.model_dump(), "rater": body.rater or user})
    kept = await context.run(context.store.learning.add_label, new, now=context.now())
    return Json(view_label(kept), status_code=201)


@router.post("/examples", status_code=201, response_model=LabelView, responses=documented(400, 404, 413, 415))
async def add_example(context: Context, user: User, body: ExampleRequest) -> Response:
    """Keeps two pages somebody names as an example; addresses are asked politely, which may take a while."""
    sides = await read_sides(
        (body.old, body.new),
        known=lambda number: context.run(context.store.links.version, number),
        fetch=context.fetch_page,
    )
    keep = partial(
        keep_example,
        context.store,
        sides,
        body.verdict,
        now=context.now(),
        rater=body.rater or user,
        session=body.session,
        note=body.note,
    )
    return Json(view_label(await context.run(keep)), status_code=201)


@router.get("/{number}/{side}/content", response_class=Response, responses=CONTENT)
async def show_side(
    context: Context, number: Number, side: LabelSide, form: ContentForm = ContentForm.PAGE
) -> Response:
    """A page that was rated, in a sandbox, without scripts and requests, or its visible text."""
    label = await context.run(context.store.learning.label, number)
    version = await context.run(context.store.links.version, label.old if side is LabelSide.OLD else label.new)
    return await sandboxed(context, version, form)


@router.patch("/{number}", response_model=LabelView, responses=documented(400, 404, 413, 415))
async def change_label(context: Context, number: Number, body: LabelPatch) -> Response:
    """Changes a rating, or how much it counts."""
    changed = await context.run(context.store.learning.change_label, number, weight=body.weight, verdict=body.verdict)
    return Json(view_label(changed))


@router.delete("/{number}", status_code=204, responses=documented(404))
async def remove_label(context: Context, number: Number) -> Response:
    """Forgets a rating."""
    await context.run(context.store.learning.remove_label, number)
    return Response(status_code=204)


@router.post("/sessions/{session}/save", response_model=SessionView)
async def save_session(context: Context, session: Session) -> Response:
    """The ratings of a session count from now on."""
    return Json(SessionView(ratings=await context.run(context.store.learning.end_session, session, saves=True)))


@router.post("/sessions/{session}/discard", response_model=SessionView)
async def discard_session(context: Context, session: Session) -> Response:
    """The ratings of a session are forgotten."""
    return Json(SessionView(ratings=await context.run(context.store.learning.end_session, session, saves=False)))


def view_pair(pair: RatingPair) -> PairView:
    return shown(PairView, pair)


def view_label(label: Label) -> LabelView:
    return shown(LabelView, label)
