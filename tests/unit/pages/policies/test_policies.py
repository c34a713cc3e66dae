"""Every online policy: names, laws of its interval, and worked examples of its learning."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import UsageError
from afresh.base.marginals import BELIEF as BELIEF_OBJECTIVE
from afresh.base.marginals import FRESHNESS, frequency, index
from afresh.lab.rivals.page_crawlers import NEXT, OWN
from afresh.lab.rivals.page_policies import (
    ALL,
    BELIEF,
    BY_WEIGHT,
    DEFAULT,
    LAMBDA_CRAWL,
    NUTCH,
    ONLINE,
    PLUG_IN,
    PLUG_IN_LAST_MODIFIED,
    RIVALS,
    SITE_CLOCKED,
    STORM_CRAWLER,
    TOLD,
    policy_named,
)
from afresh.lab.rivals.page_rates import RATE
from afresh.pages.beliefs.site_clock import HOUR, HOUR_PACE, SITE_SIZE
from afresh.pages.policies import load_policy
from afresh.pages.policies.belief import (
    EVIDENCE,
    EXPOSURE,
    age_index,
    age_interval,
    belief_index,
    belief_interval,
    half_shape_interval,
)
from afresh.pages.policies.policy import WEIGHT, OnlinePolicy
from afresh.pages.policies.site_clocked import after_the_rush

DAY = 86_400.0
NOW = 20_000.0 * DAY


class Watched:
    """One page under one policy."""

    def __init__(self, policy: OnlinePolicy, weight: float = 1.0) -> None:
        self.policy = policy
        self.params = policy.parameters()
        self.page = np.zeros(policy.page_size)
        self.page[WEIGHT] = weight
        self.site = np.zeros(policy.site_size)
        self.world = np.zeros(policy.world_size)
        self.now = NOW

    def visit(self, elapsed: float, changed: bool, modified: float = math.nan) -> None:
        self.now += elapsed
        self.policy.learn(self.params, self.page, self.site, self.world, self.now, elapsed, float(changed), modified)

    def interval(self, price: float) -> float:
        return self.policy.interval(self.params, self.page, self.site, self.world, price)

    def due(self, price: float) -> float:
        wait = self.interval(price)
        return self.policy.due(self.params, self.page, self.site, self.world, self.now, wait, price)


def test_names_and_aliases() -> None:
    assert len({policy.name for policy in ALL}) == len(ALL)
    assert policy_named("default") is DEFAULT
    assert policy_named("afresh") is DEFAULT
    assert policy_named("Plug_In") is PLUG_IN
    assert policy_named("LambdaCrawl") is LAMBDA_CRAWL
    assert {policy.observation for policy in ONLINE} == {"visits"}
    assert "visits" not in {policy.observation for policy in TOLD}
    with pytest.raises(UsageError, match=r"unknown policy 'nonesuch'; .*there are afresh, site-clocked"):
        policy_named("nonesuch")


@pytest.mark.parametrize("policy", RIVALS, ids=lambda policy: policy.name)
@given(st.lists(st.tuples(st.floats(60.0, 400 * DAY), st.booleans()), max_size=12), st.floats(-8.0, 20.0))
def test_a_higher_price_never_means_more_visits(
    policy: OnlinePolicy, visits: list[tuple[float, bool]], log_price: float
) -> None:
    watched = Watched(policy)
    for elapsed, changed in visits:
        watched.visit(elapsed, changed)
    cheap, dear = watched.interval(math.exp(log_price)), watched.interval(math.exp(log_price + 1.0))
    assert 0.0 < cheap <= dear
    if cheap < math.inf:
        assert watched.due(math.exp(log_price)) >= watched.now


@pytest.mark.parametrize(
    "policy", [BELIEF, SITE_CLOCKED, PLUG_IN, LAMBDA_CRAWL, BY_WEIGHT], ids=lambda policy: policy.name
)
def test_a_page_without_weight_is_not_visited(policy: OnlinePolicy) -> None:
    watched = Watched(policy, weight=0.0)
    watched.visit(DAY, True)
    assert watched.interval(3600.0) == math.inf


@given(st.floats(1e-9, 1e-2), st.floats(1e-2, 1e2), st.floats(1.0, 1e8))
def test_half_shape_is_the_belief_of_shape_one_half(rate: float, weight: float, price: float) -> None:
    wait = half_shape_interval(rate, weight, price)
    expected, _ = frequency(BELIEF_OBJECTIVE, price, rate, 0.5, weight, 0.0)
    if wait < 1e60:
        assert 1.0 / wait == pytest.approx(expected, rel=1e-9)
        assert index(BELIEF_OBJECTIVE, wait, rate, 0.5, weight) == pytest.approx(price, rel=1e-6)


def test_plug_in_follows_the_optimal_frequency_of_its_estimate() -> None:
    watched = Watched(PLUG_IN)
    for k in range(200):
        watched.visit(DAY, k % 2 == 0)
    rate = watched.page[RATE]
    assert rate * DAY == pytest.approx(math.log(2.0), rel=0.1)
    expected, _ = frequency(FRESHNESS, 20_000.0, rate, 1.0, 1.0, 0.0)
    assert watched.interval(20_000.0) == pytest.approx(1.0 / expected)


def test_last_modified_tells_fast_pages_apart() -> None:
    slow, fast = Watched(PLUG_IN_LAST_MODIFIED), Watched(PLUG_IN_LAST_MODIFIED)
    for _ in range(20):
        slow.visit(10 * DAY, True, 5 * DAY)
        fast.visit(10 * DAY, True, 0.01 * DAY)
    assert fast.page[RATE] > 20.0 * slow.page[RATE]


def test_belief_rises_with_changes_and_is_capped() -> None:
    watched = Watched(BELIEF)
    quiet = Watched(BELIEF)
    for _ in range(60):
        watched.visit(DAY, True)
        quiet.visit(DAY, False)
    assert watched.page[EVIDENCE] <= BELIEF.params[1]
    assert watched.page[EVIDENCE] / watched.page[EXPOSURE] > 10.0 * quiet.page[EVIDENCE] / quiet.page[EXPOSURE]


def test_rules_of_crawlers_are_stretched_in_their_own_time() -> None:
    plain, stretched = Watched(STORM_CRAWLER), Watched(STORM_CRAWLER)
    for changed in (False, False, True):
        plain.visit(plain.interval(1.0), changed)
        stretched.visit(stretched.interval(7.0), changed)
    assert stretched.interval(7.0) == pytest.approx(7.0 * plain.interval(1.0))
    assert plain.interval(1.0) == pytest.approx(0.5 * 1.5 * DAY + 0.5 * 3600.0)  # start, +50 %, halfway to an hour
    nutch = Watched(NUTCH)
    assert nutch.interval(1.0) == 30.0 * DAY
    nutch.visit(30.0 * DAY, True)
    assert nutch.page[NEXT] == pytest.approx(0.8 * 30.0 * DAY)
    assert nutch.page[OWN] == pytest.approx(0.8 * 30.0 * DAY)


def test_neighbours_of_changed_pages_are_due_sooner() -> None:
    """A mass edit seen on some pages of a site brings the visit of another forward."""

    def due_after(changed: bool) -> float:
        watched = Watched(SITE_CLOCKED)
        for k in range(30):  # a slow page in company: all rows of the site and the world are shared
            watched.visit(5 * DAY, k % 10 == 0)
        before, last = watched.page.copy(), watched.now
        for _ in range(30):  # other pages of the same age, visited ten days later
            watched.page[:] = before
            watched.now = last + 10 * DAY - 60.0
            watched.visit(60.0 + 0.0, False)
            watched.page[:] = before
            watched.now = last
            watched.visit(10 * DAY, changed)
        watched.page[:] = before
        wait = watched.interval(2e5)
        return watched.policy.due(watched.params, watched.page, watched.site, watched.world, last, wait, 2e5) - last

    assert due_after(True) < due_after(False)


def test_a_visit_waits_until_the_rush_is_over() -> None:
    site = np.zeros(SITE_SIZE)
    site[HOUR_PACE:] = 0.1
    site[HOUR_PACE + 12] = 24.0 - 2.3
    noon = NOW + 12.2 * HOUR
    assert after_the_rush(site, noon, DAY, DAY, DAY) == NOW + 13 * HOUR
    assert after_the_rush(site, NOW + 15 * HOUR, DAY, DAY, DAY) == NOW + 15 * HOUR
    assert (
        after_the_rush(site, noon, 100 * DAY, DAY, 1000 * DAY) == noon
    )  # staler than any rush could make the new copy


@given(st.floats(1e-9, 1e-2), st.floats(1e-2, 1e2), st.floats(1.0, 1e8))
def test_where_age_counts_the_interval_is_where_the_index_reaches_the_price(
    rate: float, weight: float, price: float
) -> None:
    watched = Watched(BELIEF, weight=weight)
    watched.page[EVIDENCE], watched.page[EXPOSURE] = 1.0, 1.0 / rate
    args = (watched.params, watched.page, watched.site, watched.world)
    wait = age_interval(*args, price)
    assert age_index(*args, wait) == pytest.approx(price, rel=1e-6)
    assert belief_index(*args, belief_interval(*args, price)) == pytest.approx(price, rel=1e-6)


def test_a_user_chooses_policy_and_objective_and_is_told_the_names() -> None:
    assert load_policy("belief", "age").interval is age_interval
    with pytest.raises(UsageError, match="unknown page policy 'nonesuch'; there are site-clocked, belief"):
        load_policy("nonesuch")
    with pytest.raises(UsageError, match="unknown objective 'fun'; there are freshness, age"):
        load_policy("belief", "fun")
