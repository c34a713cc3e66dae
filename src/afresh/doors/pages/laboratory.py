"""The lab's pages: experiments, one run with its progress, published against measured, claims and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.requests import Request

from afresh.doors.pages.plots import Line, Plot, as_csv
from afresh.doors.pages.rendering import render, show
from afresh.doors.presenting.times import iso
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import Context
from afresh.doors.rest.routes.laboratory import (
    ExperimentView,
    LabRuns,
    RunNumber,
    RunView,
    view_experiments,
    view_run,
)
from afresh.lab.experiments.tables import cell, headings, numeric
from afresh.lab.experiments.works import works_in

router = APIRouter()

Place = Annotated[int, Path(ge=0, le=1000, description="Which figure, from 0.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabPage:
    """Experiments and what was run since the start."""

    at: str | None
    experiments: tuple[ExperimentView, ...]
    runs: tuple[RunView, ...]
    works: Mapping[str, str]  # by the keys that sources name


def _lab(context: ServiceContext, runs: LabRuns) -> LabPage:
    experiments = view_experiments()
    return LabPage(
        at=iso(context.now()),
        experiments=experiments,
        works=works_in(*(item.source for item in experiments)),
        runs=tuple(view_run(run, with_report=False) for run in runs.all()),
    )


@router.get("/lab")
@router.get("/lab.json")
async def show_lab(request: Request, context: Context, runs: LabRuns) -> Response:
    """Every published table and figure, to be run here."""
    page = _lab(context, runs)
    return show(request, "lab.html", context, page, twin="/lab.json", here="/lab")


@router.get("/lab/runs/{number}.json")
async def show_run_json(runs: LabRuns, number: RunNumber) -> Response:
    """The twin of a run's page."""
    return Json(view_run(runs.known(number, "run")))


@router.get("/lab/runs/{number}")
async def show_run(context: Context, runs: LabRuns, number: RunNumber) -> Response:
    """One run: progress while it lasts, then rows, claims and figures."""
    run = view_run(runs.known(number, "run"))
    rows: Sequence[Mapping[str, Any]] = (run.report or {}).get("rows", ())
    over = headings(list(dict.fromkeys(name for row in rows for name in row)))
    columns = [name for heading in over for name in heading.columns]
    return render(
        "run.html",
        run=run,
        works=works_in((run.report or {}).get("source", "")),
        headings=over,
        columns=columns,
        numeric=numeric(columns, rows),
        cell=cell,
        now=context.now(),
        at=iso(context.now()),
        twin=f"/lab/runs/{number}.json",
        here="/lab",
        version=context.version,
    )


@router.get("/plots/lab/{number}/{place}.json")
async def show_figure_json(runs: LabRuns, number: RunNumber, place: Place) -> Response:
    """A figure of a run."""
    return Json(_figure(view_run(runs.known(number, "run")), place))


@router.get("/plots/lab/{number}/{place}.csv")
async def show_figure_csv(runs: LabRuns, number: RunNumber, place: Place) -> Response:
    """The points of a figure."""
    return as_csv(_figure(view_run(runs.known(number, "run")), place))


def _figure(run: RunView, place: int) -> Plot:
    figures: Sequence[Mapping[str, Any]] = (run.report or {}).get("figures", ())
    if place >= len(figures):
        raise HTTPException(404, f"run {run.number} has no figure {place}")
    figure = figures[place]
    return Plot(
        title=figure["title"],
        x=figure["x_label"],
        y=figure["y_label"],
        log_x=figure["x_log"],
        log_y=figure["y_log"],
        height=380,
        series=tuple(
            Line(
                name=series["label"],
                x=tuple(series["x"]),
                y=tuple(series["y"]),
                kind="points" if series["points"] else "both",
                low=tuple(series["low"]) or None,
                high=tuple(series["high"]) or None,
                text=tuple(series["names"]) or None,
            )
            for series in figure["series"]
        ),
    )
