"""Visit when the index of a Gamma belief about the rate reaches the price; no page is ever given up (spec §5.8)."""

# ruff: noqa: ARG001 (every policy's functions have one signature)

import math

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.pages.beliefs.gamma import after_change, after_quiet, capped, faded
from afresh.pages.beliefs.octaves import ANNOUNCED, CHANGED, QUIET, gamma_of, learn_octaves
from afresh.pages.beliefs.streaming import expected_changes
from afresh.pages.policies.policy import FIRST, INDEX, INTERVAL, LEARN, WEIGHT, OnlinePolicy
from afresh.pages.policies.world import CHANGES, WATCHED, usual_rate

DAY = 86_400.0
EVIDENCE, EXPOSURE = FIRST, FIRST + 1  # page row: the belief Gamma(a, b)
ODDS = EXPOSURE + 5  # behind the model's own: odds of octaves; 0 in the first: the page's belief is a Gamma alone
PRIOR, MEMORY, HALF_LIFE, CLUSTERING = 0, 1, 2, 3  # parameters


@compiled()
def prior_of(params: Row, world: Row) -> tuple[float, float]:
    """Belief about a page never visited: the mean rate of all pages, with the evidence of ``PRIOR`` changes."""
    rate = usual_rate(world)
    return params[PRIOR], params[PRIOR] / rate


@compiled()
def is_chosen(page: Row) -> bool:
    """Whether a person chose this page by itself; it then has the odds of its rate behind the other numbers."""
    return bool(len(page) > ODDS and page[ODDS] > 0.0)


@compiled()
def learn_rate(params: Row, page: Row, prior: tuple[float, float], elapsed: float, passed: float, shown: int) -> None:
    """What a visit shows about a page's rate; ``passed``: site time since the one before, in ``elapsed`` seconds."""
    if is_chosen(page):
        odds = page[ODDS:]
        learn_octaves(odds, passed, shown, 1.0 - math.exp2(-elapsed / params[HALF_LIFE]))
        page[EVIDENCE], page[EXPOSURE] = gamma_of(odds)
        return
    a0, b0 = prior
    a, b = (page[EVIDENCE], page[EXPOSURE]) if page[EXPOSURE] > 0.0 else (a0, b0)
    a, b = faded(a, b, a0, b0, math.exp2(-elapsed / params[HALF_LIFE]))
    if shown == ANNOUNCED:
        a, b = a + 1.0, b + passed
    else:
        a, b = after_change(a, b, passed) if shown == CHANGED else after_quiet(a, b, passed)
    page[EVIDENCE], page[EXPOSURE] = capped(a, b, params[MEMORY])


@compiled(LEARN)
def learn_belief(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """Fades, updates and caps the belief; keeps the mean rate of all pages."""
    a0, b0 = prior_of(params, world)
    a, b = (page[EVIDENCE], page[EXPOSURE]) if page[EXPOSURE] > 0.0 else (a0, b0)
    if changed > 0.0:
        world[CHANGES] += expected_changes(a / b * elapsed)
    world[WATCHED] += elapsed
    learn_rate(params, page, (a0, b0), elapsed, elapsed, CHANGED if changed > 0.0 else QUIET)
    return 0.0


@compiled()
def half_shape_interval(rate: float, weight: float, price: float) -> float:
    """Interval at a price for a belief of shape 1/2 and this mean rate.

    With shape 1/2 the index of a Gamma belief, w b v(tau/b), has v(u) = (2 sinh(log(1+u)/4))^2, which is inverted in
    closed form. No page is starved at any price.
    """
    if weight <= 0.0 or rate <= 0.0:
        return math.inf
    b = 0.5 / rate
    z = 4.0 * math.asinh(0.5 * math.sqrt(price / (weight * b)))
    return b * math.expm1(z) if z < 600.0 else math.inf


@compiled(INTERVAL)
def belief_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """The evidence says where the rate lies; the decision treats it as no better known than shape 1/2.

    Who chose a page wants to be told of each change, so there each counts for as long as it waits, as the entries of a
    feed do: V = w rate t^2/2 (docs/theory/revisiting.md). By freshness alone a page that is stale
    again soon after a visit would hardly be worth one.
    """
    a, b = (page[EVIDENCE], page[EXPOSURE]) if page[EXPOSURE] > 0.0 else prior_of(params, world)
    if is_chosen(page):
        return math.sqrt(2.0 * price * b / (page[WEIGHT] * a)) if page[WEIGHT] > 0.0 else math.inf
    return half_shape_interval(params[CLUSTERING] * a / b, page[WEIGHT], price)


@compiled()
def half_shape(params: Row, page: Row, world: Row) -> float:
    """b of the belief of shape 1/2 that the decision goes by."""
    a, b = (page[EVIDENCE], page[EXPOSURE]) if page[EXPOSURE] > 0.0 else prior_of(params, world)
    return float(0.5 * b / (params[CLUSTERING] * a))


@compiled(INDEX)
def belief_index(params: Row, page: Row, site: Row, world: Row, elapsed: float) -> float:
    """What ``belief_interval`` inverts: w b (2 sinh(log(1 + elapsed/b)/4))^2; of a chosen page w rate elapsed^2/2."""
    if is_chosen(page):
        return float(0.5 * page[WEIGHT] * page[EVIDENCE] / page[EXPOSURE] * max(0.0, elapsed) ** 2)
    b = half_shape(params, page, world)
    return float(page[WEIGHT] * b * (2.0 * math.sinh(0.25 * math.log1p(max(0.0, elapsed) / b))) ** 2)


@compiled(INDEX)
def age_index(params: Row, page: Row, site: Row, world: Row, elapsed: float) -> float:
    """What a visit is worth where age counts, in days of age times seconds: w b^2 (4/3 d^3 + d^4/2), d = sqrt(1+t/b)-1.

    By the general law V = t c(t) - int c (spec §2.4) with the expected age c(u) = u - 2b (sqrt(1 + u/b) - 1).
    """
    b = half_shape(params, page, world)
    d = math.expm1(0.5 * math.log1p(max(0.0, elapsed) / b))
    return float(page[WEIGHT] * b * b / DAY * d**3 * (4.0 / 3.0 + 0.5 * d))


@compiled(INTERVAL)
def age_interval(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    """The inverse, by Newton's steps from above: the index is convex in d."""
    if page[WEIGHT] <= 0.0:
        return math.inf
    b = half_shape(params, page, world)
    wanted = price * DAY / (page[WEIGHT] * b * b)
    d = (0.75 * wanted) ** (1.0 / 3.0)
    for _ in range(100):
        step = (d**3 * (4.0 / 3.0 + 0.5 * d) - wanted) / (2.0 * d * d * (d + 2.0)) if d > 0.0 else 0.0
        d -= step
        if abs(step) <= 1e-12 * d:
            break
    return float(b * d * (2.0 + d))


FOR_FRESHNESS = (belief_interval, belief_index)
FOR_AGE = (age_interval, age_index)
BELIEF = OnlinePolicy(
    name="belief",
    summary="index of a Gamma belief with fading, capped evidence",
    interval=belief_interval,
    learn=learn_belief,
    index=belief_index,
    params=(1.0, 8.0, 600.0 * DAY, 0.5),
    labels=("prior", "memory", "half_life", "clustering"),
    page_size=EXPOSURE + 1,
    world_size=WATCHED + 1,
)
