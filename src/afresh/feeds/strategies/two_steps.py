"""2Steps: first the sources that are losing entries, then those whose refresh is most useful.  [H12] Alg. 4.1."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.strategies.round import CAP, CARRIED, ROUND, TAU, Choose, Singles, Standings, Strategy
from afresh.feeds.strategies.selection import take_above, take_saturated
from afresh.feeds.strategies.threshold import allowance, settle, whole


@compiled(ROUND)
def choose(params: Row, control: Row, _now: float, windows: Singles, sources: Standings) -> int:
    """Step 1 takes at most the budget; step 2 all above a threshold that rises as less of the budget is left."""
    allowed = allowance(params, control)
    tokens = allowed + control[CARRIED]
    limit = min(whole(control, allowed), len(sources.total))
    cap = int(min(params[CAP], len(sources.total)))
    used = take_saturated(windows, min(limit, cap), sources)
    if used < tokens - 1e-9:
        threshold = tokens / (tokens - used) * control[TAU]
        used += take_above(threshold, cap - used, sources)
    settle(params, control, allowed, used)
    return used


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSteps(Strategy):
    """Completeness first, freshness with what is left of the budget, which is held on average."""

    name: ClassVar[str] = "two_steps"
    choose: ClassVar[Choose] = staticmethod(choose)
    is_adaptive: ClassVar[bool] = True
