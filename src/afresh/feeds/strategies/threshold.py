"""The threshold that holds a budget on average, and the account of requests it looks at.  [H12] Alg. 4.2."""

import math

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.base.signatures import WF, F, types
from afresh.feeds.strategies.round import (
    ALLOWED,
    BALANCE,
    BUDGET,
    CARRIED,
    DECREASE,
    FLOOR,
    HORIZON,
    INCREASE,
    LEAST,
    TAU,
    USAGE,
    USED,
)


@compiled(types.float64(*[types.float64] * 7))
def adjusted(
    tau: float, allowed: float, used: float, usage: float, decrease: float, increase: float, floor: float
) -> float:
    """The next threshold: up when too much was used, down when less than the part ``usage`` of what was allowed was."""
    if used > allowed:
        tau *= increase
    elif used < usage * allowed:
        tau *= decrease
    return max(tau, floor)


@compiled(types.float64(F, WF))
def allowance(params: Row, control: Row) -> float:
    """Requests this round may use: the budget, and a part of what was saved or is owed."""
    budget = params[BUDGET]
    if params[HORIZON] > 0.0:
        # never to a stop: a strategy that does not look learns nothing
        budget = max(0.1 * budget, budget + control[BALANCE] / params[HORIZON])
    return float(budget)


@compiled(types.int64(WF, types.float64))
def whole(control: Row, allowed: float) -> int:
    """The whole requests of an allowance; the rest of one is carried to the next round (a token bucket)."""
    tokens = allowed + control[CARRIED]
    count = math.floor(tokens + 1e-9)
    control[CARRIED] = max(0.0, tokens - count)
    return int(count)


@compiled(types.void(F, WF, types.float64, types.int64))
def settle(params: Row, control: Row, allowed: float, used: int) -> None:
    """Book a round: savings, and the threshold when enough has been allowed since it moved last."""
    control[BALANCE] += params[BUDGET] - used
    if params[HORIZON] > 0.0:  # more than a horizon's budget is not carried on: what was not needed is not owed later
        most = params[HORIZON] * params[BUDGET]
        control[BALANCE] = min(max(control[BALANCE], -most), most)
    control[USED] += used
    control[ALLOWED] += allowed
    if control[ALLOWED] < params[LEAST] and control[USED] < params[LEAST]:
        return
    control[TAU] = adjusted(
        control[TAU],
        control[ALLOWED],
        control[USED],
        params[USAGE],
        params[DECREASE],
        params[INCREASE],
        params[FLOOR],
    )
    control[USED] = 0.0
    control[ALLOWED] = 0.0
