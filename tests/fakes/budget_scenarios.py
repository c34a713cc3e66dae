"""Random states in which a daemon may find its budget: who is there, what was planned, and what changes meanwhile."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from afresh.base.settings.sections import BudgetSettings
from tests.fakes.budget_population import HOUR, Population, Source

MOST = 4_000.0  # requests an hour: virtual time has its price too


def sources(rng: random.Random) -> list[Source]:
    mean, spread = rng.uniform(-12.0, -5.0), rng.uniform(0.0, 2.5)
    failing, pinned = rng.choice([0.0, 0.0, 0.2, 0.8]), rng.choice([0.0, 0.0, 0.1])
    least, most = rng.choice([(0.5, 0.5), (0.3, 0.7), (0.5, 0.9)])
    pages = rng.choice([0.0, 0.0, 0.5, 1.0])
    return [
        Source(
            rate=rng.lognormvariate(mean, spread),
            elasticity=rng.uniform(least, most),
            size=int(rng.lognormvariate(9.0, 1.0)),
            is_failing=rng.random() < failing,
            pinned=rng.uniform(120.0, 7_200.0) if rng.random() < pinned else None,
            is_page=rng.random() < pages,
        )
        for _ in range(rng.choice([3, 5, 24, 60, 200, 600, 600, 3_000]))
    ]


def some_budget(rng: random.Random, population: list[Source]) -> float:
    least = 0.5 * HOUR * sum(1.0 / one.interval(1e300) for one in population)
    most = min(MOST, HOUR * sum(1.0 / one.interval(1e-300) for one in population))
    least = max(6.0, least)
    return math.exp(rng.uniform(math.log(least), math.log(max(most, 1.1 * least))))


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of time under one budget, as it is after it: when and with how many visits it began."""

    population: Population
    per_hour: float
    began: float
    visits: int

    @property
    def settling(self) -> float:
        """Seconds in which the use has to come to the budget: two hours or 200 requests, whichever is later."""
        return max(2 * HOUR, 200 * HOUR / self.per_hour)

    @property
    def window(self) -> float:
        """Seconds over which the use is looked at afterwards."""
        return max(HOUR, 200 * HOUR / self.per_hour)

    @property
    def possible(self) -> float:
        """Requests an hour that can be made: the budget, or everybody at its shortest interval."""
        return min(self.per_hour, self.population.capacity())

    def use(self) -> float:
        """What was used once the budget had to be met, as a share of what can be."""
        since = self.began + self.settling
        used = self.population.used(since, self.population.now)
        return (used + 1.5) / (self.possible * (self.population.now - since) / HOUR)

    def run(self) -> "Stage":
        self.population.run(self.settling)
        self.population.run(self.window)
        return self


def stages(seed: int) -> Iterator[Stage]:
    """One population from a random state on, then perhaps with another budget or more resources."""
    rng = random.Random(seed)
    people = sources(rng)
    per_hour = some_budget(rng, people)
    settings = BudgetSettings(requests_per_hour=per_hour, price=rng.choice([1000.0, 1000.0, 1.0, 1e6]))
    population = Population(people, settings, planned_at=rng.choice([None, 1000.0, 1e-3, 1e7]), seed=seed)
    kept = rng.choice([None, None, 1e-3, 1e7])
    if kept is not None:
        population.start(settings, price=kept)

    def stage(budget: float) -> Stage:
        return Stage(population, budget, population.now, len(population.served)).run()

    change = rng.choice(["stay", "up", "down", "add"])
    yield stage(per_hour)
    match change:
        case "add":
            population.add([replace(one) for one in people for _ in range(3)], planned_at=None)
            yield stage(per_hour)
        case "up" | "down":
            budget = min(100 * per_hour, MOST) if change == "up" else max(per_hour / 100, 6.0)
            population.start(replace(settings, requests_per_hour=budget), price=population.budget.price)
            yield stage(budget)
