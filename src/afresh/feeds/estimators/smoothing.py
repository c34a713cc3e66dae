"""The smoothing constant that follows the errors: quicker when they grow, calmer when they do not.  [H12] §7.2.4."""

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.base.signatures import WF, F, types
from afresh.feeds.estimators.model import (
    ADAPTIVE,
    ALPHA,
    CALMER,
    HIGH,
    LOW,
    QUICKER,
    RECENT,
    UNSTABLE,
    USUAL,
)

# Layout of the block behind a model's own floats: the constant (0: not set yet), errors counted, the last of them.


@compiled(types.float64(F, WF, types.int64))
def smoothing(params: Row, state: Row, at: int) -> float:
    """The constant in force."""
    if params[ADAPTIVE] == 0.0 or state[at] == 0.0:
        return float(params[ALPHA])
    return float(state[at])


@compiled(types.float64(F, WF, types.int64))
def instability(params: Row, state: Row, at: int) -> float:
    """Mean of the last few errors over the mean of the last many; 0 before there are many, or where all were 0."""
    many, few = int(params[USUAL]), int(params[RECENT])
    seen = int(state[at + 1])
    if seen < many:
        return 0.0
    recent = 0.0
    usual = 0.0
    for back in range(many):
        error = state[at + 2 + (seen - 1 - back) % many]
        usual += error
        if back < few:
            recent += error
    return float((recent / few) / (usual / many)) if usual > 0.0 else 0.0


@compiled(types.void(F, WF, types.int64, types.float64))
def follow(params: Row, state: Row, at: int, error: float) -> None:
    """Note an error and move the constant."""
    if params[ADAPTIVE] == 0.0:
        return
    many = int(params[USUAL])
    seen = int(state[at + 1])
    state[at + 2 + seen % many] = error
    state[at + 1] = seen + 1.0
    alpha = smoothing(params, state, at)
    if seen + 1 >= many:
        alpha *= params[QUICKER] if instability(params, state, at) > params[UNSTABLE] else params[CALMER]
    state[at] = min(max(alpha, params[LOW]), params[HIGH])
