"""``/models/trainings``: models trained beside the daemon, and what a training says while it goes on."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import Field
from starlette.exceptions import HTTPException

from afresh.base.extras import need
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import shown
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import Context
from afresh.doors.rest.problems import documented
from afresh.doors.rest.routes.learning_models import TrainRequest
from afresh.lab.jobs import RunState
from afresh.lab.verdicts.trainings import Training, Trainings

router = APIRouter(prefix="/models/trainings", tags=["learning"])


def get_trainings(request: Request) -> Trainings:
    """The trainings of this daemon."""
    trainings: Trainings = request.app.state.trainings
    return trainings


OurTrainings = Annotated[Trainings, Depends(get_trainings)]
TrainingNumber = Annotated[int, Path(ge=1, le=2**31, description="Number of a training.", examples=[1])]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingView:
    """One training: how far it is, what it said, and what it came to."""

    number: int
    state: RunState
    owner: Annotated[str, Field(description="Whose model; empty: everybody's.")]
    rater: Annotated[str | None, Field(description="Whose ratings; null: everybody's.")]
    link: Annotated[int | None, Field(description="The link whose ratings it learns from; null: all.")]
    kernel: Annotated[str | None, Field(description="Null: as the model in use.")]
    measures: Annotated[tuple[str, ...] | None, Field(description="Null: as the model in use.")]
    time_limit: Annotated[float, Field(description="Seconds for tuning.")]
    transduction: bool
    note: str
    asked: str | None
    started: str | None
    ended: str | None
    progress: Annotated[tuple[str, ...], Field(description="The last lines it said.")]
    model: Annotated[int | None, Field(description="Number of the new model; null: there is none.")]
    is_better: Annotated[bool | None, Field(description="Clearly better than the one in use.")]
    in_use: Annotated[bool | None, Field(description="Put to use when it was done.")]


TrainingList = list_of(TrainingView, "TrainingList", "Trainings since the daemon started, newest first.")


@router.get("", response_model=TrainingList)
async def list_trainings(trainings: OurTrainings) -> Response:
    """Trainings since the daemon started, newest first."""
    return Json(TrainingList(items=tuple(view_training(item) for item in trainings.all())))


@router.post("", status_code=202, response_model=TrainingView, responses=documented(400, 404, 413, 415))
async def start_training(context: Context, trainings: OurTrainings, body: TrainRequest) -> Response:
    """Trains a model in a process of its own, after those asked for before; what it says can be read meanwhile."""
    need("lab", "training")
    if body.link is not None:
        await context.run(context.store.links.link, body.link)  # 404 where there is none
    counts = await context.run(context.store.learning.label_counts)
    if not counts["examples"]:
        raise HTTPException(422, "there is no rating to learn from yet; rate some pairs first")
    training = trainings.start(body.as_wish(), is_tried=body.use, beside=context.beside)
    return Json(view_training(training), status_code=202)


@router.get("/{number}", response_model=TrainingView, responses=documented(404))
async def show_training(trainings: OurTrainings, number: TrainingNumber) -> Response:
    """A training: what it says while it lasts, then what it came to."""
    return Json(view_training(trainings.known(number, "training")))


@router.delete("/{number}", response_model=TrainingView, responses=documented(404))
async def end_training(trainings: OurTrainings, number: TrainingNumber) -> Response:
    """Ends a training that has not ended by itself; the model in use stays."""
    training = trainings.known(number, "training")
    trainings.end(training)
    return Json(view_training(training))


def view_training(training: Training) -> TrainingView:
    wish, report = training.wish, training.report() or {}
    return shown(
        TrainingView,
        training,
        wish,
        kernel=None if wish.kernel is None else wish.kernel.value,
        progress=tuple(training.lines),
        model=report.get("model"),
        is_better=report.get("is_better"),
        in_use=report.get("in_use"),
    )
