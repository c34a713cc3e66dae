"""Policies that take an estimated rate for the true one: proportional, Cho-optimal, Azar, LambdaCrawl, threshold."""

# ruff: noqa: ARG001 (every policy's functions have one signature)

import math
from typing import Any

from afresh.base.compiled import compiled
from afresh.base.marginals import FRESHNESS, POISSON, POISSON_HARMONIC, frequency
from afresh.base.models import Row
from afresh.pages.beliefs.streaming import expected_changes
from afresh.pages.policies.policy import ANNOUNCED, FIRST, INTERVAL, LEARN, WEIGHT, Interval, Learn, OnlinePolicy
from afresh.pages.policies.world import CHANGES, WATCHED, usual_rate

DAY = 86_400.0
RATE, SUM, TIME, COUNT = FIRST, FIRST + 1, FIRST + 2, FIRST + 3  # slots of the page row


@compiled(LEARN)
def learn_em_map(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """EM-MAP of the Poisson rate, one step a visit: rate = (a - 1 + expected changes)/(b + time watched).

    The expected number of changes behind every positive visit is taken at the rate believed then; the prior is
    Gamma(1.5, half a mean interval), or the mean rate of all pages before the first visit.
    """
    if page[RATE] == 0.0:
        page[RATE] = usual_rate(world)
    found = expected_changes(page[RATE] * elapsed) if changed > 0.0 else 0.0
    world[CHANGES] += found
    world[WATCHED] += elapsed
    page[SUM] += found
    page[TIME] += elapsed
    page[COUNT] += 1.0
    watched = max(page[TIME], 1e-3)  # a page may be visited in the moment it appears
    page[RATE] = (0.5 + page[SUM]) / (0.5 * watched / page[COUNT] + watched)
    return 0.0


@compiled(LEARN)
def learn_streaming(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """EM with constant gain: averages of expected changes and of intervals that forget, so that drift is followed."""
    if page[RATE] == 0.0:
        page[RATE] = usual_rate(world)
        page[SUM], page[TIME] = page[RATE] * elapsed, elapsed
    found = expected_changes(page[RATE] * elapsed) if changed > 0.0 else 0.0
    world[CHANGES] += found
    world[WATCHED] += elapsed
    page[SUM] += params[0] * (found - page[SUM])
    page[TIME] += params[0] * (elapsed - page[TIME])
    page[RATE] = max(page[SUM], 1e-6) / max(page[TIME], 1.0)
    return 0.0


@compiled(LEARN)
def learn_smoothed_mle(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """The estimator of LambdaCrawl: likelihood with one changed and one unchanged interval of half a day imagined."""
    if page[RATE] == 0.0:
        page[RATE] = 1.0 / DAY
    if changed > 0.0:
        page[SUM] += expected_changes(page[RATE] * elapsed)
    page[TIME] += elapsed
    page[RATE] = (expected_changes(page[RATE] * 0.5 * DAY) + page[SUM]) / (DAY + page[TIME])
    return 0.0


@compiled(LEARN)
def learn_last_modified(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """Rate from Last-Modified: visits that found a change, over the time known to have been quiet.  [CG03b]."""
    page[SUM] += changed
    page[TIME] += min(modified, elapsed)
    page[RATE] = (page[SUM] + 0.5) / (page[TIME] + 0.5 * DAY)
    return 0.0


@compiled()
def rate_of(page: Row, world: Row) -> float:
    """The estimate, or the mean rate of all pages before the first visit."""
    return float(page[RATE]) if page[RATE] > 0.0 else usual_rate(world)


@compiled()
def bought(objective: int, price: float, page: Row, rate: float) -> float:
    """Interval at a price for an estimated rate."""
    f, _ = frequency(objective, price, rate, 1.0, page[WEIGHT], 0.0)
    return 1.0 / f if f > 0.0 else math.inf


@compiled(INTERVAL)
def uniform_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """The same for every page."""
    return price


@compiled(INTERVAL)
def weight_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """Frequency in proportion to importance."""
    return float(price / page[WEIGHT]) if page[WEIGHT] > 0.0 else math.inf


@compiled(INTERVAL)
def proportional_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """Frequency in proportion to the rate; the price is then changes a visit."""
    return price / (DAY * rate_of(page, world))


@compiled(INTERVAL)
def freshness_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """Where the marginal freshness of equal spacing meets the price.  [CG03] §5."""
    return bought(FRESHNESS, price, page, rate_of(page, world))


@compiled(INTERVAL)
def azar_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """Where the marginal freshness of Poisson visits meets the price; run with equal spacing, as its authors do."""
    return bought(POISSON, price, page, rate_of(page, world))


@compiled(INTERVAL)
def lambda_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """f = (-rate + sqrt(rate^2 + 4 w rate/price))/2: harmonic staleness, nobody is starved."""
    rate = page[RATE] if page[RATE] > 0.0 else 1.0 / DAY  # where its authors start
    return bought(POISSON_HARMONIC, price, page, rate)


@compiled(INTERVAL)
def complete_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """Announcements are followed with probability min(1, w/(price rate)): at most every one of them."""
    rate = page[ANNOUNCED]
    if rate <= 0.0 or page[WEIGHT] <= 0.0:
        return math.inf
    return float(1.0 / min(rate, page[WEIGHT] / price))


def _estimating(name: str, summary: str, learn: Learn, interval: Interval, **more: Any) -> OnlinePolicy:
    """A policy that goes by an estimated rate."""
    return OnlinePolicy(
        name=name,
        summary=summary,
        learn=learn,
        interval=interval,
        page_size=COUNT + 1,
        world_size=WATCHED + 1,
        **more,
    )


UNIFORM = OnlinePolicy(name="uniform", summary="the same interval for every page", interval=uniform_interval)
BY_WEIGHT = OnlinePolicy(
    name="by-weight",
    summary="frequency in proportion to importance (LambdaCrawl without rates)",
    interval=weight_interval,
)
LAMBDA_CRAWL_COMPLETE = OnlinePolicy(
    name="lambda-crawl-complete",
    summary="follows announcements of changes, of which it gets every one",
    interval=complete_interval,
    page_size=ANNOUNCED + 1,
    observation="announced",
)
PROPORTIONAL = _estimating(
    "proportional", "frequency in proportion to the rate (EM-MAP)", learn_em_map, proportional_interval
)
_CHO = "freshness-optimal for the rate estimated by EM-MAP (Cho and Garcia-Molina)"
PLUG_IN = _estimating("plug-in", _CHO, learn_em_map, freshness_interval)
_BY_HEADER = "freshness-optimal for the rate estimated from Last-Modified"
PLUG_IN_LAST_MODIFIED = _estimating(
    "plug-in-last-modified", _BY_HEADER, learn_last_modified, freshness_interval, observation="last-modified"
)
AZAR = _estimating("azar", "optimal for Poisson visits, run with equal spacing (EM-MAP)", learn_em_map, azar_interval)
_HARMONIC = "harmonic staleness, incomplete observation (smoothed likelihood)"
LAMBDA_CRAWL = _estimating("lambda-crawl", _HARMONIC, learn_smoothed_mle, lambda_interval)
_INDEX = "visit when the index (w/rate) g(rate * elapsed) reaches the price; streaming EM"
WHITTLE = _estimating("whittle", _INDEX, learn_streaming, freshness_interval, params=(0.1,))
