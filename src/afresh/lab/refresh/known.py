"""A table of rates that is given and stays: the ideal, or a model learnt beforehand.  [H12] §7.1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.estimators.model import UPDATE, Expect, Update
from afresh.feeds.estimators.periodic import Periodic, expect


@compiled(UPDATE)
def update(params: Row, state: Row, last: float, now: float, count: float, censored: float, window: float) -> None:
    """Nothing is learnt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known(Periodic):
    """Rates by slot of the period, written into the state once."""

    name: ClassVar[str] = "known"
    expect: ClassVar[Expect] = staticmethod(expect)
    update: ClassVar[Update] = staticmethod(update)

    def table(self, times: Row, start: float, end: float) -> Row:
        """The state row of a source that published at these times: entries a second in each slot, floor included."""
        slot = self.period / self.slots
        inside = times[(times >= start) & (times < end)]
        counts = np.bincount((inside // slot).astype(np.int64) % self.slots, minlength=self.slots)
        # a period that begins inside a slot covers it in parts; whole periods cover all alike
        return np.asarray(np.maximum(self.floor, counts / ((end - start) / self.slots)), dtype=np.float64)
