"""What all pages together have shown: the row ``world`` of policies that start new pages from the mean."""

from afresh.base.compiled import compiled
from afresh.base.models import Row

DAY = 86_400.0
CHANGES, WATCHED = 0, 1  # slots of the world row


@compiled()
def usual_rate(world: Row) -> float:
    """Mean rate of all pages so far, taken for that of a page never visited; one in a hundred days at first."""
    return float((world[CHANGES] + 0.5) / (world[WATCHED] + 50.0 * DAY))
