"""OnlySat: the first step of 2Steps alone.  [H12] §4.4.2."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.strategies.round import CAP, ROUND, Choose, Singles, Standings, Strategy
from afresh.feeds.strategies.selection import take_saturated
from afresh.feeds.strategies.threshold import allowance, settle, whole


@compiled(ROUND)
def choose(params: Row, control: Row, _now: float, windows: Singles, sources: Standings) -> int:
    """The budget's number of saturated sources, the most available first."""
    allowed = allowance(params, control)
    limit = min(whole(control, allowed), int(min(params[CAP], len(sources.total))))
    used = take_saturated(windows, limit, sources)
    settle(params, control, allowed, used)
    return used


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlySat(Strategy):
    """Refreshes nothing before its window has filled: complete, but stale; leaves budget unused where few saturate."""

    name: ClassVar[str] = "only_sat"
    choose: ClassVar[Choose] = staticmethod(choose)
