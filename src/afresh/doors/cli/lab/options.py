"""Options that lab commands share."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from afresh.base.durations import parse_duration
from afresh.base.errors import ModelError, UsageError
from afresh.base.models import Bounds
from afresh.lab.replay.period import USUAL_TEST, USUAL_TRAIN, Period, Span, period_of

F = TypeVar("F", bound=Callable[..., Any])


class Duration(click.ParamType[float]):
    """90s, 15m, 2h, 28d."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return value if isinstance(value, float) else parse_duration(str(value))
        except ModelError as error:
            self.fail(str(error), param, ctx)


class Moment(click.ParamType[float]):
    """An ISO date or time, UTC unless it says otherwise."""

    name = "iso time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        try:
            moment = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"not a time: {value!r}; write it like 2025-09-29 or 2025-09-29T07:00", param, ctx)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


trace_option = click.option(
    "--trace", "folder", required=True, type=click.Path(), help="Folder with feeds.csv and entries.csv.gz."
)
scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS", help="On the workers of Dask: tcp://HOST:8786, or local:4 for four of our own."
)


_HISTORY = ("feeds.csv", "pages.csv", "trace.json")  # a folder with one of these holds a history


def history_output(function: F) -> F:
    """--output and --overwrite, of a command that writes a history."""
    overwriting = click.option(
        "--overwrite", is_flag=True, is_eager=True, expose_value=False, callback=_note, help="Replace a history there."
    )
    folder = click.option("--output", "-o", required=True, type=click.Path(), callback=_unused, help="Folder to write.")
    return folder(overwriting(function))


def _note(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[_unused.__qualname__] = value


def _unused(ctx: click.Context, _: click.Parameter, folder: str) -> str:
    if not ctx.meta.get(_unused.__qualname__) and any((Path(folder) / name).exists() for name in _HISTORY):
        raise UsageError(f"{folder} holds a history already; name another folder, or add --overwrite")
    return folder


def where_option(function: F) -> F:
    """--where."""
    return click.option(
        "--where",
        multiple=True,
        metavar="CONDITION",
        help="Only feeds of which feeds.csv says so: has_dates=1, misses<=3; may be repeated.",
    )(function)


def period_options(function: F) -> F:
    """--start, --train and --test: which part of a history is learnt from, and which is tested."""
    start = click.option(
        "--start", type=Moment(), help="Beginning of the training part (default: the test part ends with the history)."
    )
    train = click.option(
        "--train", type=Duration(), help="Length of the training part (default: 28d; of a shorter history a third)."
    )
    test = click.option(
        "--test", type=Duration(), help="Length of the test part (default: 56d; of a shorter history the rest)."
    )
    return start(train(test(function)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Which part of a trace is replayed, within which bounds, and how."""

    start: float | None
    train: float | None
    test: float | None
    shortest: float
    longest: float
    standard: float
    jobs: int
    seed: int

    def period(self, trace: Span) -> Period:
        return period_of(trace, start=self.start, train=self.train, test=self.test)

    def told(self, trace: Span, period: Period) -> str:
        """Which days were used, in words, and why they are fewer than usual where they were fitted."""
        usual = (self.train or USUAL_TRAIN) + (self.test or USUAL_TEST)
        is_given = self.train is not None and self.test is not None
        if is_given or period.end - period.start >= usual:
            return f"{period}."
        since = datetime.fromtimestamp(trace.complete_from, UTC).date()
        return f"{period}: the history is complete since {since}, too short for the usual 28d and 56d."

    @property
    def how(self) -> dict[str, Any]:
        """How a rule is replayed, whatever it is compared with: bounds, processes, seed."""
        return {"bounds": self.bounds, "jobs": self.jobs, "seed": self.seed}

    @property
    def bounds(self) -> Bounds:
        if not 0 < self.shortest <= self.standard <= self.longest:
            raise UsageError("0 < --shortest ≤ --standard ≤ --longest must hold")
        return Bounds(self.shortest, self.longest, self.standard)


def trial_options(function: Callable[..., int]) -> Callable[..., int]:
    """--start, --train, --test, --shortest, --longest, --standard, --jobs, --seed, together as ``trial``."""

    @wraps(function)
    def command(**given: Any) -> int:
        return function(trial=Trial(**{item.name: given.pop(item.name) for item in fields(Trial)}), **given)

    options = [
        click.option("--shortest", type=Duration(), default="1m", show_default=True, help="Shortest interval."),
        click.option("--longest", type=Duration(), default="1d", show_default=True, help="Longest interval."),
        click.option(
            "--standard", type=Duration(), default="1h", show_default=True, help="Interval where none can be computed."
        ),
        click.option(
            "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Threads (default: all cores)."
        ),
        click.option("--seed", type=int, default=0, show_default=True),
    ]
    for option in reversed(options):
        command = option(command)
    return period_options(command)
