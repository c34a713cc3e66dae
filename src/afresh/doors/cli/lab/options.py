"""Options that lab commands share."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from afresh.base.durations import parse_duration
from afresh.base.errors import ModelError, UsageError
from afresh.base.models import Bounds
from afresh.lab.replay.period import Period, period_of
from afresh.lab.replay.trace import Trace

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


def where_option(function: F) -> F:
    """--where."""
    return click.option(
        "--where",
        multiple=True,
        metavar="CONDITION",
        help="Only feeds of which feeds.csv says so: has_dates=1, misses<=3; may be repeated.",
    )(function)


def period_options(function: F) -> F:
    """--start, --train, --test, --shortest, --longest, --standard, --jobs, --seed."""
    options = [
        click.option(
            "--start",
            type=Moment(),
            help="Beginning of the training part (default: the test part ends with the trace).",
        ),
        click.option("--train", type=Duration(), default="28d", show_default=True, help="Length of the training part."),
        click.option("--test", type=Duration(), default="56d", show_default=True, help="Length of the test part."),
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
        function = option(function)
    return function


def period_from(trace: Trace, start: float | None, train: float, test: float) -> Period:
    return period_of(trace, start=start, train=train, test=test)


def bounds_from(shortest: float, longest: float, standard: float) -> Bounds:
    if not 0 < shortest <= standard <= longest:
        raise UsageError("0 < --shortest ≤ --standard ≤ --longest must hold")
    return Bounds(shortest, longest, standard)
