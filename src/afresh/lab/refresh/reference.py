"""Reference: every source in every round, the upper bound that ignores the budget.  [H12] §4.4.2."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.strategies.round import ROUND, Choose, Singles, Standings, Strategy


@compiled(ROUND)
def choose(_params: Row, _control: Row, _now: float, _windows: Singles, sources: Standings) -> int:
    """All of them."""
    sources.chosen[:] = 1
    return len(sources.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Strategy):
    """What could be had if requests were free."""

    name: ClassVar[str] = "reference"
    choose: ClassVar[Choose] = staticmethod(choose)
