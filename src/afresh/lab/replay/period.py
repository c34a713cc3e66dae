"""Which part of a trace trains and which tests, and which feeds take part."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import numpy as np

from afresh.base.calendar import DAY
from afresh.base.durations import format_duration
from afresh.base.errors import ModelError, UsageError
from afresh.lab.replay.trace import Floats, Mask, Trace


@dataclass(frozen=True, slots=True)
class Period:
    """Training from ``start`` to ``test``, test from there to ``end``."""

    start: float
    test: float
    end: float

    @property
    def train_seconds(self) -> float:
        return self.test - self.start

    @property
    def test_seconds(self) -> float:
        return self.end - self.test


class Span(Protocol):
    """A trace as far as its period is concerned."""

    @property
    def name(self) -> str: ...

    @property
    def first(self) -> float:
        """Time of the oldest entry; NaN: there is none."""
        ...

    @property
    def last(self) -> float: ...


def period_of(trace: Span, *, start: float | None = None, train: float, test: float) -> Period:
    """The period of an evaluation; without ``start`` the test part ends with the trace.

    A day is granted at both ends, because the first and last entry of a trace need not lie on its borders.
    """
    if train < 0 or not test > 0:
        raise UsageError("--train must not be negative and --test must be positive")
    if math.isnan(trace.last):
        raise UsageError(f"trace {trace.name} has no entries to replay")
    begin = trace.last - train - test if start is None else start
    end = begin + train + test
    if begin < trace.first - DAY or end > trace.last + DAY:
        have = f"{_day(trace.first)} to {_day(trace.last)}"
        want = f"{_day(begin)} to {_day(end)}"
        raise UsageError(
            f"--train {format_duration(train)} and --test {format_duration(test)} need {want}, but trace {trace.name} "
            f"has entries from {have}; shorten them or choose another --start"
        )
    return Period(begin, begin + train, end)


def population(trace: Trace, period: Period) -> Mask:
    """The feeds that were listed throughout; all of them where the trace does not say."""
    mask = np.ones(len(trace), dtype=np.bool_)
    if "listed_from" in trace.columns:
        mask &= _moments(trace, "listed_from") <= period.start
    if "listed_to" in trace.columns:
        mask &= _moments(trace, "listed_to") >= period.end
    return mask


def _moments(trace: Trace, column: str) -> Floats:
    """Dates (UTC midnight) or Unix seconds; NaN, which compares false, where there is none."""
    return np.array([_moment(trace, column, text) for text in trace.columns[column]])


def _moment(trace: Trace, column: str, text: str) -> float:
    if not text:
        return math.nan
    try:
        return float(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ModelError(f"trace {trace.name}: column {column} of feeds.csv: {text!r} is not a date") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
