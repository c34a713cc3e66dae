"""The common correction of a raw interval: bounds, and a standard interval where none can be computed."""

from afresh.base.compiled import READ, compiled
from afresh.base.models import Row


@compiled(f"float64({READ}, float64)")
def bounded(params: Row, interval: float) -> float:
    """The corrected interval ũ.  [R12] eq. 4.1.

    An interval that is not positive (or NaN) is undefined and becomes eta, not alpha: feeds about which nothing is
    known stay distinguishable from hot ones.
    """
    if not interval > 0.0:
        return float(params[2])
    return float(min(params[1], max(params[0], interval)))
