"""The setting of [H12] §4.4 drawn many times: every strategy and budget on the same draws."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from afresh.lab.experiments.model import Options
from afresh.lab.refresh.catalogue import strategy
from afresh.lab.refresh.simulator import Knowledge, Simulation
from afresh.lab.refresh.synthetic import Population

DRAWS = 60
FEWEST = 40
WARM_UP = 500
CYCLES = 100

T = TypeVar("T")
Case = tuple[str, int]  # strategy, budget


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Completeness, freshness and cost of each strategy and budget, draw by draw."""

    draws: int
    rows: Mapping[Case, np.ndarray]  # [draws, 3]

    def completeness(self, name: str, budget: int) -> np.ndarray:
        return self.rows[name, budget][:, 0]

    def freshness(self, name: str, budget: int) -> np.ndarray:
        return self.rows[name, budget][:, 1]

    def cost(self, name: str, budget: int) -> np.ndarray:
        return self.rows[name, budget][:, 2]


def count_of(options: Options) -> int:
    """60 draws times the scale, never fewer than 40."""
    return max(FEWEST, round(DRAWS * options.scale))


def play(options: Options, cases: Sequence[Case], population: Population, knowledge: Knowledge) -> Outcomes:
    """All cases on each draw: 500 cycles for the threshold to settle, 100 that count."""
    draws = count_of(options)

    def one(draw: int) -> list[tuple[float, float, float]]:
        options.progress(f"draw {draw + 1} of {draws}")
        web = population.draw(np.random.default_rng([options.seed, draw]), WARM_UP + CYCLES)
        rows = []
        for name, budget in cases:
            run = Simulation(web, strategy(name, budget=float(budget)), knowledge, seed=draw)
            run.advance(WARM_UP)
            part = run.advance(CYCLES)
            rows.append((part.completeness, part.freshness, float(part.cost)))
        return rows

    made = np.array(mapped(one, range(draws), options.jobs))
    return Outcomes(draws, {case: made[:, k] for k, case in enumerate(cases)})


def mapped(function: Callable[[int], T], items: Sequence[int], jobs: int) -> list[T]:
    """In threads: the kernels run outside the interpreter's lock."""
    if jobs <= 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))
