"""From any state the spend comes to the budget, never above it by more than a batch, and nobody is asked too often.

Random populations in virtual time: 3 to 3,000 resources whose rules follow the price more or less than believed, feeds
and pages, some failing, some pinned; a new store, one in use, one planned at another price; budgets changed a
hundredfold; resources added at run time, by thousands; two budgets at once. ``AFRESH_POPULATIONS=1000`` runs more.
"""

import math
import os
import random
from dataclasses import replace

import pytest

from afresh.base.settings.sections import BudgetSettings
from tests.fakes.budget_population import HOUR, Population
from tests.fakes.budget_scenarios import MOST, some_budget, sources, stages

POPULATIONS = int(os.environ.get("AFRESH_POPULATIONS", "40"))

HARD = (450, 480, 575)  # two budgets, few requests an hour: one was lost while the other was waited for


def batch(per_hour: float, *, least: float = 2.0) -> float:
    """What may be saved up: two requests, or 4 % of an hour's budget."""
    return max(least, 0.04 * per_hour)


@pytest.mark.parametrize("seed", range(POPULATIONS))
def test_the_spend_comes_to_the_budget_from_any_state(seed: int) -> None:
    for stage in stages(seed):
        population, budget = stage.population, stage.per_hour
        assert stage.use() >= 0.95, "idle budget although somebody could be asked"
        excess = population.excess(budget / HOUR, stage.visits)
        assert excess <= batch(budget) + 1.0, "more than a batch above the budget"
    assert population.shortest_gap() >= 0.999, "below a shortest interval"
    assert population.starved() == 0.0, "somebody waits while another is asked twice"


@pytest.mark.parametrize("seed", sorted({*range(0, POPULATIONS, 5), *HARD}))
def test_of_two_budgets_neither_is_exceeded_and_one_is_used(seed: int) -> None:
    rng = random.Random(seed)
    people = [replace(one, pinned=None, is_failing=False) for one in sources(rng)][:60]
    per_hour = min(600.0, some_budget(rng, people))
    mean_size = sum(one.size for one in people) / len(people)
    bytes_per_hour = per_hour * mean_size * rng.choice([0.2, 0.7, 1.0, 3.0])
    settings = BudgetSettings(requests_per_hour=per_hour, bytes_per_hour=bytes_per_hour)
    population = Population(people, settings, planned_at=rng.choice([None, 1000.0, 1e7]), seed=seed)
    slower = min(per_hour, bytes_per_hour / mean_size)
    population.run(max(2 * HOUR, 200 * HOUR / slower))
    since, span = population.now, max(2 * HOUR, 200 * HOUR / slower)
    population.run(span)
    hours = span / HOUR
    largest = max(one.size for one in people)
    used = population.used(since, population.now) / (hours * per_hour)
    received = population.received(since, population.now) / (hours * bytes_per_hour)
    assert population.excess(per_hour / HOUR) <= batch(per_hour, least=5.0) + 1.0
    saved = batch(bytes_per_hour, least=min(100_000.0, 0.5 * bytes_per_hour))
    assert population.excess(bytes_per_hour / HOUR, in_bytes=True) <= saved + 2.0 * largest
    possible = population.capacity() / per_hour
    assert max(used, received) >= 0.95 * min(1.0, possible), (used, received)


@pytest.mark.parametrize("seed", range(0, POPULATIONS, 4))
def test_once_settled_everybody_is_visited_at_the_interval_its_price_gives(seed: int) -> None:
    """Spread: nobody starves while others are asked again and again."""
    rng = random.Random(seed)
    people = [replace(one, pinned=None, is_failing=False, elasticity=0.5) for one in sources(rng)][:60]
    low, high = (HOUR * sum(1.0 / one.interval(cost) for one in people) for cost in (1e300, 1e-300))
    per_hour = min(MOST, math.sqrt(low * high))
    population = Population(people, BudgetSettings(requests_per_hour=per_hour), planned_at=1000.0, seed=seed)
    population.run(max(2 * HOUR, 20 * HOUR * len(people) / per_hour))
    since = population.now
    population.run(20 * HOUR * len(people) / per_hour)
    price = population.budget.price
    times: dict[int, list[float]] = {}
    for at, number, _ in population.served:
        if at > since:
            times.setdefault(number, []).append(at)
    for number, one in enumerate(people):
        wanted, seen = one.interval(price), times.get(number, [])
        expected = (population.now - since) / wanted
        if expected >= 4.0:
            assert 0.7 * expected - 1 <= len(seen) <= 1.3 * expected + 1, (number, expected, len(seen))


@pytest.mark.parametrize("seed", range(0, POPULATIONS, 4))
def test_under_a_ceiling_nobody_is_asked_more_often_than_without_a_budget(seed: int) -> None:
    """And what is needed is made, or all that is allowed."""
    rng = random.Random(seed)
    people = [replace(one, elasticity=0.5) for one in sources(rng)][:200]
    needed = HOUR * sum(1.0 / one.interval(1000.0) for one in people)
    per_hour = min(MOST, needed * rng.choice([0.3, 0.8, 3.0, 100.0]))
    settings = BudgetSettings(requests_per_hour=per_hour, spend="needed")
    population = Population(people, settings, planned_at=rng.choice([None, 1.0, 1000.0]), seed=seed)
    span = max(2 * HOUR, 200 * HOUR / per_hour, 2 * max(one.interval(1000.0) for one in people))
    population.run(span)
    since = population.now
    population.run(span)
    assert population.excess(per_hour / HOUR) <= batch(per_hour) + 1.0
    wanted = span / HOUR * min(per_hour, needed)
    assert population.used(since, population.now) >= 0.95 * wanted - 2.0
    last: dict[int, float] = {}
    for at, number, _ in population.served:
        if number in last:
            assert at - last[number] >= 0.999 * people[number].interval(1000.0)
        last[number] = at
