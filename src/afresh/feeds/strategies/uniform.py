"""Uniform: every source equally often, one after the other.  [H12] §4.4.2."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.strategies.round import CAP, CURSOR, ROUND, Choose, Singles, Standings, Strategy
from afresh.feeds.strategies.threshold import allowance, settle, whole


@compiled(ROUND)
def choose(params: Row, control: Row, _now: float, _windows: Singles, sources: Standings) -> int:
    """The next few of a round robin, which is the reading of "uniform" that fits the published numbers."""
    n = len(sources.total)
    allowed = allowance(params, control)
    used = min(whole(control, allowed), int(min(params[CAP], n)))
    at = int(control[CURSOR])
    for _ in range(used):
        at = at if at < n else 0  # sources may have left since
        sources.chosen[at] = 1
        at += 1
    control[CURSOR] = at
    settle(params, control, allowed, used)
    return used


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform(Strategy):
    """Round robin: looks at nothing."""

    name: ClassVar[str] = "uniform"
    choose: ClassVar[Choose] = staticmethod(choose)
