"""Which part of a trace trains and which tests, and which feeds take part."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import numpy as np

from afresh.base.calendar import DAY
from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.lab.replay.trace import Mask, Trace


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

    def __str__(self) -> str:
        return (
            f"learnt from {_day(self.start)} to {_day(self.test)} ({format_duration(self.train_seconds)}), "
            f"tested from then to {_day(self.end)} ({format_duration(self.test_seconds)})"
        )


#: what is learnt from and tested where a trace has that much
USUAL_TRAIN, USUAL_TEST = 28 * DAY, 56 * DAY


class Span(Protocol):
    """A trace as far as its period is concerned."""

    @property
    def name(self) -> str: ...

    @property
    def complete_from(self) -> float:
        """Time from which on no entry is missing; NaN: there is none."""
        ...

    @property
    def last(self) -> float:
        """Time of the newest entry; NaN: there is none."""
        ...


def period_of(
    trace: Span, *, start: float | None = None, train: float | None = None, test: float | None = None
) -> Period:
    """The period of an evaluation; without ``start`` the test part ends with the trace.

    What is not told is fitted to the trace: four weeks of training and eight of test, or where it is complete for
    less, a third and two thirds. A day is granted at both ends, because the first and last entry of a trace need not
    lie on its borders.
    """
    if (train is not None and train < 0) or (test is not None and not test > 0):
        raise UsageError("--train must not be negative and --test must be positive")
    if math.isnan(trace.last):
        raise UsageError(f"trace {trace.name} has no entries to replay")
    train, test = _fitted(trace.last - (trace.complete_from if start is None else start), train, test)
    if not test > 0:
        raise UsageError(
            f"nothing is left to test: trace {trace.name} is complete from {_day(trace.complete_from)} to "
            f"{_day(trace.last)} only; shorten --train or choose another --start"
        )
    begin = trace.last - train - test if start is None else start
    end = begin + train + test
    if begin < trace.complete_from - DAY or end > trace.last + DAY:
        asked = f"--train {format_duration(train)} and " if train else ""
        raise UsageError(
            f"{asked}--test {format_duration(test)} would take {_day(begin)} to {_day(end)}, "
            f"but trace {trace.name} is complete from {_day(trace.complete_from)} to {_day(trace.last)} only; "
            "shorten them, leave them out, or choose another --start"
        )
    return Period(begin, begin + train, end)


def _fitted(have: float, train: float | None, test: float | None) -> tuple[float, float]:
    """Lengths of both parts; those that are told stay as they are."""
    enough = have + DAY >= (USUAL_TRAIN if train is None else train) + (USUAL_TEST if test is None else test)
    if train is None:
        train = USUAL_TRAIN if enough else _whole_days(have / 3 if test is None else have - test)
    if test is None:
        test = USUAL_TEST if enough else _whole_days(have - train)
    return train, test


def _whole_days(seconds: float) -> float:
    """So many days and no part of one; less than a day stays what it is, and less than nothing is nothing."""
    return max(0.0, seconds // DAY * DAY if seconds >= DAY else seconds)


def population(trace: Trace, period: Period) -> Mask:
    """The feeds that were listed throughout; all of them where the trace does not say."""
    mask = np.ones(len(trace), dtype=np.bool_)
    if "listed_from" in trace.columns:
        mask &= trace.moments("listed_from") <= period.start
    if "listed_to" in trace.columns:
        mask &= trace.moments("listed_to") >= period.end
    return mask


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
