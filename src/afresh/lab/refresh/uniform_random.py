"""Uniform random: each source at intervals drawn evenly around a mean; for tests of estimators.  [H12] §7.3.2."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.feeds.strategies.round import MEAN, ROUND, Choose, Singles, Standings, Strategy


@compiled(ROUND)
def choose(params: Row, _control: Row, now: float, _windows: Singles, sources: Standings) -> int:
    """Those whose appointment has come; ``ties`` must be fresh random numbers in [0, 1)."""
    mean = params[MEAN]
    steps = math.floor(2.0 * params[0] + 0.5)
    used = 0
    due = sources.due
    for i in range(len(due)):
        if due[i] <= now:
            # 1 to twice the mean, in whole rounds: "mean 1 h" is anything from 10 min to 2 h in rounds of 10 min
            due[i] = now + mean / params[0] * (1.0 + math.floor(sources.ties[i] * steps))
            sources.chosen[i] = 1
            used += 1
    return used


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformRandom(Strategy):
    """Ignores budget and sources alike. ``rounds``: mean interval in rounds; its true mean is half a round more."""

    name: ClassVar[str] = "uniform_random"
    choose: ClassVar[Choose] = staticmethod(choose)
    is_random: ClassVar[bool] = True

    interval: float = 3_600.0  # mean, in the unit of ``now``
    rounds: float = 6.0  # the same in rounds

    def __post_init__(self) -> None:
        if not (0.0 < self.interval < math.inf and 0.5 <= self.rounds < math.inf):
            raise ModelError(
                f"{self.name}: interval must be positive and at least half a round, "
                f"not {self.interval:g} ({self.rounds:g} rounds)"
            )

    def params(self) -> Row:
        """Rounds stand in the place of the budget, which this strategy does not have."""
        row = Strategy.params(self)
        row[0] = self.rounds
        row[MEAN] = self.interval
        return row
