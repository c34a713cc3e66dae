"""The default: a Gamma belief about each page's rate, on the clock of its site, visited after the rush.

Three ideas on top of the plug-in index:

1. the rate is a belief, not a number (``estimators.pages.belief``), and the decision treats every belief as no sharper
   than shape 1/2, so that no page is given up and one burst does not decide a page's fate;
2. rate and elapsed time are measured in the site's own time (``estimators.pages.site_clock``): if the pages visited
   today changed more than expected, their neighbours are due sooner;
3. a visit that falls into busy hours waits until they are over. Waiting dt costs P(stale) dt of freshness and saves the
   new copy from the changes of that time, which is worth pace * P(stale at a usual visit) dt: so it waits while
   pace * P(stale at a usual visit) > P(stale now).
"""

# ruff: noqa: ARG001 (every policy's functions have one signature)

import math

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.pages.beliefs.octaves import CHANGED, QUIET
from afresh.pages.beliefs.site_clock import (
    HOUR,
    HOUR_PACE,
    HOURS,
    LATEST,
    SITE_SIZE,
    WORLD_SIZE,
    advance,
    learn_days,
    learn_hours,
    moment_after,
    set_hours,
    site_time,
)
from afresh.pages.beliefs.streaming import expected_changes
from afresh.pages.policies.belief import (
    CLUSTERING,
    DAY,
    EVIDENCE,
    EXPOSURE,
    belief_index,
    belief_interval,
    is_chosen,
    learn_rate,
    prior_of,
)
from afresh.pages.policies.policy import DUE, LEARN, OnlinePolicy
from afresh.pages.policies.world import CHANGES, WATCHED

DAY_DOUBT, SITE_DOUBT, WORLD_DOUBT = 4, 5, 6  # parameters after those of the belief


@compiled(LEARN)
def learn_clocked(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """Updates the belief in site time, then the site's clock by what the belief did not expect."""
    a0, b0 = prior_of(params, world)
    a, b = (page[EVIDENCE], page[EXPOSURE]) if page[EXPOSURE] > 0.0 else (a0, b0)
    advance(site, now)
    start, rate = now - elapsed, a / b
    whole = max(1.0, site_time(site, start, now, params[DAY_DOUBT]))
    found = expected_changes(rate * whole) if changed > 0.0 else 0.0
    world[CHANGES] += found
    world[WATCHED] += elapsed
    learn_rate(params, page, (a0, b0), elapsed, whole, CHANGED if changed > 0.0 else QUIET)
    learn_days(site, start, now, rate, found, whole, params[DAY_DOUBT])
    learn_hours(site, world, start, now, rate, found)
    set_hours(site, world, params[SITE_DOUBT], params[WORLD_DOUBT])
    return 0.0


@compiled()
def stale_after(time: float, exposure: float) -> float:
    """Probability of a change within this site time, for a belief of shape 1/2."""
    return 1.0 - 1.0 / math.sqrt(1.0 + time / exposure)


@compiled()
def after_the_rush(site: Row, moment: float, passed: float, wait: float, exposure: float) -> float:
    """The first moment from ``moment`` on at which waiting longer is not worth it; at most a day later.

    ``passed``: site time since the last visit; ``wait``: the page's interval; ``exposure``: b of a belief of shape 1/2.
    """
    usual = stale_after(wait, exposure)
    for _ in range(HOURS):
        hour = math.floor(moment / HOUR)
        pace = site[HOUR_PACE + int(hour) % HOURS]
        bar = pace * usual
        if bar <= stale_after(passed, exposure):
            break
        room = (hour + 1) * HOUR - moment
        if bar < 1.0:
            enough = exposure * ((1.0 - bar) ** -2 - 1.0)  # site time at which P(stale) reaches the bar
            if passed + pace * room >= enough:
                return float(moment + (enough - passed) / pace)
        passed += pace * room
        moment += room
    return float(moment)


@compiled(DUE)
def clocked_due(params: Row, page: Row, site: Row, world: Row, last: float, interval: float, price: float) -> float:
    """When the page's interval has passed in site time, and the rush is over; of a chosen page at once."""
    if site[LATEST] == 0.0 or page[EXPOSURE] <= 0.0:
        return last + interval
    known = max(site[LATEST], last)
    passed = site_time(site, last, known, params[DAY_DOUBT])
    moment = known
    if passed < interval:
        moment = moment_after(site, known, interval - passed)
        passed = interval
    if is_chosen(page):  # its changes wait to be told, in the rush above all
        return float(moment)
    exposure = 0.5 * page[EXPOSURE] / (params[CLUSTERING] * page[EVIDENCE])
    return after_the_rush(site, moment, passed, interval, exposure)


SITE_CLOCKED = OnlinePolicy(
    name="site-clocked",
    summary="Gamma belief on the clock of its site, visited after the rush",
    interval=belief_interval,
    learn=learn_clocked,
    due=clocked_due,
    index=belief_index,
    has_clock=True,
    params=(1.0, 8.0, 600.0 * DAY, 0.5, 3.0, 3.0, 20.0),
    labels=("prior", "memory", "half_life", "clustering", "day_doubt", "site_doubt", "world_doubt"),
    page_size=EXPOSURE + 1,
    site_size=SITE_SIZE,
    world_size=WORLD_SIZE,
)
