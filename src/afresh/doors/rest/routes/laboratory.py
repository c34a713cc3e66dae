"""``/lab``: experiments by name, run beside the daemon and watched."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import shown
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.problems import documented
from afresh.lab.experiments import catalogue
from afresh.lab.runs import Run, Runs, RunState

router = APIRouter(prefix="/lab", tags=["lab"])


def get_runs(request: Request) -> Runs:
    """The runs of this daemon."""
    runs: Runs = request.app.state.runs
    return runs


LabRuns = Annotated[Runs, Depends(get_runs)]
RunNumber = Annotated[int, Path(ge=1, le=2**31, description="Number of a run.", examples=[1])]


class RunRequest(BaseModel):
    """An experiment to be run."""

    model_config = ConfigDict(extra="forbid")

    experiment: Annotated[str, Field(max_length=100, examples=["horincar-table-4-1"])]
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0
    scale: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False, description="Size of synthetic data.")] = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentView:
    """A published table or figure that can be run again."""

    name: Annotated[str, Field(examples=["horincar-table-4-1"])]
    title: str
    takes: Annotated[str, Field(description="How long it takes at scale 1, roughly.", examples=["seconds"])]
    source: Annotated[str, Field(description="Where it was published.")]


ExperimentList = list_of(ExperimentView, "ExperimentList", "All experiments.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run of an experiment."""

    number: int
    experiment: str
    seed: int
    scale: float
    state: RunState
    asked: str | None
    started: str | None
    ended: str | None
    progress: Annotated[tuple[str, ...], Field(description="The last lines it said.")]
    report: Annotated[dict[str, Any] | None, Field(description="Rows, claims and figures; null before it is done.")]


RunList = list_of(RunView, "RunList", "Runs since the daemon started, newest first.")


@router.get("/experiments", response_model=ExperimentList)
async def list_experiments() -> Response:
    """Every published table and figure that can be run."""
    return Json(ExperimentList(items=view_experiments()))


@router.get("/runs", response_model=RunList)
async def list_runs(runs: LabRuns) -> Response:
    """Runs since the daemon started, newest first, without their reports."""
    return Json(RunList(items=tuple(view_run(run, with_report=False) for run in runs.all())))


@router.post("/runs", status_code=202, response_model=RunView, responses=documented(400, 413, 415))
async def start_run(runs: LabRuns, body: RunRequest) -> Response:
    """Runs an experiment in a process of its own, after those asked for before."""
    run = runs.start(body.experiment, seed=body.seed, scale=body.scale)
    return Json(view_run(run), status_code=202)


@router.get("/runs/{number}", response_model=RunView, responses=documented(404))
async def show_run(runs: LabRuns, number: RunNumber) -> Response:
    """A run: progress while it lasts, then its report."""
    return Json(view_run(runs.known(number, "run")))


@router.delete("/runs/{number}", response_model=RunView, responses=documented(404))
async def end_run(runs: LabRuns, number: RunNumber) -> Response:
    """Ends a run that has not ended by itself."""
    run = runs.known(number, "run")
    runs.end(run)
    return Json(view_run(run, with_report=False))


def view_experiments() -> tuple[ExperimentView, ...]:
    return tuple(ExperimentView(**row) for row in catalogue())


def view_run(run: Run, *, with_report: bool = True) -> RunView:
    report = run.report() if with_report else None
    return shown(
        RunView, run, experiment=run.name, progress=tuple(run.lines), report=None if report is None else dict(report)
    )
