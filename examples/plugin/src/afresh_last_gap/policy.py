"""Pages as often as the square root of what their visits have shown: a policy for demonstration."""

import math

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.pages.policies.policy import FIRST, INTERVAL, LEARN, WEIGHT, OnlinePolicy

CHANGED, SECONDS = FIRST, FIRST + 1  # slots of a page's row that are this policy's own


@compiled(LEARN)
def learn(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """Counts visits that found a change, and the time between visits."""
    page[CHANGED] += changed
    page[SECONDS] += elapsed
    return 0.0


@compiled(INTERVAL)
def interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """Seconds to wait at a price: the higher it is the longer, so that one price for all pages meets the budget."""
    rate = (page[CHANGED] + 0.5) / (page[SECONDS] + params[0])  # changes a second; half a one before there is any
    return float(price / math.sqrt(page[WEIGHT] * rate)) if page[WEIGHT] > 0.0 else math.inf


SQUARE_ROOT = OnlinePolicy(
    name="square-root",
    summary="frequency in proportion to the root of the counted rate",
    learn=learn,
    interval=interval,
    params=(86_400.0,),  # seconds: a day before the first visit is imagined
    labels=("imagined",),
    page_size=FIRST + 2,
)
