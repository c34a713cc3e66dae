"""What every run of a project begins with: the same pages, the same web, the same moment.  [G20] §7.1.3."""

from dataclasses import dataclass

import numpy as np

from afresh.base.records.frontier import Seed
from afresh.base.records.frontier_store import FrontierStore
from afresh.lab.crawl.changes import ChangingWeb
from afresh.lab.crawl.database import example_seeds
from afresh.lab.crawl.settings import Project

#: when runs begin, seconds since 1970: a fixed day, so that results repeat to the last digit
START = 1_595_000_000.0


@dataclass(frozen=True, slots=True)
class Start:
    """The state every run of a project begins with: the example's pages, made once."""

    seeds: tuple[Seed, ...]

    @classmethod
    def of(cls, project: Project, seed: int) -> "Start":
        """Draws the example database."""
        return cls(tuple(example_seeds(project.example, np.random.default_rng([seed, 1]), START)))

    def restore(self, store: FrontierStore) -> None:
        """Empties a store and fills it again."""
        store.clear(fetchers=True, urls=True, sites=True, leases=True, edges=True)
        store.add(self.seeds, now=START)


def changing_web(project: Project, seed: int, repetition: int) -> ChangingWeb | None:
    """The web of a project whose pages change; the same for every case, whatever it visits."""
    if project.change_interval is None:
        return None
    return ChangingWeb(np.random.default_rng([seed, 3, repetition]), mean_interval=project.change_interval)
