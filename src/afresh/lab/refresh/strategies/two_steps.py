"""2Steps: first the sources that are losing entries, then those whose refresh is most useful.  [H12] Alg. 4.1."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.lab.refresh.strategies.round import CAP, CARRIED, ROUND, TAU, Choose, Marks, Singles, Strategy
from afresh.lab.refresh.strategies.selection import take_above, take_saturated
from afresh.lab.refresh.strategies.threshold import allowance, settle, whole


@compiled(ROUND)
def choose(
    params: Row,
    control: Row,
    now: float,  # noqa: ARG001
    total: Row,
    available: Singles,
    utility: Row,
    windows: Singles,
    ties: Singles,
    due: Row,  # noqa: ARG001
    chosen: Marks,
) -> int:
    """Step 1 takes at most the budget; step 2 all above a threshold that rises as less of the budget is left."""
    allowed = allowance(params, control)
    tokens = allowed + control[CARRIED]
    limit = min(whole(control, allowed), len(total))
    cap = int(min(params[CAP], len(total)))
    used = take_saturated(total, available, windows, ties, min(limit, cap), chosen)
    if used < tokens - 1e-9:
        threshold = tokens / (tokens - used) * control[TAU]
        used += take_above(utility, threshold, cap - used, ties, chosen)
    settle(params, control, allowed, used)
    return used


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSteps(Strategy):
    """Completeness first, freshness with what is left of the budget, which is held on average."""

    name: ClassVar[str] = "two_steps"
    choose: ClassVar[Choose] = staticmethod(choose)
    is_adaptive: ClassVar[bool] = True
