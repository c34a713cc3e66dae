"""Averages of an evaluation: mode Feeds (every feed weighs the same) and mode Entries (every entry does)."""

from dataclasses import asdict, dataclass
from math import isnan, nan

import numpy as np

from afresh.base.models import Row
from afresh.lab.metrics.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Averages:
    """Totals and the three metrics in both modes; NaN means undefined, never 0 or 1.  [R12] §4.3.5."""

    feeds: int
    polls: int
    found: int
    missed: int
    open: int
    delay_feeds: float
    ape_feeds: float
    recall_feeds: float
    delay_entries: float
    ape_entries: float
    recall_entries: float

    def as_dict(self) -> dict[str, float | int | None]:
        """For JSON: undefined values are None."""
        return {name: None if isnan(value) else value for name, value in asdict(self).items()}


def mean_defined(values: Row) -> float:
    """Mean over the feeds for which the metric is defined.  [R12] Eq. 4.15.

    >>> mean_defined(np.array([1.0, np.nan, 3.0]))
    2.0
    """
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else nan


def _quotient(top: float, bottom: float) -> float:
    return top / bottom if bottom > 0 else nan


def average(tally: Tally) -> Averages:
    """Both modes of one evaluation.

    The set of feeds behind an average of mode Feeds differs between metrics and algorithms (a feed without a find has
    no delay). Mode Entries pools everything: the polls of feeds without any entry count in ``ape_entries``.
    """
    found, due, polls = int(tally.found.sum()), int(tally.due().sum()), int(tally.polls.sum())
    return Averages(
        feeds=len(tally),
        polls=polls,
        found=found,
        missed=int(tally.missed.sum()),
        open=int(tally.open.sum()),
        delay_feeds=mean_defined(tally.delay()),
        ape_feeds=mean_defined(tally.ape()),
        recall_feeds=mean_defined(tally.recall()),
        delay_entries=_quotient(float(tally.delay_sum.sum()), found),
        ape_entries=_quotient(polls, found),
        recall_entries=_quotient(found, due),
    )
