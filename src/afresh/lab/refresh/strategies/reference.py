"""Reference: every source in every round, the upper bound that ignores the budget.  [H12] §4.4.2."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.lab.refresh.strategies.round import ROUND, Choose, Marks, Singles, Strategy


@compiled(ROUND)
def choose(
    params: Row,  # noqa: ARG001
    control: Row,  # noqa: ARG001
    now: float,  # noqa: ARG001
    total: Row,
    available: Singles,  # noqa: ARG001
    utility: Row,  # noqa: ARG001
    windows: Singles,  # noqa: ARG001
    ties: Singles,  # noqa: ARG001
    due: Row,  # noqa: ARG001
    chosen: Marks,
) -> int:
    """All of them."""
    chosen[:] = 1
    return len(total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Strategy):
    """What could be had if requests were free."""

    name: ClassVar[str] = "reference"
    choose: ClassVar[Choose] = staticmethod(choose)
