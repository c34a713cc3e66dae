"""OnlySat: the first step of 2Steps alone.  [H12] §4.4.2."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.lab.refresh.strategies.round import CAP, ROUND, Choose, Marks, Singles, Strategy
from afresh.lab.refresh.strategies.selection import take_saturated
from afresh.lab.refresh.strategies.threshold import allowance, settle, whole


@compiled(ROUND)
def choose(
    params: Row,
    control: Row,
    now: float,  # noqa: ARG001
    total: Row,
    available: Singles,
    utility: Row,  # noqa: ARG001
    windows: Singles,
    ties: Singles,
    due: Row,  # noqa: ARG001
    chosen: Marks,
) -> int:
    """The budget's number of saturated sources, the most available first."""
    allowed = allowance(params, control)
    limit = min(whole(control, allowed), int(min(params[CAP], len(total))))
    used = take_saturated(total, available, windows, ties, limit, chosen)
    settle(params, control, allowed, used)
    return used


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlySat(Strategy):
    """Refreshes nothing before its window has filled: complete, but stale; leaves budget unused where few saturate."""

    name: ClassVar[str] = "only_sat"
    choose: ClassVar[Choose] = staticmethod(choose)
