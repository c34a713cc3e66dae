"""Hourly mean and deviation over days, and their coefficient of variation.  [H12] §6.3."""

import math
from dataclasses import dataclass

import numpy as np

from afresh.base.calendar import DAY
from afresh.base.errors import ModelError
from afresh.lab.replay.trace import Floats

SLOTS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """Entries by hour of the day (UTC) over whole days."""

    mean: Floats  # [24]
    deviation: Floats  # [24]
    days: int

    @property
    def cv(self) -> float:
        """Mean of deviation over mean, over the hours in which anything was ever published; NaN for a silent feed.

        A memoryless feed has 1/sqrt(mean): a small value tells of intensity as well as of rhythm.
        """
        return self._cv(int((self.mean > 0).sum()))

    @property
    def cv_printed(self) -> float:
        """The same divided by 24, as printed: silent hours make a feed look more regular."""
        return self._cv(SLOTS)

    @property
    def per_day(self) -> float:
        return float(self.mean.sum())

    @property
    def excess_cv(self) -> float:
        """``cv`` over what a Poisson feed with these hourly means would have; about 1 without day-to-day regularity."""
        busy = self.mean > 0
        if not busy.any():
            return math.nan
        return float((self.deviation[busy] / np.sqrt(self.mean[busy])).mean())

    def _cv(self, divisor: int) -> float:
        busy = self.mean > 0
        return float((self.deviation[busy] / self.mean[busy]).sum() / divisor) if busy.any() else math.nan


def rhythm_of(times: Floats, start: float, days: int) -> Rhythm:
    """The rhythm of the entries in ``days`` days from ``start`` on."""
    if days < 1:
        raise ModelError("at least one day is needed")
    inside = times[(times >= start) & (times < start + days * DAY)]
    slot = ((inside - start) // (DAY / SLOTS)).astype(np.int64)
    counts = np.bincount(slot, minlength=days * SLOTS).reshape(days, SLOTS)
    # hours are those of the day, also where the period does not begin at midnight
    shift = int(start // (DAY / SLOTS)) % SLOTS
    return Rhythm(mean=np.roll(counts.mean(axis=0), shift), deviation=np.roll(counts.std(axis=0), shift), days=days)
