"""The rules of Nutch and StormCrawler for pages, stretched by one factor until they spend the budget.

Both lengthen the interval of what stayed the same and shorten that of what changed (``feeds.rules.crawlers`` has
the one implementation). Run as they are they spend what they like; compared at equal budget, the price is the factor by
which all intervals are stretched. The rule lives in a time of its own that is stretched alike, so its limits, its
starting interval and its synchronising keep their proportions whatever the factor.
"""

# ruff: noqa: ARG001 (every policy's functions have one signature)

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.rules.crawlers import next_nutch, next_storm
from afresh.pages.policies.policy import FIRST, INTERVAL, LEARN, Learn, OnlinePolicy

DAY = 86_400.0
OWN = FIRST  # first of two slots that the rule itself keeps
CLOCK = FIRST + 2  # the rule's own time
NEXT = FIRST + 3  # its interval, in its own time; 0: not visited yet
STRETCH = FIRST + 4  # factor at which the running interval was made
_NONE = np.empty(0)
_UNBOUNDED = 1e18

NUTCH_PARAMS = (0.0, _UNBOUNDED, DAY, 0.4, 0.2, 60.0, 365.0 * DAY, 0.3, 30.0 * DAY)
STORM_PARAMS = (0.0, _UNBOUNDED, DAY, 0.5, 0.5, 3_600.0, 14.0 * DAY, DAY)


@compiled()
def _own_time(page: Row, elapsed: float) -> float:
    page[CLOCK] += elapsed / (page[STRETCH] if page[STRETCH] > 0.0 else 1.0)
    return float(page[CLOCK])


@compiled(LEARN)
def learn_nutch(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """One step of AdaptiveFetchSchedule in the rule's own time."""
    own = _own_time(page, elapsed)
    page[NEXT] = max(60.0, next_nutch(params, page[OWN:CLOCK], own, _NONE, int(changed), _NONE, 0.5) - own)
    return 0.0


@compiled(LEARN)
def learn_storm(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """One step of AdaptiveScheduler in the rule's own time."""
    own = _own_time(page, elapsed)
    page[NEXT] = next_storm(params, page[OWN:CLOCK], own, _NONE, int(changed), _NONE, 0.5) - own
    return 0.0


@compiled(INTERVAL)
def stretched(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """The rule's interval times the factor; the first one is where the rule starts."""
    page[STRETCH] = price
    return float(price * (page[NEXT] if page[NEXT] > 0.0 else params[-1]))


def _stretched(name: str, rule: str, learn: Learn, params: tuple[float, ...]) -> OnlinePolicy:
    summary = f"{rule}, stretched to the budget"
    return OnlinePolicy(
        name=name, summary=summary, interval=stretched, learn=learn, params=params, page_size=STRETCH + 1
    )


NUTCH = _stretched("nutch", "Nutch's AdaptiveFetchSchedule", learn_nutch, NUTCH_PARAMS)
STORM_CRAWLER = _stretched("stormcrawler", "StormCrawler's AdaptiveScheduler", learn_storm, STORM_PARAMS)
